// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_embedding
#include <boost/test/unit_test.hpp>

#include <espalier/model/constant_model.hpp>
#include <espalier/model/frozen.hpp>

#include "support/check_pullback.hpp"
#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::parameter_count<nn::Embedding<10, 4>> == 40);
static_assert(esp::output_shape<nn::Embedding<10, 4>, shape<2, 3>> == shape<2, 3, 4>{} &&
              esp::output_shape<nn::Embedding<10, 4>, shape<5>> == shape<5, 4>{});

namespace {
template <class Net>
using model_of = esp::model<Net, esp::cpu, double>;
using Words = nn::Sequential<nn::Embedding<10, 4>, nn::Flatten, nn::Linear<12, 3>>;

/// A net of its own: its input is indices, and the same table is read twice.
struct Tied {
  using input_element = std::int32_t;
  nn::Embedding<5, 3> table;
  ESPALIER_MODULE(Tied, table)
  constexpr auto forward(auto indices) const { return matmul(table(indices), esp::transpose(table.weight)); }
};
/// Whole numbers in a column of real ones.
struct OfNumbers {
  nn::Embedding<5, 3> table;
  ESPALIER_MODULE(OfNumbers, table)
  constexpr auto forward(auto x) const { return table(esp::slice<1, 1, 2>(x)); }
};
inline constexpr auto held = [](auto table, auto i) {
  return detach_where(index_select<0>(table, i), esp::equal(esp::reshape<6, 1>(i), 2)) * 3;
};

/// Functions with a model among their arguments. Noisy: its net counts the runs in training.
using Noisy = nn::Sequential<nn::Embedding<10, 4>, nn::Dropout<0.25>, nn::Flatten, nn::Linear<12, 3>>;
inline constexpr auto scores_of = [](auto net, auto x) { return net(x); };
inline constexpr auto classify = [](auto net, auto x, auto y) { return nn::CrossEntropyLoss<>{}(net(x), y); };
inline constexpr auto train = [](auto net, auto optimizer, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(classify)(net, x, y);
  optimizer.update(net, gradients);
  return loss;
};

static_assert(std::is_same_v<nn::input_element_of<Words>, std::int32_t> &&
              std::is_void_v<nn::input_element_of<OfNumbers>>);
constexpr auto given = esp::constant_model<nn::Embedding<3, 2>, float>{}.with<"weight">({1, 2, 3, 4, 5, 6});
static_assert(given(tensor<std::int32_t, shape<3>>{2, 0, 2}) == tensor<float, shape<3, 2>>{{5, 6}, {1, 2}, {5, 6}});
}  // namespace

BOOST_AUTO_TEST_CASE(rows_by_their_number) {
  model_of<nn::Embedding<5, 3>> model{esp::seed{1}};
  BOOST_TEST(parameter_list(model) == "weight(5,3)");
  auto const weight = model.parameter("weight").span();
  tensor<std::int32_t, shape<2, 2>> const indices{{4, 0}, {2, 4}};
  auto const y = model(indices);
  esp::predictor predict{model, shape<2, 2>{}};
  esp::frozen frozen{model, shape<2, 2>{}};
  tensor<double, shape<2, 2, 3>> predicted, of_frozen;
  predict(indices, predicted);
  frozen(indices, of_frozen);
  BOOST_TEST((predicted == y && of_frozen == y));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k) BOOST_TEST(y(i, j, k) == weight[indices(i, j) * 3 + k]);
}
// Nothing is written, and a trained model stays as it is.
BOOST_AUTO_TEST_CASE(indices_outside_the_table) {
  esp::model<Words> model{esp::seed{1}};
  tensor<std::int32_t, shape<2, 3>> const wrong{{1, 2, 3}, {4, 10, 5}};
  tensor<std::int32_t, shape<2>> const y{0, 2};
  tensor<float, shape<2, 3>> scores{};
  tensor<float, shape<2, 3>> const before = scores;
  auto const parameters = copy(model.parameters());
  auto const expected = [](esp::index_error const& error) {
    return std::string_view{error.what()} == "indices: expected 0 to 9, got 10 at position 4";
  };
  esp::predictor predict{model, shape<2, 3>{}};
  static_assert(!noexcept(predict(wrong, scores)));
  BOOST_CHECK_EXCEPTION(predict(wrong, scores), esp::index_error, expected);
  esp::frozen frozen{model, shape<2, 3>{}};
  BOOST_CHECK_EXCEPTION(frozen(wrong, scores), esp::index_error, expected);
  BOOST_CHECK_EXCEPTION(model(wrong), esp::index_error, expected);
  BOOST_CHECK_EXCEPTION(esp::value_and_grad(model, nn::CrossEntropyLoss<>{})(wrong, y), esp::index_error, expected);
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, optim::Adam{}, esp::batch<2, 3>{}};
  BOOST_CHECK_EXCEPTION(trainer.step(wrong, y), esp::index_error, expected);
  BOOST_CHECK_EXCEPTION(trainer.evaluate(wrong, y), esp::index_error, expected);
  BOOST_CHECK_EXCEPTION(trainer.forward(wrong), esp::index_error, expected);
  BOOST_TEST(trainer.steps() == 0);
  BOOST_TEST((scores == before));
  BOOST_TEST(copy(model.parameters()) == parameters, boost::test_tools::per_element());
}
// The same for functions of models: neither parameters nor states nor the count of random numbers change.
BOOST_AUTO_TEST_CASE(indices_of_functions) {
  model_of<Noisy> model{esp::seed{1}}, other{esp::seed{1}};
  tensor<std::int32_t, shape<2, 3>> const x{{1, 2, 3}, {4, 9, 4}}, wrong{{1, 2, 3}, {4, -1, 5}};
  tensor<std::int32_t, shape<2>> const y{0, 2};
  tensor<double, shape<>> loss{7};
  tensor<double, shape<2, 3>> scores{};
  auto const parameters = copy(model.parameters());
  optim::updater updater{model, optim::Adam{}};
  esp::compiled step{train, model, updater, x, y};
  esp::compiled run{scores_of, model, x};
  static_assert(!noexcept(step(wrong, y, loss)));
  auto const expected = [](esp::index_error const& error) {
    return std::string_view{error.what()} == "indices: expected 0 to 9, got -1 at position 4";
  };
  BOOST_CHECK_EXCEPTION(step(wrong, y, loss), esp::index_error, expected);
  BOOST_CHECK_EXCEPTION(run(wrong, scores), esp::index_error, expected);
  BOOST_CHECK_EXCEPTION(esp::grad<0>(classify)(model, wrong, y), esp::index_error, expected);
  BOOST_CHECK_EXCEPTION(esp::value_and_grad<0>(classify)(model, wrong, y), esp::index_error, expected);
  BOOST_CHECK_EXCEPTION(esp::vjp(scores_of)(model, wrong)(scores), esp::index_error, expected);
  BOOST_TEST((loss[0] == 7 && updater.steps() == 0 && model.random_steps() == 0));
  BOOST_TEST(scores[0] == 0);
  BOOST_TEST(copy(model.parameters()) == parameters, boost::test_tools::per_element());
  for (double const v : updater.states()) BOOST_TEST(v == 0);
  esp::trainer trainer{other, nn::CrossEntropyLoss<>{}, optim::Adam{}, esp::batch<2, 3>{}};
  for (int i = 0; i < 3; ++i) {
    step(x, y, loss);
    BOOST_TEST(static_cast<double>(loss) == trainer.step(x, y), boost::test_tools::tolerance(1e-12));
  }
  auto const expected_parameters = copy(other.parameters());
  for (std::size_t i = 0; i < expected_parameters.size(); ++i)
    BOOST_TEST(model.parameters()[static_cast<std::ptrdiff_t>(i)] == expected_parameters[i],
               boost::test_tools::tolerance(1e-9));
}
BOOST_AUTO_TEST_CASE(rows_start_normal) {
  esp::model<nn::Embedding<100, 100>> model{esp::seed{3}};
  double sum = 0, squares = 0;
  for (float const v : model.parameter("weight").span()) {
    sum += static_cast<double>(v);
    squares += static_cast<double>(v) * static_cast<double>(v);
  }
  BOOST_TEST(std::fabs(sum / 1e4) < 0.04);
  BOOST_TEST(std::fabs(squares / 1e4 - 1) < 0.06);
}
// A row that is taken twice has the sum of both gradients; one that is not taken has none.
BOOST_AUTO_TEST_CASE(gradients_are_summed) {
  esp::model<nn::Embedding<4, 2>, esp::cpu, double> model;
  tensor<std::int32_t, shape<3>> const indices{1, 3, 1};
  tensor<double, shape<3, 2>> const dy{{1, 2}, {3, 4}, {5, 6}};
  auto const [loss, gradients] = esp::value_and_grad(model, Weighted{})(indices, dy);
  BOOST_TEST(copy(gradients.parameter("weight").span()) == (std::vector<double>{0, 0, 6, 8, 0, 0, 3, 4}),
             boost::test_tools::per_element());
}
// The row is read as it is, and its gradient is 0, also where dy is infinite.
BOOST_AUTO_TEST_CASE(padding_has_no_gradient) {
  model_of<nn::Embedding<4, 2, {.padding_idx = 1}>> model{esp::seed{2}};
  tensor<std::int32_t, shape<4>> const indices{1, 3, 1, 0};
  tensor<double, shape<4, 2>> const dy{{1, HUGE_VAL}, {3, 4}, {5, 6}, {7, 8}};
  auto const y = model(indices);
  BOOST_TEST((y(0, 1) == model.parameter("weight").span()[3]));
  auto const [loss, gradients] = esp::value_and_grad(model, Weighted{})(indices, dy);
  BOOST_TEST(copy(gradients.parameter("weight").span()) == (std::vector<double>{7, 8, 0, 0, 0, 0, 3, 4}),
             boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(whole_numbers_of_the_element_type) {
  model_of<OfNumbers> model{esp::seed{1}};
  auto const weight = model.parameter("table.weight").span();
  auto const y = model(tensor<double, shape<2, 2>>{{0.5, 4}, {0.25, 5}});
  for (int k = 0; k < 3; ++k) {
    BOOST_TEST(y(0, 0, k) == weight[4 * 3 + k]);
    BOOST_TEST(y(1, 0, k) == 0);
  }
}
BOOST_AUTO_TEST_CASE(one_table_read_twice) {
  model_of<Tied> model{esp::seed{4}};
  tensor<std::int32_t, shape<4>> const indices{4, 0, 0, 2};
  tensor<std::int32_t, shape<4>> const y{1, 1, 3, 0};
  auto const [loss, gradients] = esp::value_and_grad(model, nn::CrossEntropyLoss<>{})(indices, y);
  auto weight = model.parameter("table.weight").span();
  auto const gradient = copy(gradients.parameter("table.weight").span());
  for (int i = 0; i < 15; ++i) {
    double const at = weight[i];
    weight[i] = at + 1e-6;
    double const ahead = esp::value_and_grad(model, nn::CrossEntropyLoss<>{})(indices, y).loss;
    weight[i] = at - 1e-6;
    double const behind = esp::value_and_grad(model, nn::CrossEntropyLoss<>{})(indices, y).loss;
    weight[i] = at;
    BOOST_TEST(std::fabs(gradient[static_cast<std::size_t>(i)] - (ahead - behind) / 2e-6) < 1e-8);
  }
}
BOOST_AUTO_TEST_CASE(kernels_and_gradients) { check_kernels("held rows", held, doubles<5, 4>(2), labels<6>(1, 5)); }
BOOST_AUTO_TEST_CASE(a_net_that_reads_words_learns) {
  esp::model<Words> model;
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, optim::Adam{.learning_rate = 0.02}, esp::batch<4, 3>{}};
  tensor<std::int32_t, shape<4, 3>> const words{{1, 2, 3}, {3, 2, 1}, {7, 8, 9}, {0, 0, 0}};
  tensor<std::int32_t, shape<4>> const y{0, 1, 2, 0};
  float const first = trainer.step(words, y);
  for (int i = 0; i < 200; ++i) trainer.step(words, y);
  BOOST_TEST(trainer.step(words, y) < first / 10);
  BOOST_TEST(trainer.evaluate(words, y).correct == 4);
}
