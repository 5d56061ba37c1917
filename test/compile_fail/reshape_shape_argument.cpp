// SPDX-License-Identifier: BSL-1.0
// expect: reshape\(x, shape\): extents are template arguments; write reshape<4, 2, 4>\(x\)
// NumPy passes a shape as a value.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using S = esp::shape<4, 8>;

float f(esp::tensor<float, S> const& x) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(esp::reshape(x, esp::shape<4, 2, 4>{}));
#else
  auto const y = evaluate(esp::reshape<4, 2, 4>(x));
#endif
  return y[0];
}
