// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_smooth_l1_loss
#include <boost/test/unit_test.hpp>

#include "support/check_pullback.hpp"
#include "support/losses.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
double reference(double d) { return std::fabs(d) < 0.5 ? d * d : std::fabs(d) - 0.25; }
double derivative(double d) { return d < -0.5 ? -1 : d > 0.5 ? 1 : 2 * d; }
auto const z = doubles<3, 4>(1, -3, 3), target = doubles<3, 4>(2, -3, 3);
}  // namespace

BOOST_AUTO_TEST_CASE(mean_sum_and_each) {
  auto const [mean, gradients] = loss_of<double, nn::SmoothL1Loss<0.5>>(z, target);
  auto const [sum, gradients_of_sum] = loss_of<double, nn::SmoothL1Loss<0.5, esp::reduce::sum>>(z, target);
  tensor<double, shape<3, 4>> const each = nn::SmoothL1Loss<0.5, esp::reduce::none>{}(z, target);
  double total = 0;
  for (int i = 0; i < 12; ++i) {
    double const d = z[i] - target[i];
    total += reference(d);
    BOOST_TEST(near(each[i], reference(d)));
    BOOST_TEST(near(gradients.span()[i], derivative(d) / 12));
    BOOST_TEST(near(gradients_of_sum.span()[i], derivative(d)));
  }
  BOOST_TEST(near(sum, total));
  BOOST_TEST(near(mean, total / 12));
}
BOOST_AUTO_TEST_CASE(gradients_of_gradients) {
  check_pullback("mean", calls<nn::SmoothL1Loss<0.5>>{}, z, target);
  check_kernels("each", calls<nn::SmoothL1Loss<0.5, esp::reduce::none>>{}, z, target);
}
