// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(f, x...\): arguments mix float and double
// expect: same_element<float, double ?>
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<float, esp::shape<3>>;
using precise = esp::tensor<double, esp::shape<3>>;
inline constexpr auto product = [](auto x, auto y) { return x * y; };

#ifdef SHOULD_FAIL
void f(vector const& a, precise const& b, vector& y) {
  esp::compiled run{product, a, b};
  run(a, b, y);
}
#else
void f(vector const& a, precise const&, vector& y) {
  esp::compiled run{product, a, a};
  run(a, a, y);
}
#endif
