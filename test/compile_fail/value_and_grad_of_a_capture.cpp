// SPDX-License-Identifier: BSL-1.0
// expect: value_and_grad\(f\): f must not capture anything; pass what it needs as an argument
// expect: captureless<
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<float, esp::shape<3>>;

#ifdef SHOULD_FAIL
auto f(vector const& a, vector const& b) {
  auto [value, gradient] = esp::value_and_grad([&](auto x) { return sum(x * b); })(a);
  return gradient;
}
#else
auto f(vector const& a, vector const&) {
  auto [value, gradient] = esp::value_and_grad([](auto x) { return sum(x * x); })(a);
  return gradient;
}
#endif
