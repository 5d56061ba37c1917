// SPDX-License-Identifier: BSL-1.0
// expect: the formula uses a layer, parameter, buffer or random stream that the model does not own
// expect: sound<Noisy
// lines: 12
// A dropout that is no member would share its random numbers with another one.
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/optim.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Noisy {
  nn::Linear<8, 8> layer;
  nn::Dropout<0.5> drop;
  ESPALIER_MODULE(Noisy, layer, drop)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto x) const { return nn::Dropout<0.5>{}(drop(layer(x))); }
#else
  constexpr auto forward(auto x) const { return drop(drop(layer(x))); }
#endif
};

float f(esp::model<Noisy>& model, esp::tensor<float, esp::shape<4, 8>> const& x) {
  return esp::trainer{model, nn::MeanSquaredError{}, esp::optim::SGD<>{}, esp::batch<4, 8>{}}.step(x, x);
}
