// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: positions_cover<(espalier::)?shape<2, 9, 4>, (espalier::)?shape<8, 4> ?>
// expect: LearnedPositions<8, 4>
// expect-26: the sequence is \(2, 9, 4\), the positions are \(8, 4\)
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
constexpr int length = 9;
#else
constexpr int length = 8;
#endif
[[maybe_unused]] constexpr auto y =
    esp::output_shape<nn::Sequential<nn::LearnedPositions<8, 4>, nn::ReLU>, esp::shape<2, length, 4>>;
