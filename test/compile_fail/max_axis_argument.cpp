// SPDX-License-Identifier: BSL-1.0
// expect: max\(x, number\): axes are template arguments; write max<1>\(x\); maximum\(x, 1\) compares with a number
// PyTorch names axes and extents by arguments.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using S = esp::shape<4, 8>;

float f(esp::tensor<float, S> const& x) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(max(x, 1));
#else
  auto const y = evaluate(max<1>(x));
#endif
  return y[0];
}
