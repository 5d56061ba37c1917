// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_adam
#include <boost/test/unit_test.hpp>

#include "support/check_optimizer.hpp"

using namespace test;

namespace {
struct hyperparameters {
  double lr = 0.001, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0;
};
/// Kingma and Ba, algorithm 1; `coupled`: the decay is part of the gradient.
template <class At>
auto loop(bool coupled, At at) {
  return [=] {
    return [=, m = std::vector<double>(29), v = std::vector<double>(29)](
               std::vector<double>& p, std::vector<double> const& g, int step) mutable {
      hyperparameters const now = at(step);
      for (std::size_t i = 0; i < p.size(); ++i) {
        double const d = coupled ? g[i] + now.decay * p[i] : g[i];
        if (!coupled) p[i] -= now.lr * now.decay * p[i];
        m[i] = now.beta1 * m[i] + (1 - now.beta1) * d;
        v[i] = now.beta2 * v[i] + (1 - now.beta2) * d * d;
        double const m_hat = m[i] / (1 - std::pow(now.beta1, step)), v_hat = v[i] / (1 - std::pow(now.beta2, step));
        p[i] -= now.lr * m_hat / (std::sqrt(v_hat) + now.epsilon);
      }
    };
  };
}
auto loop_of(bool coupled, hyperparameters m) {
  return loop(coupled, [=](int) { return m; });
}
}  // namespace

BOOST_AUTO_TEST_CASE(adam) {
  check_optimizer_in_both(optim::Adam{}, loop_of(true, {}));
  check_optimizer_in_both(optim::Adam{.learning_rate = 0.05, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 0.1},
                          loop_of(true, {0.05, 0.8, 0.95, 0.1, 0}));
}
BOOST_AUTO_TEST_CASE(adam_adds_the_decay_to_the_gradient) {
  check_optimizer_in_both(optim::Adam{.learning_rate = 0.05, .weight_decay = 0.3},
                          loop_of(true, {0.05, 0.9, 0.999, 1e-8, 0.3}));
}
BOOST_AUTO_TEST_CASE(adamw_decays_the_parameters_directly) {
  check_optimizer_in_both(optim::AdamW{}, loop_of(false, {0.001, 0.9, 0.999, 1e-8, 0.01}));
  check_optimizer_in_both(optim::AdamW{.learning_rate = 0.05, .weight_decay = 0.3},
                          loop_of(false, {0.05, 0.9, 0.999, 1e-8, 0.3}));
}
BOOST_AUTO_TEST_CASE(without_memory_of_the_first_moment) {
  check_optimizer_in_both(optim::Adam{.learning_rate = 0.05, .beta1 = 0, .beta2 = 0},
                          loop_of(true, {0.05, 0, 0, 1e-8, 0}));
}
BOOST_AUTO_TEST_CASE(hyperparameters_change_while_training) {
  auto const at = [](int step) { return hyperparameters{.lr = 0.1 / step, .decay = step < 5 ? 0 : 0.2}; };
  auto const before = [=](auto& optimizer, int step) {
    optimizer.learning_rate = at(step).lr;
    optimizer.weight_decay = at(step).decay;
  };
  check_optimizer_in_both(optim::Adam{}, loop(true, at), before);
  check_optimizer_in_both(optim::AdamW{}, loop(false, at), before);
}
namespace {
/// The second moment that divides never shrinks; the bias correction comes after the maximum.
auto amsgrad_loop(bool coupled, hyperparameters now) {
  return [=] {
    return [=, m = std::vector<double>(29), v = std::vector<double>(29), most = std::vector<double>(29)](
               std::vector<double>& p, std::vector<double> const& g, int step) mutable {
      for (std::size_t i = 0; i < p.size(); ++i) {
        double const d = coupled ? g[i] + now.decay * p[i] : g[i];
        if (!coupled) p[i] -= now.lr * now.decay * p[i];
        m[i] = now.beta1 * m[i] + (1 - now.beta1) * d;
        v[i] = now.beta2 * v[i] + (1 - now.beta2) * d * d;
        most[i] = std::fmax(most[i], v[i]);
        double const m_hat = m[i] / (1 - std::pow(now.beta1, step)), v_hat = most[i] / (1 - std::pow(now.beta2, step));
        p[i] -= now.lr * m_hat / (std::sqrt(v_hat) + now.epsilon);
      }
    };
  };
}
}  // namespace

BOOST_AUTO_TEST_CASE(amsgrad) {
  static_assert(optim::amsgrad<optim::Adam>::states == 3);
  // A short memory, so that the largest moment is often not the last.
  check_optimizer_in_both(optim::amsgrad{optim::Adam{.learning_rate = 0.05, .beta2 = 0.5, .weight_decay = 0.1}},
                          amsgrad_loop(true, {0.05, 0.9, 0.5, 1e-8, 0.1}));
  check_optimizer_in_both(optim::amsgrad{optim::AdamW{.learning_rate = 0.05, .beta2 = 0.5}},
                          amsgrad_loop(false, {0.05, 0.9, 0.5, 1e-8, 0.01}));
}
BOOST_AUTO_TEST_CASE(a_gradient_of_zeros_moves_nothing) {
  esp::model<optimized_net> model;
  auto const before = copy(model.parameters());
  optim::updater updater{model, optim::Adam{.learning_rate = 0.1}};
  esp::gradients<optimized_net> const zeros;
  for (int i = 0; i < 3; ++i) updater.update(model, zeros);
  BOOST_TEST(copy(model.parameters()) == before, boost::test_tools::per_element());
}
