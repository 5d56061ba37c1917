// SPDX-License-Identifier: BSL-1.0
// expect: arguments are tensors, views, models \(esp::model<Net>\) or formulas; one number is a tensor<float, shape<>>, and the parameter of f is `auto x`
// expect-early: arguments_are_tensors<float>
// expect-26: and the parameter of f is `auto x`; got float
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

float f() {
#ifdef SHOULD_FAIL
  return esp::grad([](float x) { return x * x; })(2.0f);
#else
  esp::tensor<float, esp::shape<>> const x{2.0f};
  return esp::grad([](auto x) { return x * x; })(x);
#endif
}
