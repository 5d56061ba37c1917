// SPDX-License-Identifier: BSL-1.0
// expect: the input of a net is written esp::batch<N, ...>: its extents are template arguments
// expect: is_batch<int>
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<8, 10>;
#ifdef SHOULD_FAIL
using Input = int;
#else
using Input = esp::shape<32, 8>;
#endif

static_assert(esp::output_shape<Net, Input> == esp::shape<32, 10>{});
