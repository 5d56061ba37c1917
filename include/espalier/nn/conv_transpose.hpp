// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/conv_transpose2d.hpp"
#include "conv.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::nn {

/// How a ConvTranspose walks over its results.
/// range   as of transposed_convolution
struct conv_transpose {
  rows_columns stride = 1;
  edges padding = 0;
  rows_columns dilation = 1;
  rows_columns extra = 0;
  int groups = 1;
  image_layout layout = nchw;
};

namespace detail {
constexpr transposed_convolution walk_of(conv_transpose const& how) {
  transposed_convolution c{};
  c.stride = how.stride;
  c.padding = how.padding;
  c.dilation = how.dilation;
  c.extra = how.extra;
  c.groups = how.groups;
  return c;
}
}  // namespace detail

/// ConvTranspose<In, Out, Kernel, How>: y = conv_transpose2d(x, weight) + bias, which enlarges images.
/// shape   nchw: (N, In, H, W) -> (N, Out, H', W'); nhwc: (N, H, W, In) -> (N, H', W', Out); H' as of conv_transpose2d; weight (rows, columns,
///         Out / groups, In), bias (Out)
/// errors  other channels, and an empty result, are refused
/// saves   x
/// slope   as of conv_transpose2d; d bias = the sum of dy over images and places
/// start   weight Kaiming-uniform over rows columns In / groups; then bias uniform in [-b, b), b = 1 / sqrt(rows columns In / groups)
/// source  Dumoulin and Visin 2016, section 4
template <int In, int Out, rows_columns Kernel, conv_transpose How = conv_transpose{}>
struct ConvTranspose {
  static constexpr bool numbers_fit = Kernel.rows >= 1 && Kernel.columns >= 1 && How.groups >= 1 &&
                                      espalier::detail::in_range(detail::walk_of(How)) && In % How.groups == 0 && Out % How.groups == 0;
  static_assert(numbers_fit,
                ESPALIER_SENTENCE("nn::ConvTranspose<in, out, kernel, conv_transpose>: kernel, stride, dilation and groups must be at least 1, padding at "
                                  "least 0, extra below the stride, and groups divide in and out",
                                  ESPALIER_STATED(numbers_fit,
                                                  ESPALIER_NAMED("kernel", Kernel.rows, Kernel.columns), ESPALIER_WALK_NUMBERS(How),
                                                  ESPALIER_NAMED("groups", How.groups), ESPALIER_NAMED("extra", How.extra.rows, How.extra.columns),
                                                  ESPALIER_NAMED("in", In), ESPALIER_NAMED("out", Out))));
  static constexpr int fan_in = Kernel.rows * Kernel.columns * In / How.groups;
  detail::kernels<fan_in, Kernel.rows, Kernel.columns, Out / How.groups, In> weight{};
  detail::biases<fan_in, Out> bias{};
  ESPALIER_MODULE(ConvTranspose, weight, bias)
  /// (inputs, outputs / groups, rows, columns)
  static constexpr axis_order in_pytorch(char const* member, extents const& shape) {
    return detail::weight_in_order(member, shape, 3, 2, 0, 1);
  }

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (is_refused<X>) {
      return x;
    } else if constexpr (shape_of<X>::rank != 4) {
      return refused<images<shape_of<X>>>{};
    } else {
      auto y = conv_transpose2d<espalier::detail::mended(detail::walk_of(How))>(espalier::detail::to_nhwc<How.layout>(x), weight);
      if constexpr (is_refused<decltype(y)>) return y;
      else return espalier::detail::from_nhwc<How.layout>(y + bias);
    }
  }
};

}  // namespace espalier::nn
#pragma GCC diagnostic pop
