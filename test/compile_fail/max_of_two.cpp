// SPDX-License-Identifier: BSL-1.0
// expect: max\(a, b\): write maximum\(a, b\), the larger element of both
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

using input = esp::tensor<float, esp::shape<3, 4>>;
auto f(input const& x, input const& y) {
#ifdef SHOULD_FAIL
  return esp::evaluate(max(x, y));
#else
  return esp::evaluate(maximum(x, y));
#endif
}
