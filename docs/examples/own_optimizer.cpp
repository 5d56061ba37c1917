// SPDX-License-Identifier: BSL-1.0
// An optimizer that the library does not have: RMSprop, checked against the same update written by hand.
//   own_optimizer [FILE]    with FILE, compares what it prints with that file
#include <algorithm>
#include <cmath>
#include <espalier.hpp>

#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

// [optimizer]
/// RMSprop: v = decay v + (1 - decay) g^2; p -= learning_rate g / (sqrt(v) + eps).
struct RMSprop {
  double learning_rate = 0.01;
  double decay = 0.99;
  double eps = 1e-8;

  static constexpr int states = 1;  // v: one number for each parameter, 0 before the first step
  constexpr optim::hyperparameters hyperparameters_of([[maybe_unused]] std::int64_t step) const {
    return {{learning_rate, decay, 1 - decay, eps}};
  }
  static constexpr auto update(auto p, auto g, auto v) {
    auto const next = v * esp::hyperparameter<1>{} + g * g * esp::hyperparameter<2>{};
    return boost::hana::make_tuple(p - g * esp::hyperparameter<0>{} / (sqrt(next) + esp::hyperparameter<3>{}), next);
  }
};
// [/optimizer]

int main(int count, char** words) {
  examples::recorded out;
  esp::tensor<float, esp::shape<4, 8>> x;
  esp::tensor<float, esp::shape<4, 3>> y;
  for (int i = 0; i < 32; ++i) x[i] = 0.25f * static_cast<float>(i % 7) - 0.75f;
  for (int i = 0; i < 12; ++i) y[i] = 0.5f * static_cast<float>(i % 5) - 1.0f;

  // [use]
  using Net = nn::Linear<8, 3>;
  esp::model<Net> model{esp::seed{1}};
  esp::trainer trainer{model, nn::MeanSquaredError{}, RMSprop{.learning_rate = 0.02}, esp::batch<4, 8>{}};
  for (int step = 0; step < 40; ++step) {
    trainer.learning_rate() = step < 30 ? 0.02 : 0.002;  // hyperparameters may change while training
    float const loss = trainer.step(x, y);
    if (step % 10 == 0) out.print("step %2d: loss %.2f\n", step, static_cast<double>(loss));
  }
  // [/use]

  // The first two steps by hand: value_and_grad gives the gradients.
  esp::model<Net> other{esp::seed{1}}, by_hand{esp::seed{1}};
  optim::updater rmsprop{other, RMSprop{}};
  auto const function = esp::value_and_grad(by_hand, nn::MeanSquaredError{});
  auto const other_function = esp::value_and_grad(other, nn::MeanSquaredError{});
  esp::tensor<float, esp::shape<3, 64>> squares{};
  float furthest = 0;
  for (int step = 0; step < 2; ++step) {
    rmsprop.update(other, other_function(x, y).gradients);
    auto const gradients = function(x, y).gradients;
    auto const g = gradients.span();
    auto const p = by_hand.parameters();
    for (std::int64_t i = 0; i < g.size(); ++i) {
      float& v = squares.data()[i];
      v = 0.99f * v + 0.01f * g[i] * g[i];
      p[i] -= 0.01f * g[i] / (std::sqrt(v) + 1e-8f);
      furthest = std::max(furthest, std::abs(p[i] - other.parameters()[i]));
    }
  }
  out.print("the same by hand: %s\n", furthest < 1e-5f ? "yes" : "no");
  return out.finish(count, words);
}
