// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: features_of_sequence<8, (espalier::)?shape<2, 5, 6> ?>
// expect: MultiheadAttention<8, 2
// expect-26: expected \(batch, length, 8\), got \(2, 5, 6\)
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using In = esp::shape<2, 5, 6>;
#else
using In = esp::shape<2, 5, 8>;
#endif
[[maybe_unused]] constexpr auto y = esp::output_shape<nn::MultiheadAttention<8, 2>, In>;
