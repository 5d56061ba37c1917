// SPDX-License-Identifier: BSL-1.0
// Dropout keeps the expectation, draws anew at each step, and draws the same again from the same seed.
#define BOOST_TEST_MODULE law_dropout
#include <espalier.hpp>

#include "support/numbers.hpp"

using namespace test;
namespace nn = espalier::nn;

namespace {

/// The sum of prediction times weight: linear, so what it is on average shows what each element is on average.
struct Total {
  ESPALIER_MODULE(Total)
  template <class Prediction>
  struct target {
    using element_type = void;
    using type = Prediction;
  };
  constexpr auto forward(auto prediction, auto weight) const { return sum(prediction * weight); }
};

using Net = nn::Sequential<nn::Dropout<0.3>>;
using Image = esp::shape<40, 50>;

}  // namespace

BOOST_AUTO_TEST_CASE(the_expectation_stays) {
  esp::model<Net, esp::cpu, double> model{esp::seed{3}};
  auto const x = doubles<40, 50>(1, 0.5, 1.5);
  esp::tensor<double, Image> weight;
  weight.fill(1.0 / Image::size);
  esp::tensor<double, esp::shape<>> const average = mean(x);
  auto const run = esp::value_and_grad(model, Total{});
  double total = 0;
  constexpr int steps = 200;
  for (int i = 0; i < steps; ++i) total += run(x, weight).loss;
  // One step's mean has a standard deviation of sqrt(p / (1 - p) mean(x^2) / 2000), about 0.0153; the mean of 200 steps
  // 0.0011.
  BOOST_TEST(std::fabs(total / steps - average[0]) < 0.005);
}

// Each element on its own: kept in 70 of 100 steps, and scaled so that its mean is its value.
BOOST_AUTO_TEST_CASE(the_expectation_of_each_element_stays) {
  using Row = nn::Sequential<nn::Linear<8, 8, nn::no_bias>, nn::Dropout<0.5>>;
  esp::model<Row, esp::cpu, double> model{esp::seed{4}};
  auto const x = doubles<1, 8>(1);
  esp::tensor<double, esp::shape<1, 8>> weight;
  auto const scores = model(x);
  for (int k = 0; k < 8; ++k) {
    weight.fill(0);
    weight[k] = 1;
    double total = 0;
    int kept = 0;
    for (int i = 0; i < 2000; ++i) {
      double const y = esp::value_and_grad(model, Total{})(x, weight).loss;
      total += y;
      kept += y != 0;
      BOOST_TEST((y == 0 || std::fabs(y - 2 * scores[k]) < 1e-12));
    }
    BOOST_TEST(std::abs(kept - 1000) < 120);  // 5 standard deviations
    BOOST_TEST(std::fabs(total / 2000 - scores[k]) < 0.12 * std::fabs(scores[k]));
  }
}

BOOST_AUTO_TEST_CASE(evaluation_changes_nothing) {
  esp::model<Net, esp::cpu, double> const model{esp::seed{3}};
  auto const x = doubles<40, 50>(1);
  BOOST_TEST((model(x) == x));
}

BOOST_AUTO_TEST_CASE(one_seed_gives_the_same_bits_twice) {
  auto const x = doubles<40, 50>(1);
  esp::tensor<double, Image> weight = doubles<40, 50>(2);
  auto const first_steps = [&](unsigned seed) {
    esp::model<Net, esp::cpu, double> model{esp::seed{seed}};
    esp::tensor<double, esp::shape<4>> losses;
    for (double& loss : losses) loss = esp::value_and_grad(model, Total{})(x, weight).loss;
    return losses;
  };
  auto const a = first_steps(5), b = first_steps(5), c = first_steps(6);
  BOOST_TEST((a == b));
  BOOST_TEST(!(a == c));
  BOOST_TEST(a[0] != a[1]);
  BOOST_TEST(a[1] != a[2]);
}
