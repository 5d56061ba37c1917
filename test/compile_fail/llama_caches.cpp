// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: caches_fit<(espalier::)?shape<1, 1, 16>, (espalier::)?shape<1, 4, 9, 4>, (espalier::)?shape<1, 4, 9, 4>, 2, 4, true>
// expect-26: keys are \(1, 4, 9, 4\), values are \(1, 4, 9, 4\); expected 2 key heads of 4 features, causal: true
#include <espalier.hpp>

namespace esp = espalier;
using Attention = esp::nn::RotaryAttention<16, 4, 2>;

#ifdef SHOULD_FAIL
using Cache = esp::shape<1, 4, 9, 4>;  // as many heads as queries have
#else
using Cache = esp::shape<1, 2, 9, 4>;
#endif
[[maybe_unused]] constexpr auto y =
    esp::output_shape<Attention, esp::shapes<esp::shape<1, 1, 16>, esp::shape<1>, Cache, Cache>>;
