// SPDX-License-Identifier: BSL-1.0
// expect: value_and_grad\(f\)\(x...\): the shapes inside f do not fit
// expect: same_or_broadcast<(espalier::)?shape<3>, (espalier::)?shape<2> ?>
// expect-early: shape<3>
// expect-early: shape<2>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<float, esp::shape<3>>;

#ifdef SHOULD_FAIL
auto f(vector const& a, esp::tensor<float, esp::shape<2>> const& b) {
  return esp::value_and_grad([](auto x, auto y) { return sum(x * y); })(a, b);
}
#else
auto f(vector const& a, vector const& b) {
  return esp::value_and_grad([](auto x, auto y) { return sum(x * y); })(a, b);
}
#endif
