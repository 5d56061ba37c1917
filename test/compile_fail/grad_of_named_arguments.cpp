// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x...\): f does not accept these arguments; declare one `auto` parameter for each
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using row = esp::tensor<float, esp::shape<3>>;
float energy(row const& x) { return x[0]; }

#ifdef SHOULD_FAIL
auto f(row const& x) {
  return esp::grad([](row const& a, row const& b) { return sum(a * b); })(x, x);
}
#else
auto f(row const& x) {
  return esp::grad([](auto a) { return sum(a * a); })(x);
}
#endif
