// SPDX-License-Identifier: BSL-1.0
// expect: concatenate\(a, b\): the axis is a template argument; write concatenate<0>\(a, b\)
// PyTorch names axes and extents by arguments.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using S = esp::shape<4, 8>;

float f(esp::tensor<float, S> const& x) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(concatenate(x, x));
#else
  auto const y = evaluate(concatenate<0>(x, x));
#endif
  return y[0];
}
