// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Linear<64, 10
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<32, 81>, (espalier::)?shape<64, 10> ?>
// expect-early: shape<32, 81>
// expect-early: shape<64, 10>
// expect-early: layer<1, 2>
#include <espalier/model/output_shape.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
static_assert(esp::output_shape<Net, esp::shape<32, 9, 9>> == esp::shape<32, 10>{});
#else
static_assert(esp::output_shape<Net, esp::shape<32, 8, 8>> == esp::shape<32, 10>{});
#endif
