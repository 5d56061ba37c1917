// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_lazy
#include <boost/test/unit_test.hpp>

#include <cmath>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

constexpr int rows = 9, width = 4, words = 3;
using Net = nn::Sequential<nn::Embedding<rows, width>, nn::Flatten, nn::Linear<words * width, 3>>;

static_assert(optim::lazy<optim::Adam>::states == 2 && optim::keeps_unread_rows<optim::lazy<optim::Adam>>);
static_assert(optim::keeps_unread_rows<optim::SGD<>> && !optim::keeps_unread_rows<optim::Adam> &&
              !optim::keeps_unread_rows<optim::SGD<optim::heavy_ball>> &&
              !optim::keeps_unread_rows<optim::clip_by_norm<optim::SGD<>>>);

/// Adam in plain numbers, of one parameter.
struct loop {
  double m = 0, v = 0;
  void operator()(double& p, double gradient, int step) {
    double const g = gradient + 0.1 * p;
    m = 0.9 * m + (1 - 0.9) * g;
    v = 0.999 * v + (1 - 0.999) * g * g;
    p -= 0.01 * (m / (1 - std::pow(0.9, step))) / (std::sqrt(v / (1 - std::pow(0.999, step))) + 1e-8);
  }
};

}  // namespace

// Rows that a step reads, and all other parameters, move as with Adam; the other rows keep parameters and states.
BOOST_AUTO_TEST_CASE(rows_that_are_read) {
  esp::model<Net, esp::cpu, double> model{esp::seed{1}};
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{},
                       optim::lazy{optim::Adam{.learning_rate = 0.01, .weight_decay = 0.1}}, esp::batch<2, words>{}};
  static_assert(decltype(trainer)::kernel_count > 0);
  auto const size = model.parameters().size();
  std::vector<loop> loops(static_cast<std::size_t>(size));
  std::vector<double> expected = copy(model.parameters());
  auto const table = model.parameter("0.weight").span().data() - model.parameters().data();
  for (int step = 1; step <= 12; ++step) {
    tensor<std::int32_t, shape<2, words>> x;
    tensor<std::int32_t, shape<2>> const y{step % 3, 1};
    bool read[rows]{};
    for (int i = 0; i < x.size(); ++i) read[x[i] = (i * step * step + step) % (step < 6 ? 3 : rows)] = true;
    auto const gradients = esp::value_and_grad(model, nn::CrossEntropyLoss<>{})(x, y).gradients;
    trainer.step(x, y);
    for (int i = 0; i < size; ++i) {
      auto const row = (i - table) / width;
      bool const in_table = i >= table && row < rows;
      auto const k = static_cast<std::size_t>(i);
      if (!in_table || read[row]) loops[k](expected[k], gradients.span()[i], step);
      double const got = model.parameters()[i];
      if (in_table && !read[row]) BOOST_TEST(got == expected[k]);
      BOOST_TEST(std::fabs(got - expected[k]) < 1e-12);
      expected[k] = got;
      BOOST_TEST(std::fabs(trainer.states()[i] - loops[k].m) < 1e-12);
      BOOST_TEST(std::fabs(trainer.states()[size + i] - loops[k].v) < 1e-12);
    }
  }
  BOOST_TEST(trainer.steps() == 12);
  trainer.learning_rate() = 0;  // of the optimizer inside
  BOOST_TEST(trainer.optimizer().optimizer.learning_rate == 0);
}
// If every row is read, nothing differs from the optimizer itself.
BOOST_AUTO_TEST_CASE(all_rows) {
  esp::model<Net> model{esp::seed{2}}, other{esp::seed{2}};
  optim::SGD const momentum{0.1, optim::nesterov{}};
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, optim::lazy{momentum}, esp::batch<words, words>{}};
  esp::trainer whole{other, nn::CrossEntropyLoss<>{}, momentum, esp::batch<words, words>{}};
  tensor<std::int32_t, shape<words, words>> const x{{8, 1, 2}, {3, 7, 5}, {6, 4, 0}};
  tensor<std::int32_t, shape<words>> const y{0, 1, 2};
  for (int i = 0; i < 5; ++i) {
    BOOST_TEST(trainer.step(x, y) == whole.step(x, y));
    BOOST_TEST(copy(model.parameters()) == copy(other.parameters()), boost::test_tools::per_element());
    BOOST_TEST(copy(trainer.states()) == copy(whole.states()), boost::test_tools::per_element());
  }
}
