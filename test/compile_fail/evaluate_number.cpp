// SPDX-License-Identifier: BSL-1.0
// expect: evaluate\(x\): x is a formula of tensors, a tensor or a view; a number has its value
// expect: is_formula<float>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

auto twice(esp::tensor<float, esp::shape<2, 3>> const& x) {
#ifdef SHOULD_FAIL
  float const total = sum(x);
  return esp::evaluate(total * 2);
#else
  return esp::evaluate(sum(x) * 2);
#endif
}
