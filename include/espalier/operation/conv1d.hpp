// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "conv2d.hpp"

namespace espalier {

/// Named relation of conv1d(x, w): both have three axes.
template <class X, class W>
struct signals_and_kernels {
  static constexpr bool agree = X::rank == 3 && W::rank == 3;
};

namespace detail {

/// Signals are images of one row: nhwc (N, L, C) -> (N, 1, L, C); nchw (N, C, L) -> (N, C, 1, L).
template <image_layout Layout, bool Kernels, class S>
struct as_image;
template <int A, int B, int C>
struct as_image<nhwc, false, shape<A, B, C>> {
  using type = shape<A, 1, B, C>;
};
template <int A, int B, int C>
struct as_image<nhwc, true, shape<A, B, C>> {
  using type = shape<1, A, B, C>;
};
template <bool Kernels, int A, int B, int C>
struct as_image<nchw, Kernels, shape<A, B, C>> {
  using type = shape<A, B, 1, C>;
};
constexpr convolution along_columns(convolution options) {
  options.stride.rows = options.dilation.rows = 1;
  if (!(options.padding == keeps_extents)) options.padding.top = options.padding.bottom = 0;
  return options;
}
template <class X, class W, convolution Options, bool Axes = signals_and_kernels<X, W>::agree>
struct signal_fault {
  using type = signals_and_kernels<X, W>;
};
template <class X, class W, convolution Options>
struct signal_fault<X, W, Options, true>
    : convolution_fault<typename as_image<Options.layout, false, X>::type,
                        typename as_image<Options.layout, true, W>::type, mended(along_columns(Options))> {};
template <convolution Options>
struct conv1d_faults {
  template <class... S>
  using of = signal_fault<S..., Options>;
};
template <image_layout Layout, bool Kernels, class X>
constexpr auto signal_as_image(X&& x) {
  return reshape_as(typename as_image<Layout, Kernels, shape_of<X>>::type{}, static_cast<X&&>(x));
}
template <image_layout Layout, class Y>
constexpr auto image_as_signal(Y&& y) {
  constexpr extents s = shape_of<Y>::value;
  return reshape<s.at[0], s.at[Layout == nhwc ? 2 : 1], s.at[3]>(static_cast<Y&&>(y));
}

}  // namespace detail

/// conv1d<Options>(x, w): the convolution of signals. It ignores the members of Options that belong to rows.
/// shape   nhwc: (N, L, C), (K, C / groups, O) -> (N, L', O); nchw: (N, C, L), (O, C / groups, K) -> (N, O, L')
/// errors  as in conv2d
/// saves   x, w
/// gradient  as in conv2d
/// source  as in conv2d
template <convolution Options = convolution{}, Expression X, Expression W,
          class Fit =
              typename detail::convolution_operands<detail::conv1d_faults<Options>::template of, X, W>::reported_fault>
constexpr auto conv1d(X&& x, W&& w) {
  static_assert(in_range(detail::along_columns(Options)),
                ESPALIER_SENTENCE("conv1d<convolution>(x, w): " ESPALIER_CONVOLUTION_RANGE,
                                  ESPALIER_CONVOLUTION_NUMBERS(detail::along_columns(Options))));
  static_assert(holds<signals_and_kernels, Fit>,
                ESPALIER_SENTENCE("conv1d(x, w): signals x and kernels w have three axes", Fit));
  static_assert(holds<kernel_channels, Fit>, ESPALIER_SENTENCE("conv1d(x, w): " ESPALIER_CONVOLUTION_CHANNELS, Fit));
  static_assert(holds<kernel_fits, Fit>, ESPALIER_SENTENCE("conv1d(x, w): " ESPALIER_CONVOLUTION_KERNEL, Fit));
  static_assert(holds<same_element, Fit>, ESPALIER_SENTENCE("conv1d(x, w): " ESPALIER_ELEMENTS_FIT, Fit));
  static_assert(holds<same_device, Fit>, ESPALIER_SENTENCE("conv1d(x, w): " ESPALIER_DEVICES_FIT, Fit));
  using Fits = detail::convolution_operands<detail::conv1d_faults<Options>::template of, X, W>;
  if constexpr (!Fits::agree) return typename Fits::invalid_type{};
  else
    return detail::image_as_signal<Options.layout>(detail::convolved<mended(detail::along_columns(Options))>(
        detail::signal_as_image<Options.layout, false>(static_cast<X&&>(x)),
        detail::signal_as_image<Options.layout, true>(static_cast<W&&>(w))));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
