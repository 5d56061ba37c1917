// SPDX-License-Identifier: BSL-1.0
// expect: esp::mse_loss has another name here: write mean\(square\(a - b\)\)
#include <espalier.hpp>

namespace esp = espalier;

esp::tensor<float, esp::shape<2, 3>> const x{}, target{};
#ifdef SHOULD_FAIL
auto const loss = esp::mse_loss(x, target);
#else
float const loss = mean(square(x - target));
#endif
