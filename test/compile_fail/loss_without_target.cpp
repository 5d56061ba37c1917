// SPDX-License-Identifier: BSL-1.0
// expect: the loss does not declare its targets; write in it `template <class Prediction> struct target
// expect-early: loss_has_target<Loss>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Loss {
  ESPALIER_MODULE(Loss)
  constexpr auto forward(auto prediction, auto targets) const { return mean(square(prediction - targets)); }
};
#else
struct Loss {
  template <class Prediction>
  struct target {
    using type = Prediction;
    using element_type = void;
  };
  ESPALIER_MODULE(Loss)
  constexpr auto forward(auto prediction, auto targets) const { return mean(square(prediction - targets)); }
};
#endif

using Net = nn::Linear<4, 4>;
void f(esp::model<Net>& model) { esp::trainer train{model, Loss{}, esp::optim::Adam{}, esp::batch<8, 4>{}}; }
