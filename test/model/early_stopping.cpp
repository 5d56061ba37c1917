// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_early_stopping
#include <boost/test/unit_test.hpp>

#include <limits>
#include <vector>

#include <espalier/model/early_stopping.hpp>

namespace {
/// The number of the observation that says stop; -1: none does.
constexpr int stops_at(espalier::early_stopping rule, std::initializer_list<double> losses) {
  int at = 0;
  for (double const loss : losses) {
    if (rule.observe(loss)) return at;
    ++at;
  }
  return -1;
}
constexpr double none = std::numeric_limits<double>::quiet_NaN(), endless = std::numeric_limits<double>::infinity();

static_assert(stops_at({.patience = 2}, {3, 2, 1}) == -1);
static_assert(stops_at({.patience = 2}, {3, 2, 2, 2}) == 3, "equal is no improvement");
static_assert(stops_at({.patience = 2}, {3, 4, 2, 3, 2.5, 1}) == 4, "an improvement begins the waiting anew");
static_assert(stops_at({.patience = 1}, {3, 2, 2.5}) == 2);
static_assert(stops_at({.patience = 0}, {3, 2, 2.5}) == 2, "less than one counts as one");
static_assert(stops_at({.patience = 3, .min_delta = 0.5}, {3, 2.6, 2.4, 2.3, 2.2, 1.95, 1.9}) == 5,
              "small steps from the best do not count");
static_assert(stops_at({.patience = 2, .min_delta = 0.5}, {3, 2.6, 2.5}) == 2,
              "below by more than min_delta, not by as much");
static_assert(stops_at({.patience = 2}, {3, none, none}) == 2 && stops_at({.patience = 2}, {none, none}) == 1);
static_assert(stops_at({.patience = 2}, {none, 5, none, 4, none, none}) == 5);
static_assert(stops_at({.patience = 2}, {endless, 5, endless, endless}) == 3);
static_assert(stops_at({}, {1, 2, 3, 4, 5, 6}) == 5, "five are the default");
}  // namespace

BOOST_AUTO_TEST_CASE(reported_state) {
  espalier::early_stopping rule{.patience = 10};
  BOOST_TEST(rule.best_at == -1);
  std::vector<double> const losses{5, 4, 4.5, 3, 3.5};
  std::vector<bool> const improved{true, true, false, true, false};
  for (std::size_t i = 0; i < losses.size(); ++i) {
    BOOST_TEST(!rule.observe(losses[i]));
    BOOST_TEST(rule.improved == improved[i]);
  }
  BOOST_TEST(rule.best == 3);
  BOOST_TEST(rule.best_at == 3);
  BOOST_TEST(rule.observed == 5);
  BOOST_TEST(rule.waited == 1);
}
