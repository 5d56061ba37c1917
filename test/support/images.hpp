// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/operation/conv2d.hpp>
#include <espalier/operation/conv_transpose2d.hpp>
#include <espalier/operation/max_pool2d.hpp>

#include "check_pullback.hpp"

/// Convolutions and poolings by the book: loops over all their indices.
namespace test {

/// Calls f(y, x, w) for each product of a convolution: elements of the result, of the images and of the kernels, by
/// position in memory.
template <esp::convolution Options, class Y, class X, class W, class F>
void for_each_product(F f) {
  using images = esp::detail::image_axes<X, Options.layout>;
  using kernels = esp::detail::kernel_axes<W, Options.layout>;
  using results = esp::detail::image_axes<Y, Options.layout>;
  constexpr bool first = Options.layout == esp::nchw;
  auto const pixel = [](int n, int p, int q, int c, int height, int width, int channels) {
    return first ? ((n * channels + c) * height + p) * width + q : ((n * height + p) * width + q) * channels + c;
  };
  for (int n = 0; n < images::count; ++n)
    for (int i = 0; i < results::height; ++i)
      for (int j = 0; j < results::width; ++j)
        for (int r = 0; r < kernels::rows; ++r)
          for (int k = 0; k < kernels::columns; ++k) {
            int const p = i * Options.stride.rows - Options.padding.top + r * Options.dilation.rows,
                      q = j * Options.stride.columns - Options.padding.left + k * Options.dilation.columns;
            if (p < 0 || p >= images::height || q < 0 || q >= images::width) continue;
            for (int o = 0; o < kernels::outputs; ++o)
              for (int c = 0; c < kernels::inputs; ++c) {
                int const channel = o / (kernels::outputs / Options.groups) * kernels::inputs + c;
                f(pixel(n, i, j, o, results::height, results::width, kernels::outputs),
                  pixel(n, p, q, channel, images::height, images::width, images::channels),
                  first ? ((o * kernels::inputs + c) * kernels::rows + r) * kernels::columns + k
                        : ((r * kernels::columns + k) * kernels::inputs + c) * kernels::outputs + o);
              }
          }
}

template <esp::convolution Options>
struct convolution_of_both {
  constexpr auto operator()(auto x, auto w) const { return conv2d<Options>(x, w); }
};
template <esp::transposed_convolution Options>
struct transposed_of_both {
  constexpr auto operator()(auto x, auto w) const { return conv_transpose2d<Options>(x, w); }
};

/// The value of conv2d and its gradients against the loops, and kernels against the interpreter.
template <esp::convolution Options, class X, class W>
void check_convolution(char const* name, X const& x, W const& w) {
  using F = convolution_of_both<Options>;
  using T = typename X::value_type;
  check_kernels(name, F{}, x, w);
  using Y = shape_of_result<F, X, W>;
  auto const dy = numbers<T, Y>(7);
  auto const got = fused(F{}, dy, x, w);
  esp::tensor<double, Y> y;
  esp::tensor<double, typename X::shape_type> dx;
  esp::tensor<double, typename W::shape_type> dw;
  for_each_product<Options, Y, typename X::shape_type, typename W::shape_type>([&](int at_y, int at_x, int at_w) {
    y[at_y] += static_cast<double>(x[at_x]) * static_cast<double>(w[at_w]);
    dx[at_x] += static_cast<double>(dy[at_y]) * static_cast<double>(w[at_w]);
    dw[at_w] += static_cast<double>(dy[at_y]) * static_cast<double>(x[at_x]);
  });
  BOOST_TEST_CONTEXT(name) {
    check_close("value", got.value, y, tolerance<T>);
    check_close("gradient of the images", std::get<0>(got.gradients), dx, tolerance<T>);
    check_close("gradient of the kernels", std::get<1>(got.gradients), dw, 4 * tolerance<T>);
  }
}

/// The convolution that a transposed one is the adjoint of.
template <esp::transposed_convolution Options>
inline constexpr esp::convolution adjoint = esp::detail::adjoint_of(Options);

/// The value of conv_transpose2d and its gradients: x stands where conv2d has its result.
template <esp::transposed_convolution Options, class X, class W>
void check_transposed(char const* name, X const& x, W const& w) {
  using F = transposed_of_both<Options>;
  using T = typename X::value_type;
  check_kernels(name, F{}, x, w);
  using Y = shape_of_result<F, X, W>;
  auto const dy = numbers<T, Y>(7);
  auto const got = fused(F{}, dy, x, w);
  esp::tensor<double, Y> y;
  esp::tensor<double, typename X::shape_type> dx;
  esp::tensor<double, typename W::shape_type> dw;
  for_each_product<adjoint<Options>, typename X::shape_type, Y, typename W::shape_type>(
      [&](int at_x, int at_y, int at_w) {
        y[at_y] += static_cast<double>(x[at_x]) * static_cast<double>(w[at_w]);
        dx[at_x] += static_cast<double>(dy[at_y]) * static_cast<double>(w[at_w]);
        dw[at_w] += static_cast<double>(dy[at_y]) * static_cast<double>(x[at_x]);
      });
  BOOST_TEST_CONTEXT(name) {
    check_close("value", got.value, y, tolerance<T>);
    check_close("gradient of the images", std::get<0>(got.gradients), dx, tolerance<T>);
    check_close("gradient of the kernels", std::get<1>(got.gradients), dw, 4 * tolerance<T>);
  }
}

/// Calls f(window, element, count): the first element of each window's result, the elements of the images in it (those
/// that exist), by position.
template <esp::rows_columns Window, esp::pooling Options, class Y, class X, class F>
void for_each_pooled(F f) {
  using images = esp::detail::image_axes<X, Options.layout>;
  using results = esp::detail::image_axes<Y, Options.layout>;
  constexpr esp::convolution walk = esp::detail::walk_of(Options, Window);
  constexpr bool first = Options.layout == esp::nchw;
  auto const pixel = [](int n, int p, int q, int c, int height, int width) {
    return first ? ((n * images::channels + c) * height + p) * width + q
                 : ((n * height + p) * width + q) * images::channels + c;
  };
  for (int n = 0; n < images::count; ++n)
    for (int i = 0; i < results::height; ++i)
      for (int j = 0; j < results::width; ++j)
        for (int r = 0; r < Window.rows; ++r)
          for (int k = 0; k < Window.columns; ++k) {
            int const p = i * walk.stride.rows - walk.padding.top + r * walk.dilation.rows,
                      q = j * walk.stride.columns - walk.padding.left + k * walk.dilation.columns;
            if (p < 0 || p >= images::height || q < 0 || q >= images::width) continue;
            for (int c = 0; c < images::channels; ++c)
              f(pixel(n, i, j, c, results::height, results::width), pixel(n, p, q, c, images::height, images::width));
          }
}

}  // namespace test
