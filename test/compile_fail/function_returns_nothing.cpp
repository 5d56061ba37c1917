// SPDX-License-Identifier: BSL-1.0
// expect: f must return a formula of its arguments, such as `return sum\(x \* x\);`
// expect: function_returns(<|_nothing<)
// code: g++ drops a return that it cannot read, so it says this last
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

void f(esp::tensor<float, esp::shape<3>> const& a, esp::tensor<float, esp::shape<3>>& y) {
#ifdef SHOULD_FAIL
  esp::compiled run{[](auto x) { x* x; }, a};
#else
  esp::compiled run{[](auto x) { return x * x; }, a};
#endif
  run(a, y);
}
