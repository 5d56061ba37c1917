// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_max_pool2d
#include "support/images.hpp"

using namespace test;
using esp::nchw;
using esp::pooling;
using esp::rows_columns;
using esp::shape;

namespace {
template <rows_columns Window, pooling Options>
struct pooled {
  constexpr auto operator()(auto x) const { return max_pool2d<Window, Options>(x); }
};
template <rows_columns Window, pooling Options, class X, class Y>
inline constexpr bool has_shape =
    std::is_same_v<esp::shape_of<decltype(max_pool2d<Window, Options>(esp::tensor<float, X>{}))>, Y>;

template <rows_columns Window, pooling Options, class X>
void check(char const* name, X const& x) {
  using F = pooled<Window, Options>;
  using T = typename X::value_type;
  check_kernels(name, F{}, x);
  using Y = shape_of_result<F, X>;
  auto const dy = numbers<T, Y>(7);
  auto const got = fused(F{}, dy, x);
  esp::tensor<T, Y> y, count;
  esp::tensor<T, typename X::shape_type> dx;
  y.fill(-std::numeric_limits<T>::infinity());
  for_each_pooled<Window, Options, Y, typename X::shape_type>(
      [&](int window, int element) { y[window] = std::max(y[window], x[element]); });
  for_each_pooled<Window, Options, Y, typename X::shape_type>(
      [&](int window, int element) { count[window] += x[element] == y[window] ? T(1) : T(0); });
  for_each_pooled<Window, Options, Y, typename X::shape_type>([&](int window, int element) {
    if (x[element] == y[window]) dx[element] += dy[window] / count[window];
  });
  BOOST_TEST_CONTEXT(name) {
    check_close("value", got.value, y, 0);
    check_close("gradient", std::get<0>(got.gradients), dx);
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(shapes) {
  static_assert(has_shape<2, pooling{}, shape<2, 6, 7, 3>, shape<2, 3, 3, 3>>);
  static_assert(has_shape<rows_columns{2, 3}, pooling{.stride = 1}, shape<2, 6, 7, 3>, shape<2, 5, 5, 3>>);
  static_assert(has_shape<3, pooling{.stride = 2, .padding = 1}, shape<1, 112, 112, 64>, shape<1, 56, 56, 64>>);
  static_assert(has_shape<2, pooling{.stride = {1, 2}, .padding = {0, 1, 1, 0}, .dilation = {2, 1}, .layout = nchw},
                          shape<2, 3, 6, 7>, shape<2, 3, 5, 4>>);
}

BOOST_AUTO_TEST_CASE(by_the_compiler) {
  constexpr esp::tensor<double, shape<1, 2, 4, 1>> x{{{{1}, {5}, {-2}, {-3}}, {{2}, {3}, {-7}, {-4}}}};
  constexpr esp::tensor<double, shape<1, 1, 2, 1>> y = esp::max_pool2d<2>(x);
  static_assert(y == esp::tensor<double, shape<1, 1, 2, 1>>{{{{5}, {-2}}}});
}

BOOST_AUTO_TEST_CASE(values) {
  check<2, pooling{}>("few channels", doubles<2, 6, 7, 3>(1));
  check<2, pooling{}>("side by side", floats<2, 6, 7, 13>(1));
  check<3, pooling{.stride = 2, .padding = 1}>("padding among numbers below 0", floats<2, 7, 6, 16>(1, -9, -1));
  check<rows_columns{2, 3}, pooling{.stride = {3, 1}, .padding = {1, 0, 0, 2}, .dilation = {1, 2}}>(
      "everything set", doubles<2, 7, 8, 9>(1, -9, -1));
  check<2, pooling{.stride = 2, .padding = {0, 1}, .layout = nchw}>("channels first", floats<2, 9, 4, 4>(1, -9, -1));
  check<2, pooling{}>("tiles", doubles<2, 6, 8, 9>(1));
  check<rows_columns{3, 2}, pooling{.layout = nchw}>("tiles, channels first", floats<2, 9, 6, 4>(1, -9, -1));
  check<2, pooling{.stride = 3}>("pixels that no window reads", doubles<1, 6, 6, 8>(1));
}

// Equal elements share the gradient.
BOOST_AUTO_TEST_CASE(ties) {
  esp::tensor<double, shape<2, 5, 5, 8>> x;
  for (std::int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7 % 3);
  check<3, pooling{.stride = 1, .padding = 1}>("three values", x);
  check<5, pooling{}>("one tile", x);
  check<rows_columns{1, 5}, pooling{}>("tiles of one row", x);
  x.fill(-2);
  check<2, pooling{.padding = 1}>("one value", x);
}

// A window that lies in the padding alone has nothing to be the largest of: it does not compile. The relation finds all
// of them, and no others.
BOOST_AUTO_TEST_CASE(padding_alone) {
  int refused = 0;
  for (int extent = 1; extent <= 5; ++extent)
    for (int kernel = 1; kernel <= 4; ++kernel)
      for (int edges = 0; edges < 36; ++edges)
        for (int stride = 1; stride <= 4; ++stride)
          for (int step = 1; step <= 3; ++step) {
            int const before = edges / 6, after = edges % 6;
            bool expected = true;
            for (int i = 0; i < esp::window_count(extent, kernel, before, after, stride, step); ++i) {
              bool has = false;
              for (int k = 0; k < kernel; ++k) {
                int const at = i * stride - before + k * step;
                has = has || (at >= 0 && at < extent);
              }
              expected = expected && has;
            }
            refused += expected ? 0 : 1;
            if (esp::windows_have_pixels(extent, kernel, before, after, stride, step) != expected)
              BOOST_ERROR(extent << " " << kernel << " " << before << " " << after << " " << stride << " " << step);
          }
  BOOST_TEST(refused > 1000);
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("overlapping", pooled<3, pooling{.stride = 2, .padding = 1}>{}, doubles<2, 4, 5, 2>(1));
  check_pullback("channels first", pooled<2, pooling{.stride = 1, .layout = nchw}>{}, doubles<1, 2, 3, 4>(1));
}
