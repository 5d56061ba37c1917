// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_flip
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int... Axes>
struct flipped {
  constexpr auto operator()(auto x) const { return flip<Axes...>(x * x) * x; }
};
inline constexpr auto round_trip = [](auto x) { return flip<1>(tanh(flip<1, 0>(x))); };

constexpr esp::tensor<float, esp::shape<2, 3>> rows{{1, 2, 3}, {4, 5, 6}};
static_assert(esp::tensor<float, esp::shape<2, 3>>{flip<0>(rows)} ==
              esp::tensor<float, esp::shape<2, 3>>{{4, 5, 6}, {1, 2, 3}});
static_assert(esp::tensor<float, esp::shape<2, 3>>{flip<-1>(rows)} ==
              esp::tensor<float, esp::shape<2, 3>>{{3, 2, 1}, {6, 5, 4}});
static_assert(esp::tensor<float, esp::shape<2, 3>>{flip(rows)} ==
              esp::tensor<float, esp::shape<2, 3>>{{6, 5, 4}, {3, 2, 1}});
static_assert(esp::grad([](auto x) { return sum(flip<0>(x) * x); })(rows) ==
              esp::tensor<float, esp::shape<2, 3>>{{8, 10, 12}, {2, 4, 6}});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = doubles<3, 4, 5>(1);
  esp::tensor<double, esp::shape<3, 4, 5>> const y = flip<0, 2>(x), z = flip<1>(x);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 5; ++k) {
        BOOST_TEST(y(i, j, k) == x(2 - i, j, 4 - k));
        BOOST_TEST(z(i, j, k) == x(i, 3 - j, k));
      }
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("rows", flipped<0>{}, floats<5, 17>(1));
  check_kernels("columns", flipped<1>{}, floats<5, 33>(1));
  check_kernels("all", flipped<>{}, doubles<2, 3, 4, 5>(1));
  check_kernels("the middle of rank 6", flipped<2, 3>{}, doubles<2, 1, 3, 2, 3, 2>(1));
  check_kernels("axes of 1", flipped<0, 2>{}, doubles<1, 3, 1>(1));
  check_kernels("back", round_trip, doubles<3, 8>(1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("all", flipped<>{}, doubles<3, 4>(1));
  check_pullback("columns", flipped<-1>{}, doubles<2, 3, 4>(1));
  check_pullback("back", round_trip, doubles<3, 5>(1));
}
