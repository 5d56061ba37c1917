// SPDX-License-Identifier: BSL-1.0
// expect: `forward` must return a formula of its inputs, such as `return relu\(x\);`; it returns( a number or)? nothing
// expect: forward_returns(<Net, void>|_nothing<Net>)
// expect-26: forward of Net returns void|it returns nothing
// lines: 12
// code: g++ drops a return that it cannot read, so it says this last
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { static_cast<void>(relu(a(x))); }
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
