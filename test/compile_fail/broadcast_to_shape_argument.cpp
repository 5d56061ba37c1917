// SPDX-License-Identifier: BSL-1.0
// expect: broadcast_to\(x, shape\): extents are template arguments; write broadcast_to<4, 2>\(x\)
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

float f(esp::tensor<float, esp::shape<8>> const& x) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(esp::broadcast_to(x, esp::shape<4, 8>{}));
#else
  auto const y = evaluate(esp::broadcast_to<4, 8>(x));
#endif
  return y[0];
}
