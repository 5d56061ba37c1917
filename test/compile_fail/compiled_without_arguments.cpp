// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(f, x...\): no arguments of f follow it; pass tensors of the shapes that every run has
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using row = esp::tensor<float, esp::shape<3>>;

void f(row const& x, row& y) {
#ifdef SHOULD_FAIL
  esp::compiled run{[](auto a, auto b) { return a * b; }};
#else
  esp::compiled run{[](auto a, auto b) { return a * b; }, x, x};
#endif
  run(x, x, y);
}
