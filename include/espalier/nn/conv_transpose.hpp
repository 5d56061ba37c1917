// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/options_argument.hpp"
#include "../operation/conv_transpose2d.hpp"
#include "conv.hpp"

namespace espalier::nn {

/// Options of ConvTranspose. extra is PyTorch's output_padding: further rows at the bottom, and columns at the right.
/// range   as of transposed_convolution
struct conv_transpose {
  rows_columns stride = 1;
  edges padding = 0;
  rows_columns dilation = 1;
  rows_columns extra = 0;
  int groups = 1;
  image_layout layout = nchw;
  bool bias = true;
};
/// The template parameter of layers with these options.
struct conv_transpose_argument : conv_transpose {
  ESPALIER_OPTIONS_ARGUMENT(conv_transpose) {
    static_assert(
        espalier::detail::is_options<X>,
        "options have names: write nn::ConvTranspose<in, out, kernel, nn::conv_transpose{.stride = 2, .padding = 1}>");
  }
};

namespace detail {
constexpr transposed_convolution walk_of(conv_transpose const& options) {
  transposed_convolution c{};
  c.stride = options.stride;
  c.padding = options.padding;
  c.dilation = options.dilation;
  c.extra = options.extra;
  c.groups = options.groups;
  return c;
}
}  // namespace detail

/// ConvTranspose<In, Out, Kernel, Options>: y = conv_transpose2d(x, weight) + bias, which enlarges images.
/// shape   nchw: (N, In, H, W) -> (N, Out, H', W'); nhwc: (N, H, W, In) -> (N, H', W', Out); H' as of conv_transpose2d;
///         weight (rows, columns, Out / groups, In), bias (Out) unless conv_transpose{.bias = false}
/// errors  another number of channels, and an empty result, do not compile
/// saves   x
/// gradient  as of conv_transpose2d; d bias = the sum of dy over images and positions
/// start   weight Kaiming-uniform over rows columns In / groups; then bias uniform in [-b, b),
///         b = 1 / sqrt(rows columns In / groups)
/// source  Dumoulin and Visin 2016, section 4
template <int In, int Out, rows_columns Kernel, conv_transpose_argument Options = conv_transpose{},
          auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct ConvTranspose {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = In >= 1 && Out >= 1 && Kernel.rows >= 1 && Kernel.columns >= 1 &&
                                      Options.groups >= 1 && espalier::detail::in_range(detail::walk_of(Options)) &&
                                      In % Options.groups == 0 && Out % Options.groups == 0;
  static constexpr int groups = numbers_fit ? Options.groups : 1;
  static constexpr int fan_in = Kernel.rows * Kernel.columns * In / groups;
  detail::kernels<fan_in, Kernel.rows, Kernel.columns, Out / groups, In> weight =
      nn::detail::numbers_reported<number_report::report()>{};
  detail::biases<fan_in, Out, Options.bias> bias{};
  ESPALIER_MODULE(ConvTranspose, weight, bias)
  using takes_single_values = void;
  /// (inputs, Out / groups, rows, columns)
  static constexpr axis_order in_pytorch(char const* member, extents const& shape) {
    return detail::weight_in_order(member, shape, 3, 2, 0, 1);
  }

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (is_invalid<X>) {
      return x;
    } else if constexpr (shape_of<X>::rank != 4) {
      return invalid<images<shape_of<X>>>{};
    } else {
      auto y = conv_transpose2d<espalier::detail::mended(detail::walk_of(Options))>(
          espalier::detail::to_nhwc<Options.layout>(x), weight);
      if constexpr (is_invalid<decltype(y)>) return y;
      else return espalier::detail::from_nhwc<Options.layout>(detail::with_bias_of(y, bias));
    }
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          numbers_fit,
          ESPALIER_SENTENCE(
              "nn::ConvTranspose<in, out, kernel, conv_transpose>: kernel, stride, dilation and groups must be at least 1, padding at "
              "least 0, extra below the stride, and groups must divide in and out, which must be at least 1",
              ESPALIER_STATED(numbers_fit, ESPALIER_NAMED("kernel", Kernel.rows, Kernel.columns),
                              ESPALIER_WALK_NUMBERS(Options), ESPALIER_NAMED("groups", Options.groups),
                              ESPALIER_NAMED("extra", Options.extra.rows, Options.extra.columns),
                              ESPALIER_NAMED("in", In), ESPALIER_NAMED("out", Out))));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
