// SPDX-License-Identifier: BSL-1.0
// expect: `forward` of a loss must accept a prediction and its targets; write `constexpr auto forward\(auto prediction, auto target\) const`
// expect: loss_has_forward<Loss, (espalier::)?shape<8, 4>, (espalier::)?shape<8, 4> ?>
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Loss {
  template <class Prediction>
  struct target {
    using type = Prediction;
    using element_type = void;
  };
  ESPALIER_MODULE(Loss)
  constexpr auto forward(auto prediction) const { return mean(square(prediction)); }
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
