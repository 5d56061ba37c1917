// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "mean.hpp"
#include "pool.hpp"

namespace espalier {

/// global_average_pool<Layout>(x): the mean of each channel of each image.
/// shape   nhwc: (N, H, W, C) -> (N, C); nchw: (N, C, H, W) -> (N, C)
/// errors  images without exactly four axes do not compile
/// saves   nothing
/// gradient  dy / (H W)
/// source  Lin, Chen and Yan 2014
template <image_layout Layout = nhwc, Expression X,
          class Fit = typename detail::pooling_fits<1, pooling{}, X>::reported_fault>
constexpr auto global_average_pool(X&& x) {
  static_assert(holds<images, Fit>, ESPALIER_SENTENCE("global_average_pool(x): images have four axes", Fit));
  using Fits = detail::pooling_fits<1, pooling{}, X>;
  if constexpr (!Fits::agree) return typename Fits::invalid_type{};
  else if constexpr (Layout == nhwc) return mean<1, 2>(static_cast<X&&>(x));
  else return mean<2, 3>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
