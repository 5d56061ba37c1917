// SPDX-License-Identifier: BSL-1.0
// A program is made of a loss's type: an object with other numbers is refused before anything is computed.
#define BOOST_TEST_MODULE model_loss_error
#include <espalier/model/loss_error.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
enum class power { one, two };
struct WeightedError {
  double by = 1;
  std::array<int, 2> more{1, 2};
  power to = power::two;
  ESPALIER_MODULE(WeightedError, by, more, to)
  template <class Prediction>
  struct target {
    using type = Prediction;
    using element_type = void;
  };
  constexpr auto forward(auto prediction, auto targets) const {
    return esp::mean(esp::square(prediction - targets)) * (by * more[1]);
  }
};
struct NestedError {
  WeightedError inner;
  ESPALIER_MODULE(NestedError, inner)
  template <class Prediction>
  struct target {
    using type = Prediction;
    using element_type = void;
  };
  constexpr auto forward(auto prediction, auto targets) const { return inner(prediction, targets); }
};

template <class Callable>
std::string error_text(Callable callable) {
  try {
    callable();
  } catch (esp::loss_error const& error) {
    return error.what();
  }
  return "nothing";
}
std::string about(char const* name) {
  return std::string("loss: expected the number ") + name +
         " of Loss{}, got another one; the program is built from the loss's type, so make the number a template argument";
}
}  // namespace

BOOST_AUTO_TEST_CASE(another_number_throws_with_its_name) {
  esp::model<nn::Linear<3, 2>> model{esp::seed{1}};
  auto const train = [&](auto loss) {
    return error_text([&] { esp::trainer trainer{model, loss, optim::Adam{}, esp::batch<4, 3>{}}; });
  };
  BOOST_TEST(train(WeightedError{.by = 2}) == about("by"));
  BOOST_TEST(train(WeightedError{.more = {1, 3}}) == about("more"));
  BOOST_TEST(train(WeightedError{.to = power::one}) == about("to"));
  BOOST_TEST(train(NestedError{{.by = 3}}) == about("by"));
  BOOST_TEST(train(WeightedError{}) == "nothing");
  BOOST_TEST(train(NestedError{}) == "nothing");
  BOOST_TEST(error_text([&] { esp::value_and_grad(model, WeightedError{.by = 2}); }) == about("by"));
  BOOST_TEST(error_text([&] { esp::grad(model, WeightedError{.by = 2}); }) == about("by"));
}
BOOST_AUTO_TEST_CASE(numbers_of_the_type_are_used) {
  esp::model<nn::Linear<3, 2>, esp::cpu, double> model{esp::seed{1}};
  auto const x = doubles<4, 3>(1);
  auto const targets = doubles<4, 2>(2);
  esp::trainer trainer{model, WeightedError{}, optim::SGD<>{.learning_rate = 0}, esp::batch<4, 3>{}};
  esp::trainer plain{model, nn::MeanSquaredError{}, optim::SGD<>{.learning_rate = 0}, esp::batch<4, 3>{}};
  BOOST_TEST(near(trainer.step(x, targets), 2 * plain.step(x, targets)));
}

namespace {
struct LongName {
  double
      a_number_whose_name_is_longer_than_any_sentence_about_it_should_be_and_which_goes_on_and_on_until_the_text_of_the_error_has_no_room_left_for_the_whole_of_it =
          1;
  ESPALIER_MODULE(
      LongName,
      a_number_whose_name_is_longer_than_any_sentence_about_it_should_be_and_which_goes_on_and_on_until_the_text_of_the_error_has_no_room_left_for_the_whole_of_it)
  constexpr auto forward(auto x) const { return x; }
};
}  // namespace
BOOST_AUTO_TEST_CASE(a_long_name_is_cut) {
  auto const text = error_text([] { esp::detail::check_loss(LongName{2}); });
  BOOST_TEST(text.substr(0, 36) == "loss: expected the number a_number_w");
  BOOST_TEST(text.size() == 239u);
}
