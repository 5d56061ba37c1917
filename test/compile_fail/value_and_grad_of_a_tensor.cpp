// SPDX-License-Identifier: BSL-1.0
// expect: f must return one number, or a std::tuple whose first value is one; reduce it with sum or mean, or use vjp
// expect: scalar_result<(espalier::)?shape<3> ?>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto energy = [](auto a, auto b) { return sum<0>(a * b); };
#else
inline constexpr auto energy = [](auto a, auto b) { return mean(a * b); };
#endif

auto f(esp::tensor<float, esp::shape<2, 3>> const& a, esp::tensor<float, esp::shape<2, 3>> const& b) {
  return esp::value_and_grad(energy)(a, b);
}
