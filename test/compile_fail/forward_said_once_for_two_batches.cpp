// SPDX-License-Identifier: BSL-1.0
// lines: 10
// expect: a module got another number of inputs than its `forward` takes
// expect: forward_takes<Doubled, 2, 1>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Doubled {
  ESPALIER_MODULE(Doubled)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto x, auto y) const { return x + y; }
#else
  constexpr auto forward(auto x) const { return x + x; }
#endif
};
using Net = nn::Sequential<nn::Linear<8, 16>, Doubled>;

void f(esp::model<Net>& model) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<32, 8>{}};
  esp::predictor predict{model, esp::batch<1, 8>{}};
}
