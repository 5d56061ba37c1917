// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_subtract
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto a, auto b) { return a - b; };
inline constexpr auto with_numbers = [](auto x) { return 2 - (x - 0.5) * x; };
}  // namespace

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_binary(
      "subtract", f, [](double a, double b) { return a - b; }, -2, 2);
}

BOOST_AUTO_TEST_CASE(numbers_on_both_sides) {
  check_kernels("numbers", with_numbers, doubles<3, 5>(1));
  check_pullback("numbers", with_numbers, doubles<3, 5>(1));
  esp::tensor<float, esp::shape<3>> const x{1, 2, 3}, y = 1 - x, z = x - 1;
  BOOST_TEST((y == esp::tensor<float, esp::shape<3>>{0, -1, -2}));
  BOOST_TEST((z == esp::tensor<float, esp::shape<3>>{0, 1, 2}));
}
