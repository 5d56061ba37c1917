// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_maximum
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto a, auto b) { return maximum(a, b); };
inline constexpr auto floor_at = [](auto x) { return maximum(x, 0.25) * x; };
}  // namespace

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_binary(
      "maximum", f, [](double a, double b) { return a > b ? a : b; }, -2, 2);
}

BOOST_AUTO_TEST_CASE(with_a_number) {
  check_kernels("number", floor_at, doubles<3, 5>(1));
  check_pullback("number", floor_at, doubles<3, 5>(1));
}

BOOST_AUTO_TEST_CASE(equal_operands_share_the_gradient) {
  esp::tensor<double, esp::shape<3>> const a{1, 2, 3}, b{1, 3, 2}, one{1, 1, 1};
  auto const r = fused(f, one, a, b);
  check_close("a", std::get<0>(r.gradients), esp::tensor<double, esp::shape<3>>{0.5, 0, 1});
  check_close("b", std::get<1>(r.gradients), esp::tensor<double, esp::shape<3>>{0.5, 1, 0});
}

BOOST_AUTO_TEST_CASE(nan_wins) {
  esp::tensor<float, esp::shape<17>> a, b;
  a[3] = NAN;
  b[16] = NAN;
  auto expected = a;
  expected[16] = NAN;
  esp::tensor<float, esp::shape<17>> const y = maximum(a, b);
  check_close("nan", y, expected);
}
