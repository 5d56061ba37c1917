// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(f, x...\): f does not accept these arguments; declare one `auto` parameter for each
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using row = esp::tensor<float, esp::shape<3>>;
float energy(row const& x) { return x[0]; }

#ifdef SHOULD_FAIL
void f(row const& x, row& y) {
  esp::compiled run{[](row const& a) { return a * 2; }, x};
  run(x, y);
}
#else
void f(row const& x, row& y) {
  esp::compiled run{[](auto a) { return a * 2; }, x};
  run(x, y);
}
#endif
