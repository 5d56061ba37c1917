// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_optimizer
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>
#include <type_traits>

#include <espalier/optim/optimizer.hpp>

namespace optim = espalier::optim;

namespace {
/// Updates that are text, so that a test sees which values an optimizer was given.
struct plain {
  static constexpr int states = 1;
  double learning_rate = 0.5;
  optim::hyperparameters hyperparameters_of(std::int64_t step) const {
    return {{learning_rate, optim::power(0.5, step)}};
  }
  static std::string update(std::string const& p, std::string const& g, std::string const& m) {
    return "update(" + p + ", " + g + ", " + m + ")";
  }
};
struct decaying : plain {
  static constexpr bool decays = true;
  static std::string update_decaying(std::string const& p, std::string const& of, std::string const& g,
                                     std::string const& m) {
    return "update(" + p + " decaying " + of + ", " + g + ", " + m + ")";
  }
};
template <class Inner, int Count>
struct wrapper {
  static constexpr int states = Inner::states;
  static constexpr int wrapper_hyperparameters = optim::detail::wrapper_hyperparameters<Inner> + Count;
  static constexpr int own = optim::detail::own_hyperparameters<Inner, Count>;
  Inner optimizer{};
  optim::hyperparameters hyperparameters_of(std::int64_t step) const { return optimizer.hyperparameters_of(step); }
};
struct only_weights {};
template <class Inner>
struct selecting : wrapper<Inner, 0> {
  using selection = only_weights;
};
struct without_states {
  optim::hyperparameters hyperparameters_of(std::int64_t) const { return {}; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(what_is_an_optimizer) {
  static_assert(optim::Optimizer<plain> && optim::Optimizer<wrapper<plain, 2>>);
  static_assert(!optim::Optimizer<without_states> && !optim::Optimizer<int> && !optim::Optimizer<only_weights>);
  static_assert(optim::wrapped<plain>::agree && !optim::wrapped<int>::agree);
  static_assert(optim::Decaying<decaying> && !optim::Decaying<plain>);
}

// Wrappers take entries from the end of the table, each those before the ones inside it.
BOOST_AUTO_TEST_CASE(wrappers_reserve_hyperparameters) {
  static_assert(optim::detail::wrapper_hyperparameters<plain> == 0);
  using inner = wrapper<plain, 2>;
  using outer = wrapper<inner, 3>;
  static_assert(inner::own == optim::max_hyperparameters - 2 && outer::own == optim::max_hyperparameters - 5);
  static_assert(optim::detail::wrapper_hyperparameters<outer> == 5);
  using most = wrapper<plain, optim::max_hyperparameters / 2>;
  static_assert(most::own == optim::max_hyperparameters / 2);
}

BOOST_AUTO_TEST_CASE(a_selection_is_found_inside_wrappers) {
  static_assert(std::is_void_v<optim::detail::selection<plain>::type>);
  static_assert(std::is_void_v<optim::detail::selection<wrapper<plain, 1>>::type>);
  static_assert(std::is_same_v<optim::detail::selection<selecting<plain>>::type, only_weights>);
  static_assert(std::is_same_v<optim::detail::selection<wrapper<selecting<plain>, 1>>::type, only_weights>);
  // The selection is one number for each parameter.
  static_assert(optim::vectors<plain> == 1 && optim::vectors<wrapper<selecting<plain>, 1>> == 2);
}

BOOST_AUTO_TEST_CASE(only_an_optimizer_with_a_decay_is_told_what_decays) {
  using std::string;
  BOOST_TEST(optim::detail::updated<plain>(string{"p"}, string{"w"}, string{"g"}, string{"m"}) == "update(p, g, m)");
  BOOST_TEST(optim::detail::updated<decaying>(string{"p"}, string{"w"}, string{"g"}, string{"m"}) ==
             "update(p decaying w, g, m)");
}

BOOST_AUTO_TEST_CASE(the_learning_rate_inside_wrappers) {
  wrapper<wrapper<plain, 1>, 1> wrapped;
  BOOST_TEST(optim::learning_rate(wrapped) == 0.5);
  optim::learning_rate(wrapped) = 0.25;
  BOOST_TEST(wrapped.optimizer.optimizer.learning_rate == 0.25);
  BOOST_TEST(wrapped.hyperparameters_of(3).at[0] == 0.25);
  wrapper<plain, 1> const constant{};
  static_assert(std::is_same_v<decltype(optim::learning_rate(constant)), double const&>);
}

BOOST_AUTO_TEST_CASE(powers_for_bias_corrections) {
  BOOST_TEST(optim::power(0.9, 0) == 1);
  BOOST_TEST(optim::power(0.5, 10) == 0x1p-10);
  BOOST_TEST(optim::power(0.999, 100000) == std::pow(0.999, 1e5));
  BOOST_TEST(optim::power(0.9, std::int64_t{1} << 40) == 0);
}
