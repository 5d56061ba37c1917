// SPDX-License-Identifier: BSL-1.0
// expect: the parameters of `forward` must not be tensors: the formula is generic; write `constexpr auto forward\(auto x\) const`
// expect-early: Net
// expect-26: in Net
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(esp::tensor<float, esp::shape<8, 4>> x) const { return relu(a(x)); }
};
#else
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { return relu(a(x)); }
};
#endif

void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<8, 4>{}};
}
