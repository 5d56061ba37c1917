// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_bce_with_logits_loss
#include <boost/test/unit_test.hpp>

#include "support/check_pullback.hpp"
#include "support/losses.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
double logistic(double z) { return 1 / (1 + std::exp(-z)); }
double reference(double z, double y, double weight) {
  return weight * y * std::log1p(std::exp(-z)) + (1 - y) * std::log1p(std::exp(z));
}
double loss_derivative(double z, double y, double weight) { return (1 - y) * logistic(z) - weight * y * logistic(-z); }
auto const z = doubles<3, 4>(1, -3, 3), target = doubles<3, 4>(2, 0, 1);
using each_of_three = nn::BCEWithLogitsLoss<esp::reduce::none, nn::class_weights<3.0>>;
using Counted = nn::BCEWithLogitsLoss<esp::reduce::sum, nn::class_weights<1.0, 2.0, 0.5, 1.0>>;
}  // namespace

BOOST_AUTO_TEST_CASE(mean_and_its_gradient) {
  auto const [loss, gradients] = loss_of<double, nn::BCEWithLogitsLoss<>>(z, target);
  double total = 0;
  for (int i = 0; i < 12; ++i) {
    total += reference(z[i], target[i], 1) / 12;
    BOOST_TEST(near(gradients.span()[i], (logistic(z[i]) - target[i]) / 12));
  }
  BOOST_TEST(near(loss, total));
}
BOOST_AUTO_TEST_CASE(positive_targets_may_count_more) {
  double const of_class[] = {1, 2, 0.5, 1};
  auto const [loss, gradients] = loss_of<double, Counted>(z, target);
  tensor<double, shape<3, 4>> const each = each_of_three{}(z, target);
  double total = 0;
  for (int i = 0; i < 12; ++i) {
    total += reference(z[i], target[i], of_class[i % 4]);
    BOOST_TEST(near(gradients.span()[i], loss_derivative(z[i], target[i], of_class[i % 4])));
    BOOST_TEST(near(each[i], reference(z[i], target[i], 3)));
  }
  BOOST_TEST(near(loss, total));
}
BOOST_AUTO_TEST_CASE(gradients_of_gradients) {
  check_pullback("mean", calls<nn::BCEWithLogitsLoss<>>{}, z, target);
  check_pullback("weighted", calls<Counted>{}, z, target);
  check_kernels("each", calls<each_of_three>{}, z, target);
}
