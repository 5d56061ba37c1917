// SPDX-License-Identifier: BSL-1.0
// expect: f must not capture anything; pass what it needs as an argument
// expect-early: captureless<
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
auto f(esp::tensor<float, esp::shape<3>> const& a, esp::tensor<float, esp::shape<3>> const& b) {
  return esp::grad([&](auto x) { return sum(x * b); })(a);
}
#else
auto f(esp::tensor<float, esp::shape<3>> const& a, esp::tensor<float, esp::shape<3>> const& b) {
  return esp::grad<0>([](auto x, auto y) { return sum(x * y); })(a, esp::constant(b));
}
#endif
