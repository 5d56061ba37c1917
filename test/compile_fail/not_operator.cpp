// SPDX-License-Identifier: BSL-1.0
// expect: !a of a formula: write 1 - a; comparisons give 1 or 0
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

using input = esp::tensor<float, esp::shape<3, 4>>;
auto f(input const& x, input const& y) {
#ifdef SHOULD_FAIL
  return esp::evaluate(where(!(x > y), x, 0));
#else
  return esp::evaluate(where(1 - (x > y), x, 0));
#endif
}
