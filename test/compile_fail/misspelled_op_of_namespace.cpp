// SPDX-License-Identifier: BSL-1.0
// expect: no member named 'rellu'|.rellu. is not a member of .esp.; did you mean .relu.
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { return esp::rellu(a(x)); }
};
#else
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { return esp::relu(a(x)); }
};
#endif

void f(esp::model<Net>& model, esp::tensor<float, esp::shape<8, 4>> const& x) {
  esp::trainer train{model, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<8, 4>{}};
  train.step(x, x);
}
