// SPDX-License-Identifier: BSL-1.0
// expect: the loss does not accept this prediction and target
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Each {
  ESPALIER_MODULE(Each)
  template <class Prediction>
  struct target {
    using type = Prediction;
    using element_type = void;
  };
#ifdef SHOULD_FAIL
  constexpr auto forward(auto prediction, auto target) const { return prediction - target; }
#else
  constexpr auto forward(auto prediction, auto target) const { return sum(prediction - target); }
#endif
};
using Net = nn::Linear<8, 16>;

void f(esp::model<Net>& model) {
  esp::trainer first{model, Each{}, esp::optim::Adam{}, esp::batch<32, 8>{}};
  esp::trainer second{model, Each{}, esp::optim::Adam{}, esp::batch<8, 8>{}};
}
