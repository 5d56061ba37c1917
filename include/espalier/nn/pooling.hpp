// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/average_pool2d.hpp"
#include "../operation/global_average_pool.hpp"
#include "../operation/max_pool2d.hpp"
#include "module.hpp"

namespace espalier::nn {

namespace detail {
/// True, as nothing_behind_options. What is no layout is reported.
template <class Layout>
constexpr bool layout_in_its_place() {
  static_assert(std::is_same_v<Layout, image_layout>,
                "nn::GlobalAvgPool<layout>: the layout is nchw or nhwc, and the result has one value for each channel: "
                "write nn::GlobalAvgPool<>");
  return true;
}
}  // namespace detail

/// The largest element of each window. As in Conv, channels are second unless pooling{.layout = nhwc} says otherwise.
/// shape   nchw: (N, C, H, W) -> (N, C, H', W'); nhwc: (N, H, W, C) -> (N, H', W', C); as of max_pool2d
/// errors  a window that does not fit, or that lies in the padding alone, does not compile
/// saves   x, y
/// gradient  as of max_pool2d
/// source  as of max_pool2d
template <rows_columns Window, pooling_argument Options = pooling{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct MaxPool2d {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  ESPALIER_MODULE(MaxPool2d)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return max_pool2d<Window, with_usual_layout(Options, nchw)>(x); }
};

/// The mean of each window; padding counts as zeros.
/// shape   as of MaxPool2d
/// errors  a window that does not fit does not compile
/// saves   nothing
/// gradient  as of average_pool2d
/// source  as of average_pool2d
template <rows_columns Window, pooling_argument Options = pooling{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct AvgPool2d {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  ESPALIER_MODULE(AvgPool2d)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return average_pool2d<Window, with_usual_layout(Options, nchw)>(x); }
};

/// The mean of each channel of each image.
/// shape   nchw: (N, C, H, W) -> (N, C); nhwc: (N, H, W, C) -> (N, C)
/// errors  other than four axes do not compile
/// saves   nothing
/// gradient  dx = dy / (H W)
/// source  Lin, Chen and Yan 2014
template <auto Layout = nchw>
  requires(detail::layout_in_its_place<std::remove_const_t<decltype(Layout)>>())
struct GlobalAvgPool {
  static constexpr bool options_fit = std::is_same_v<std::remove_const_t<decltype(Layout)>, image_layout>;
  ESPALIER_MODULE(GlobalAvgPool)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return global_average_pool<Layout>(x); }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
