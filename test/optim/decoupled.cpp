// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_decoupled
#include <boost/test/unit_test.hpp>

#include "support/check_optimizer.hpp"

using namespace test;

namespace {
/// Two optimizers give the same parameters, up to rounding.
template <class A, class B>
void check_equal(A first, B second, bool same = true) {
  esp::model<optimized_net, esp::cpu, double> a{esp::seed{1}}, b{esp::seed{1}};
  optim::updater one{a, first};
  optim::updater other{b, second};
  esp::gradients<optimized_net, double> gradients;
  double difference = 0;
  for (int step = 0; step < 8; ++step) {
    auto const random_values = doubles<15>(static_cast<std::uint64_t>(step));
    for (int i = 0; i < 15; ++i) gradients.parameter("0.weight").span()[i] = random_values[i];
    one.learning_rate() = other.learning_rate() = 0.1 / (step + 1);
    one.update(a, gradients);
    other.update(b, gradients);
    for (std::int64_t i = 0; i < a.parameters().size(); ++i)
      difference = std::fmax(difference, std::fabs(a.parameters()[i] - b.parameters()[i]));
  }
  BOOST_TEST((difference <= 1e-14) == same);
  BOOST_TEST((difference > 1e-4) == !same);
}
}  // namespace

// p - lr (g + d p) = p (1 - lr d) - lr g; with a memory the two differ.
BOOST_AUTO_TEST_CASE(for_plain_descent_it_is_the_penalty) {
  check_equal(optim::decoupled{optim::SGD<>{.learning_rate = 0.1}, 0.3},
              optim::SGD<>{.learning_rate = 0.1, .weight_decay = 0.3});
  check_equal(optim::decoupled{optim::SGD{.learning_rate = 0.1, .momentum = optim::damped{0.9}}, 0.3},
              optim::SGD{.learning_rate = 0.1, .momentum = optim::damped{0.9}, .weight_decay = 0.3}, false);
}
BOOST_AUTO_TEST_CASE(around_adam_it_is_adamw) {
  check_equal(optim::decoupled{optim::Adam{.learning_rate = 0.1}, 0.3},
              optim::AdamW{.learning_rate = 0.1, .weight_decay = 0.3});
  check_equal(optim::decoupled{optim::Adam{.learning_rate = 0.1}, 0.3},
              optim::Adam{.learning_rate = 0.1, .weight_decay = 0.3}, false);
}
BOOST_AUTO_TEST_CASE(inside_a_clip) {
  check_equal(optim::clip_by_norm{optim::decoupled{optim::Adam{.learning_rate = 0.1}, 0.3}, 0.5},
              optim::clip_by_norm{optim::AdamW{.learning_rate = 0.1, .weight_decay = 0.3}, 0.5});
}
BOOST_AUTO_TEST_CASE(a_skipped_update_does_not_decay) {
  esp::model<optimized_net> model;
  optim::updater updater{model, optim::skip_non_finite{optim::decoupled{optim::SGD<>{.learning_rate = 0.1}, 0.3}}};
  esp::gradients<optimized_net> gradients;
  gradients.parameter("2.bias").span()[0] = std::numeric_limits<float>::infinity();
  auto const before = copy(model.parameters());
  updater.update(model, gradients);
  BOOST_TEST(copy(model.parameters()) == before, boost::test_tools::per_element());
  BOOST_TEST(updater.skipped_updates() == 1);
}
