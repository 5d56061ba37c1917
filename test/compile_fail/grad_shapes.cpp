// SPDX-License-Identifier: BSL-1.0
// expect: the shapes inside f do not fit
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<2, 3>, (espalier::)?shape<2, 3> ?>
// expect-early: shape<2, 3>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto energy = [](auto a, auto b) { return sum(a + tanh(matmul(a, b))); };
#else
inline constexpr auto energy = [](auto a, auto b) { return sum(a + tanh(a * b)); };
#endif

auto f(esp::tensor<float, esp::shape<2, 3>> const& a, esp::tensor<float, esp::shape<2, 3>> const& b) {
  return esp::grad(energy)(a, b);
}
