// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_minimum
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto a, auto b) { return minimum(a, b); };
inline constexpr auto ceiling_at = [](auto x) { return minimum(0.25, x) * x; };
}  // namespace

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_binary(
      "minimum", f, [](double a, double b) { return a < b ? a : b; }, -2, 2);
}

BOOST_AUTO_TEST_CASE(with_a_number) {
  check_kernels("number", ceiling_at, doubles<3, 5>(1));
  check_pullback("number", ceiling_at, doubles<3, 5>(1));
}

BOOST_AUTO_TEST_CASE(equal_operands_share_the_gradient) {
  esp::tensor<double, esp::shape<3>> const a{1, 2, 3}, b{1, 3, 2}, one{1, 1, 1};
  auto const r = fused(f, one, a, b);
  check_close("a", std::get<0>(r.gradients), esp::tensor<double, esp::shape<3>>{0.5, 1, 0});
  check_close("b", std::get<1>(r.gradients), esp::tensor<double, esp::shape<3>>{0.5, 0, 1});
}

BOOST_AUTO_TEST_CASE(nan_wins) {
  esp::tensor<float, esp::shape<17>> a, b;
  a[3] = NAN;
  b[16] = NAN;
  auto expected = a;
  expected[16] = NAN;
  esp::tensor<float, esp::shape<17>> const y = minimum(a, b);
  check_close("nan", y, expected);
}
