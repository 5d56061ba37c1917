// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nets.hpp"

/// An optimizer against a plain loop over numbers.
namespace test {

/// Two layers whose parameters leave gaps, and one that is not moved.
using optimized_net = nn::Sequential<nn::Linear<3, 5>, nn::Frozen<nn::Linear<5, 2>>, nn::Linear<2, 3>>;

/// Ten updates with gradients set by hand. reference(p, g, step) moves one vector of all trainable parameters;
/// before(optimizer, step) may change magnitudes before each update.
template <class T, class Optimizer, class Reference, class Before>
void check_optimizer(Optimizer optimizer, Reference reference, Before before) {
  esp::model<optimized_net, esp::cpu, T> model{esp::seed{1}};
  optim::updater updater{model, optimizer};
  esp::gradients<optimized_net, T> gradients;
  std::vector<double> p;
  char const* const names[] = {"0.weight", "0.bias", "2.weight", "2.bias"};
  for (char const* name : names)
    for (T const element : model.parameter(name).span()) p.push_back(static_cast<double>(element));
  auto const frozen = copy(model.parameter("1.module.weight").span());

  for (int step = 1; step <= 10; ++step) {
    before(updater.optimizer(), step);
    auto const random_values = numbers<T, esp::shape<29>>(static_cast<std::uint64_t>(step), -2, 2);
    std::vector<double> g;
    for (char const* name : names)
      for (T& gradient : gradients.parameter(name).span()) {
        gradient = random_values[static_cast<int>(g.size())];
        g.push_back(static_cast<double>(gradient));
      }
    updater.update(model, gradients);
    reference(p, g, step);
    BOOST_TEST(updater.steps() == step);
    std::size_t i = 0;
    for (char const* name : names)
      for (T const element : model.parameter(name).span()) {
        BOOST_TEST(near(static_cast<double>(element), p[i], std::is_same_v<T, float> ? 2e-5 : 1e-12),
                   name << " at step " << step);
        ++i;
      }
  }
  BOOST_TEST(copy(model.parameter("1.module.weight").span()) == frozen, boost::test_tools::per_element());
}

/// In both element types. make() begins a reference anew.
template <class Optimizer, class Make, class Before>
void check_optimizer_in_both(Optimizer optimizer, Make make, Before before) {
  check_optimizer<double>(optimizer, make(), before);
  check_optimizer<float>(optimizer, make(), before);
}
template <class Optimizer, class Make>
void check_optimizer_in_both(Optimizer optimizer, Make make) {
  check_optimizer_in_both(optimizer, make, [](Optimizer&, int) {});
}

}  // namespace test
