// SPDX-License-Identifier: BSL-1.0
// Meta-learning (MAML): parameters from which a few gradient steps learn a sine wave from ten points. The loss contains
// a gradient step, and its gradient therefore second derivatives.
#include <espalier.hpp>

#include <cmath>
#include <cstdio>
#include <random>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<1, 40>, nn::Tanh, nn::Linear<40, 40>, nn::Tanh, nn::Linear<40, 1>>;
using points = esp::tensor<float, esp::shape<10, 1>>;
using number = esp::tensor<float, esp::shape<>>;

inline constexpr auto error = [](auto net, auto x, auto y) { return mean(square(net(x) - y)); };
// One step of plain gradient descent; the result is a net, too.
inline constexpr auto adapted = [](auto net, auto x, auto y) {
  return map_parameters([](auto p, auto g) { return p - 0.02f * g; }, net, esp::grad<0>(error)(net, x, y));
};
// How well the net does on other points of a wave after a step on some.
inline constexpr auto meta_loss = [](auto net, auto x, auto y, auto other_x, auto other_y) {
  return error(adapted(net, x, y), other_x, other_y);
};
inline constexpr auto train = [](auto net, auto optimizer, auto x, auto y, auto other_x, auto other_y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(meta_loss)(net, x, y, other_x, other_y);
  optimizer.update(net, gradients);
  return loss;
};
// The errors before, and after one and three steps. The model itself does not change.
inline constexpr auto learn = [](auto net, auto x, auto y, auto other_x, auto other_y) {
  auto const once = adapted(net, x, y), thrice = adapted(adapted(once, x, y), x, y);
  return std::tuple{error(net, other_x, other_y), error(once, other_x, other_y), error(thrice, other_x, other_y)};
};

int main() {
  std::mt19937 random{1};
  auto const uniform = [&](float from, float to) { return std::uniform_real_distribution<float>{from, to}(random); };
  points x, y, other_x, other_y;
  auto const next_wave = [&] {
    float const height = uniform(0.1f, 5), phase = uniform(0, 3.14f);
    for (int i = 0; i < 10; ++i) {
      x[i] = uniform(-5, 5), y[i] = height * std::sin(x[i] + phase);
      other_x[i] = uniform(-5, 5), other_y[i] = height * std::sin(other_x[i] + phase);
    }
  };

  esp::model<Net> model{esp::seed{0}}, untrained = model.clone();
  esp::optim::updater optimizer{model, esp::optim::Adam{}};
  number loss;
  esp::compiled step{train, model, optimizer, x, y, other_x, other_y};
  for (int i = 0; i < 20000; ++i) {
    next_wave();
    step(x, y, other_x, other_y, loss);
  }

  number after[3];
  double sums[2][3]{};
  esp::compiled learn_with{learn, model, x, y, other_x, other_y};
  esp::compiled learn_without{learn, untrained, x, y, other_x, other_y};
  for (int wave = 0; wave < 500; ++wave) {
    next_wave();
    for (int trained = 0; trained < 2; ++trained) {
      (trained == 1 ? learn_with : learn_without)(x, y, other_x, other_y, after[0], after[1], after[2]);
      for (int k = 0; k < 3; ++k) sums[trained][k] += static_cast<double>(after[k]) / 500;
    }
  }
  std::puts("mean squared error after   0 steps    1 step   3 steps");
  std::printf("random parameters        %9.2f %9.2f %9.2f\n", sums[0][0], sums[0][1], sums[0][2]);
  std::printf("after meta-learning      %9.2f %9.2f %9.2f\n", sums[1][0], sums[1][1], sums[1][2]);
  return sums[0][1] > 3 && sums[1][1] < 1 ? 0 : 1;
}
