// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_where
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto choose = [](auto c, auto a, auto b) { return where(c, a * a, b * a); };
inline constexpr auto compare = [](auto a, auto b) { return where(a > b, a * b, exp(b)); };
inline constexpr auto numbers_chosen = [](auto a) { return where(a > 0, a * a, 0) + where(a < 0.5, 1, a); };
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  esp::tensor<bool, esp::shape<2, 3>> const c{{true, false, true}, {false, false, true}};
  esp::tensor<float, esp::shape<2, 3>> const a{{1, 2, 3}, {4, 5, 6}}, b{{-1, -2, -3}, {-4, -5, -6}}, y = where(c, a, b);
  BOOST_TEST((y == esp::tensor<float, esp::shape<2, 3>>{{1, -2, 3}, {-4, -5, 6}}));
  esp::tensor<float, esp::shape<2, 3>> const z = where(a > 3, 1, b);
  BOOST_TEST((z == esp::tensor<float, esp::shape<2, 3>>{{-1, -2, -3}, {1, 1, 1}}));
}

// What is not taken may be nan or infinite.
BOOST_AUTO_TEST_CASE(the_other_side_does_not_leak) {
  esp::tensor<float, esp::shape<3>> const a{1, NAN, 2}, b{NAN, 5, HUGE_VALF}, y = where(not_equal(a, a), b, a);
  BOOST_TEST((y == esp::tensor<float, esp::shape<3>>{1, 5, 2}));
}

BOOST_AUTO_TEST_CASE(kernels_and_gradients) {
  esp::tensor<bool, esp::shape<3, 5>> flags;
  for (int i = 0; i < 15; ++i) flags[i] = i % 3 == 0;
  esp::tensor<bool, esp::shape<5>> const row{true, false, true, true, false};
  check_kernels("flags", choose, flags, doubles<3, 5>(1), doubles<3, 5>(2));
  check_kernels("flags of a row", choose, row, doubles<3, 5>(1), doubles<3, 5>(2));
  check_kernels("flags", choose, flags, floats<3, 5>(1), floats<3, 1>(2));
  check_pullback("flags", choose, flags, doubles<3, 5>(1), doubles<3, 5>(2));
  check_pullback("comparison", compare, doubles<3, 5>(3), doubles<3, 5>(4));
  check_kernels("numbers", numbers_chosen, doubles<17>(5));
  check_pullback("numbers", numbers_chosen, doubles<17>(5));
}
