// SPDX-License-Identifier: BSL-1.0
// What wraps optimizers: clip_by_norm, clip_by_value, skip_non_finite.
#define BOOST_TEST_MODULE optim_clip
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

#include "support/check_optimizer.hpp"

using namespace test;

static_assert(optim::clip_by_norm<optim::Adam>::states == 2 && optim::skip_non_finite<optim::SGD<>>::states == 0);

namespace {
/// Scales a gradient as clip_by_norm does, then moves with damped momentum.
template <class Norm>
auto clipped_loop(Norm max_norm_at) {
  return [=] {
    return [=, u = std::vector<double>(29)](std::vector<double>& p, std::vector<double> const& g, int step) mutable {
      double squares = 0;
      for (double const x : g) squares += x * x;
      double const scale = std::fmin(1, max_norm_at(step) / (std::sqrt(squares) + 1e-6));
      for (std::size_t i = 0; i < p.size(); ++i) {
        u[i] = 0.9 * u[i] + (1 - 0.9) * g[i] * scale;
        p[i] -= 0.1 * u[i];
      }
    };
  };
}
/// Limits each element of a gradient as clip_by_value does.
template <class Value>
auto limited_loop(Value max_value_at) {
  return [=] {
    return [=, u = std::vector<double>(29)](std::vector<double>& p, std::vector<double> const& g, int step) mutable {
      double const most = max_value_at(step);
      for (std::size_t i = 0; i < p.size(); ++i) {
        u[i] = 0.9 * u[i] + (1 - 0.9) * std::fmax(-most, std::fmin(most, g[i]));
        p[i] -= 0.1 * u[i];
      }
    };
  };
}
constexpr optim::SGD damped{.learning_rate = 0.1, .momentum = optim::damped{0.9}};

template <class T, class Optimizer>
void check_skipped_update(Optimizer optimizer) {
  constexpr T odd[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                       -std::numeric_limits<T>::infinity()};
  // What was refused is as if it had never been asked for: a second model is given the finite gradients only.
  esp::model<optimized_net, esp::cpu, T> model{esp::seed{1}}, other{esp::seed{1}};
  optim::updater updater{model, optim::skip_non_finite{optimizer}};
  optim::updater plain{other, optimizer};
  esp::gradients<optimized_net, T> gradients;
  auto const last = gradients.parameter("2.bias").span();
  for (int step = 0; step < 6; ++step) {
    auto const random_values = numbers<T, esp::shape<15>>(static_cast<std::uint64_t>(step));
    for (int i = 0; i < 15; ++i) gradients.parameter("0.weight").span()[i] = random_values[i];
    last[2] = T(0.5);
    updater.update(model, gradients);
    plain.update(other, gradients);
    // Two programs, so a compiler may fuse other products and sums in one than in the other: equal up to that.
    auto const before = copy(model.parameters());
    auto const expected = copy(other.parameters());
    BOOST_TEST_REQUIRE(before.size() == expected.size());
    for (std::size_t i = 0; i < before.size(); ++i)
      BOOST_TEST(std::fabs(before[i] - expected[i]) <=
                 16 * std::numeric_limits<T>::epsilon() * (1 + std::fabs(expected[i])));
    last[2] = odd[step % 3];
    updater.update(model, gradients);
    BOOST_TEST(copy(model.parameters()) == before, boost::test_tools::per_element());
    BOOST_TEST(updater.steps() == step + 1);
    BOOST_TEST(updater.skipped_updates() == step + 1);
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(clipping_bounds_the_norm_over_all_parameters) {
  check_optimizer_in_both(optim::clip_by_norm{damped, 0.75}, clipped_loop([](int) { return 0.75; }));
}
BOOST_AUTO_TEST_CASE(a_norm_below_the_bound_is_left) {
  check_optimizer_in_both(optim::clip_by_norm{damped, 1e6}, clipped_loop([](int) { return 1e6; }));
}
BOOST_AUTO_TEST_CASE(the_bound_and_the_wrapped_hyperparameters_change_while_training) {
  check_optimizer_in_both(optim::clip_by_norm{damped, 1}, clipped_loop([](int step) { return 0.5 * step; }),
                          [](auto& optimizer, int step) { optimizer.max_norm = 0.5 * step; });
}
BOOST_AUTO_TEST_CASE(clipping_by_value_limits_each_element) {
  check_optimizer_in_both(optim::clip_by_value{damped, 0.25}, limited_loop([](int) { return 0.25; }));
  check_optimizer_in_both(optim::clip_by_value{damped, 1}, limited_loop([](int step) { return 0.1 * step; }),
                          [](auto& optimizer, int step) { optimizer.max_value = 0.1 * step; });
}
BOOST_AUTO_TEST_CASE(clipping_around_adam) {
  esp::model<optimized_net, esp::cpu, double> model{esp::seed{1}}, other{esp::seed{1}};
  optim::updater clipped{model, optim::clip_by_norm{optim::Adam{.learning_rate = 0.1}, 1.0}};
  optim::updater plain{other, optim::Adam{.learning_rate = 0.1}};
  esp::gradients<optimized_net, double> large, scaled;
  for (auto& gradient : large.parameter("0.weight").span()) gradient = 3;
  for (auto& gradient : scaled.parameter("0.weight").span()) gradient = 3 / (std::sqrt(135.0) + 1e-6);
  for (int i = 0; i < 3; ++i) {
    clipped.update(model, large);
    plain.update(other, scaled);
  }
  for (std::int64_t i = 0; i < model.parameters().size(); ++i)
    BOOST_TEST(near(model.parameters()[i], other.parameters()[i]));
}
BOOST_AUTO_TEST_CASE(a_gradient_that_is_not_finite_is_skipped) {
  check_skipped_update<double>(optim::SGD<>{.learning_rate = 0.1});
  check_skipped_update<float>(damped);
  check_skipped_update<double>(optim::Adam{.learning_rate = 0.1});
  check_skipped_update<float>(optim::AdamW{.learning_rate = 0.1});
}
BOOST_AUTO_TEST_CASE(skipping_and_clipping_compose) {
  check_skipped_update<float>(optim::clip_by_norm{optim::Adam{.learning_rate = 0.1}, 0.5});
}
BOOST_AUTO_TEST_CASE(large_finite_gradients_are_not_skipped) {
  esp::model<optimized_net> model;
  optim::updater updater{model, optim::skip_non_finite{optim::SGD<>{.learning_rate = 0}}};
  esp::gradients<optimized_net> gradients;
  for (auto& gradient : gradients.parameter("0.weight").span()) gradient = 3e38f;
  updater.update(model, gradients);
  BOOST_TEST(updater.steps() == 1);
}
BOOST_AUTO_TEST_CASE(clipping_around_skip_non_finite_counts_it) {
  esp::model<optimized_net> model;
  optim::updater updater{model, optim::clip_by_norm{optim::skip_non_finite{optim::Adam{}}, 1.0}};
  esp::gradients<optimized_net> gradients;
  gradients.parameter("2.bias").span()[0] = std::numeric_limits<float>::infinity();
  auto const before = copy(model.parameters());
  updater.update(model, gradients);
  BOOST_TEST(copy(model.parameters()) == before, boost::test_tools::per_element());
  BOOST_TEST(updater.steps() == 0);
  BOOST_TEST(updater.skipped_updates() == 1);
}

BOOST_AUTO_TEST_CASE(norms_beyond_the_range_of_squares) {
  // A step of SGD with the rate 1 from 0 has the length of the clipped gradient.
  for (float const g : {1.5e19f, 1e25f, 1e30f, 3e38f, 1e-30f}) {
    BOOST_TEST_CONTEXT("gradients of " << g) {
      esp::model<optimized_net> model{esp::seed{1}};
      for (float& p : model.parameters()) p = 0;
      optim::updater updater{model, optim::clip_by_norm{optim::SGD{.learning_rate = 1}, 1.0}};
      esp::gradients<optimized_net> gradients;
      for (int i = 0; i < 15; ++i) gradients.parameter("0.weight").span()[i] = g;
      updater.update(model, gradients);
      double squares = 0;
      for (float const p : model.parameters()) squares += static_cast<double>(p) * static_cast<double>(p);
      double const expected = g < 1 ? std::sqrt(15.0) * static_cast<double>(g) : 1;
      BOOST_TEST(std::sqrt(squares) == expected, boost::test_tools::tolerance(1e-5));
    }
  }
}
