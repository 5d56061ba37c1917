// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "mean.hpp"
#include "pool.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// average_pool2d<Window, How>(x): the mean of each window; padding counts as zeros.
/// shape   nhwc: (N, H, W, C) -> (N, H', W', C); nchw: (N, C, H, W) -> (N, C, H', W'); H' as of conv2d, with a stride of the window where How has none
/// errors  a window that does not fit does not compile
/// saves   nothing
/// slope   dy / (elements of a window), to each of them
/// source  Dumoulin and Visin 2016, section 3; PyTorch's avg_pool2d, for the padding
template <rows_columns Window, pooling How = pooling{}, Expression X, class Fit = typename detail::pooling_fits<Window, How, X>::said_here>
constexpr auto average_pool2d(X&& x) {
  static_assert(detail::in_range(How, Window),
                ESPALIER_SENTENCE("average_pool2d<window, pooling>(x): " ESPALIER_POOLING_RANGE, ESPALIER_POOLING_NUMBERS(How, Window)));
  static_assert(holds<images, Fit>, ESPALIER_SENTENCE("average_pool2d<window>(x): images have four axes", Fit));
  static_assert(holds<kernel_fits, Fit>, ESPALIER_SENTENCE("average_pool2d<window>(x): " ESPALIER_POOLING_WINDOW, Fit));
  using Fits = detail::pooling_fits<Window, How, X>;
  if constexpr (!Fits::agree) return typename Fits::refusal_type{};
  else return detail::pooled<Window, How, false>([](auto&& windows) { return mean<3, 4>(static_cast<decltype(windows)>(windows), keepdims); }, static_cast<X&&>(x));
}

}  // namespace espalier
#pragma GCC diagnostic pop
