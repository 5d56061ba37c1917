// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_is_finite
#include <limits>

#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return is_finite(x); };

template <class T>
void check_numbers() {
  using limits = std::numeric_limits<T>;
  T const nan = limits::quiet_NaN(), infinity = limits::infinity();
  esp::tensor<T, esp::shape<11>> const x{
      0, -T(0), limits::max(), limits::lowest(), limits::denorm_min(), T(1), nan, -nan, infinity, -infinity, T(-2)};
  esp::tensor<T, esp::shape<11>> const expected{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1};
  check_close("is_finite", fused(f, x, x).value, expected, 0);
}
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  check_numbers<float>();
  check_numbers<double>();
  check_kernels("is_finite", f, floats<5, 1, 7>(6));
  static_assert(esp::math::is_finite(1.0f) == 1 && esp::math::is_finite(__builtin_huge_val()) == 0 &&
                esp::math::is_finite(__builtin_nanf("")) == 0);
}

// It has no gradient, which is not an error: what it guards is differentiated.
BOOST_AUTO_TEST_CASE(guards) {
  auto const sum_of_finite = [](auto x) { return sum(where(is_finite(x), x * x, 0)); };
  esp::tensor<double, esp::shape<3>> const x{3, std::numeric_limits<double>::infinity(), -2};
  esp::tensor<double, esp::shape<3>> const gradient = esp::grad<0>(sum_of_finite)(x);
  BOOST_TEST(gradient[0] == 6);
  BOOST_TEST(gradient[2] == -4);
}
