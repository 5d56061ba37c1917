// SPDX-License-Identifier: BSL-1.0
// expect: split\(x, n\): axis and extents are template arguments; write auto \[a, b\] = split<0, 2, 2>\(x\)
// PyTorch names axes and extents by arguments.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using S = esp::shape<4, 8>;

float f(esp::tensor<float, S> const& x) {
#ifdef SHOULD_FAIL
  auto const [a, b] = split(x, 2);
  auto const y = evaluate(a + b);
#else
  auto const [a, b] = esp::split<0, 2, 2>(x);
  auto const y = evaluate(a + b);
#endif
  return y[0];
}
