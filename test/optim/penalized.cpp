// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_penalized
#include <boost/test/unit_test.hpp>

#include "support/check_optimizer.hpp"

using namespace test;

namespace {
/// Adds the gradient of l1 sum|p| + l2/2 sum p^2 to a gradient and hands it on.
template <class Next>
auto with_penalty(double l1, double l2, Next next) {
  return [=] {
    return [=, inner = next()](std::vector<double>& p, std::vector<double> const& g, int step) mutable {
      std::vector<double> gradient = g;
      for (std::size_t i = 0; i < p.size(); ++i) gradient[i] += l1 * ((p[i] > 0) - (p[i] < 0)) + l2 * p[i];
      inner(p, gradient, step);
    };
  };
}
auto descent(double lr) {
  return [=] {
    return [=](std::vector<double>& p, std::vector<double> const& g, int) {
      for (std::size_t i = 0; i < p.size(); ++i) p[i] -= lr * g[i];
    };
  };
}

using Line = nn::Linear<3, 2>;
}  // namespace

BOOST_AUTO_TEST_CASE(its_gradient_is_part_of_the_gradient) {
  check_optimizer_in_both(optim::penalized{optim::SGD<>{.learning_rate = 0.1}, 0.2, 0.05},
                          with_penalty(0.2, 0.05, descent(0.1)));
  check_optimizer_in_both(optim::penalized{optim::SGD<>{.learning_rate = 0.1}, 0.2},
                          with_penalty(0.2, 0, descent(0.1)));
  check_optimizer_in_both(optim::penalized{.optimizer = optim::SGD<>{.learning_rate = 0.1}, .l2 = 0.3},
                          with_penalty(0, 0.3, descent(0.1)));
}
BOOST_AUTO_TEST_CASE(penalties_add_up_and_keep_their_hyperparameters_apart) {
  check_optimizer_in_both(optim::penalized{optim::penalized{optim::SGD<>{.learning_rate = 0.1}, 0.2, 0.05}, 0.1, 0.03},
                          with_penalty(0.3, 0.08, descent(0.1)));
}
BOOST_AUTO_TEST_CASE(many_wrappers_leave_adams_hyperparameters_alone) {
  esp::model<optimized_net, esp::cpu, double> a{esp::seed{1}}, b{esp::seed{1}};
  auto const adam = optim::Adam{.learning_rate = 0.1, .weight_decay = 0.2};
  optim::updater one{
      a, optim::clip_by_norm{optim::penalized{optim::penalized{optim::penalized{optim::decoupled{adam, 0.0}}}}, 1e9}};
  optim::updater other{b, adam};
  esp::gradients<optimized_net, double> gradients;
  for (auto& gradient : gradients.parameter("0.weight").span()) gradient = 0.3;
  for (int step = 0; step < 5; ++step) {
    one.update(a, gradients);
    other.update(b, gradients);
  }
  for (std::int64_t i = 0; i < a.parameters().size(); ++i) BOOST_TEST(near(a.parameters()[i], b.parameters()[i]));
}
BOOST_AUTO_TEST_CASE(no_gradient_at_zero) {
  esp::model<Line> model;
  for (auto& p : model.parameters()) p = 0;
  optim::updater updater{model, optim::penalized{optim::SGD<>{.learning_rate = 1}, 1.0, 1.0}};
  updater.update(model, esp::gradients<Line>{});
  for (auto const p : model.parameters()) BOOST_TEST(p == 0);
}
// l2 is the weight_decay of SGD and Adam by another name.
BOOST_AUTO_TEST_CASE(l2_is_weight_decay) {
  auto const check = [](auto penalized, auto decayed) {
    esp::model<optimized_net, esp::cpu, double> a{esp::seed{1}}, b{esp::seed{1}};
    optim::updater one{a, penalized};
    optim::updater other{b, decayed};
    esp::gradients<optimized_net, double> gradients;
    for (int step = 0; step < 5; ++step) {
      for (auto& gradient : gradients.parameter("0.weight").span()) gradient = 0.3 * step - 0.5;
      one.update(a, gradients);
      other.update(b, gradients);
    }
    for (std::int64_t i = 0; i < a.parameters().size(); ++i) BOOST_TEST(near(a.parameters()[i], b.parameters()[i]));
  };
  check(optim::penalized{optim::SGD{.learning_rate = 0.1, .momentum = optim::damped{0.9}}, 0.0, 0.2},
        optim::SGD{.learning_rate = 0.1, .momentum = optim::damped{0.9}, .weight_decay = 0.2});
  check(optim::penalized{optim::Adam{.learning_rate = 0.1}, 0.0, 0.2},
        optim::Adam{.learning_rate = 0.1, .weight_decay = 0.2});
}
BOOST_AUTO_TEST_CASE(what_a_trainer_reports) {
  esp::tensor<float, esp::shape<4, 3>> const x = floats<4, 3>(1);
  esp::tensor<float, esp::shape<4, 2>> const y = floats<4, 2>(2);
  esp::model<Line> plain{esp::seed{1}}, silent{esp::seed{1}}, loud{esp::seed{1}};
  auto const descent = optim::SGD<>{.learning_rate = 0.1};
  esp::trainer without{plain, nn::MeanSquaredError{}, descent, esp::batch<4, 3>{}};
  esp::trainer trainer{silent, nn::MeanSquaredError{}, optim::penalized{descent, 0.2, 0.4}, esp::batch<4, 3>{}};
  esp::trainer telling{loud, nn::MeanSquaredError{},
                       optim::clip_by_norm{optim::penalized{descent, 0.2, 0.4, true}, 1e6}, esp::batch<4, 3>{}};
  double penalty = 0;
  for (auto const p : silent.parameters()) penalty += 0.2 * std::fabs(p) + 0.2 * p * p;
  BOOST_TEST(near(trainer.penalty(), penalty, 1e-6));
  BOOST_TEST(without.penalty() == 0);
  float const loss = without.step(x, y);
  BOOST_TEST(trainer.step(x, y) == loss);
  BOOST_TEST(near(telling.step(x, y), loss + penalty, 1e-6));
  for (std::int64_t i = 0; i < silent.parameters().size(); ++i)
    BOOST_TEST(near(silent.parameters()[i], loud.parameters()[i], 1e-5));
}
BOOST_AUTO_TEST_CASE(it_changes_while_training) {
  auto const make = [] {
    return [](std::vector<double>& p, std::vector<double> const& g, int step) {
      for (double& x : p) x -= 0.1 * (g[static_cast<std::size_t>(&x - p.data())] + 0.01 * step * ((x > 0) - (x < 0)));
    };
  };
  check_optimizer_in_both(optim::penalized{optim::SGD<>{.learning_rate = 0.1}}, make,
                          [](auto& optimizer, int step) { optimizer.l1 = 0.01 * step; });
}
