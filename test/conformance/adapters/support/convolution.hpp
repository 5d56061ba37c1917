// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/operation/conv1d.hpp>
#include <espalier/operation/conv2d.hpp>

#include "axes.hpp"

// Convolutions from a case's attributes.
namespace conformance {

namespace detail {
/// A number for both axes or one an axis; padding also one an edge: (top, left, bottom, right). For signals: one
/// number, padding also (front, end).
template <class CaseTensor, bool Signals>
struct window_numbers {
  static constexpr esp::rows_columns pair = 1;
  static constexpr esp::edges around = 0;
};
template <int Both, bool Signals>
struct window_numbers<constant_value<Both>, Signals> {
  static constexpr esp::rows_columns pair = Both;
  static constexpr esp::edges around = Both;
};
template <int Both, bool Signals>
struct window_numbers<integers<Both>, Signals> : window_numbers<constant_value<Both>, Signals> {};
template <int First, int Second, bool Signals>
struct window_numbers<integers<First, Second>, Signals> {
  static constexpr esp::rows_columns pair{First, Second};
  static constexpr esp::edges around = Signals ? esp::edges{0, First, 0, Second} : esp::edges{First, Second};
};
template <int Top, int Left, int Bottom, int Right>
struct window_numbers<integers<Top, Left, Bottom, Right>, false> {
  static constexpr esp::edges around{Top, Left, Bottom, Right};
};
}  // namespace detail

/// The attributes stride, padding, dilation and groups.
template <class Case, esp::image_layout Layout, bool Signals = input_shape<Case>::rank == 3>
inline constexpr esp::convolution convolution_of{
    .stride = detail::window_numbers<attribute_of<Case, "stride">, Signals>::pair,
    .padding = detail::window_numbers<attribute_of<Case, "padding">, Signals>::around,
    .dilation = detail::window_numbers<attribute_of<Case, "dilation">, Signals>::pair,
    .groups = attribute_or<Case, "groups", int>(1),
    .layout = Layout};

/// A bias has one element a channel, which is axis 1 in NCHW.
template <esp::convolution Options>
struct convolution_function {
  constexpr auto operator()(auto const& x, auto const& weight) const {
    if constexpr (esp::shape_of<decltype(x)>::rank == 3) return esp::conv1d<Options>(x, weight);
    else return esp::conv2d<Options>(x, weight);
  }
  constexpr auto operator()(auto const& x, auto const& weight, auto const& bias) const {
    constexpr int channels = static_cast<int>(esp::shape_of<decltype(bias)>::size);
    if constexpr (Options.layout == esp::nhwc) return (*this)(x, weight) + esp::reshape<channels>(bias);
    else if constexpr (esp::shape_of<decltype(x)>::rank == 3)
      return (*this)(x, weight) + esp::reshape<1, channels, 1>(bias);
    else return (*this)(x, weight) + esp::reshape<1, channels, 1, 1>(bias);
  }
};

}  // namespace conformance
