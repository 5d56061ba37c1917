// SPDX-License-Identifier: BSL-1.0
// expect: value_and_grad\(f\)\(x...\): arguments mix float and double
// expect-early: same_element<float, double ?>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<float, esp::shape<3>>;

#ifdef SHOULD_FAIL
auto f(vector const& a, esp::tensor<double, esp::shape<3>> const& b) {
  return esp::value_and_grad([](auto x, auto y) { return sum(x * y); })(a, b);
}
#else
auto f(vector const& a, vector const& b) {
  return esp::value_and_grad([](auto x, auto y) { return sum(x * y); })(a, b);
}
#endif
