// SPDX-License-Identifier: BSL-1.0
// expect: a loss has no parameters; put the layer into the net
// expect-early: loss_without_parameters<Loss>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Loss {
  template <class Prediction>
  struct target {
    using type = Prediction;
    using element_type = void;
  };
#ifdef SHOULD_FAIL
  nn::Linear<3, 3> head;
  ESPALIER_MODULE(Loss, head)
  constexpr auto forward(auto prediction, auto targets) const { return mean(square(head(prediction) - targets)); }
#else
  ESPALIER_MODULE(Loss)
  constexpr auto forward(auto prediction, auto targets) const { return mean(square(prediction - targets)); }
#endif
};

float f(esp::model<nn::Linear<8, 3>>& model, esp::tensor<float, esp::shape<4, 8>> const& x,
        esp::tensor<float, esp::shape<4, 3>> const& y) {
  esp::trainer trainer{model, Loss{}, esp::optim::Adam{}, esp::batch<4, 8>{}};
  return trainer.step(x, y);
}
