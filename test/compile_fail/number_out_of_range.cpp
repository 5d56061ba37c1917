// SPDX-License-Identifier: BSL-1.0
// expect: a number is out of range: p of dropout in \[0, 1\), delta of huber above 0
// lines: 12
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using S = esp::shape<8>;

esp::tensor<float, S> f(esp::tensor<float, S> const& x) {
#ifdef SHOULD_FAIL
  return esp::grad([](auto z) { return sum(huber(z, -1.0)); })(x);
#else
  return esp::grad([](auto z) { return sum(huber(z, 1.0)); })(x);
#endif
}
