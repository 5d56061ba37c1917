// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "conv2d.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What the poolings share: a reduction of windows. Windows of fewer than eight channels are written out; others are read where
/// the images lie, with channels last.
namespace espalier::detail {

constexpr convolution walk_of(pooling how, rows_columns window) {
  convolution c{};
  c.stride = how.stride.rows == 0 ? window : how.stride;
  c.padding = how.padding;
  c.dilation = how.dilation;
  c.layout = how.layout;
  return with_numbers(c, window);
}
constexpr rows_columns mended(rows_columns window) { return {window.rows < 1 ? 1 : window.rows, window.columns < 1 ? 1 : window.columns}; }
constexpr bool in_range(pooling const& how, rows_columns window) { return window.rows >= 1 && window.columns >= 1 && espalier::in_range(walk_of(how, window)); }

template <class X, rows_columns Window, pooling How, bool Axes = images<X>::agree>
struct pooling_fault {
  using type = images<X>;
};
template <class X, rows_columns Window, pooling How>
struct pooling_fault<X, Window, How, true> {
  using type = window_fault<typename image_axes<X, How.layout>::nhwc_shape, Window.rows, Window.columns, espalier::mended(walk_of(How, Window))>;
};
template <rows_columns Window, pooling How>
struct pooling_faults {
  template <class... S>
  using of = pooling_fault<S..., mended(Window), How>;
};
template <rows_columns Window, pooling How, class X>
using pooling_fits = window_operands<pooling_faults<Window, How>::template of, is_refused<std::remove_cvref_t<X>>, X>;

#define ESPALIER_POOLING_RANGE "window, stride and dilation must be at least 1, padding at least 0"
#define ESPALIER_POOLING_NUMBERS(how, window) \
  ESPALIER_STATED(detail::in_range(how, window), ESPALIER_NAMED("window", window.rows, window.columns), ESPALIER_WALK_NUMBERS(how))
#define ESPALIER_POOLING_WINDOW "the window (its pixels, dilation apart) must fit into the image and its padding"

/// Reduce(windows): a reduction of axes 3 and 4, which keeps them.
template <rows_columns Given, pooling How, bool FillsWithLowest, class Reduce, class X>
constexpr auto pooled(Reduce reduce, X&& x) {
  constexpr rows_columns Window = mended(Given);
  auto y = reduce(moved_by<image_windows<Window.rows, Window.columns, espalier::mended(walk_of(How, Window)), FillsWithLowest>>(to_nhwc<How.layout>(static_cast<X&&>(x))));
  constexpr extents s = shape_of<decltype(y)>::value;
  return from_nhwc<How.layout>(reshape<s.at[0], s.at[1], s.at[2], s.at[5]>(std::move(y)));
}

}  // namespace espalier::detail
#pragma GCC diagnostic pop
