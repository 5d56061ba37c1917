// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_rms_prop
#include <boost/test/unit_test.hpp>

#include "support/check_optimizer.hpp"

using namespace test;

namespace {
struct hyperparameters {
  double lr = 0.01, smoothing = 0.99, epsilon = 1e-8, decay = 0;
};
template <class At>
auto loop(At at) {
  return [=] {
    return [=, v = std::vector<double>(29)](std::vector<double>& p, std::vector<double> const& g, int step) mutable {
      hyperparameters const now = at(step);
      for (std::size_t i = 0; i < p.size(); ++i) {
        double const d = g[i] + now.decay * p[i];
        v[i] = now.smoothing * v[i] + (1 - now.smoothing) * d * d;
        p[i] -= now.lr * d / (std::sqrt(v[i]) + now.epsilon);
      }
    };
  };
}
auto loop_of(hyperparameters m) {
  return loop([=](int) { return m; });
}
}  // namespace

BOOST_AUTO_TEST_CASE(rms_prop) {
  check_optimizer_in_both(optim::RMSProp{}, loop_of({}));
  check_optimizer_in_both(optim::RMSProp{.learning_rate = 0.05, .smoothing = 0.8, .epsilon = 0.1},
                          loop_of({0.05, 0.8, 0.1, 0}));
}
BOOST_AUTO_TEST_CASE(adds_the_decay_to_the_gradient) {
  check_optimizer_in_both(optim::RMSProp{.learning_rate = 0.05, .weight_decay = 0.3}, loop_of({0.05, 0.99, 1e-8, 0.3}));
}
BOOST_AUTO_TEST_CASE(hyperparameters_change_while_training) {
  auto const at = [](int step) { return hyperparameters{.lr = 0.1 / step, .decay = step < 5 ? 0 : 0.2}; };
  auto const before = [=](auto& optimizer, int step) {
    optimizer.learning_rate = at(step).lr;
    optimizer.weight_decay = at(step).decay;
  };
  check_optimizer_in_both(optim::RMSProp{}, loop(at), before);
}
