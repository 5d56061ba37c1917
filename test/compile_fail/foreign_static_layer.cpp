// SPDX-License-Identifier: BSL-1.0
// expect: the formula uses a layer, parameter, buffer or random stream that the model does not own
// expect: sound<Pair
// lines: 12
// A layer of static storage is no member, whatever the net is then used for: one error.
#include <espalier/model/predictor.hpp>
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/optim.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

inline constexpr nn::Linear<2, 2> shared{};
struct Pair {
  nn::Linear<2, 2> first, second;
  ESPALIER_MODULE(Pair, first, second)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto x) const { return shared(first(x)); }
#else
  constexpr auto forward(auto x) const { return second(first(x)); }
#endif
};

float f(esp::model<Pair>& model, esp::tensor<float, esp::shape<4, 2>> const& x,
        esp::tensor<float, esp::shape<4, 2>>& y) {
  esp::trainer trainer{model, nn::MeanSquaredError{}, esp::optim::SGD<>{}, esp::batch<4, 2>{}};
  esp::predictor predict{model, esp::batch<4, 2>{}};
  predict(x, y);
  return trainer.step(x, y);
}
