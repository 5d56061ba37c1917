// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE base_option_error
#include <boost/test/unit_test.hpp>

#include <espalier/base/option_error.hpp>
#include <espalier/model/early_stopping.hpp>

#include <cstdio>
#include <string>

#include "support/nets.hpp"

using namespace test;

BOOST_AUTO_TEST_CASE(the_value_has_nine_digits) {
  for (double x : {0.0, 0.5, 1.0, 1e-3, 123456789.0, 65536.0, 1.1, 0.00001, -1.0 / 3, 1234567.25, 99999999.99999}) {
    char expected[64];
    (void)std::snprintf(expected, sizeof expected, "a: expected b c, got %.9g", x);
    std::string text = expected;
    if (auto const at = text.find("e-0"); at != std::string::npos) text.erase(at + 2, 1);
    BOOST_TEST(std::string{esp::option_error("a", "b", "c", x).what()} == text);
  }
  BOOST_TEST(std::string{esp::option_error("a", "b", "c", 1e300).what()} == "a: expected b c, got 1e300");
  BOOST_TEST(std::string{esp::option_error("a", "b", "c", -1e-30).what()} == "a: expected b c, got -1e-30");
}
BOOST_AUTO_TEST_CASE(a_schedule_checks_its_numbers) {
  auto const rate = optim::warm_up{-5, optim::constant{}};
  BOOST_CHECK_THROW((void)rate(3), esp::option_error);
}

namespace {
/// What a trainer and an updater say of an optimizer with a number out of its range; "" if they accept it.
template <class Optimizer>
std::string refusal(Optimizer const& optimizer) {
  esp::model<nn::Linear<1, 1, nn::no_bias>, esp::cpu, double> model{esp::seed{0}};
  std::string of_trainer, of_updater;
  try {
    esp::trainer trainer{model, Weighted{}, optimizer, esp::batch<1, 1>{}};
  } catch (esp::option_error const& error) {
    of_trainer = error.what();
  }
  try {
    optim::updater updater{model, optimizer};
  } catch (esp::option_error const& error) {
    of_updater = error.what();
  }
  BOOST_TEST(of_trainer == of_updater);
  return of_trainer;
}
constexpr double not_a_number = __builtin_nan(""), infinity = __builtin_inf();
}  // namespace

BOOST_AUTO_TEST_CASE(a_number_out_of_its_range_is_refused_by_trainer_and_updater) {
  BOOST_TEST(refusal(optim::Adam{.beta2 = 1}) == "optim::Adam: expected beta2 in [0, 1), got 1");
  BOOST_TEST(refusal(optim::Adam{.learning_rate = not_a_number}) ==
             "optim::Adam: expected learning_rate of at least 0 and finite, got nan");
  BOOST_TEST(refusal(optim::Adam{.beta1 = 1.5}) == "optim::Adam: expected beta1 in [0, 1), got 1.5");
  BOOST_TEST(refusal(optim::Adam{.epsilon = -1e-8}) ==
             "optim::Adam: expected epsilon of at least 0 and finite, got -1e-8");
  BOOST_TEST(refusal(optim::SGD<>{.learning_rate = infinity}) ==
             "optim::SGD: expected learning_rate of at least 0 and finite, got inf");
  BOOST_TEST(refusal(optim::SGD<optim::heavy_ball>{.momentum = {.momentum = 0.9, .dampening = -0.25}}) ==
             "optim::SGD: expected dampening in [0, 1], got -0.25");
  BOOST_TEST(refusal(optim::SGD<optim::nesterov>{.momentum = {.momentum = 2}}) ==
             "optim::SGD: expected momentum in [0, 1], got 2");
  BOOST_TEST(refusal(optim::clip_by_norm{optim::Adam{}, 0.0}) ==
             "optim::clip_by_norm: expected max_norm above 0, got 0");
  // The optimizer inside wrappers is checked, too.
  BOOST_TEST(refusal(optim::skip_non_finite{optim::clip_by_value{optim::RMSProp{.weight_decay = -1}, 1.0}}) ==
             "optim::RMSProp: expected weight_decay of at least 0 and finite, got -1");
  BOOST_TEST(refusal(optim::clip_by_norm{optim::SGD<>{.learning_rate = 0}, infinity}) == "");
}
BOOST_AUTO_TEST_CASE(a_number_that_is_changed_is_refused_before_the_step_changes_anything) {
  esp::model<nn::Linear<1, 1, nn::no_bias>, esp::cpu, double> model{esp::seed{0}};
  esp::trainer trainer{model, Weighted{}, optim::AdamW{}, esp::batch<1, 1>{}};
  esp::tensor<double, esp::shape<1, 1>> const x{{1}}, k{{1}};
  double const before = model.parameters()[0];
  trainer.learning_rate() = -1;
  BOOST_CHECK_EXCEPTION(trainer.step(x, k), esp::option_error, [](auto const& error) {
    return std::string{error.what()} == "optim::AdamW: expected learning_rate of at least 0 and finite, got -1";
  });
  BOOST_TEST(model.parameters()[0] == before);
  BOOST_TEST(trainer.steps() == 0);
  trainer.learning_rate() = 0.5;
  trainer.step(x, k);
  BOOST_TEST(trainer.steps() == 1);
}

namespace {
std::string refusal_of(auto const& f) {
  try {
    f();
  } catch (esp::option_error const& error) {
    return error.what();
  }
  return "";
}
}  // namespace

BOOST_AUTO_TEST_CASE(a_number_of_an_op_out_of_its_range_is_refused) {
  using two = esp::tensor<float, esp::shape<2>>;
  two const x{3, 4}, mask{1, 0};
  BOOST_TEST(refusal_of([&] { (void)two{dropout(x, mask, 1)}; }) == "dropout(x, mask, p): expected p in [0, 1), got 1");
  BOOST_TEST(refusal_of([&] { (void)two{dropout(x, mask, not_a_number)}; }) != "");
  BOOST_TEST(refusal_of([&] { (void)two{huber(x, 0)}; }) == "huber(z, delta): expected delta above 0, got 0");
  BOOST_TEST(refusal_of([&] { (void)two{huber(x, not_a_number)}; }) != "");
  BOOST_TEST(refusal_of([&] { (void)two{logistic_loss(x, x, -1)}; }) ==
             "logistic_loss(z, target, weight): expected weight of at least 0 and finite, got -1");
  BOOST_TEST(refusal_of([&] { (void)two{esp::normalize(x, -1.0)}; }) ==
             "normalize(x, eps): expected eps of at least 0 and finite, got -1");
  BOOST_TEST(refusal_of([&] { (void)two{esp::rms_normalize(x, not_a_number)}; }) != "");
  BOOST_TEST(refusal_of([&] { (void)two{esp::unit(x, -1e-9)}; }) != "");
  BOOST_TEST(refusal_of([&] {
               (void)two{dropout(x, mask, 0)};
               (void)two{huber(x, infinity)};
               (void)two{esp::normalize(x, 0.0)};
               (void)two{esp::unit(x, 0.0)};
             }) == "");
}
BOOST_AUTO_TEST_CASE(early_stopping_checks_its_difference) {
  esp::early_stopping rule{.min_delta = -0.1};
  BOOST_TEST(refusal_of([&] { (void)rule.observe(1); }) ==
             "early_stopping: expected min_delta of at least 0 and finite, got -0.1");
  BOOST_TEST(rule.observed == 0);
  rule.min_delta = 0;
  BOOST_TEST(!rule.observe(1));
}
