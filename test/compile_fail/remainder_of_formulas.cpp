// SPDX-License-Identifier: BSL-1.0
// expect: a % b of formulas: real numbers have no remainder
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

float f(esp::tensor<float, esp::shape<4, 8>> const& x) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(x % 2);
#else
  auto const y = evaluate(x / 2);
#endif
  return y[0];
}
