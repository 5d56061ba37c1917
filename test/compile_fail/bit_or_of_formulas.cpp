// SPDX-License-Identifier: BSL-1.0
// expect: a \| b of formulas: write maximum\(a, b\); comparisons give 1 or 0
// The spelling of NumPy and PyTorch.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

float f(esp::tensor<float, esp::shape<4, 8>> const& x) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(where((x < 0) | (x > 1), x, 0));
#else
  auto const y = evaluate(where(maximum(x < 0, 1 < x), x, 0));
#endif
  return y[0];
}
