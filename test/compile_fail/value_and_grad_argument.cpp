// SPDX-License-Identifier: BSL-1.0
// expect: value_and_grad<I...>\(f\)\(x...\): there is no argument I
// expect-early: arguments_exist<
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<float, esp::shape<3>>;

#ifdef SHOULD_FAIL
auto f(vector const& a) {
  return esp::value_and_grad<1>([](auto x) { return sum(x * x); })(a);
}
#else
auto f(vector const& a) {
  return esp::value_and_grad<0>([](auto x) { return sum(x * x); })(a);
}
#endif
