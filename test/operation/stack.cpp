// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_stack
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int Axis>
struct stacked {
  constexpr auto operator()(auto... x) const { return stack<Axis>(x * x...); }
};

constexpr esp::tensor<float, esp::shape<2>> a{1, 2}, b{3, 4}, c{5, 6};
static_assert(esp::tensor<float, esp::shape<3, 2>>{stack<0>(a, b, c)} ==
              esp::tensor<float, esp::shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}});
static_assert(esp::tensor<float, esp::shape<2, 3>>{stack<-1>(a, b, c)} ==
              esp::tensor<float, esp::shape<2, 3>>{{1, 3, 5}, {2, 4, 6}});
static_assert(esp::tensor<float, esp::shape<1, 2>>{stack<0>(a)} == esp::tensor<float, esp::shape<1, 2>>{{1, 2}});
static_assert(
    std::is_same_v<esp::shape_of<decltype(stack<0>(esp::traced<esp::shape<>>{}, esp::traced<esp::shape<>>{}))>,
                   esp::shape<2>>);
static_assert(esp::grad<1>([](auto x, auto y) { return sum(stack<0>(x, y * y) * stack<0>(y, x)); })(a, b) ==
              esp::tensor<float, esp::shape<2>>{7, 18});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = doubles<2, 3>(1), y = doubles<2, 3>(2);
  esp::tensor<double, esp::shape<2, 2, 3>> const first = stack<0>(x, y), middle = stack<1>(x, y);
  esp::tensor<double, esp::shape<2, 3, 2>> const last = stack<2>(x, y);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      BOOST_TEST(first(0, i, j) == x(i, j));
      BOOST_TEST(first(1, i, j) == y(i, j));
      BOOST_TEST(middle(i, 1, j) == y(i, j));
      BOOST_TEST(last(i, j, 0) == x(i, j));
      BOOST_TEST(last(i, j, 1) == y(i, j));
    }
}

BOOST_AUTO_TEST_CASE(kernels_and_gradients) {
  check_kernels("first", stacked<0>{}, floats<3, 17>(1), floats<3, 17>(2));
  check_kernels("last of five", stacked<-1>{}, floats<3, 17>(1), floats<3, 17>(2), floats<3, 17>(3), floats<3, 17>(4),
                floats<3, 17>(5));
  check_kernels("middle", stacked<1>{}, doubles<2, 3, 4>(1), doubles<2, 3, 4>(2), doubles<2, 3, 4>(3));
  check_pullback("first", stacked<0>{}, doubles<3, 4>(1), doubles<3, 4>(2));
  check_pullback("middle", stacked<1>{}, doubles<3, 4>(1), doubles<3, 4>(2), doubles<3, 4>(3));
}
