// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_embedding
#include <boost/test/unit_test.hpp>

#include "support/check_pullback.hpp"
#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::parameter_count<nn::Embedding<10, 4>> == 40);
static_assert(esp::output_shape<nn::Embedding<10, 4>, shape<2, 3>> == shape<2, 3, 4>{} &&
              esp::output_shape<nn::Embedding<10, 4>, shape<5>> == shape<5, 4>{});

namespace {
/// A table of given rows, looked up by integers.
inline constexpr auto selected = [](auto indices, auto table) {
  return matmul(esp::one_hot<5>(esp::reshape<6>(indices)), table);
};
}  // namespace

BOOST_AUTO_TEST_CASE(rows_by_their_number) {
  esp::model<nn::Embedding<5, 3>, esp::cpu, double> model{esp::seed{1}};
  BOOST_TEST(parameter_list(model) == "weight(5,3)");
  auto const weight = model.parameter("weight").span();
  tensor<double, shape<2, 2>> const indices{{4, 0}, {2, 4}};
  auto const y = model(indices);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k) BOOST_TEST(y(i, j, k) == weight[static_cast<int>(indices(i, j)) * 3 + k]);
  tensor<double, shape<1>> const outside{5};
  for (double const v : model(outside)) BOOST_TEST(v == 0);
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
  tensor<double, shape<3>> const indices{1, 3, 1};
  tensor<double, shape<3, 2>> const dy{{1, 2}, {3, 4}, {5, 6}};
  auto const [loss, gradients] = esp::value_and_grad(model, Weighted{})(indices, dy);
  BOOST_TEST(copy(gradients.parameter("weight").span()) == (std::vector<double>{0, 0, 6, 8, 0, 0, 3, 4}),
             boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(kernels_and_gradients) {
  check_kernels("lookup", selected, labels<2, 3>(1, 5), doubles<5, 4>(2));
  check_pullback("lookup", selected, labels<2, 3>(1, 5), doubles<5, 4>(2));
}
BOOST_AUTO_TEST_CASE(a_net_that_reads_words_learns) {
  esp::model<nn::Sequential<nn::Embedding<10, 4>, nn::Flatten, nn::Linear<12, 3>>> model;
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, optim::Adam{.learning_rate = 0.02}, esp::batch<4, 3>{}};
  tensor<float, shape<4, 3>> const words{{1, 2, 3}, {3, 2, 1}, {7, 8, 9}, {0, 0, 0}};
  tensor<std::int32_t, shape<4>> const y{0, 1, 2, 0};
  float const first = trainer.step(words, y);
  for (int i = 0; i < 200; ++i) trainer.step(words, y);
  BOOST_TEST(trainer.step(words, y) < first / 10);
}
