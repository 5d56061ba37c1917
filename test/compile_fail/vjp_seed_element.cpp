// SPDX-License-Identifier: BSL-1.0
// expect: vjp\(f\)\(x...\)\(dy\): dy must have the element type of f\(x...\)
// expect-early: element_is<double, float>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<float, esp::shape<3>>;

#ifdef SHOULD_FAIL
auto f(vector const& a, esp::tensor<double, esp::shape<3>> const& dy) {
  return esp::vjp([](auto x) { return x * x; })(a)(dy);
}
#else
auto f(vector const& a, vector const& dy) {
  return esp::vjp([](auto x) { return x * x; })(a)(dy);
}
#endif
