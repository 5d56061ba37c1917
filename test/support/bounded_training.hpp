// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/up_to.hpp>

#include <cmath>
#include <vector>

#include "nets.hpp"

/// Compares a trainer for batches of up to N samples with a trainer of each number of samples.
namespace test {

/// A net, its loss and its samples. Targets are labels if the loss has them.
template <class Net, class Loss, int Classes, int... Sample>
struct training_case {
  static constexpr int most = 24;
  using batch = esp::batch<esp::up_to<most>, Sample...>;
  using model = esp::model<Net, esp::cpu, double>;
  using optimizer = decltype(optim::SGD{.learning_rate = 0.01});
  using trainer = esp::trainer<model, Loss, optimizer, batch>;
  using target = typename trainer::target_element;
  static constexpr std::int64_t elements = esp::shape<Sample...>::size;

  static std::vector<double> images(int samples) {
    std::vector<double> x(static_cast<std::size_t>(samples * elements));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37 * static_cast<double>(i * i % 1009));
    return x;
  }
  static std::vector<target> targets(std::size_t count) {
    std::vector<target> y(count);
    for (std::size_t i = 0; i < count; ++i)
      if constexpr (trainer::has_labels) y[i] = static_cast<target>(i * 7 % Classes);
      else y[i] = std::cos(static_cast<double>(i));
    return y;
  }
  static double difference(auto const& a, auto const& b) {
    double worst = 0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(b.size()); ++i)
      worst = std::fmax(worst, std::fabs(a.begin()[i] - b.begin()[i]) / (1 + std::fabs(b.begin()[i])));
    return worst;
  }
  /// Two steps and an evaluation with Count samples. The largest relative difference of losses, gradients, parameters
  /// and buffers.
  template <int Count>
  static double compare(model& own, trainer& bounded) {
    model other = own.clone();
    esp::trainer fixed{other, Loss{}, optim::SGD{.learning_rate = 0.01}, esp::batch<Count, Sample...>{}};
    auto const x = images(Count);
    auto const y =
        targets(static_cast<std::size_t>(decltype(fixed)::template target_of<esp::batch<Count, Sample...>>::size));
    double worst = 0;
    for (int step = 0; step < 2; ++step) {
      double const a = bounded.step(x, y), b = fixed.step(x, y);
      worst = std::fmax(worst, std::fabs(a - b) / (1 + std::fabs(b)));
      worst = std::fmax(worst, difference(bounded.gradients(), fixed.gradients()));
      worst = std::fmax(worst, difference(own.parameters(), other.parameters()));
      worst = std::fmax(worst, difference(own.buffers(), other.buffers()));
    }
    auto const a = bounded.evaluate(x, y), b = fixed.evaluate(x, y);
    worst = std::fmax(worst, std::fabs(a.loss - b.loss) / (1 + std::fabs(b.loss)));
    if (a.correct != b.correct || a.count != b.count) worst = INFINITY;
    auto const scores = bounded.forward(x);
    auto const expected = fixed.forward(esp::view<double const, esp::batch<Count, Sample...>>(x.data()));
    worst = std::fmax(worst, difference(scores, expected));
    return worst;
  }
  template <int... Count>
  static double compare() {
    model own{esp::seed{3}};
    trainer bounded{own, Loss{}, optimizer{.learning_rate = 0.01}, batch{}};
    double worst = 0;
    ((worst = std::fmax(worst, compare<Count>(own, bounded))), ...);
    return worst;
  }
};

}  // namespace test
