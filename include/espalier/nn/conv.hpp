// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/options_argument.hpp"
#include "../operation/add.hpp"
#include "../operation/conv2d.hpp"
#include "module.hpp"

namespace espalier::nn {

inline constexpr edges same = keeps_extents;

/// Options of Conv; the default layout nchw is that of needle.
/// range   as of convolution
struct conv {
  rows_columns stride = 1;
  edges padding = same;
  rows_columns dilation = 1;
  int groups = 1;
  image_layout layout = nchw;
  bool bias = true;
};
/// The template parameter of layers with these options.
struct conv_argument : conv {
  ESPALIER_OPTIONS_ARGUMENT(conv) {
    static_assert(espalier::detail::is_options<X>,
                  "options have names: write nn::Conv<in, out, kernel, nn::conv{.stride = 2, .padding = 1}>");
  }
};

namespace detail {

/// The options of a module as those of conv2d, for images with the channels last.
constexpr convolution walk_of(conv const& options, rows_columns kernel) {
  convolution c{};
  c.stride = options.stride;
  c.padding = options.padding;
  c.dilation = options.dilation;
  c.groups = options.groups;
  return with_numbers(c, kernel);
}

/// Kernels and biases of a convolution whose results are sums of FanIn products each.
template <int FanIn, int... Extents>
using kernels = parameter<shape<Extents...>, init::initialized_by<init::kaiming_uniform{.fan_in = FanIn}>>;
template <int FanIn>
// FanIn below 1: the module reports it
inline constexpr double bias_bound = 1 / math::sqrt(double{FanIn > 0 ? FanIn : 1});
template <int FanIn, int Out, bool Exists = true>
using biases = std::conditional_t<
    Exists, parameter<shape<Out>, init::initialized_by<init::uniform{-bias_bound<FanIn>, bias_bound<FanIn>}>>, absent>;
constexpr auto with_bias_of(auto const& y, auto const& bias) {
  if constexpr (exists<decltype(bias)>) return y + bias;
  else return y;
}

/// Convolves images in the layout of a module with kernels (rows, columns, inputs, outputs). The bias of each output is
/// added while the channels are last.
template <rows_columns Kernel, conv Options>
constexpr auto convolved(auto const& x, auto const& weight, auto const& bias) {
  using X = std::remove_cvref_t<decltype(x)>;
  constexpr convolution walk = mended(walk_of(Options, Kernel));
  if constexpr (is_invalid<X>) {
    return x;
  } else if constexpr (shape_of<X>::rank != 4) {
    return invalid<images<shape_of<X>>>{};
  } else {
    auto y = conv2d<walk>(espalier::detail::to_nhwc<Options.layout>(x), weight);
    if constexpr (is_invalid<decltype(y)>) return y;
    else return espalier::detail::from_nhwc<Options.layout>(with_bias_of(y, bias));
  }
}

}  // namespace detail

/// Conv<In, Out, Kernel, Options>: y = conv2d(x, weight) + bias over images.
/// shape   nchw: (N, In, H, W) -> (N, Out, H', W'); nhwc: (N, H, W, In) -> (N, H', W', Out); weight
///         (rows, columns, In / groups, Out), bias (Out) unless conv{.bias = false}; H' as of conv2d; with the padding
///         `same` H / stride rounded up, for every kernel and dilation
/// errors  another number of channels, and a kernel that does not fit, do not compile
/// saves   x
/// gradient  as of conv2d; d bias = the sum of dy over images and positions
/// start   weight Kaiming-uniform over rows columns In / groups; then bias uniform in [-b, b),
///         b = 1 / sqrt(rows columns In / groups)
/// source  needle's Conv; Dumoulin and Visin 2016
template <int In, int Out, rows_columns Kernel, conv_argument Options = conv{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct Conv {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  // Named constants: for an inline condition clang prints three more lines that explain its parts.
  static constexpr bool kernel_exists = Kernel.rows >= 1 && Kernel.columns >= 1;
  static constexpr bool groups_fit =
      !kernel_exists || (In >= 1 && Out >= 1 && Options.groups >= 1 && in_range(detail::walk_of(Options, Kernel)) &&
                         In % Options.groups == 0 && Out % Options.groups == 0);
  static constexpr bool numbers_fit = kernel_exists && groups_fit;
  static constexpr int groups = numbers_fit ? Options.groups : 1;
  static constexpr int fan_in = Kernel.rows * Kernel.columns * In / groups;
  detail::kernels<fan_in, Kernel.rows, Kernel.columns, In / groups, Out> weight =
      nn::detail::numbers_reported<number_report::report()>{};
  detail::biases<fan_in, Out, Options.bias> bias{};
  ESPALIER_MODULE(Conv, weight, bias)
  using takes_single_values = void;
  /// (outputs, inputs / groups, rows, columns)
  static constexpr axis_order in_pytorch(char const* member, extents const& shape) {
    return detail::weight_in_order(member, shape, 3, 2, 0, 1);
  }

  constexpr auto forward(auto x) const { return forward_with(x, weight); }
  /// The formula with another expression for weight (WeightNorm).
  constexpr auto forward_with(auto x, auto const& w) const {
    return detail::convolved<Kernel, nn::conv{Options}>(x, w, bias);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          kernel_exists,
          ESPALIER_SENTENCE("nn::Conv<in, out, kernel>: the kernel must have at least one row and one column",
                            ESPALIER_STATED(kernel_exists, ESPALIER_NAMED("kernel", Kernel.rows, Kernel.columns))));
      static_assert(
          groups_fit,
          ESPALIER_SENTENCE(
              "nn::Conv<in, out, kernel, conv>: stride, dilation and groups must be at least 1, padding at least 0, and groups must divide in and out, which must be at least 1",
              ESPALIER_STATED(groups_fit, ESPALIER_WALK_NUMBERS(detail::walk_of(Options, Kernel)),
                              ESPALIER_NAMED("groups", Options.groups), ESPALIER_NAMED("in", In),
                              ESPALIER_NAMED("out", Out))));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
