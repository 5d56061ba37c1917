// SPDX-License-Identifier: BSL-1.0
// expect: clamp\(x, low\): a second limit is missing; write clamp\(x, low, high\), maximum\(x, low\) or minimum\(x, high\)
// PyTorch names axes and extents by arguments.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using S = esp::shape<4, 8>;

float f(esp::tensor<float, S> const& x) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(clamp(x, 0.0));
#else
  auto const y = evaluate(clamp(x, 0.0, 1.0));
#endif
  return y[0];
}
