// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_undilate
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int Dilation, int... Axes>
struct undilated {
  constexpr auto operator()(auto x) const {
    return undilate<Dilation, Axes...>(x * x) * exp(undilate<Dilation, Axes...>(x));
  }
};

constexpr esp::tensor<float, esp::shape<2, 4>> rows{{1, 2, 3, 4}, {5, 6, 7, 8}};
static_assert(esp::tensor<float, esp::shape<2, 2>>{undilate<1, 1>(rows)} ==
              esp::tensor<float, esp::shape<2, 2>>{{1, 3}, {5, 7}});
static_assert(esp::tensor<float, esp::shape<1, 2>>{undilate<1>(rows)} == esp::tensor<float, esp::shape<1, 2>>{{1, 3}});
static_assert(esp::grad([](auto x) { return sum(undilate<3, 1>(x * x)); })(rows) ==
              esp::tensor<float, esp::shape<2, 4>>{{2, 0, 0, 0}, {10, 0, 0, 0}});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = doubles<4, 2, 9>(1);
  esp::tensor<double, esp::shape<4, 2, 3>> const y = undilate<2, -1>(x);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k) BOOST_TEST(y(i, j, k) == x(i, j, 3 * k));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("rows", undilated<1, 0>{}, floats<6, 17>(1));
  check_kernels("columns", undilated<2, 1>{}, floats<5, 51>(1));
  check_kernels("all", undilated<1>{}, doubles<2, 4, 6, 2>(1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("all", undilated<1>{}, doubles<4, 6>(1));
  check_pullback("columns", undilated<2, -1>{}, doubles<2, 3, 6>(1));
}
