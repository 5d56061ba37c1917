// SPDX-License-Identifier: BSL-1.0
// expect: gradient_agrees.f..x....: the shapes inside f do not fit
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<2, 3>, (espalier::)?shape<2, 3> ?>
// expect-early: shape<2, 3>
#include <espalier/eager/gradient_agrees.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto energy = [](auto a, auto b) { return matmul(a, b); };
#else
inline constexpr auto energy = [](auto a, auto b) { return a * b; };
#endif

constexpr esp::tensor<float, esp::shape<2, 3>> x{{1, 2, 3}, {4, 5, 6}};
static_assert(esp::gradient_agrees(energy)(x, x));
