// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_l1_loss
#include <boost/test/unit_test.hpp>

#include "support/check_pullback.hpp"
#include "support/losses.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
double reference(double d) { return std::fabs(d); }
double derivative(double d) { return d > 0 ? 1 : -1; }
auto const z = doubles<3, 4>(1, -3, 3), target = doubles<3, 4>(2, -3, 3);
}  // namespace

BOOST_AUTO_TEST_CASE(mean_sum_and_each) {
  auto const [mean, gradients] = loss_of<double, nn::L1Loss<>>(z, target);
  auto const [sum, gradients_of_sum] = loss_of<double, nn::L1Loss<esp::reduce::sum>>(z, target);
  tensor<double, shape<3, 4>> const each = nn::L1Loss<esp::reduce::none>{}(z, target);
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
  check_pullback("mean", calls<nn::L1Loss<>>{}, z, target);
  check_kernels("each", calls<nn::L1Loss<esp::reduce::none>>{}, z, target);
}
BOOST_AUTO_TEST_CASE(no_gradient_where_both_are_equal) {
  tensor<double, shape<1, 2>> const same{{1, 2}};
  auto const [loss, gradients] = loss_of<double, nn::L1Loss<>>(same, same);
  BOOST_TEST(loss == 0);
  for (double const g : gradients.span().part(0, 2)) BOOST_TEST(g == 0);
}
