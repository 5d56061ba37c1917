// SPDX-License-Identifier: BSL-1.0
// expect: a net of several inputs is trained by a step of your own: esp::compiled of a function that calls net\(x, h\)
// expect: trained_by_one_input<Net, 2>
// expect-26: ; forward of Net takes 2 inputs
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x, auto y) const { return relu(a(x)) + y; }
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
