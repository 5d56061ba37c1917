// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_average_pool2d
#include <espalier/operation/average_pool2d.hpp>

#include "support/images.hpp"

using namespace test;
using esp::nchw;
using esp::pooling;
using esp::rows_columns;
using esp::shape;

namespace {
template <rows_columns Window, pooling Options>
struct pooled {
  constexpr auto operator()(auto x) const { return average_pool2d<Window, Options>(x); }
};

template <rows_columns Window, pooling Options, class X>
void check(char const* name, X const& x) {
  using F = pooled<Window, Options>;
  using T = typename X::value_type;
  check_kernels(name, F{}, x);
  using Y = shape_of_result<F, X>;
  auto const dy = numbers<T, Y>(7);
  auto const got = fused(F{}, dy, x);
  esp::tensor<T, Y> y;
  esp::tensor<T, typename X::shape_type> dx;
  constexpr T each = T(1) / T(Window.rows * Window.columns);
  for_each_pooled<Window, Options, Y, typename X::shape_type>([&](int window, int element) {
    y[window] += x[element] * each;
    dx[element] += dy[window] * each;
  });
  BOOST_TEST_CONTEXT(name) {
    check_close("value", got.value, y);
    check_close("gradient", std::get<0>(got.gradients), dx);
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(shapes) {
  using X = esp::tensor<float, shape<2, 6, 7, 3>>;
  static_assert(std::is_same_v<esp::shape_of<decltype(esp::average_pool2d<2>(X{}))>, shape<2, 3, 3, 3>>);
  static_assert(
      std::is_same_v<esp::shape_of<decltype(esp::average_pool2d<rows_columns{6, 7}>(X{}))>, shape<2, 1, 1, 3>>);
  static_assert(
      std::is_same_v<
          esp::shape_of<decltype(esp::average_pool2d<2, pooling{.stride = 1, .padding = 1, .layout = nchw}>(X{}))>,
          shape<2, 6, 8, 4>>);
}

BOOST_AUTO_TEST_CASE(by_the_compiler) {
  constexpr esp::tensor<double, shape<1, 2, 4, 1>> x{{{{1}, {5}, {-2}, {-3}}, {{2}, {4}, {-7}, {-4}}}};
  constexpr esp::tensor<double, shape<1, 1, 2, 1>> y = esp::average_pool2d<2>(x);
  static_assert(y == esp::tensor<double, shape<1, 1, 2, 1>>{{{{3}, {-4}}}});
}

BOOST_AUTO_TEST_CASE(values) {
  check<2, pooling{}>("few channels", doubles<2, 6, 7, 3>(1));
  check<2, pooling{}>("side by side", floats<2, 6, 7, 13>(1));
  check<3, pooling{.stride = 2, .padding = 1}>("padding counts as zeros", floats<2, 7, 6, 16>(1, 1, 9));
  check<rows_columns{2, 3}, pooling{.stride = {3, 1}, .padding = {1, 0, 0, 2}, .dilation = {1, 2}}>(
      "everything set", doubles<2, 7, 8, 9>(1));
  check<2, pooling{.stride = 2, .padding = {0, 1}, .layout = nchw}>("channels first", floats<2, 9, 4, 4>(1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("overlapping", pooled<3, pooling{.stride = 2, .padding = 1}>{}, doubles<2, 4, 5, 2>(1));
  check_pullback("channels first", pooled<2, pooling{.stride = 1, .layout = nchw}>{}, doubles<1, 2, 3, 4>(1));
}
