// SPDX-License-Identifier: BSL-1.0
// expect: vjp\(f\): f must not capture anything; pass what it needs as an argument
// expect: captureless<
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<float, esp::shape<3>>;

#ifdef SHOULD_FAIL
auto f(vector const& a, vector const& b) {
  return esp::vjp([&](auto x) { return x * b; })(a)(a);
}
#else
auto f(vector const& a, vector const&) {
  return esp::vjp([](auto x) { return x * x; })(a)(a);
}
#endif
