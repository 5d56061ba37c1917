// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_sgd
#include <boost/test/unit_test.hpp>

#include "support/check_optimizer.hpp"

using namespace test;

static_assert(optim::SGD<>::states == 0 && optim::SGD<optim::damped>::states == 1);

namespace {
/// p -= lr d, where d is what `direction(g, u, step)` makes of the gradient with its decay and the memory u.
template <class Direction>
auto loop(double lr, double decay, Direction direction) {
  return [=] {
    return [=, u = std::vector<double>(29)](std::vector<double>& p, std::vector<double> const& g, int step) mutable {
      for (std::size_t i = 0; i < p.size(); ++i) p[i] -= lr * direction(g[i] + decay * p[i], u[i], step);
    };
  };
}
}  // namespace

BOOST_AUTO_TEST_CASE(plain) {
  auto const same = [](double g, double&, int) { return g; };
  check_optimizer_in_both(optim::SGD<>{.learning_rate = 0.1}, loop(0.1, 0, same));
  check_optimizer_in_both(optim::SGD<>{}, loop(0.01, 0, same));
  check_optimizer_in_both(optim::SGD<>{.learning_rate = 0.1, .weight_decay = 0.05}, loop(0.1, 0.05, same));
}
BOOST_AUTO_TEST_CASE(damped) {
  check_optimizer_in_both(optim::SGD{.learning_rate = 0.1, .momentum = optim::damped{0.8}, .weight_decay = 0.03},
                          loop(0.1, 0.03, [](double g, double& u, int) { return u = 0.8 * u + (1 - 0.8) * g; }));
}
BOOST_AUTO_TEST_CASE(heavy_ball) {
  check_optimizer_in_both(optim::SGD{.learning_rate = 0.05, .momentum = optim::heavy_ball{0.9}},
                          loop(0.05, 0, [](double g, double& u, int) { return u = 0.9 * u + g; }));
}
BOOST_AUTO_TEST_CASE(heavy_ball_with_dampening_begins_undampened) {
  check_optimizer_in_both(
      optim::SGD{.learning_rate = 0.05,
                 .momentum = optim::heavy_ball{.momentum = 0.9, .dampening = 0.25},
                 .weight_decay = 0.01},
      loop(0.05, 0.01, [](double g, double& u, int step) { return u = step == 1 ? g : 0.9 * u + 0.75 * g; }));
}
BOOST_AUTO_TEST_CASE(nesterov) {
  check_optimizer_in_both(optim::SGD{.learning_rate = 0.05, .momentum = optim::nesterov{0.7}, .weight_decay = 0.02},
                          loop(0.05, 0.02, [](double g, double& u, int) {
                            u = 0.7 * u + g;
                            return g + 0.7 * u;
                          }));
}
BOOST_AUTO_TEST_CASE(hyperparameters_change_while_training) {
  auto const make = [] {
    return [u = std::vector<double>(29)](std::vector<double>& p, std::vector<double> const& g, int step) mutable {
      double const lr = step < 4 ? 0.1 : 0.01 * step, m = step < 6 ? 0.9 : 0.5, decay = step < 8 ? 0 : 0.2;
      for (std::size_t i = 0; i < p.size(); ++i) {
        u[i] = m * u[i] + (1 - m) * (g[i] + decay * p[i]);
        p[i] -= lr * u[i];
      }
    };
  };
  check_optimizer_in_both(optim::SGD{.learning_rate = 0.1, .momentum = optim::damped{0.9}}, make,
                          [](auto& optimizer, int step) {
                            if (step >= 4) optimizer.learning_rate = 0.01 * step;
                            if (step == 6) optimizer.momentum.momentum = 0.5;
                            if (step == 8) optimizer.weight_decay = 0.2;
                          });
}
