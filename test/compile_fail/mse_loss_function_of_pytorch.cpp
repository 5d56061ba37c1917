// SPDX-License-Identifier: BSL-1.0
// expect: esp::mse_loss has another name here: write mean\(square\(a - b\)\)
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;

esp::tensor<float, esp::shape<2, 3>> const x{}, target{};
#ifdef SHOULD_FAIL
auto const gradient = esp::grad<0>([](auto y, auto t) { return esp::mse_loss(y, t); })(x, target);
#else
auto const gradient = esp::grad<0>([](auto y, auto t) { return mean(square(y - t)); })(x, target);
#endif
