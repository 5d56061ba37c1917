// SPDX-License-Identifier: BSL-1.0
// expect: norm\(x, axis\): axes are template arguments; write norm<1>\(x\)
// PyTorch names axes and extents by arguments.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using S = esp::shape<4, 8>;

float f(esp::tensor<float, S> const& x) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(norm(x, 1));
#else
  auto const y = evaluate(norm<1>(x));
#endif
  return y[0];
}
