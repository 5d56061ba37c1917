// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "max.hpp"
#include "pool.hpp"

namespace espalier {

/// max_pool2d<Window, Options>(x): the largest element of each window; padding counts as the lowest number.
/// shape   nhwc: (N, H, W, C) -> (N, H', W', C); nchw: (N, C, H, W) -> (N, C, H', W'); H' as in conv2d; a stride of 0
///         (the default) means the extents of the window
/// errors  a window that does not fit, or that lies in the padding alone, does not compile
/// saves   x, y
/// gradient  the largest element of each window receives dy; equal ones share it equally
/// source  Dumoulin and Visin 2016, section 3
template <rows_columns Window, pooling Options = pooling{}, Expression X,
          class Fit = typename detail::pooling_fits<Window, Options, X, true>::reported_fault>
constexpr auto max_pool2d(X&& x) {
  static_assert(detail::in_range(Options, Window),
                ESPALIER_SENTENCE("max_pool2d<window, pooling>(x): " ESPALIER_POOLING_RANGE,
                                  ESPALIER_POOLING_NUMBERS(Options, Window)));
  static_assert(holds<images, Fit>, ESPALIER_SENTENCE("max_pool2d<window>(x): images have four axes", Fit));
  static_assert(holds<kernel_fits, Fit>, ESPALIER_SENTENCE("max_pool2d<window>(x): " ESPALIER_POOLING_WINDOW, Fit));
  static_assert(holds<windows_in_image, Fit>,
                ESPALIER_SENTENCE("max_pool2d<window>(x): each window must contain a pixel; padding has none", Fit));
  using Fits = detail::pooling_fits<Window, Options, X, true>;
  if constexpr (!Fits::agree) return typename Fits::invalid_type{};
  else
    return detail::pooled<Window, Options, true>(
        [](auto&& windows) { return max<3, 4>(static_cast<decltype(windows)>(windows), keepdims); },
        static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
