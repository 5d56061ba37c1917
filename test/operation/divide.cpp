// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_divide
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto a, auto b) { return a / b; };
inline constexpr auto with_numbers = [](auto x) { return 2 / x + x / 4; };
}  // namespace

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_binary(
      "divide", f, [](double a, double b) { return a / b; }, 0.5, 2);
}

BOOST_AUTO_TEST_CASE(numbers_on_both_sides) {
  check_kernels("numbers", with_numbers, doubles<3, 5>(1, 0.5, 2));
  check_pullback("numbers", with_numbers, doubles<3, 5>(1, 0.5, 2));
  esp::tensor<float, esp::shape<3>> const x{1, 2, 4}, y = 4 / x, z = x / 2;
  BOOST_TEST((y == esp::tensor<float, esp::shape<3>>{4, 2, 1}));
  BOOST_TEST((z == esp::tensor<float, esp::shape<3>>{0.5f, 1, 2}));
}

BOOST_AUTO_TEST_CASE(by_zero) {
  esp::tensor<float, esp::shape<3>> const a{1, -1, 0}, b{0, 0, 0}, y = a / b;
  check_close("by zero", y, esp::tensor<float, esp::shape<3>>{HUGE_VALF, -HUGE_VALF, NAN});
}
