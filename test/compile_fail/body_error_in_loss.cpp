// SPDX-License-Identifier: BSL-1.0
// expect: (no member named 'relu' in|has no member named)
// expect: loss
// lines: 12
// A value of a formula has no member functions; ops are functions of the namespace. Where the user's own body is wrong,
// that is the only error.
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/optim/sgd.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct loss {
  template <class Prediction>
  struct target {
    using type = Prediction;
    using element_type = void;
  };
  ESPALIER_MODULE(loss)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto prediction, auto targets) const { return esp::mean((prediction - targets).relu()); }
#else
  constexpr auto forward(auto prediction, auto targets) const { return esp::mean(esp::relu(prediction - targets)); }
#endif
};

void f(esp::model<nn::Linear<4, 2>>& model) {
  esp::trainer train{model, loss{}, esp::optim::SGD{}, esp::batch<2, 4>{}};
}
