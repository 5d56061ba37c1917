// SPDX-License-Identifier: BSL-1.0
// expect: shape<...>: every extent must be at least 1
// lines: 11
#include <espalier/storage/tensor.hpp>

#ifdef SHOULD_FAIL
using S = espalier::shape<2, 0>;
#else
using S = espalier::shape<2, 1>;
#endif
float first() {
  espalier::tensor<float, S> x;
  x.fill(1);
  for (float& element : x) element += x(1, 0);
  return x[0];
}
