// SPDX-License-Identifier: BSL-1.0
// expect: sum\(x, axis\): axes are template arguments; write sum<1>\(x\), or sum<1>\(x, keepdims\)
// PyTorch names axes and extents by arguments.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using S = esp::shape<4, 8>;

float f(esp::tensor<float, S> const& x) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(x - sum(x, 1));
#else
  auto const y = evaluate(x - sum<1>(x, esp::keepdims));
#endif
  return y[0];
}
