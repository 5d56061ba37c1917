// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x...\): arguments mix float and double
// expect-early: same_element<float, double>
// expect-26: convert with tensor<double, S>\(x\); same element: float and double
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
using Second = double;
#else
using Second = float;
#endif

inline constexpr auto energy = [](auto a, auto b) { return sum(a * b); };
auto f(esp::tensor<float, esp::shape<2, 3>> const& a, esp::tensor<Second, esp::shape<2, 3>> const& b) {
  return esp::grad(energy)(a, b);
}
