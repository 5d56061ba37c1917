// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "module.hpp"

/// Names of PyTorch's torch.nn that are others here. Each is one error that says what to write; the layer or loss that
/// follows from it has no result, so that no use of it is another error. They are templates, so that only their use is
/// an error.
namespace espalier::nn {

namespace detail {
/// What such a name stands for, once it is reported.
struct unwritten_layer {
  ESPALIER_MODULE(unwritten_layer)
  constexpr auto forward(auto const&...) const { return invalid<already_reported>{}; }
};
template <bool>
struct unwritten {
  using type = unwritten_layer;
};
/// False for all arguments: what only errors instantiate asserts it.
template <auto... Arguments>
inline constexpr bool is_name = false;

template <auto... Arguments>
constexpr bool conv2d_name() {
  static_assert(is_name<Arguments...>, "nn::Conv2d is nn::Conv here: write nn::Conv<in, out, kernel>");
  return true;
}
template <auto... Arguments>
constexpr bool conv_transpose2d_name() {
  static_assert(is_name<Arguments...>,
                "nn::ConvTranspose2d is nn::ConvTranspose here: write nn::ConvTranspose<in, out, kernel>");
  return true;
}
template <auto... Arguments>
constexpr bool max_pool1d_name() {
  static_assert(is_name<Arguments...>,
                "nn::MaxPool1d is nn::MaxPool2d here: write nn::MaxPool2d<esp::rows_columns{1, 3}> of unsqueeze<2>(x)");
  return true;
}
template <auto... Arguments>
constexpr bool avg_pool1d_name() {
  static_assert(is_name<Arguments...>,
                "nn::AvgPool1d is nn::AvgPool2d here: write nn::AvgPool2d<esp::rows_columns{1, 3}> of unsqueeze<2>(x)");
  return true;
}
template <auto... Arguments>
constexpr bool adaptive_avg_pool2d_name() {
  static_assert(
      is_name<Arguments...>,
      "nn::AdaptiveAvgPool2d<1> is nn::GlobalAvgPool<> here; other adaptive poolings do not exist: choose the "
      "window of nn::AvgPool2d<window>");
  return true;
}
template <auto... Arguments>
constexpr bool instance_norm_name() {
  static_assert(
      is_name<Arguments...>,
      "nn::InstanceNorm1d and nn::InstanceNorm2d are nn::InstanceNorm here: write nn::InstanceNorm<channels>");
  return true;
}

template <auto Argument>
constexpr bool mse_loss_name() {
  static_assert(is_name<Argument>, "nn::MSELoss is nn::MeanSquaredError here: write nn::MeanSquaredError{}");
  return true;
}
template <auto Argument>
constexpr bool bce_loss_name() {
  static_assert(is_name<Argument>,
                "nn::BCELoss is nn::BCEWithLogitsLoss here: it takes the scores, without a sigmoid before it");
  return true;
}
}  // namespace detail

template <auto... Arguments>
using Conv2d = typename detail::unwritten<detail::conv2d_name<Arguments...>()>::type;
template <auto... Arguments>
using ConvTranspose2d = typename detail::unwritten<detail::conv_transpose2d_name<Arguments...>()>::type;
template <auto... Arguments>
using MaxPool1d = typename detail::unwritten<detail::max_pool1d_name<Arguments...>()>::type;
template <auto... Arguments>
using AvgPool1d = typename detail::unwritten<detail::avg_pool1d_name<Arguments...>()>::type;
template <auto... Arguments>
using AdaptiveAvgPool2d = typename detail::unwritten<detail::adaptive_avg_pool2d_name<Arguments...>()>::type;
template <auto... Arguments>
using InstanceNorm1d = typename detail::unwritten<detail::instance_norm_name<Arguments...>()>::type;
template <auto... Arguments>
using InstanceNorm2d = typename detail::unwritten<detail::instance_norm_name<Arguments...>()>::type;

// Losses are objects, such as MSELoss{}, so these are classes.
template <auto Argument = 0, bool = detail::mse_loss_name<Argument>()>
struct MSELoss {
  ESPALIER_MODULE(MSELoss)
  template <class Prediction>
  struct target {
    using element_type = void;
    using type = Prediction;
  };
  constexpr auto forward(auto const&...) const { return invalid<already_reported>{}; }
};
template <auto Argument = 0, bool = detail::bce_loss_name<Argument>()>
struct BCELoss {
  ESPALIER_MODULE(BCELoss)
  template <class Prediction>
  struct target {
    using element_type = void;
    using type = Prediction;
  };
  constexpr auto forward(auto const&...) const { return invalid<already_reported>{}; }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
