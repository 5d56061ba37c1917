// SPDX-License-Identifier: BSL-1.0
// expect: softmax<axes...>\(x\): it has one axis; reshape the others to one
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

using input = esp::tensor<float, esp::shape<3, 4>>;
auto f(input const& x) {
#ifdef SHOULD_FAIL
  return esp::evaluate(softmax<0, 1>(x));
#else
  return esp::evaluate(softmax<0>(esp::reshape<12>(x)));
#endif
}
