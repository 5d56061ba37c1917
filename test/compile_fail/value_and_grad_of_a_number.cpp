// SPDX-License-Identifier: BSL-1.0
// expect: arguments are tensors, views, models \(esp::model<Net>\) or formulas; one number is a tensor<float, shape<>>, and the parameter of f is `auto x`
// expect-early: arguments_are_tensors<float>
// expect-26: and the parameter of f is `auto x`; got float
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

float f() {
#ifdef SHOULD_FAIL
  [[maybe_unused]] auto const [value, gradient] = esp::value_and_grad([](auto x) { return x * x; })(2.0f);
#else
  [[maybe_unused]] auto const [value, gradient] =
      esp::value_and_grad([](auto x) { return x * x; })(esp::tensor<float, esp::shape<>>{2.0f});
#endif
  float const result = gradient;
  return result;
}
