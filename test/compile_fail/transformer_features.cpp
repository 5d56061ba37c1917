// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: features_of_sequence<8, (espalier::)?shape<4, 8> ?>
// expect: TransformerEncoderLayer<8, 2, 16
// expect-26: expected \(batch, length, 8\), got \(4, 8\)
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using In = esp::shape<4, 8>;  // without a batch
#else
using In = esp::shape<1, 4, 8>;
#endif
[[maybe_unused]] constexpr auto y = esp::output_shape<nn::TransformerEncoderLayer<8, 2, 16>, In>;
