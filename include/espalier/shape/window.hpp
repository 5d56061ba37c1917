// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <initializer_list>

#include "../base/options_argument.hpp"
#include "../base/invalid.hpp"
#include "index_map.hpp"

/// Windows over images, as convolutions and poolings use them: options, relations and movements.
namespace espalier {

/// A number for rows and one for columns of an image; a single number is used for both.
struct rows_columns {
  int rows, columns;
  constexpr rows_columns(int both) : rows{both}, columns{both} {}
  constexpr rows_columns(int r, int c) : rows{r}, columns{c} {}
};
/// Numbers for the four edges of an image. One number is used for all; two are used for rows (top, bottom) and columns
/// (left, right).
struct edges {
  int top, left, bottom, right;
  constexpr edges(int all) : top{all}, left{all}, bottom{all}, right{all} {}
  constexpr edges(int rows, int columns) : top{rows}, left{columns}, bottom{rows}, right{columns} {}
  constexpr edges(int t, int l, int b, int r) : top{t}, left{l}, bottom{b}, right{r} {}
  friend constexpr bool operator==(edges const& a, edges const& b) {
    return a.top == b.top && a.left == b.left && a.bottom == b.bottom && a.right == b.right;
  }
};

/// Padding that keeps the extents if the stride is 1; with a larger stride they are divided by it and rounded up. A
/// kernel that covers K pixels (dilation included) gets K - 1 pixels, half of them in front. If K is even, the odd
/// pixel is behind.
/// source  PyTorch's padding='same'
inline constexpr edges keeps_extents{-1};

/// The layout of images. nhwc: (N, H, W, C), needle's layout and the faster one here, with kernels (rows, columns,
/// inputs, outputs). nchw: (N, C, H, W), the layout of PyTorch and ONNX, with kernels (outputs, inputs, rows, columns).
/// Signals are (N, L, C) and (N, C, L).
/// `usual`, the default of a pooling: as nn::conv where it is an option of a module, nchw; nhwc in the ops.
enum class image_layout { nhwc, nchw, usual };
inline constexpr image_layout nhwc = image_layout::nhwc, nchw = image_layout::nchw;

/// Options of a convolution: how its kernel moves over the images.
/// range   stride, dilation, groups >= 1; padding >= 0
struct convolution {
  rows_columns stride = 1;
  edges padding = 0;
  rows_columns dilation = 1;
  int groups = 1;
  image_layout layout = nhwc;
};
/// Options of a pooling: how its window moves over the images. Without a stride, windows are adjacent.
/// range   stride, dilation >= 1, padding >= 0
struct pooling {
  rows_columns stride = 0;
  edges padding = 0;
  rows_columns dilation = 1;
  image_layout layout = image_layout::usual;
};
/// The template parameter of layers with these options.
struct pooling_argument : pooling {
  ESPALIER_OPTIONS_ARGUMENT(pooling) {
    static_assert(espalier::detail::is_options<X>,
                  "options have names: write nn::MaxPool2d<3, esp::pooling{.stride = 2}>");
  }
};

/// The options of a pooling whose usual layout is this one.
constexpr pooling with_usual_layout(pooling options, image_layout usual) {
  if (options.layout == image_layout::usual) options.layout = usual;
  return options;
}
/// The same options with the padding in pixels, for windows of a kernel.
constexpr convolution with_numbers(convolution c, rows_columns kernel) {
  if (!(c.padding == keeps_extents)) return c;
  int const rows = c.dilation.rows * (kernel.rows - 1), columns = c.dilation.columns * (kernel.columns - 1);
  c.padding = edges{rows / 2, columns / 2, rows - rows / 2, columns - columns / 2};
  return c;
}

/// Facts about windows that errors show: extents of the kernel and of the image, padding in front and behind, distance
/// between taps.
template <int Extent>
struct kernel {};
template <int Extent>
struct height {};
template <int Extent>
struct width {};
template <int Before, int After>
struct padding {};
template <int Step>
struct dilation {};
template <int Step>
struct stride {};

/// The number of windows that fit along an axis; 0 if none fits.
constexpr int window_count(int extent, int kernel_extent, int before, int after, int stride, int step) {
  int const room = extent + before + after - step * (kernel_extent - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

/// Named relation: the kernel fits into the padded extent.
template <class Kernel, class Extent, class Padding, class Dilation>
struct kernel_fits;
template <int K, template <int> class Along, int Extent, int Before, int After, int Step>
struct kernel_fits<kernel<K>, Along<Extent>, padding<Before, After>, dilation<Step>> {
  static constexpr bool agree = window_count(Extent, K, Before, After, 1, Step) > 0;
};

/// Whether each window along an axis has a pixel of the image. Only windows that begin in the padding in front need a
/// look at their taps, and of the others the last one begins furthest behind.
constexpr bool windows_have_pixels(int extent, int kernel_extent, int before, int after, int stride, int step) {
  int const count = window_count(extent, kernel_extent, before, after, stride, step);
  if ((count - 1) * stride - before >= extent) return false;
  for (int i = 0; i < count && i * stride < before; ++i) {
    int const taps = (before - i * stride + step - 1) / step;  // those in front of the image
    if (taps >= kernel_extent || i * stride - before + taps * step >= extent) return false;
  }
  return true;
}
/// Named relation of max_pool2d: no window lies in the padding alone, where there is no largest number.
template <class Kernel, class Extent, class Padding, class Stride, class Dilation>
struct windows_in_image;
template <int K, template <int> class Along, int Extent, int Before, int After, int Stride, int Step>
struct windows_in_image<kernel<K>, Along<Extent>, padding<Before, After>, stride<Stride>, dilation<Step>> {
  static constexpr bool agree = windows_have_pixels(Extent, K, Before, After, Stride, Step);
};

/// Named relation of conv2d(x, w): both have four axes.
template <class X, class W>
struct images_and_kernels {
  static constexpr bool agree = X::rank == 4 && W::rank == 4;
};
/// Named relation of pooling: images have four axes.
template <class X>
struct images {
  static constexpr bool agree = X::rank == 4;
};
/// Facts about channels that errors show: channels of the images, of one group of kernels, the number of groups, and
/// outputs.
template <int Channels>
struct channels {};
template <int Inputs>
struct kernel_inputs {};
template <int Groups>
struct groups {};
template <int Outputs>
struct kernel_outputs {};
/// Named relation of conv2d(x, w): the kernels of each group read its equal share of the channels, and the outputs
/// divide evenly among the groups.
template <class Channels, class Inputs, class Groups, class Outputs>
struct kernel_channels;
template <int C, int I, int G, int O>
struct kernel_channels<channels<C>, kernel_inputs<I>, groups<G>, kernel_outputs<O>> {
  static constexpr bool agree = C == I * G && O % G == 0;
};

constexpr bool in_range(convolution const& c) {
  bool const padding = c.padding == keeps_extents ||
                       (c.padding.top >= 0 && c.padding.left >= 0 && c.padding.bottom >= 0 && c.padding.right >= 0);
  return c.stride.rows >= 1 && c.stride.columns >= 1 && c.dilation.rows >= 1 && c.dilation.columns >= 1 &&
         c.groups >= 1 && padding;
}

/// The numbers of window options, for the error sentence that reports them.
#define ESPALIER_WALK_NUMBERS(options)                                                                   \
  ESPALIER_NAMED("stride", (options).stride.rows, (options).stride.columns),                             \
      ESPALIER_NAMED("padding", (options).padding.top, (options).padding.left, (options).padding.bottom, \
                     (options).padding.right),                                                           \
      ESPALIER_NAMED("dilation", (options).dilation.rows, (options).dilation.columns)

/// The nearest options that are in range. They replace options that were already reported as invalid, so that one
/// mistake causes one error.
constexpr convolution mended(convolution c) {
  auto const least = [](rows_columns n) {
    return rows_columns{n.rows < 1 ? 1 : n.rows, n.columns < 1 ? 1 : n.columns};
  };
  c.stride = least(c.stride);
  c.dilation = least(c.dilation);
  if (!(c.padding == keeps_extents))
    for (int* edge : {&c.padding.top, &c.padding.left, &c.padding.bottom, &c.padding.right})
      if (*edge < 0) *edge = 0;
  if (c.groups < 1) c.groups = 1;
  return c;
}

/// Views (N, H, W, C) as (N, rows, columns, kernel rows, kernel columns, C): every window of the padded images.
/// source  Dumoulin and Visin 2016, A guide to convolution arithmetic
constexpr movement windows_of(extents const& s, int kernel_rows, int kernel_columns, convolution const& options,
                              bool fills_with_lowest = false) {
  movement r{};
  r.map =
      index_map{6,
                {0, 1, 2, 1, 2, 3},
                {1, options.stride.rows, options.stride.columns, options.dilation.rows, options.dilation.columns, 1},
                {0, -options.padding.top, -options.padding.left, 0, 0, 0},
                {1, 1, 1, 1, 0, 0},
                fills_with_lowest};
  r.shape = extents{6,
                    {s.at[0],
                     window_count(s.at[1], kernel_rows, options.padding.top, options.padding.bottom,
                                  options.stride.rows, options.dilation.rows),
                     window_count(s.at[2], kernel_columns, options.padding.left, options.padding.right,
                                  options.stride.columns, options.dilation.columns),
                     kernel_rows, kernel_columns, s.at[3]}};
  return r;
}

/// The movement of an op over windows, in the form of Move in operation/movement.hpp.
template <int KernelRows, int KernelColumns, convolution Options, bool FillsWithLowest = false>
struct image_windows {
  static constexpr movement of(extents const& s) {
    return windows_of(s, KernelRows, KernelColumns, Options, FillsWithLowest);
  }
};

namespace detail {

/// The relation that windows over images of extents (N, H, W, C) violate, or agreed.
template <class S, int KernelRows, int KernelColumns, convolution Options>
using window_fault = typename first_fault<
    kernel_fits<kernel<KernelRows>, height<S::value.at[1]>, padding<Options.padding.top, Options.padding.bottom>,
                dilation<Options.dilation.rows>>,
    kernel_fits<kernel<KernelColumns>, width<S::value.at[2]>, padding<Options.padding.left, Options.padding.right>,
                dilation<Options.dilation.columns>>>::type;

/// The same for a pooling that takes the largest number of each window.
template <class S, int KernelRows, int KernelColumns, convolution Options>
using largest_fault = typename first_fault<
    window_fault<S, KernelRows, KernelColumns, Options>,
    windows_in_image<kernel<KernelRows>, height<S::value.at[1]>, padding<Options.padding.top, Options.padding.bottom>,
                     stride<Options.stride.rows>, dilation<Options.dilation.rows>>,
    windows_in_image<kernel<KernelColumns>, width<S::value.at[2]>, padding<Options.padding.left, Options.padding.right>,
                     stride<Options.stride.columns>, dilation<Options.dilation.columns>>>::type;

/// The extents of images and kernels, by name.
template <class X, image_layout Layout>
struct image_axes {
  static constexpr bool first = Layout == nchw;
  static constexpr int count = X::value.at[0], height = X::value.at[first ? 2 : 1], width = X::value.at[first ? 3 : 2],
                       channels = X::value.at[first ? 1 : 3];
  using nhwc_shape = shape<count, height, width, channels>;
};
template <class W, image_layout Layout>
struct kernel_axes {
  static constexpr bool first = Layout == nchw;
  static constexpr int rows = W::value.at[first ? 2 : 0], columns = W::value.at[first ? 3 : 1],
                       inputs = W::value.at[first ? 1 : 2], outputs = W::value.at[first ? 0 : 3];
};

/// The relation that a convolution violates, or agreed.
template <class X, class W, convolution Options, bool Axes = images_and_kernels<X, W>::agree>
struct convolution_fault {
  using type = images_and_kernels<X, W>;
};
template <class X, class W, convolution Options>
struct convolution_fault<X, W, Options, true> {
  using x = image_axes<X, Options.layout>;
  using w = kernel_axes<W, Options.layout>;
  static constexpr convolution walk = with_numbers(Options, rows_columns{w::rows, w::columns});
  using type = typename first_fault<kernel_channels<channels<x::channels>, kernel_inputs<w::inputs>,
                                                    groups<Options.groups>, kernel_outputs<w::outputs>>,
                                    window_fault<typename x::nhwc_shape, w::rows, w::columns, walk>>::type;
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
