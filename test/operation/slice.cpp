// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_slice
#include "support/check_pullback.hpp"

using namespace test;
using esp::to_end;

namespace {
template <int Axis, int Begin, int End = to_end, int Step = 1>
struct part {
  constexpr auto operator()(auto x) const { return slice<Axis, Begin, End, Step>(x); }
};
template <int Axis, int Begin, int End = to_end, int Step = 1>
struct part_of_square {
  constexpr auto operator()(auto x) const {
    return slice<Axis, Begin, End, Step>(x * x) * slice<Axis, Begin, End, Step>(x);
  }
};
inline constexpr auto of_slice = [](auto x) {
  return slice<1, 1, to_end, 2>(slice<0, 1, 3>(slice<1, -1, 0, -1>(tanh(x))));
};
/// Neighbours: the differences along a row.
inline constexpr auto differences = [](auto x) { return slice<-1, 1>(x) - slice<-1, 0, -1>(x); };

constexpr esp::tensor<float, esp::shape<2, 4>> rows{{1, 2, 3, 4}, {5, 6, 7, 8}};
static_assert(esp::tensor<float, esp::shape<2, 2>>{slice<1, 1, 3>(rows)} ==
              esp::tensor<float, esp::shape<2, 2>>{{2, 3}, {6, 7}});
static_assert(esp::tensor<float, esp::shape<2, 2>>{slice<-1, -3, -1>(rows)} ==
              esp::tensor<float, esp::shape<2, 2>>{{2, 3}, {6, 7}});
static_assert(esp::tensor<float, esp::shape<2, 2>>{slice<1, -1, 0, -2>(rows)} ==
              esp::tensor<float, esp::shape<2, 2>>{{4, 2}, {8, 6}});
static_assert(esp::tensor<float, esp::shape<2, 4>>{slice<1, -1, to_end, -1>(rows)} ==
              esp::tensor<float, esp::shape<2, 4>>{{4, 3, 2, 1}, {8, 7, 6, 5}});
static_assert(esp::tensor<float, esp::shape<2, 2>>{slice<1, 0, to_end, 3>(rows)} ==
              esp::tensor<float, esp::shape<2, 2>>{{1, 4}, {5, 8}});
static_assert(esp::grad([](auto x) { return sum(slice<0, 1>(x * x)); })(rows) ==
              esp::tensor<float, esp::shape<2, 4>>{{0, 0, 0, 0}, {10, 12, 14, 16}});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = floats<3, 7, 5>(1);
  esp::tensor<float, esp::shape<3, 3, 5>> const y = slice<1, 1, 7, 2>(x);
  esp::tensor<float, esp::shape<3, 3, 5>> const z = slice<1, 6, 1, -2>(x * 2);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 5; ++k) {
        BOOST_TEST(y(i, j, k) == x(i, 1 + 2 * j, k));
        BOOST_TEST(z(i, j, k) == 2 * x(i, 6 - 2 * j, k));
      }
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("one row", part<0, 2, 3>{}, floats<5, 9>(1));
  check_kernels("columns", part_of_square<1, 1, 18>{}, floats<5, 20>(1));
  check_kernels("every second column", part_of_square<1, 1, to_end, 2>{}, doubles<5, 20>(1));
  check_kernels("backwards", part_of_square<1, -1, 3, -3>{}, doubles<3, 40>(1));
  check_kernels("in the middle", part<1, 1, 3>{}, doubles<2, 4, 3, 5>(1));
  check_kernels("of a slice", of_slice, doubles<4, 9>(1));
  check_kernels("differences", differences, floats<4, 33>(1));
  check_kernels("one element", part<0, 2, 3>{}, doubles<4>(1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("columns", part_of_square<1, 1, 6>{}, doubles<3, 7>(1));
  check_pullback("step", part_of_square<0, 0, to_end, 2>{}, doubles<5, 2>(1));
  check_pullback("backwards", part_of_square<1, 6, 1, -2>{}, doubles<3, 7>(1));
  check_pullback("of a slice", of_slice, doubles<4, 9>(1));
}
