// SPDX-License-Identifier: BSL-1.0
// What optimizers do with a gradient that never changes, and with the same steps twice.
#define BOOST_TEST_MODULE law_optimizer
#include <espalier.hpp>

#include "support/numbers.hpp"

using namespace test;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace {

struct Total {
  ESPALIER_MODULE(Total)
  template <class Prediction>
  struct target {
    using element_type = void;
    using type = Prediction;
  };
  constexpr auto forward(auto prediction, auto weight) const { return sum(prediction * weight); }
};

using Net = nn::Linear<4, 1, nn::no_bias>;
using Images = esp::tensor<double, esp::shape<3, 4>>;

/// How far the parameters move in each of some steps along a constant gradient g.
template <int Steps, class Optimizer>
esp::tensor<double, esp::shape<Steps, 4>> moves(Optimizer optimizer, esp::tensor<double, esp::shape<4>>& g) {
  esp::model<Net, esp::cpu, double> model{esp::seed{1}};
  esp::trainer trainer{model, Total{}, optimizer, esp::batch<3, 4>{}};
  Images const x = doubles<3, 4>(1, 0.5, 1.5);
  esp::tensor<double, esp::shape<3, 1>> const w{{1}, {2}, {-1}};
  g = sum<0>(x * w);
  esp::tensor<double, esp::shape<Steps, 4>> r;
  for (int i = 0; i < Steps; ++i) {
    double before[4];
    for (int k = 0; k < 4; ++k) before[k] = model.parameter("weight").span()[k];
    (void)trainer.step(x, w);
    for (int k = 0; k < 4; ++k) r(i, k) = model.parameter("weight").span()[k] - before[k];
  }
  return r;
}

}  // namespace

BOOST_AUTO_TEST_CASE(plain_descent) {
  esp::tensor<double, esp::shape<4>> g;
  auto const r = moves<3>(optim::SGD<>{.learning_rate = 0.1}, g);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 4; ++k) BOOST_TEST(r(i, k) == -0.1 * g[k], boost::test_tools::tolerance(1e-10));
}

// Damped momentum: 1 - m^t of the gradient after t steps, so all of it in the end. Heavy ball: (1 - m^t) / (1 - m) of
// it.
BOOST_AUTO_TEST_CASE(momentum) {
  esp::tensor<double, esp::shape<4>> g;
  auto const damped = moves<50>(optim::SGD<optim::damped>{.learning_rate = 0.1, .momentum = {0.8}}, g);
  auto const heavy = moves<50>(optim::SGD<optim::heavy_ball>{.learning_rate = 0.1, .momentum = {0.8}}, g);
  auto const nesterov = moves<50>(optim::SGD<optim::nesterov>{.learning_rate = 0.1, .momentum = {0.8}}, g);
  for (int i = 0; i < 50; ++i)
    for (int k = 0; k < 4; ++k) {
      double const reached = 1 - std::pow(0.8, i + 1), ahead = 1 - std::pow(0.8, i + 2);
      BOOST_TEST(damped(i, k) == -0.1 * g[k] * reached, boost::test_tools::tolerance(1e-8));
      BOOST_TEST(heavy(i, k) == -0.1 * g[k] * reached / 0.2, boost::test_tools::tolerance(1e-8));
      BOOST_TEST(nesterov(i, k) == -0.1 * g[k] * ahead / 0.2, boost::test_tools::tolerance(1e-8));
    }
}

// Adam's corrected moments of a constant gradient are the gradient: each step has the length of the learning rate,
// whatever the gradient's size.
BOOST_AUTO_TEST_CASE(adam) {
  esp::tensor<double, esp::shape<4>> g;
  auto const r = moves<20>(optim::Adam{.learning_rate = 0.01, .epsilon = 0}, g);
  auto const w = moves<20>(optim::AdamW{.learning_rate = 0.01, .epsilon = 0, .weight_decay = 0}, g);
  for (int i = 0; i < 20; ++i)
    for (int k = 0; k < 4; ++k) {
      BOOST_TEST(r(i, k) == (g[k] > 0 ? -0.01 : 0.01), boost::test_tools::tolerance(1e-8));
      BOOST_TEST(w(i, k) == r(i, k), boost::test_tools::tolerance(1e-8));
    }
}

BOOST_AUTO_TEST_CASE(a_run_repeated_gives_the_same_bits) {
  using Classifier =
      nn::Sequential<nn::Linear<8, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Dropout<0.2>, nn::Linear<16, 4>>;
  auto const run = [](esp::model<Classifier>& model) {
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8>{}};
    auto const x = floats<32, 8>(1);
    auto const y = labels<32>(2, 4);
    float loss = 0;
    for (int i = 0; i < 20; ++i) loss = trainer.step(x, y);
    return loss;
  };
  esp::model<Classifier> a{esp::seed{7}}, b{esp::seed{7}}, c{esp::seed{8}};
  float const loss = run(a);
  BOOST_TEST(loss == run(b));
  BOOST_TEST(loss != run(c));
  for (std::int64_t i = 0; i < a.parameters().size(); ++i) BOOST_TEST(a.parameters()[i] == b.parameters()[i]);
}
