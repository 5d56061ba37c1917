// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "max.hpp"
#include "pool.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// max_pool2d<Window, How>(x): the largest element of each window; padding counts as the lowest number.
/// shape   nhwc: (N, H, W, C) -> (N, H', W', C); nchw: (N, C, H, W) -> (N, C, H', W'); H' as of conv2d, with a stride of the window where How has none
/// errors  a window that does not fit does not compile
/// saves   x, y
/// slope   dy goes to the largest element, in equal shares where several are
/// source  Dumoulin and Visin 2016, section 3
template <rows_columns Window, pooling How = pooling{}, Expression X, class Fit = typename detail::pooling_fits<Window, How, X>::said_here>
constexpr auto max_pool2d(X&& x) {
  static_assert(detail::in_range(How, Window),
                ESPALIER_SENTENCE("max_pool2d<window, pooling>(x): " ESPALIER_POOLING_RANGE, ESPALIER_POOLING_NUMBERS(How, Window)));
  static_assert(holds<images, Fit>, ESPALIER_SENTENCE("max_pool2d<window>(x): images have four axes", Fit));
  static_assert(holds<kernel_fits, Fit>, ESPALIER_SENTENCE("max_pool2d<window>(x): " ESPALIER_POOLING_WINDOW, Fit));
  using Fits = detail::pooling_fits<Window, How, X>;
  if constexpr (!Fits::agree) return typename Fits::refusal_type{};
  else return detail::pooled<Window, How, true>([](auto&& windows) { return max<3, 4>(static_cast<decltype(windows)>(windows), keepdims); }, static_cast<X&&>(x));
}

}  // namespace espalier
#pragma GCC diagnostic pop
