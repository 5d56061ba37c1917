// SPDX-License-Identifier: BSL-1.0
// expect: vjp\(f\)\(x...\)\(dy\): dy must be a tensor or a view of the shape of f\(x...\); evaluate\(formula\) computes one
// expect: is_cotangent<
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

inline constexpr auto rows = [](auto a) { return sum<1>(a * a); };
auto f(esp::tensor<float, esp::shape<2, 3>> const& a, esp::tensor<float, esp::shape<2>> const& dy) {
#ifdef SHOULD_FAIL
  return esp::vjp(rows)(a)(2 * dy);
#else
  return esp::vjp(rows)(a)(evaluate(2 * dy));
#endif
}
