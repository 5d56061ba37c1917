// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_dilate
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int Dilation, int... Axes>
struct dilated {
  constexpr auto operator()(auto x) const {
    return dilate<Dilation, Axes...>(x * x) * exp(dilate<Dilation, Axes...>(x));
  }
};

constexpr esp::tensor<float, esp::shape<2, 2>> square{{1, 2}, {3, 4}};
static_assert(esp::tensor<float, esp::shape<2, 6>>{dilate<2, 1>(square)} ==
              esp::tensor<float, esp::shape<2, 6>>{{1, 0, 0, 2, 0, 0}, {3, 0, 0, 4, 0, 0}});
static_assert(esp::tensor<float, esp::shape<4, 2>>{dilate<1, 0>(square)} ==
              esp::tensor<float, esp::shape<4, 2>>{{1, 2}, {0, 0}, {3, 4}, {0, 0}});
static_assert(esp::tensor<float, esp::shape<2, 2>>{dilate<0>(square)} == square);
static_assert(esp::tensor<float, esp::shape<2, 2>>{undilate<3>(dilate<3>(square))} == square);
static_assert(esp::grad([](auto x) { return sum(dilate<1>(x) * dilate<1>(x)); })(square) ==
              esp::tensor<float, esp::shape<2, 2>>{{2, 4}, {6, 8}});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = doubles<2, 3, 4>(1);
  esp::tensor<double, esp::shape<2, 9, 12>> const y = dilate<2, 1, -1>(x);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 9; ++j)
      for (int k = 0; k < 12; ++k) BOOST_TEST(y(i, j, k) == (j % 3 == 0 && k % 3 == 0 ? x(i, j / 3, k / 3) : 0));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("rows", dilated<1, 0>{}, floats<5, 17>(1));
  check_kernels("columns", dilated<2, 1>{}, floats<5, 17>(1));
  check_kernels("all", dilated<1>{}, doubles<2, 3, 4, 2>(1));
  check_kernels("nothing", dilated<0>{}, doubles<3, 4>(1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("all", dilated<1>{}, doubles<3, 4>(1));
  check_pullback("columns", dilated<2, -1>{}, doubles<2, 3, 4>(1));
}
