// SPDX-License-Identifier: BSL-1.0
// expect: softmax\(x, axis\): the axis is a template argument; write softmax<1>\(x\)
// PyTorch names axes and extents by arguments.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using S = esp::shape<4, 8>;

float f(esp::tensor<float, S> const& x) {
#ifdef SHOULD_FAIL
  esp::tensor<float, S> const y = softmax(x, 1);
#else
  esp::tensor<float, S> const y = softmax<1>(x);
#endif
  return y[0];
}
