// SPDX-License-Identifier: BSL-1.0
// expect: a != b of formulas: write not_equal\(a, b\), 1 or 0 for each element
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

using input = esp::tensor<float, esp::shape<3, 4>>;
auto f(input const& x, input const& y) {
#ifdef SHOULD_FAIL
  return esp::evaluate(where(2 * x != y, x, 0));
#else
  return esp::evaluate(where(not_equal(2 * x, y), x, 0));
#endif
}
