// SPDX-License-Identifier: BSL-1.0
// expect: f must return one number; reduce its result with sum or mean, or use vjp
// expect: scalar_result<(espalier::)?shape<2, 3> ?>
// expect-early: shape<2, 3>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto energy = [](auto a, auto b) { return a * b; };
#else
inline constexpr auto energy = [](auto a, auto b) { return sum(a * b); };
#endif

auto f(esp::tensor<float, esp::shape<2, 3>> const& a, esp::tensor<float, esp::shape<2, 3>> const& b) {
  return esp::grad(energy)(a, b);
}
