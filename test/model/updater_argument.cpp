// SPDX-License-Identifier: BSL-1.0
// Updaters in compiled functions: the same numbers as trainers and updaters outside, whatever the optimizer, with
// several models, several updates, and values that are read behind an update.
#define BOOST_TEST_MODULE model_updater_argument
#include <boost/test/unit_test.hpp>

#include <cstring>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

using Net =
    nn::Sequential<nn::Linear<4, 6, nn::no_bias>, nn::BatchNorm1d<6>, nn::Tanh, nn::Dropout<0.25>, nn::Linear<6, 3>>;
using Plain = nn::Sequential<nn::Linear<4, 6>, nn::Tanh, nn::Linear<6, 3>>;
template <class N>
using model = esp::model<N, esp::cpu, double>;

inline constexpr auto classify = [](auto net, auto x, auto y) { return nn::SoftmaxLoss{}(net(x), y); };
inline constexpr auto train = [](auto net, auto optimizer, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(classify)(net, x, y);
  optimizer.update(net, gradients);
  return loss;
};

double distance(auto const& a, auto const& b) {
  double most = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) most = std::fmax(most, std::fabs(a[i] - b[i]));
  return a.size() == b.size() ? most : 1e300;
}

/// Steps of a compiled function and of a trainer; an optimizer may change between them.
template <class N, class Optimizer>
void check_against_trainer(Optimizer optimizer) {
  model<N> a{esp::seed{5}}, b{esp::seed{5}};
  auto x = doubles<8, 4>(1);
  auto const y = labels<8>(2, 3);
  optim::updater updater{a, optimizer};
  esp::compiled step{train, a, updater, x, y};
  esp::trainer trainer{b, nn::SoftmaxLoss{}, optimizer, shape<8, 4>{}};
  tensor<double, shape<>> loss;
  for (int i = 0; i < 5; ++i) {
    if (i == 3) updater.learning_rate() = trainer.learning_rate() = 0.05;
    x[0] = i == 2 ? 1e308 * 10 : 0.5;  // an infinity: skip_non_finite skips the third step
    step(x, y, loss);
    double const expected = trainer.step(x, y);
    if (i != 2) BOOST_TEST(static_cast<double>(loss) == expected, boost::test_tools::tolerance(1e-9));
    if (!std::isfinite(b.parameters()[0])) break;
    BOOST_TEST(distance(a.parameters(), b.parameters()) < 1e-9);
    BOOST_TEST(updater.steps() == trainer.steps());
    BOOST_TEST(updater.skipped_updates() == trainer.skipped_updates());
  }
  if (std::isfinite(b.parameters()[0])) BOOST_TEST(distance(updater.states(), trainer.states()) < 1e-9);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_kind_of_optimizer) {
  check_against_trainer<Plain>(optim::skip_non_finite{optim::SGD<>{0.1}});
  check_against_trainer<Plain>(optim::skip_non_finite{optim::SGD{0.1, optim::heavy_ball{}}});
  check_against_trainer<Plain>(optim::skip_non_finite{optim::Adam{1e-2}});
  check_against_trainer<Plain>(optim::skip_non_finite{optim::clip_by_norm{optim::Adam{1e-2}, 0.1}});
  check_against_trainer<Plain>(
      optim::skip_non_finite{optim::decay_only<optim::weights>(optim::AdamW{.weight_decay = 0.5})});
  check_against_trainer<Plain>(optim::skip_non_finite{optim::penalized{optim::amsgrad{optim::Adam{1e-2}}, 0.1, 0.2}});
}

namespace {
template <class N, class Optimizer>
void check_finite(Optimizer optimizer) {
  model<N> a{esp::seed{5}}, b{esp::seed{5}};
  auto const x = doubles<8, 4>(1);
  auto const y = labels<8>(2, 3);
  optim::updater updater{a, optimizer};
  esp::compiled step{train, a, updater, x, y};
  esp::trainer trainer{b, nn::SoftmaxLoss{}, optimizer, shape<8, 4>{}};
  tensor<double, shape<>> loss;
  for (int i = 0; i < 5; ++i) {
    step(x, y, loss);
    BOOST_TEST(static_cast<double>(loss) == trainer.step(x, y), boost::test_tools::tolerance(1e-9));
  }
  BOOST_TEST(distance(a.parameters(), b.parameters()) < 1e-9);
  BOOST_TEST(distance(a.buffers(), b.buffers()) < 1e-9);
  BOOST_TEST(distance(updater.states(), trainer.states()) < 1e-9);
}
using Partly = nn::Sequential<nn::Frozen<nn::Linear<4, 5>>, nn::Tanh, nn::Linear<5, 3>>;
}  // namespace
namespace {
inline constexpr auto classify_by_reference = [](auto& net, auto&& x, auto const& y) {
  return nn::SoftmaxLoss{}(net(x), y);
};
inline constexpr auto train_by_reference = [](auto& net, auto& optimizer, auto&& x, auto const& y) {
  auto const& [loss, gradients] = esp::value_and_grad<0>(classify_by_reference)(net, x, y);
  optimizer.update(net, gradients);
  return loss;
};
}  // namespace

// A function may take models, updaters and tensors by value or by any reference.
BOOST_AUTO_TEST_CASE(arguments_by_reference) {
  model<Plain> a{esp::seed{5}}, b{esp::seed{5}};
  auto const x = doubles<8, 4>(1);
  auto const y = labels<8>(2, 3);
  optim::updater of_a{a, optim::Adam{1e-2}}, of_b{b, optim::Adam{1e-2}};
  esp::compiled by_value{train, a, of_a, x, y};
  esp::compiled by_reference{train_by_reference, b, of_b, x, y};
  tensor<double, shape<>> loss, expected;
  for (int i = 0; i < 3; ++i) {
    by_value(x, y, expected);
    by_reference(x, y, loss);
    BOOST_TEST((loss == expected));
  }
  BOOST_TEST(distance(a.parameters(), b.parameters()) == 0);
  BOOST_TEST((esp::grad<1>(classify_by_reference)(b, x, y) == esp::grad<1>(classify)(a, x, y)));
}

BOOST_AUTO_TEST_CASE(running_statistics_random_numbers_and_frozen_layers) {
  check_finite<Net>(optim::SGD{0.1, optim::nesterov{}});
  check_finite<Net>(optim::Adam{1e-2});
  check_finite<Partly>(optim::Adam{1e-2});
}

namespace {
// Two models in one step. The second loss reads the first model behind its update, as a step of a GAN does.
inline constexpr auto first_loss = [](auto first, auto x, auto y) { return mean((first(x) - y) * (first(x) - y)); };
inline constexpr auto second_loss = [](auto second, auto first, auto x) { return mean(first(x) * second(x)); };
inline constexpr auto alternate = [](auto first, auto by_first, auto second, auto by_second, auto x, auto y) {
  auto const [a, a_gradients] = esp::value_and_grad<0>(first_loss)(first, x, y);
  by_first.update(first, a_gradients);
  auto const [b, b_gradients] = esp::value_and_grad<0>(second_loss)(second, first, x);
  by_second.update(second, b_gradients);
  return std::tuple{a, b, second_loss(second, first, x)};
};
}  // namespace
BOOST_AUTO_TEST_CASE(two_models_are_updated_in_the_order_of_the_function) {
  model<Plain> a{esp::seed{1}}, b{esp::seed{2}}, c{esp::seed{1}}, d{esp::seed{2}};
  auto const x = doubles<8, 4>(1);
  auto const y = doubles<8, 3>(2);
  optim::updater of_a{a, optim::Adam{1e-2}}, of_c{c, optim::Adam{1e-2}};
  optim::updater of_b{b, optim::SGD{0.1, optim::heavy_ball{}}}, of_d{d, optim::SGD{0.1, optim::heavy_ball{}}};
  esp::compiled step{alternate, a, of_a, b, of_b, x, y};
  tensor<double, shape<>> first, second, behind;
  for (int i = 0; i < 4; ++i) {
    step(x, y, first, second, behind);
    auto const [l, g] = esp::value_and_grad<0>(first_loss)(c, x, y);
    of_c.update(c, g);
    auto const [m, h] = esp::value_and_grad<0>(second_loss)(d, c, x);
    of_d.update(d, h);
    BOOST_TEST(static_cast<double>(first) == l, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(static_cast<double>(second) == m, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(static_cast<double>(behind) == (esp::value_and_grad<0>(second_loss)(d, c, x).first),
               boost::test_tools::tolerance(1e-9));
    BOOST_TEST(distance(a.parameters(), c.parameters()) < 1e-9);
    BOOST_TEST(distance(b.parameters(), d.parameters()) < 1e-9);
  }
}

namespace {
// Two updates of one model in one run, and results that are old and new parameters.
inline constexpr auto twice = [](auto net, auto optimizer, auto x, auto y) {
  auto const before = esp::parameter_of<"0.weight">(net);
  for (int i = 0; i < 2; ++i) {
    auto const gradients = esp::grad<0>(first_loss)(net, x, y);
    optimizer.update(net, gradients);
  }
  return std::tuple{before, esp::parameter_of<"0.weight">(net), sum(net(x)) + sum(before)};
};
}  // namespace
BOOST_AUTO_TEST_CASE(two_updates_and_the_parameters_before_and_behind) {
  model<Plain> a{esp::seed{1}}, b{esp::seed{1}};
  auto const x = doubles<8, 4>(1);
  auto const y = doubles<8, 3>(2);
  optim::updater of_a{a, optim::Adam{1e-2}}, of_b{b, optim::Adam{1e-2}};
  esp::compiled step{twice, a, of_a, x, y};
  tensor<double, shape<4, 6>> before, behind;
  tensor<double, shape<>> sum_of_both;
  for (int i = 0; i < 3; ++i) {
    auto const old = b.clone(), own = a.clone();
    step(x, y, before, behind, sum_of_both);
    double expected = 0;
    for (double const p : old.parameter("0.weight").span()) expected += p;
    auto const g = esp::grad<0>(first_loss)(b, x, y);
    of_b.update(b, g);
    of_b.update(b, esp::grad<0>(first_loss)(b, x, y));
    auto const scores = b(x);
    for (std::int64_t k = 0; k < scores.size(); ++k) expected += scores[k];
    BOOST_TEST(distance(a.parameters(), b.parameters()) < 1e-9);
    BOOST_TEST(distance(before, own.parameter("0.weight").span()) == 0);
    BOOST_TEST(distance(behind, a.parameter("0.weight").span()) == 0);
    BOOST_TEST(static_cast<double>(sum_of_both) == expected, boost::test_tools::tolerance(1e-9));
  }
}

BOOST_AUTO_TEST_CASE(a_compiled_function_follows_a_model_that_moves) {
  model<Plain> a{esp::seed{1}};
  auto b = a.clone();
  auto const x = doubles<8, 4>(1);
  auto const y = labels<8>(2, 3);
  optim::updater of_a{a, optim::Adam{1e-2}};
  esp::compiled step{train, a, of_a, x, y};
  model<Plain> moved = std::move(a);
  esp::trainer trainer{b, nn::SoftmaxLoss{}, optim::Adam{1e-2}, shape<8, 4>{}};
  tensor<double, shape<>> loss;
  step(x, y, loss);
  BOOST_TEST(static_cast<double>(loss) == trainer.step(x, y), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(distance(moved.parameters(), b.parameters()) < 1e-12);
}

// Only the objects know which model an updater was made for, and which arguments are the same model.
BOOST_AUTO_TEST_CASE(an_updater_of_another_model_is_an_error) {
  model<Plain> a{esp::seed{5}}, b{esp::seed{6}};
  auto const x = doubles<8, 4>(1);
  auto const y = labels<8>(2, 3);
  optim::updater of_b{b, optim::Adam{}};
  auto const before = a.clone();
  auto const names = [](char const* first, char const* second) {
    return [=](esp::model_error const& e) {
      return std::strstr(e.what(), first) != nullptr && std::strstr(e.what(), second) != nullptr;
    };
  };
  BOOST_CHECK_EXCEPTION((esp::compiled{train, a, of_b, x, y}), esp::model_error,
                        names("argument 1 of a function is the updater of another model than argument 0", "expected"));
  auto const gradients = esp::value_and_grad<0>(classify)(a, x, y).second;
  BOOST_CHECK_EXCEPTION(of_b.update(a, gradients), esp::model_error, names("expected the model", "made for"));
  BOOST_TEST(distance(a.parameters(), before.parameters()) == 0);
  // The right one still works, also when the model has moved.
  auto moved = std::move(b);
  of_b.update(moved, gradients);
  esp::compiled step{train, moved, of_b, x, y};
  tensor<double, shape<>> loss;
  step(x, y, loss);
}

inline constexpr auto towards = [](auto net, auto target, auto x) {
  esp::update_average(target, net, 0.5);
  return mean(evaluate(net, x) - evaluate(target, x));
};
inline constexpr auto apart = [](auto net, auto target, auto x) {
  return mean(evaluate(net, x) - evaluate(target, x));
};
inline constexpr auto both_train = [](auto net, auto second, auto x) { return mean(net(x) * second(x)); };

BOOST_AUTO_TEST_CASE(a_model_that_is_changed_is_passed_once) {
  model<Plain> a{esp::seed{5}};
  auto const x = doubles<8, 4>(1);
  BOOST_CHECK_EXCEPTION((esp::compiled{towards, a, a, x}), esp::model_error, [](esp::model_error const& e) {
    return std::strstr(e.what(), "arguments 0 and 1 of a function are the same model") != nullptr;
  });
  // One that is only read may be passed twice.
  esp::compiled read{apart, a, a, x};
  tensor<double, shape<>> y;
  read(x, y);
  BOOST_TEST(static_cast<double>(y) == 0);
  model<Net> normalised{esp::seed{5}};
  BOOST_CHECK_THROW(esp::value_and_grad<0>(both_train)(normalised, normalised, x), esp::model_error);
}

namespace {
inline constexpr auto imitate = [](auto net, auto other, auto x) { return mean(square(net(x) - other(x))); };
inline constexpr auto follow = [](auto net, auto optimizer, auto other, auto x) {
  auto const [loss, gradients] = esp::value_and_grad<0>(imitate)(net, other, x);
  optimizer.update(net, gradients);
  return loss;
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_constant_model_is_the_model) {
  model<Plain> a{esp::seed{1}}, other{esp::seed{2}};
  auto b = a.clone();
  auto const x = doubles<8, 4>(1);
  optim::updater of_a{a, optim::SGD<>{0.1}}, of_b{b, optim::SGD<>{0.1}};
  esp::compiled step{follow, a, of_a, other, x}, same{follow, b, of_b, esp::constant(other), x};
  tensor<double, shape<>> loss, equal;
  step(x, loss);
  same(x, equal);
  BOOST_TEST(static_cast<double>(loss) == static_cast<double>(equal));
  BOOST_TEST(distance(a.parameters(), b.parameters()) == 0);
}
