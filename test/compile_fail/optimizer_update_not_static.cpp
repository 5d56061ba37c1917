// SPDX-License-Identifier: BSL-1.0
// expect: the optimizer's `update` must be static and accept the parameters, their gradient and each of its `states`
// expect: write `static constexpr auto update\(auto p, auto g, auto state\)`
// expect-early: update_is_static<
// expect-26: for the first number of hyperparameters_of; got Momentum
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
struct Momentum {
  static constexpr int states = 1;
  double learning_rate = 0.1;
  constexpr optim::hyperparameters hyperparameters_of(std::int64_t) const { return {{learning_rate}}; }
#ifdef SHOULD_FAIL
  constexpr auto update(auto p, auto g, auto v) const {
    auto const next = v * 0.9 + g;
    return boost::hana::make_tuple(p - next * learning_rate, next);
  }
#else
  static constexpr auto update(auto p, auto g, auto v) {
    auto const next = v * 0.9 + g;
    return boost::hana::make_tuple(p - next * esp::hyperparameter<0>{}, next);
  }
#endif
};

float f(esp::model<nn::Linear<8, 8>>& model, esp::tensor<float, esp::shape<4, 8>> const& x) {
  esp::trainer trainer{model, nn::MeanSquaredError{}, Momentum{}, esp::batch<4, 8>{}};
  return trainer.step(x, x);
}
