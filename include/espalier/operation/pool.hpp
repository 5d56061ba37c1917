// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "conv2d.hpp"

/// What the poolings share: a reduction over windows. Windows with fewer than eight channels (`shortest_run` in
/// plan/grouping.hpp) are written to memory. Others are read in place from the images, with channels last.
namespace espalier::detail {

constexpr convolution walk_of(pooling options, rows_columns window) {
  convolution c{};
  c.stride = options.stride.rows == 0 ? window : options.stride;
  c.padding = options.padding;
  c.dilation = options.dilation;
  c.layout = with_usual_layout(options, nhwc).layout;
  return with_numbers(c, window);
}
constexpr rows_columns mended(rows_columns window) {
  return {window.rows < 1 ? 1 : window.rows, window.columns < 1 ? 1 : window.columns};
}
constexpr bool in_range(pooling const& options, rows_columns window) {
  return window.rows >= 1 && window.columns >= 1 && espalier::in_range(walk_of(options, window));
}

template <class X, rows_columns Window, pooling Options, bool TakesLargest, bool Axes = images<X>::agree>
struct pooling_fault {
  using type = images<X>;
};
template <class X, rows_columns Window, pooling Options>
struct pooling_fault<X, Window, Options, false, true> {
  using type = window_fault<typename image_axes<X, Options.layout>::nhwc_shape, Window.rows, Window.columns,
                            espalier::mended(walk_of(Options, Window))>;
};
template <class X, rows_columns Window, pooling Options>
struct pooling_fault<X, Window, Options, true, true> {
  using type = largest_fault<typename image_axes<X, Options.layout>::nhwc_shape, Window.rows, Window.columns,
                             espalier::mended(walk_of(Options, Window))>;
};
template <rows_columns Window, pooling Options, bool TakesLargest>
struct pooling_faults {
  template <class... S>
  using of = pooling_fault<S..., mended(Window), Options, TakesLargest>;
};
template <rows_columns Window, pooling Options, class X, bool TakesLargest = false>
using pooling_fits =
    window_operands<pooling_faults<Window, Options, TakesLargest>::template of, is_invalid<std::remove_cvref_t<X>>, X>;

#define ESPALIER_POOLING_RANGE "window, stride and dilation must be at least 1, padding at least 0"
#define ESPALIER_POOLING_NUMBERS(options, window)                                                           \
  ESPALIER_STATED(detail::in_range(options, window), ESPALIER_NAMED("window", window.rows, window.columns), \
                  ESPALIER_WALK_NUMBERS(options))
#define ESPALIER_POOLING_WINDOW "the dilated window must fit into the padded image"

/// Reduce(windows) reduces axes 3 and 4, the rows and columns of a window, and keeps them with extent 1.
template <rows_columns UncheckedWindow, pooling Options, bool FillsWithLowest, class Reduce, class X>
constexpr auto pooled(Reduce reduce, X&& x) {
  constexpr rows_columns Window = mended(UncheckedWindow);
  auto y = reduce(
      moved_by<image_windows<Window.rows, Window.columns, espalier::mended(walk_of(Options, Window)), FillsWithLowest>>(
          to_nhwc<Options.layout>(static_cast<X&&>(x))));
  constexpr extents s = shape_of<decltype(y)>::value;
  return from_nhwc<Options.layout>(reshape<s.at[0], s.at[1], s.at[2], s.at[5]>(std::move(y)));
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
