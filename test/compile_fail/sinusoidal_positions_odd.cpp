// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: pairs_of_features<(espalier::)?shape<2, 9, 5> ?>
// expect: SinusoidalPositions
// expect-26: got \(2, 9, 5\); the number of features must be even
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
constexpr int features = 5;
#else
constexpr int features = 6;
#endif
[[maybe_unused]] constexpr auto y = esp::output_shape<nn::SinusoidalPositions<>, esp::shape<2, 9, features>>;
