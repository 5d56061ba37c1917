// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "conv2d.hpp"

namespace espalier {

/// Options of a transposed convolution. stride, padding and dilation are those of the convolution that it is the
/// adjoint of. extra: rows and columns of the result that no window reaches, where the stride leaves a choice
/// (PyTorch's output_padding).
/// range   as in convolution; extra in [0, stride)
struct transposed_convolution {
  rows_columns stride = 1;
  edges padding = 0;
  rows_columns dilation = 1;
  rows_columns extra = 0;
  int groups = 1;
  image_layout layout = nhwc;
};

/// The adjoint of Move in expressions, from the extents of its result to To; in graphs it is a scatter_add_.
template <class Move, class To>
struct col2im_ {};
template <class Move, class To>
struct rule<col2im_<Move, To>> {
  static constexpr int emit(node_table& g, graph::node const& n) {
    return operation::emit_scatter_add(g, n.operand[0], Move::of(To::value).map, To::value);
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor("scatter_add", op_family::scatter_add, 1);
    d.emit = &emit;
    return d;
  }
};

namespace detail {

constexpr convolution adjoint_of(transposed_convolution const& options) {
  convolution c{};
  c.stride = options.stride;
  c.padding = options.padding;
  c.dilation = options.dilation;
  c.groups = options.groups;
  c.layout = options.layout;
  return c;
}
constexpr bool in_range(transposed_convolution const& options) {
  return espalier::in_range(adjoint_of(options)) && options.extra.rows >= 0 && options.extra.columns >= 0 &&
         options.extra.rows < options.stride.rows && options.extra.columns < options.stride.columns;
}
constexpr transposed_convolution mended(transposed_convolution options) {
  convolution const c = espalier::mended(adjoint_of(options));
  options.stride = c.stride;
  options.padding = c.padding;
  options.dilation = c.dilation;
  options.groups = c.groups;
  auto const choice = [](int extra, int stride) { return extra < 0 ? 0 : extra < stride ? extra : stride - 1; };
  options.extra =
      rows_columns{choice(options.extra.rows, c.stride.rows), choice(options.extra.columns, c.stride.columns)};
  return options;
}
constexpr int transposed_extent(int extent, int kernel_extent, int stride, int before, int after, int step, int extra) {
  return (extent - 1) * stride - before - after + step * (kernel_extent - 1) + 1 + extra;
}

/// Named relation of conv_transpose2d(x, w): the channels of x are the outputs of w, which the groups share.
template <class Channels, class Outputs, class Groups>
struct transposed_channels;
template <int C, int O, int G>
struct transposed_channels<channels<C>, kernel_outputs<O>, groups<G>> {
  static constexpr bool agree = C == O && O % G == 0;
};
/// Named relation of conv_transpose2d(x, w): the padding does not remove the whole result.
template <class Height, class Width>
struct result_extents;
template <int H, int W>
struct result_extents<height<H>, width<W>> {
  static constexpr bool agree = H > 0 && W > 0;
};

template <class X, class W, transposed_convolution Options, bool Axes = images_and_kernels<X, W>::agree>
struct transposed_fault {
  using type = images_and_kernels<X, W>;
};
template <class X, class W, transposed_convolution Options>
struct transposed_fault<X, W, Options, true> {
  using x = image_axes<X, Options.layout>;
  using w = kernel_axes<W, Options.layout>;
  static constexpr int rows = transposed_extent(x::height, w::rows, Options.stride.rows, Options.padding.top,
                                                Options.padding.bottom, Options.dilation.rows, Options.extra.rows),
                       columns =
                           transposed_extent(x::width, w::columns, Options.stride.columns, Options.padding.left,
                                             Options.padding.right, Options.dilation.columns, Options.extra.columns);
  using type = typename first_fault<
      transposed_channels<channels<x::channels>, kernel_outputs<w::outputs>, groups<Options.groups>>,
      result_extents<height<rows>, width<columns>>>::type;
};
template <transposed_convolution Options>
struct transposed_faults {
  template <class... S>
  using of = transposed_fault<S..., mended(Options)>;
};

/// The adjoint of conv2d's formula: pixels times kernels are windows, and their elements are scatter-added to the
/// result (col2im).
template <transposed_convolution Options, class X, class W>
constexpr auto convolved_back(X&& x, W&& w) {
  using fit = transposed_fault<shape_of<X>, shape_of<W>, Options>;
  constexpr int G = Options.groups, N = fit::x::count * G, inputs = fit::w::inputs, H = fit::x::height,
                Wide = fit::x::width;
  using Move = image_windows<fit::w::rows, fit::w::columns, adjoint_of(Options)>;
  using Result = shape<N, fit::rows, fit::columns, inputs>;
  auto windows = reshape<N, H, Wide, fit::w::rows, fit::w::columns, inputs>(
      matmul(as_matrices<G>(split_groups<G>(to_nhwc<Options.layout>(static_cast<X&&>(x)))),
             transpose(kernel_matrices<G>(to_kkio<Options.layout>(static_cast<W&&>(w))))));
  return from_nhwc<Options.layout>(merge_groups<G>(make_node<col2im_<Move, Result>, 0, Result>(std::move(windows))));
}

}  // namespace detail

/// conv_transpose2d<Options>(x, w): the adjoint of conv2d with the same kernels, which enlarges images.
/// shape   nhwc: (N, H, W, O), (rows, columns, C / groups, O) -> (N, H', W', C);
///         nchw: (N, O, H, W), (O, C / groups, rows, columns) -> (N, C, H', W');
///         H' = (H - 1) stride - padding + dilation (rows - 1) + 1 + extra
/// errors  channels that do not match, an empty result, float mixed with double, and tensors on two devices do not
///         compile
/// saves   x, w
/// gradient  dx = conv2d(dy, w); dw = windows of dy times x
/// source  Dumoulin and Visin 2016, section 4
template <transposed_convolution Options = transposed_convolution{}, Expression X, Expression W,
          class Fit = typename detail::convolution_operands<detail::transposed_faults<Options>::template of, X,
                                                            W>::reported_fault>
constexpr auto conv_transpose2d(X&& x, W&& w) {
  static_assert(detail::in_range(Options),
                ESPALIER_SENTENCE("conv_transpose2d<transposed_convolution>(x, w): " ESPALIER_CONVOLUTION_RANGE
                                  ", extra at least 0 and below the stride",
                                  ESPALIER_STATED(detail::in_range(Options), ESPALIER_WALK_NUMBERS(Options),
                                                  ESPALIER_NAMED("groups", Options.groups),
                                                  ESPALIER_NAMED("extra", Options.extra.rows, Options.extra.columns))));
  static_assert(holds<images_and_kernels, Fit>,
                ESPALIER_SENTENCE("conv_transpose2d(x, w): images x and kernels w have four axes", Fit));
  static_assert(
      holds<detail::transposed_channels, Fit>,
      ESPALIER_SENTENCE(
          "conv_transpose2d(x, w): the channels of x must equal the output channels of w, and groups must divide them",
          Fit));
  static_assert(holds<detail::result_extents, Fit>,
                ESPALIER_SENTENCE("conv_transpose2d(x, w): the padding removes the whole result", Fit));
  static_assert(holds<same_element, Fit>, ESPALIER_SENTENCE("conv_transpose2d(x, w): " ESPALIER_ELEMENTS_FIT, Fit));
  static_assert(holds<same_device, Fit>, ESPALIER_SENTENCE("conv_transpose2d(x, w): " ESPALIER_DEVICES_FIT, Fit));
  using Fits = detail::convolution_operands<detail::transposed_faults<Options>::template of, X, W>;
  if constexpr (!Fits::agree) return typename Fits::invalid_type{};
  else return detail::convolved_back<detail::mended(Options)>(static_cast<X&&>(x), static_cast<W&&>(w));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
