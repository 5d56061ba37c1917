// SPDX-License-Identifier: BSL-1.0
// A net that solves a differential equation: its loss contains the second derivative of the net with respect to time.
// A damped spring, u'' + 2 d u' + w^2 u = 0 with u(0) = 1 and u'(0) = 0, is compared with the exact solution.
#include <espalier.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;

constexpr double damping = 0.3, frequency = 2, end = 3;
using Net = nn::Sequential<nn::Linear<1, 32>, nn::Tanh, nn::Linear<32, 32>, nn::Tanh, nn::Linear<32, 1>>;
using times = esp::tensor<float, esp::shape<128, 1>>;

// Whatever the net returns, 1 + t^2 (...) is 1 at t = 0, and its derivative 0. Inputs around 0 train best.
inline constexpr auto position = [](auto net, auto t) { return 1 + t * t * net(t - end / 2); };
// Each row of the batch is a time of its own. The gradient of the sum is therefore the derivative of each row.
inline constexpr auto positions = [](auto net, auto t) { return sum(position(net, t)); };
inline constexpr auto velocity = [](auto net, auto t) { return esp::grad<1>(positions)(net, t); };
inline constexpr auto velocities = [](auto net, auto t) { return sum(velocity(net, t)); };
inline constexpr auto acceleration = [](auto net, auto t) { return esp::grad<1>(velocities)(net, t); };

inline constexpr auto equation_loss = [](auto net, auto t) {
  auto const residual =
      acceleration(net, t) + 2 * damping * velocity(net, t) + frequency * frequency * position(net, t);
  return mean(residual * residual);
};
inline constexpr auto train = [](auto net, auto optimizer, auto t) {
  auto const [loss, gradients] = esp::value_and_grad<0>(equation_loss)(net, t);  // a third derivative
  optimizer.update(net, gradients);
  return loss;
};

double exact(double t) {
  double const w = std::sqrt(frequency * frequency - damping * damping);
  return std::exp(-damping * t) * (std::cos(w * t) + damping / w * std::sin(w * t));
}

int main() {
  esp::model<Net> model{esp::seed{0}};
  esp::optim::updater optimizer{model, esp::optim::Adam{}};
  times t, u;
  for (int i = 0; i < 128; ++i) t[i] = static_cast<float>(end * i / 127);
  esp::tensor<float, esp::shape<>> loss;
  esp::compiled step{train, model, optimizer, t};
  esp::compiled solution{position, model, t};

  constexpr esp::optim::cosine rate{.from = 5e-3, .to = 1e-5, .over = 6000};
  for (int i = 0; i < 6000; ++i) {
    optimizer.learning_rate() = static_cast<float>(rate(i));
    step(t, loss);
  }
  solution(t, u);
  double most = 0;
  for (int i = 0; i < 128; ++i) most = std::max(most, std::fabs(double(u[i]) - exact(double(t[i]))));
  std::puts("   time  position     exact");
  for (int i = 0; i < 128; i += 16) std::printf("%7.3f %9.4f %9.4f\n", double(t[i]), double(u[i]), exact(double(t[i])));
  std::printf("largest error %.5f\n", most);
  return most < 0.005 ? 0 : 1;
}
