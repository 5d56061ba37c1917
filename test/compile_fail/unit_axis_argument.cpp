// SPDX-License-Identifier: BSL-1.0
// expect: unit\(x, number\): axes are template arguments; write unit<1>\(x\)
// PyTorch names axes and extents by arguments.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using S = esp::shape<4, 8>;

float f(esp::tensor<float, S> const& x) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(unit(x, 1));
#else
  auto const y = evaluate(unit<1>(x, 0.0));
#endif
  return y[0];
}
