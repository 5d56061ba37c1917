// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_compare
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto all_six = [](auto a, auto b) {
  return (a > b) + 2 * (a >= b) + 4 * (a < b) + 8 * (a <= b) + 16 * equal(a, b) + 32 * not_equal(a, b);
};
inline constexpr auto gated = [](auto a, auto b) { return (a > b) * a * b; };
inline constexpr auto against_number = [](auto a) { return (a > 0.5) * a + (0.5 > a) * a * a; };
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  esp::tensor<float, esp::shape<6>> const a{1, 2, 3, 0, -0.0f, NAN}, b{2, 2, 1, -0.0f, 0, 1};
  check_close("all six", fused(all_six, a, a, b).value, esp::tensor<float, esp::shape<6>>{44, 26, 35, 26, 26, 32});
  check_kernels("all six", all_six, floats<33>(1), floats<33>(2));
  check_kernels("all six", all_six, doubles<7, 17>(1), doubles<17>(2));
}

BOOST_AUTO_TEST_CASE(as_booleans) {
  auto const a = floats<3, 11>(1), b = floats<3, 11>(2);
  esp::tensor<bool, esp::shape<3, 11>> const less = a < b, at_least = a >= b, near = (a > b) + equal(a, b);
  for (int i = 0; i < 33; ++i) {
    BOOST_TEST(less[i] == (a[i] < b[i]));
    BOOST_TEST(at_least[i] == !less[i]);
    BOOST_TEST(near[i] == at_least[i]);
  }
}

// A comparison has no gradient; what it multiplies has.
BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("gated", gated, doubles<3, 5>(1), doubles<3, 5>(2));
  check_pullback("number", against_number, doubles<3, 5>(3));
  check_kernels("number", against_number, doubles<3, 5>(3));
}
