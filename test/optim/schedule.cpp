// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_schedule
#include <boost/test/unit_test.hpp>

#include <cmath>

#include "support/nets.hpp"

using namespace test;

namespace {
constexpr optim::cosine wave{.from = 1e-3, .to = 1e-5, .over = 1000};
static_assert(wave(0) == 1e-3 && wave(1000) == 1e-5 && wave(5000) == 1e-5 && wave(-3) == 1e-3);
constexpr optim::staircase stairs{.from = 0.1, .times = 0.5, .every = 30};
static_assert(stairs(0) == 0.1 && stairs(29) == 0.1 && stairs(30) == 0.05 && stairs(59) == 0.05 &&
              stairs(90) == 0.0125 && stairs(-1) == 0.1);
static_assert(optim::constant{0.2}(0) == 0.2 && optim::constant{0.2}(1000000) == 0.2);
constexpr optim::warm_up rising{9, wave};
static_assert(rising(9) == wave(0) && rising(9 + 400) == wave(400) && rising(9 + 1000) == 1e-5);
static_assert(rising(0) > 0 && rising(-5) == rising(0) && rising(4) == 1e-3 * 5 / 10);
static_assert(optim::warm_up{0, stairs}(0) == stairs(0));
static_assert(optim::warm_up{5, optim::warm_up{5, optim::constant{1}}}(0) == 1.0 / 36,
              "a schedule before any schedule");
}  // namespace

BOOST_AUTO_TEST_CASE(cosine_is_the_cosine) {
  for (int step = 0; step <= 1000; ++step) {
    double const expected = 1e-5 + (1e-3 - 1e-5) * (1 + std::cos(std::acos(-1.0) * step / 1000)) / 2;
    BOOST_TEST(wave(step) == expected, boost::test_tools::tolerance(1e-12));
    if (step > 0) BOOST_TEST(wave(step) < wave(step - 1));
  }
  BOOST_TEST(wave(500) == (1e-3 + 1e-5) / 2, boost::test_tools::tolerance(1e-14));
}
BOOST_AUTO_TEST_CASE(cosine_may_rise) {
  constexpr optim::cosine rise{.from = 0, .to = 1, .over = 10};
  static_assert(rise(0) == 0 && rise(10) == 1);
  for (int step = 1; step <= 10; ++step) BOOST_TEST(rise(step) > rise(step - 1));
}
BOOST_AUTO_TEST_CASE(staircase_of_many_steps) {
  constexpr optim::staircase each{.from = 1, .times = 0.9, .every = 1};
  for (int step = 0; step < 100; ++step)
    BOOST_TEST(each(step) == std::pow(0.9, step), boost::test_tools::tolerance(1e-13));
}
BOOST_AUTO_TEST_CASE(warm_up_is_a_straight_line) {
  for (int step = 1; step <= 9; ++step)
    BOOST_TEST(rising(step) - rising(step - 1) == 1e-4, boost::test_tools::tolerance(1e-10));
}
BOOST_AUTO_TEST_CASE(numbers_out_of_range_do_no_harm) {
  static_assert(optim::cosine{.from = 1, .to = 0.5, .over = 0}(0) == 0.5);
  static_assert(optim::staircase{.from = 1, .times = 0.5, .every = 0}(10) == 1);
}
// The rate that a schedule gives is the rate of the step: plain descent along a gradient of one moves by it.
BOOST_AUTO_TEST_CASE(in_a_trainer_and_however_it_is_wrapped) {
  using Net = nn::Linear<1, 1, nn::no_bias>;
  esp::model<Net, esp::cpu, double> model{esp::seed{0}};
  esp::trainer trainer{model, Weighted{}, optim::skip_non_finite{optim::clip_by_norm{optim::SGD<>{}, 1e6}},
                       esp::batch<1, 1>{}};
  esp::tensor<double, esp::shape<1, 1>> const x{{1}}, k{{1}};
  constexpr auto rate = optim::warm_up{3, optim::cosine{.from = 0.5, .to = 0.1, .over = 5}};
  for (int step = 0; step < 12; ++step) {
    BOOST_TEST(trainer.steps() == step);
    double const before = model.parameters()[0];
    trainer.learning_rate() = rate(trainer.steps());
    trainer.step(x, k);
    BOOST_TEST(before - model.parameters()[0] == rate(step), boost::test_tools::tolerance(1e-9));
  }
}
