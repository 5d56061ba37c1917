// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(f, x...\): f must not capture anything
// expect: captureless<
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<float, esp::shape<3>>;

#ifdef SHOULD_FAIL
void f(vector const& a, vector& b) {
  esp::compiled run{[&](auto x) { return x * b; }, a};
  run(a, b);
}
#else
void f(vector const& a, vector& b) {
  esp::compiled run{[](auto x) { return x * x; }, a};
  run(a, b);
}
#endif
