// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/window.hpp"
#include "movement.hpp"
#include "multiply.hpp"
#include "permute.hpp"
#include "broadcast_to.hpp"
#include "reshape.hpp"
#include "sum.hpp"
#include "transpose.hpp"

namespace espalier {

#define ESPALIER_CONVOLUTION_RANGE "stride, dilation and groups must be at least 1, padding at least 0"
#define ESPALIER_CONVOLUTION_NUMBERS(options) \
  ESPALIER_STATED(in_range(options), ESPALIER_WALK_NUMBERS(options), ESPALIER_NAMED("groups", (options).groups))
#define ESPALIER_CONVOLUTION_CHANNELS \
  "the channels of x must be groups times the input channels of w, and groups must divide the output channels of w"
#define ESPALIER_CONVOLUTION_KERNEL "the dilated kernel must fit into the padded image"

namespace detail {

template <image_layout Layout, class X>
constexpr auto to_nhwc(X&& x) {
  if constexpr (Layout == nchw) return permute<0, 2, 3, 1>(static_cast<X&&>(x));
  else return keep(static_cast<X&&>(x));
}
template <image_layout Layout, class X>
constexpr auto from_nhwc(X&& x) {
  if constexpr (Layout == nchw) return permute<0, 3, 1, 2>(static_cast<X&&>(x));
  else return static_cast<X&&>(x);
}
/// Kernels as (rows, columns, inputs, outputs).
template <image_layout Layout, class W>
constexpr auto to_kkio(W&& w) {
  if constexpr (Layout == nchw) return permute<2, 3, 1, 0>(static_cast<W&&>(w));
  else return keep(static_cast<W&&>(w));
}

/// split_groups moves the groups of channels to the batch axis: (N, H, W, G C) -> (G N, H, W, C). merge_groups is the
/// inverse.
template <int G, class X>
constexpr auto split_groups(X&& x) {
  if constexpr (G == 1) {
    return static_cast<X&&>(x);
  } else {
    constexpr extents s = shape_of<X>::value;
    return reshape<G * s.at[0], s.at[1], s.at[2], s.at[3] / G>(
        permute<3, 0, 1, 2, 4>(reshape<s.at[0], s.at[1], s.at[2], G, s.at[3] / G>(static_cast<X&&>(x))));
  }
}
template <int G, class X>
constexpr auto merge_groups(X&& x) {
  if constexpr (G == 1) {
    return static_cast<X&&>(x);
  } else {
    constexpr extents s = shape_of<X>::value;
    return reshape<s.at[0] / G, s.at[1], s.at[2], G * s.at[3]>(
        permute<1, 2, 3, 0, 4>(reshape<G, s.at[0] / G, s.at[1], s.at[2], s.at[3]>(static_cast<X&&>(x))));
  }
}
/// Kernels (rows, columns, inputs, outputs) as one matrix per group: (G, rows columns inputs, outputs / G), without the
/// first axis if G = 1.
template <int G, class W>
constexpr auto kernel_matrices(W&& w) {
  constexpr extents s = shape_of<W>::value;
  if constexpr (G == 1) return reshape<s.at[0] * s.at[1] * s.at[2], s.at[3]>(static_cast<W&&>(w));
  else
    return reshape<G, s.at[0] * s.at[1] * s.at[2], s.at[3] / G>(
        permute<3, 0, 1, 2, 4>(reshape<s.at[0], s.at[1], s.at[2], G, s.at[3] / G>(static_cast<W&&>(w))));
}
template <int G, class X>
constexpr auto as_matrices(X&& x) {
  constexpr extents s = shape_of<X>::value;
  constexpr int columns = s.rank == 6 ? s.at[3] * s.at[4] * s.at[5] : s.at[3];
  if constexpr (G == 1) return reshape<-1, columns>(static_cast<X&&>(x));
  else return reshape<G, -1, columns>(static_cast<X&&>(x));
}

/// The result of checking the operands of an op over windows: the fault that its public function asserts, and the type
/// that it returns.
template <class Fault, class... X>
struct window_fits {
  using invalid_type = invalid<Fault>;
  static constexpr bool agree = Fault::agree;
  using reported_fault = std::conditional_t<agree || !is_eager<X...>, agreed, invalid_type>;
};
/// Instantiates Fault<shapes...>::type only if no operand is already invalid.
template <template <class...> class Fault, bool AnyInvalid, class... X>
struct window_operands : window_fits<typename Fault<shape_of<X>...>::type, X...> {};
template <template <class...> class Fault, class... X>
struct window_operands<Fault, true, X...> {
  using invalid_type = typename first_invalid<std::remove_cvref_t<X>...>::type;
  static constexpr bool agree = false;
  using reported_fault = agreed;
};
/// The relation that both operands have one element type and are on one device.
template <class A, class B>
using operand_relation = typename first_fault<same_element<element_of<A>, element_of<B>>,
                                              typename devices_relation<is_eager<A, B>, A, B>::type>::type;

template <convolution Options>
struct conv2d_faults {
  template <class... S>
  using of = convolution_fault<S..., mended(Options)>;
};
template <template <class...> class Fault, class X, class W>
struct convolution_operands
    : window_operands<Fault, is_invalid<std::remove_cvref_t<X>> || is_invalid<std::remove_cvref_t<W>>, X, W> {};
template <template <class...> class Fault, class X, class W>
  requires(!operand_relation<X, W>::agree)
struct convolution_operands<Fault, X, W> : window_fits<operand_relation<X, W>, X, W> {};

/// A group for each channel: its windows times its kernel, summed over the taps. The planner lets the sum read the
/// windows in place (plan/grouping.hpp), so neither they nor the products are stored. If each channel has several
/// outputs, the channels are repeated.
template <convolution Walk, class X, class W>
constexpr auto convolved_by_channel(X&& x, W&& w) {
  constexpr extents s = shape_of<X>::value, k = shape_of<W>::value;  // (N, H, W, C), (rows, columns, 1, O)
  if constexpr (k.at[3] != s.at[3]) {
    constexpr int times = k.at[3] / s.at[3];
    return convolved_by_channel<Walk>(
        reshape<s.at[0], s.at[1], s.at[2], k.at[3]>(broadcast_to<s.at[0], s.at[1], s.at[2], s.at[3], times>(
            reshape<s.at[0], s.at[1], s.at[2], s.at[3], 1>(static_cast<X&&>(x)))),
        static_cast<W&&>(w));
  } else {
    auto windows = moved_by<image_windows<k.at[0], k.at[1], Walk>>(static_cast<X&&>(x));
    constexpr extents y = shape_of<decltype(windows)>::value;
    return reshape<y.at[0], y.at[1], y.at[2], y.at[5]>(
        sum<3, 4>(std::move(windows) * reshape<1, 1, 1, k.at[0], k.at[1], k.at[3]>(static_cast<W&&>(w))));
  }
}

/// Convolution as a matrix product: the windows of the images are the rows of a matrix, which is multiplied by the
/// kernels. The planner lets the product read the windows in place (plan/grouping.hpp). The gradients follow from those
/// of windows and products.
template <convolution Options, class X, class W>
constexpr auto convolved(X&& x, W&& w) {
  using kernels = kernel_axes<shape_of<W>, Options.layout>;
  constexpr convolution walk = with_numbers(Options, rows_columns{kernels::rows, kernels::columns});
  if constexpr (Options.groups > 1 && kernels::inputs == 1) {
    return from_nhwc<Options.layout>(convolved_by_channel<walk>(to_nhwc<Options.layout>(static_cast<X&&>(x)),
                                                                to_kkio<Options.layout>(static_cast<W&&>(w))));
  } else {
    auto windows = moved_by<image_windows<kernels::rows, kernels::columns, walk>>(
        split_groups<Options.groups>(to_nhwc<Options.layout>(static_cast<X&&>(x))));
    constexpr extents s = shape_of<decltype(windows)>::value;
    return from_nhwc<Options.layout>(
        merge_groups<Options.groups>(reshape<s.at[0], s.at[1], s.at[2], kernels::outputs / Options.groups>(
            matmul(as_matrices<Options.groups>(std::move(windows)),
                   kernel_matrices<Options.groups>(to_kkio<Options.layout>(static_cast<W&&>(w)))))));
  }
}

}  // namespace detail

/// conv2d<Options>(x, w): the 2-d convolution, as in PyTorch a cross-correlation: each output is the sum of the
/// products of a window of x with a kernel.
/// shape   nhwc: (N, H, W, C), (rows, columns, C / groups, O) -> (N, H', W', O);
///         nchw: (N, C, H, W), (O, C / groups, rows, columns) -> (N, O, H', W');
///         H' = (H + padding - dilation (rows - 1) - 1) / stride + 1, rounded down; with the padding keeps_extents
///         H' = H / stride, rounded up
/// errors  a kernel that does not fit, channels that do not match, negative padding, float mixed with double, and
///         tensors on two devices do not compile
/// method  on a processor Winograd's, for kernels of 3x3, 5x5, 1x3, ... with stride 1, if it is faster: errors up to
///         ESPALIER_CONVOLUTION_ERROR times those of the direct method (default 4; 0: never)
/// saves   x, w
/// gradient  dx = dy, dilated by the stride, convolved with the flipped kernels; dw = windows of x times dy
/// source  Dumoulin and Visin 2016
template <convolution Options = convolution{}, Expression X, Expression W,
          class Fit =
              typename detail::convolution_operands<detail::conv2d_faults<Options>::template of, X, W>::reported_fault>
constexpr auto conv2d(X&& x, W&& w) {
  static_assert(in_range(Options), ESPALIER_SENTENCE("conv2d<convolution>(x, w): " ESPALIER_CONVOLUTION_RANGE,
                                                     ESPALIER_CONVOLUTION_NUMBERS(Options)));
  static_assert(holds<images_and_kernels, Fit>,
                ESPALIER_SENTENCE("conv2d(x, w): images x and kernels w have four axes", Fit));
  static_assert(holds<kernel_channels, Fit>, ESPALIER_SENTENCE("conv2d(x, w): " ESPALIER_CONVOLUTION_CHANNELS, Fit));
  static_assert(holds<kernel_fits, Fit>, ESPALIER_SENTENCE("conv2d(x, w): " ESPALIER_CONVOLUTION_KERNEL, Fit));
  static_assert(holds<same_element, Fit>, ESPALIER_SENTENCE("conv2d(x, w): " ESPALIER_ELEMENTS_FIT, Fit));
  static_assert(holds<same_device, Fit>, ESPALIER_SENTENCE("conv2d(x, w): " ESPALIER_DEVICES_FIT, Fit));
  using Fits = detail::convolution_operands<detail::conv2d_faults<Options>::template of, X, W>;
  if constexpr (!Fits::agree) return typename Fits::invalid_type{};
  else return detail::convolved<mended(Options)>(static_cast<X&&>(x), static_cast<W&&>(w));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
