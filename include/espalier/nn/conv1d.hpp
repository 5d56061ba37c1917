// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/conv1d.hpp"
#include "conv.hpp"

namespace espalier::nn {

namespace detail {
/// Convolves signals in the layout of a module with kernels (taps, inputs, outputs).
template <int Kernel, conv Options>
constexpr auto convolved_signals(auto const& x, auto const& weight, auto const& bias) {
  using X = std::remove_cvref_t<decltype(x)>;
  constexpr convolution walk = mended(walk_of(Options, Kernel));
  if constexpr (is_invalid<X>) {
    return x;
  } else if constexpr (shape_of<X>::rank != 3) {
    return invalid<signals_and_kernels<shape_of<X>, shape_of<decltype(weight)>>>{};
  } else if constexpr (Options.layout == nchw) {
    auto y = conv1d<walk>(transpose(x), weight);
    if constexpr (is_invalid<decltype(y)>) return y;
    else return transpose(with_bias_of(y, bias));
  } else {
    auto y = conv1d<walk>(x, weight);
    if constexpr (is_invalid<decltype(y)>) return y;
    else return with_bias_of(y, bias);
  }
}
}  // namespace detail

/// Conv1d<In, Out, Kernel, Options>: y = conv1d(x, weight) + bias over signals. It uses the column values of Options.
/// shape   nchw: (N, In, L) -> (N, Out, L'); nhwc: (N, L, In) -> (N, L', Out); weight (Kernel, In / groups, Out),
///         bias (Out) unless conv{.bias = false}
/// errors  as of Conv
/// saves   x
/// gradient  as of conv1d; d bias = the sum of dy over signals and positions
/// start   as of Conv, with Kernel In / groups
/// source  as of Conv
template <int In, int Out, int Kernel, conv_argument Options = conv{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct Conv1d {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = In >= 1 && Out >= 1 && Kernel >= 1 && Options.groups >= 1 &&
                                      in_range(detail::walk_of(Options, Kernel)) && In % Options.groups == 0 &&
                                      Out % Options.groups == 0;
  static constexpr int groups = numbers_fit ? Options.groups : 1;
  static constexpr int fan_in = Kernel * In / groups;
  detail::kernels<fan_in, Kernel, In / groups, Out> weight = nn::detail::numbers_reported<number_report::report()>{};
  detail::biases<fan_in, Out, Options.bias> bias{};
  ESPALIER_MODULE(Conv1d, weight, bias)
  using takes_single_values = void;
  /// (outputs, inputs / groups, taps)
  static constexpr axis_order in_pytorch(char const* member, extents const& shape) {
    return detail::weight_in_order(member, shape, 2, 1, 0);
  }
  /// Files have causal convolutions.
  static constexpr keras_layer in_keras() {
    constexpr convolution walk = detail::walk_of(Options, Kernel);
    keras_layer r = keras_layer{"conv1d", Out}.add("weight");
    if constexpr (Options.bias) r.add("bias");
    return r.add_number("dilation", walk.dilation.columns, 1)
        .add_number("strides", walk.stride.columns, 1)
        .add_number("groups", Options.groups, 1)
        .add_number("padding behind", walk.padding.right, 0);
  }

  constexpr auto forward(auto x) const { return forward_with(x, weight); }
  constexpr auto forward_with(auto x, auto const& w) const {
    return detail::convolved_signals<Kernel, nn::conv{Options}>(x, w, bias);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          numbers_fit,
          ESPALIER_SENTENCE(
              "nn::Conv1d<in, out, kernel, conv>: kernel, stride, dilation and groups must be at least 1, padding at least 0, and groups must divide in and out, which must be at least 1",
              ESPALIER_STATED(numbers_fit, ESPALIER_NAMED("kernel", Kernel),
                              ESPALIER_WALK_NUMBERS(detail::walk_of(Options, Kernel)),
                              ESPALIER_NAMED("groups", Options.groups), ESPALIER_NAMED("in", In),
                              ESPALIER_NAMED("out", Out))));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
