// SPDX-License-Identifier: BSL-1.0
// expect: `forward` of the net returns several values, which model\(x\), predictor and frozen accept; train it by a step of your own
// expect: forward_returns_one<Halves, (espalier::)?shape<2, 3>, (espalier::)?shape<2, 3> ?>
// expect-26: ; forward of Halves returns \(2, 3\) and \(2, 3\)
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Halves {
  nn::Linear<8, 6> layer;
  ESPALIER_MODULE(Halves, layer)
  constexpr auto forward(auto x) const {
    auto const y = layer(x);
#ifdef SHOULD_FAIL
    return std::tuple{esp::slice<1, 0, 3>(y), esp::slice<1, 3, 6>(y)};
#else
    return esp::slice<1, 0, 3>(y) + esp::slice<1, 3, 6>(y);
#endif
  }
};
void f(esp::model<Halves>& model) {
  esp::trainer train{model, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<2, 8>{}};
}
