// SPDX-License-Identifier: BSL-1.0
// expect: min\(a, b\): write minimum\(a, b\), the smaller element of both
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

using input = esp::tensor<float, esp::shape<3, 4>>;
auto f(input const& x, input const& y) {
#ifdef SHOULD_FAIL
  return esp::evaluate(min(x, y));
#else
  return esp::evaluate(minimum(x, y));
#endif
}
