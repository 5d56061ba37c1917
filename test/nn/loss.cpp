// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_loss
#include <boost/test/unit_test.hpp>

#include "support/losses.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using labels_of_two = tensor<std::int32_t, shape<2>>;
}  // namespace

BOOST_AUTO_TEST_CASE(softmax_loss_and_its_gradient) {
  auto const z = doubles<5, 4>(1, -3, 3);
  auto const y = labels<5>(2, 4);
  auto const [loss, gradients] = loss_of<double, nn::SoftmaxLoss>(z, y);
  double expected = 0;
  for (int n = 0; n < 5; ++n) {
    double sum = 0;
    for (int c = 0; c < 4; ++c) sum += std::exp(z(n, c));
    expected += (std::log(sum) - z(n, y[n])) / 5;
    for (int c = 0; c < 4; ++c)
      BOOST_TEST(near(gradients.span()[n * 4 + c], (std::exp(z(n, c)) / sum - (c == y[n])) / 5));
  }
  BOOST_TEST(near(loss, expected));
}
BOOST_AUTO_TEST_CASE(equal_scores_cost_the_logarithm_of_their_number) {
  auto const [loss, gradients] = loss_of<double, nn::SoftmaxLoss>(tensor<double, shape<2, 4>>{}, labels_of_two{0, 3});
  BOOST_TEST(near(loss, std::log(4.0)));
  BOOST_TEST(near(gradients.span()[0], -0.375));
  BOOST_TEST(near(gradients.span()[1], 0.125));
}
BOOST_AUTO_TEST_CASE(large_scores_do_not_overflow) {
  auto const right = loss_of<float, nn::SoftmaxLoss>(
      tensor<float, shape<2, 3>>{{1000, 0, -1000}, {-5000, -5000, 3e38f}}, labels_of_two{0, 2});
  BOOST_TEST(right.loss == 0);
  for (float const g : right.gradients.span().part(0, 6)) BOOST_TEST(g == 0);
  auto const wrong = loss_of<float, nn::SoftmaxLoss>(
      tensor<float, shape<2, 3>>{{1000, 0, -1000}, {-5000, -5000, -7000}}, labels_of_two{2, 0});
  BOOST_TEST(near(static_cast<double>(wrong.loss), (2000 + std::log(2.0)) / 2, 1e-6));
  for (float const g : wrong.gradients.span().part(0, 6)) BOOST_TEST(std::isfinite(g));
}
BOOST_AUTO_TEST_CASE(mean_squared_error_and_its_gradient) {
  auto const z = doubles<3, 4>(1), target = doubles<3, 4>(2);
  auto const [loss, gradients] = loss_of<double, nn::MeanSquaredError>(z, target);
  double expected = 0;
  for (int i = 0; i < 12; ++i) {
    expected += (z[i] - target[i]) * (z[i] - target[i]) / 12;
    BOOST_TEST(near(gradients.span()[i], 2 * (z[i] - target[i]) / 12));
  }
  BOOST_TEST(near(loss, expected));
}
BOOST_AUTO_TEST_CASE(mean_squared_error_of_rank_three) {
  tensor<double, shape<1, 2, 2>> const z{{{1, 2}, {3, 4}}}, target{{{1, 0}, {3, 8}}};
  BOOST_TEST(near((loss_of<double, nn::MeanSquaredError>(z, target).loss), 5));
}
