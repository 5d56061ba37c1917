// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_take_along_axis
#include "support/check_pullback.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <int Axis>
struct taken {
  constexpr auto operator()(auto x, auto index) const { return take_along_axis<Axis>(x * x * x, index); }
};

constexpr tensor<float, shape<2, 3>> rows{{1, 2, 3}, {4, 5, 6}};
constexpr tensor<std::int32_t, shape<1, 2>> columns{{2, 0}};
constexpr tensor<std::int32_t, shape<2, 1>> of_each{{2}, {1}};
// The index is repeated for each row; the row for each index.
static_assert(tensor<float, shape<2, 2>>{take_along_axis<1>(rows, columns)} ==
              tensor<float, shape<2, 2>>{{3, 1}, {6, 4}});
static_assert(tensor<float, shape<2, 1>>{take_along_axis<-1>(rows, of_each)} == tensor<float, shape<2, 1>>{{3}, {5}});
static_assert(tensor<float, shape<2, 1>>{take_along_axis<1>(esp::slice<0, 0, 1>(rows), of_each)} ==
              tensor<float, shape<2, 1>>{{3}, {2}});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = floats<3, 7, 1>(1);
  auto const i = labels<1, 9, 4>(2, 7);
  tensor<float, shape<3, 9, 4>> const y = take_along_axis<1>(x, i);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 9; ++b)
      for (int c = 0; c < 4; ++c) BOOST_TEST(y(a, b, c) == x(a, i(0, b, c), 0));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("equal extents", taken<0>{}, floats<5, 9>(1), labels<7, 9>(2, 5));
  check_kernels("index repeated before", taken<2>{}, doubles<3, 4, 5>(1), labels<1, 4, 7>(2, 5));
  check_kernels("index repeated behind", taken<0>{}, floats<3, 4, 17>(1), labels<6, 4, 1>(2, 3));
  check_kernels("index repeated on both sides", taken<1>{}, doubles<3, 4, 5>(1), labels<1, 7, 1>(2, 4));
  check_kernels("index repeated now and then", taken<2>{}, doubles<2, 3, 4, 2, 3, 2>(1),
                labels<2, 1, 5, 1, 3, 1>(2, 4));
  check_kernels("x repeated", taken<1>{}, floats<1, 4, 5>(1), labels<3, 6, 5>(2, 4));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("index repeated", taken<1>{}, doubles<3, 4, 2>(1), labels<1, 6, 1>(2, 4));
  check_pullback("index repeated now and then", taken<2>{}, doubles<2, 2, 3, 2, 3>(1), labels<2, 1, 4, 1, 3>(2, 3));
  check_pullback("x repeated", taken<1>{}, doubles<1, 4, 3>(1), labels<2, 5, 3>(2, 4));
}
