// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_reduce
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <esp::reduce Reduction>
struct as {
  constexpr auto operator()(auto x) const { return esp::reduced<Reduction>(x * x); }
};
}  // namespace

BOOST_AUTO_TEST_CASE(mean_sum_and_each) {
  esp::tensor<double, esp::shape<2, 2>> const x{{1, 2}, {3, 4}};
  esp::tensor<double, esp::shape<>> const mean = esp::reduced<esp::reduce::mean>(x),
                                          sum = esp::reduced<esp::reduce::sum>(x);
  esp::tensor<double, esp::shape<2, 2>> const each = esp::reduced<esp::reduce::none>(x);
  BOOST_TEST(mean[0] == 2.5);
  BOOST_TEST(sum[0] == 10);
  BOOST_TEST(each == x);
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("mean", as<esp::reduce::mean>{}, doubles<3, 4>(1));
  check_pullback("sum", as<esp::reduce::sum>{}, doubles<3, 4>(1));
  check_pullback("none", as<esp::reduce::none>{}, doubles<3, 4>(1));
}
