// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/add.hpp"
#include "../operation/matmul.hpp"
#include "module.hpp"

namespace espalier::nn {

struct with_bias {};
struct no_bias {};

namespace detail {
/// Reports numbers that do not fit, for a root of the net.
template <int In, int Out>
struct linear_numbers {
  static constexpr bool numbers_fit = In >= 1 && Out >= 1;
  static constexpr auto report() {
    static_assert(numbers_fit, ESPALIER_SENTENCE(
                                   "nn::Linear<in, out>: in and out must be at least 1",
                                   ESPALIER_STATED(numbers_fit, ESPALIER_NAMED("in", In), ESPALIER_NAMED("out", Out))));
    return true;
  }
};
}  // namespace detail

/// y = x weight + bias.
/// shape   (..., In) -> (..., Out); weight (In, Out), bias (1, Out)
/// errors  an input whose last axis is not In, and In or Out below 1, do not compile
/// saves   x
/// gradient  dx = dy weight^T, d weight = x^T dy, d bias = the sum of dy over all axes except the last
/// start   weight Kaiming-uniform over In; then bias Kaiming-uniform over Out
/// source  needle's Linear
template <int In, int Out, class Bias = with_bias>
struct Linear {
  using number_report = detail::linear_numbers<In, Out>;
  static constexpr bool numbers_fit = number_report::numbers_fit;
  parameter<shape<In, Out>, init::initialized_by<init::kaiming_uniform{.fan_in = In}>> weight =
      nn::detail::numbers_reported<number_report::report()>{};
  parameter<shape<1, Out>, init::initialized_by<init::kaiming_uniform{.fan_in = Out}>> bias{};
  ESPALIER_MODULE(Linear, weight, bias)
  using takes_single_values = void;
  /// (outputs, inputs) and (outputs)
  static constexpr axis_order in_pytorch(char const* member, extents const& shape) {
    return espalier::detail::same_text(member, "bias") ? axes_in_order(1)
                                                       : detail::weight_in_order(member, shape, 1, 0);
  }
  static constexpr keras_layer in_keras() { return keras_layer{"dense", Out}.add("weight").add("bias", {.axes = 1}); }

  constexpr auto forward(auto x) const { return forward_with(x, weight); }
  /// The formula with another expression for weight (WeightNorm).
  constexpr auto forward_with(auto x, auto const& w) const { return matmul(x, w) + bias; }
};

/// y = x weight.
/// shape   (..., In) -> (..., Out); weight (In, Out); all other fields as above
template <int In, int Out>
struct Linear<In, Out, no_bias> {
  using number_report = detail::linear_numbers<In, Out>;
  static constexpr bool numbers_fit = number_report::numbers_fit;
  parameter<shape<In, Out>, init::initialized_by<init::kaiming_uniform{.fan_in = In}>> weight =
      nn::detail::numbers_reported<number_report::report()>{};
  ESPALIER_MODULE(Linear, weight)
  using takes_single_values = void;
  static constexpr axis_order in_pytorch(char const* member, extents const& shape) {
    return detail::weight_in_order(member, shape, 1, 0);
  }
  static constexpr keras_layer in_keras() { return keras_layer{"dense", Out}.add("weight"); }

  constexpr auto forward(auto x) const { return forward_with(x, weight); }
  constexpr auto forward_with(auto x, auto const& w) const { return matmul(x, w); }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
