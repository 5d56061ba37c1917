// SPDX-License-Identifier: BSL-1.0
// expect: scan\(step, state, xs\): the step updates a model, or the running statistics of a BatchNorm
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct normalized_steps {
#ifdef SHOULD_FAIL
  nn::BatchNorm1d<4> norm;
#else
  nn::LayerNorm1d<4> norm;
#endif
  ESPALIER_MODULE(normalized_steps, norm)

  constexpr auto forward(auto x) const {
    auto const step = [&](auto s, auto xt) {
      auto const next = tanh(s + norm(xt));
      return std::tuple{next, next};
    };
    return std::get<1>(esp::scan(step, esp::zeros<esp::shape<2, 4>>(x), x));
  }
};
auto train(esp::model<normalized_steps>& model) {
  return esp::trainer{model, nn::MeanSquaredError{}, espalier::optim::SGD<>{}, esp::batch<5, 2, 4>{}};
}
