// SPDX-License-Identifier: BSL-1.0
// expect: the net is not a module; write ESPALIER_MODULE
// expect: is_net<NoModule>
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct NoModule {};
#ifdef SHOULD_FAIL
using Net = NoModule;
#else
using Net = nn::Linear<8, 10>;
#endif

static_assert(esp::prediction_plan<Net, esp::batch<32, 8>>.workspace_bytes < 100000);
static_assert(esp::output_shape<Net, esp::shape<32, 8>> == esp::shape<32, 10>{});
