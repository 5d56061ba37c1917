// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(x..., y...\): the arguments f was planned for, then a tensor for each result
// What is done with the missing result is no second error.
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

void f(esp::tensor<float, esp::shape<2, 3>> const& x) {
  esp::compiled run{[](auto const& v) { return exp(v); }, x};
#ifdef SHOULD_FAIL
  auto const y = run(x);
#else
  esp::tensor<float, esp::shape<2, 3>> y;
  run(x, y);
#endif
  static_cast<void>(y[0]);
}
