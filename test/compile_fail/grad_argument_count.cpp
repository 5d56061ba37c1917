// SPDX-License-Identifier: BSL-1.0
// expect: f does not accept these arguments
// expect-early: shape<2, 3>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto energy = [](auto a, auto b, auto c) { return sum(a * b * c); };
#else
inline constexpr auto energy = [](auto a, auto b) { return sum(a * b); };
#endif

auto f(esp::tensor<float, esp::shape<2, 3>> const& a, esp::tensor<float, esp::shape<2, 3>> const& b) {
  return esp::grad(energy)(a, b);
}
