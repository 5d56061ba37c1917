// SPDX-License-Identifier: BSL-1.0
// expect: `forward` must return a formula of its inputs
// expect: forward_returns<Net, int>
// expect-26: forward of Net returns int32
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto) const { return 1; }
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
