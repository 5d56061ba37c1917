// SPDX-License-Identifier: BSL-1.0
// What BatchNorm's running statistics are: an exponential mean of what the batches had. It follows a stream or
// remembers it, as momentum says.
#define BOOST_TEST_MODULE law_running_statistics
#include <espalier.hpp>

#include "support/numbers.hpp"

using namespace test;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace {

/// One step of training that moves no parameter.
template <class Model, class X>
void observe(Model& model, X const& batch) {
  (void)esp::value_and_grad(model, nn::MeanSquaredError{})(batch, X{});
}
template <int Features, double Momentum, nn::variance Variance = nn::biased>
using model_of =
    esp::model<nn::BatchNorm1d<Features, nn::norm{.eps = 1e-5, .momentum = Momentum, .variance = Variance}>, esp::cpu,
               double>;

double power(double base, int exponent) {
  double r = 1;
  for (int i = 0; i < exponent; ++i) r *= base;
  return r;
}

/// Batch k has the mean drift k and the variance 4: the running mean after each of 60 steps against the sum of the
/// series.
template <double Momentum>
void follow_a_drift() {
  constexpr double keep = 1 - Momentum, drift = 0.25;
  model_of<1, Momentum> model{esp::seed{0}};
  for (int k = 1; k <= 60; ++k) {
    observe(model,
            esp::tensor<double, esp::shape<4, 1>>{{drift * k - 2}, {drift * k + 2}, {drift * k - 2}, {drift * k + 2}});
    double const forgotten = power(keep, k);  // the share of the start, which was mean 0 and variance 1
    double const lag = keep / Momentum * (1 - forgotten);
    BOOST_TEST(model.buffer("running_mean").span()[0] == drift * (k - lag), boost::test_tools::tolerance(1e-12));
    BOOST_TEST(model.buffer("running_var").span()[0] == 4 - 3 * forgotten, boost::test_tools::tolerance(1e-12));
  }
  // In the end it lags (1 - m) / m batches behind: 9 with m = 0.1, a ninth with m = 0.9.
  double const behind = 60 - model.buffer("running_mean").span()[0] / drift;
  BOOST_TEST(behind == keep / Momentum, boost::test_tools::tolerance(0.002));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_drifting_stream) {
  follow_a_drift<0.1>();
  follow_a_drift<0.9>();
}

// The mean jumps once. Momentum 0.9 is there after two batches; momentum 0.1 still has more than half of what was
// before after six.
BOOST_AUTO_TEST_CASE(a_jump) {
  model_of<1, 0.1> remembers{esp::seed{0}};
  model_of<1, 0.9> follows{esp::seed{0}};
  auto const mean_of = [](auto& model) { return model.buffer("running_mean").span()[0]; };
  for (int k = 1; k <= 6; ++k) {
    esp::tensor<double, esp::shape<2, 1>> const batch{{9}, {11}};
    observe(remembers, batch);
    observe(follows, batch);
    if (k == 2) BOOST_TEST(mean_of(follows) > 9.8);
    BOOST_TEST(mean_of(remembers) == 10 * (1 - power(0.9, k)), boost::test_tools::tolerance(1e-12));
    BOOST_TEST(mean_of(follows) == 10 * (1 - power(0.1, k)), boost::test_tools::tolerance(1e-12));
  }
  BOOST_TEST(mean_of(remembers) < 5);
}

// Any stream: the weighted sum over all batches, newest first.
BOOST_AUTO_TEST_CASE(any_stream_against_the_sum) {
  model_of<3, 0.3> model{esp::seed{0}};
  constexpr int steps = 12;
  double means[3]{}, variances[3]{};
  for (int k = 1; k <= steps; ++k) {
    auto const batch = doubles<8, 3>(static_cast<std::uint64_t>(k), -k, 2);
    observe(model, batch);
    esp::tensor<double, esp::shape<3>> const mean_of = mean<0>(batch),
                                             variance_of = mean<0>((batch - mean<0>(batch)) * (batch - mean<0>(batch)));
    double const weight = 0.3 * power(0.7, steps - k);
    for (int i = 0; i < 3; ++i) {
      means[i] += weight * mean_of[i];
      variances[i] += weight * variance_of[i];
    }
  }
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(model.buffer("running_mean").span()[i] == means[i], boost::test_tools::tolerance(1e-12));
    BOOST_TEST(model.buffer("running_var").span()[i] == variances[i] + power(0.7, steps),
               boost::test_tools::tolerance(1e-12));
  }
}

namespace {

/// Normal values with the means 5, -1, 0 and the deviations 2, 1, 0.5.
template <int N>
esp::tensor<double, esp::shape<N, 3>> stationary(unsigned number) {
  esp::tensor<double, esp::shape<N, 3>> x;
  nn::init::fill(nn::init::normal{}, x.span(), {.seed = 4, .number = number});
  for (int n = 0; n < N; ++n) {
    x(n, 0) = 5 + 2 * x(n, 0);
    x(n, 1) -= 1;
    x(n, 2) *= 0.5;
  }
  return x;
}

/// Root mean square of the difference between the outputs in training and in evaluation for 40 new batches, once the
/// running statistics have converged.
template <int N>
double disagreement() {
  constexpr double means[] = {5, -1, 0}, variances[] = {4, 1, 0.25};
  model_of<3, 0.01> model{esp::seed{0}};
  for (unsigned k = 0; k < 1500; ++k) observe(model, stationary<N>(k));  // what is left of the start is 0.99^1500, 3e-7
  // An exponential mean of batches of N has m / (2 - m) of one batch's variance: five standard errors, and what
  // dividing by N leaves out.
  double const error = 5 * std::sqrt(0.01 / 1.99 / N);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(std::fabs(model.buffer("running_mean").span()[i] - means[i]) < error * std::sqrt(variances[i]));
    BOOST_TEST(std::fabs(model.buffer("running_var").span()[i] / variances[i] - (1 - 1.0 / N)) <
               error * std::sqrt(2.0));
  }
  double squares = 0;
  for (unsigned k = 0; k < 40; ++k) {
    auto const x = stationary<N>(5000 + k);
    esp::tensor<double, esp::shape<N, 3>> const evaluated = model(x), trained = normalize<0>(x, 1e-5);
    esp::tensor<double, esp::shape<>> const of_batch = mean((evaluated - trained) * (evaluated - trained));
    squares += of_batch[0] / 40;
  }
  return std::sqrt(squares);
}

}  // namespace

// What is left between the modes is the chance of one batch: its mean is off by 1 / sqrt(N), its deviation by 1 /
// sqrt(2 N).
BOOST_AUTO_TEST_CASE(training_and_evaluation_agree_once_converged) {
  double const small = disagreement<16>(), large = disagreement<1024>();
  BOOST_TEST(small == std::sqrt(1.5 / 16), boost::test_tools::tolerance(0.15));
  BOOST_TEST(large == std::sqrt(1.5 / 1024), boost::test_tools::tolerance(0.15));
}

// On a stream of one batch over and over, in any order of its samples, nothing is left but 0.9^400 of the start.
BOOST_AUTO_TEST_CASE(training_and_evaluation_agree_on_a_fixed_set) {
  model_of<3, 0.1> model{esp::seed{0}};
  auto const x = stationary<16>(0);
  auto turned = x;
  for (int k = 0; k < 400; ++k) {
    for (int n = 0; n < 16; ++n)
      for (int i = 0; i < 3; ++i) turned(n, i) = x((n + k) % 16, i);
    observe(model, turned);
  }
  esp::tensor<double, esp::shape<16, 3>> const trained = normalize<0>(x, 1e-5);
  check_close("both modes", model(x), trained, 1e-12);
}

// Batches of 4: the biased running variance settles at 3/4 of the variance, the unbiased one at all of it.
BOOST_AUTO_TEST_CASE(biased_and_unbiased_running_variance) {
  model_of<3, 0.005> biased{esp::seed{0}};
  model_of<3, 0.005, nn::unbiased> unbiased{esp::seed{0}};
  for (unsigned k = 0; k < 3000; ++k) {
    auto const batch = stationary<4>(k);
    observe(biased, batch);
    observe(unbiased, batch);
  }
  constexpr double variances[] = {4, 1, 0.25};
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(std::fabs(biased.buffer("running_var").span()[i] / variances[i] - 0.75) < 0.12);
    BOOST_TEST(std::fabs(unbiased.buffer("running_var").span()[i] / variances[i] - 1) < 0.16);
  }
}
