// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../operation/rule.hpp"
#include "../product/contract.hpp"
#include "../thread/team.hpp"
#include "window_sums.hpp"

#include "../../../base/diagnostics_push.hpp"
/// Convolutions and pooling: products and reductions that read windows of images in place. The matrix of windows, which
/// repeats elements of the image, is never stored.
namespace espalier::on_cpu {

namespace detail {

/// to[r, 0 ... columns) += from[r, 0 ... columns)
template <class T, class Arch>
ESPALIER_KERNEL void add_rows(T* to, std::int64_t to_stride, T const* from, std::int64_t from_stride, std::int64_t rows,
                              std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) add_run<T, Arch>(to + r * to_stride, from + r * from_stride, columns);
}

/// The products of a window_product that is a gradient with respect to kernels: transposed windows times dy.
template <class T, class Facts, int Outputs, class Arch>
struct window_gradient {
  using facts = Facts;
  static constexpr int outputs = Outputs, width = pack<T, Arch>::size, registers = register_count<Arch>;
  static constexpr std::int64_t padded_row = std::int64_t{facts::reach_columns} * facts::channels;

  /// Rows of windows that are padded at once, in bands of about one size.
  static constexpr int band = [] {
    int most = 1;
    while (most < facts::rows &&
           facts::reach_rows(most + 1) * padded_row * static_cast<std::int64_t>(sizeof(T)) <= 256 * 1024)
      ++most;
    int const bands = (facts::rows + most - 1) / most;
    return (facts::rows + bands - 1) / bands;
  }();

  // One product of a kernel row: rows x outputs with sums over `inner`.
  static constexpr int rows = facts::run, inner = facts::columns;
  static constexpr std::int64_t vectors = (outputs + width - 1) / width;
  static constexpr int last = static_cast<int>(outputs - (vectors - 1) * width);
  static constexpr contract_cut cut = best_cut(rows, vectors, registers, false, Arch::bytes);
  static constexpr int rest = static_cast<int>(vectors % cut.vectors);
  static constexpr std::int64_t panel = std::int64_t{cut.vectors} * width;
  /// The number of slices of c. The rows of a slice stay in the L1 cache while lines of windows are summed.
  static constexpr std::int64_t slices = [] {
    std::int64_t const most = 24 * 1024 / (panel * static_cast<std::int64_t>(sizeof(T)));
    return (rows + most - 1) / most;
  }();
  static constexpr std::int64_t slice = (rows + slices - 1) / slices, panels = (outputs + panel - 1) / panel;
  static constexpr std::int64_t units = facts::kernel_rows * facts::runs * slices * panels;

  static constexpr int rows_of(int each) { return best_rows(rows / slices, each, registers, false, Arch::bytes).rows; }
  template <int Vectors, int Last>
  using kernel = contract_panel<T, Arch, rows_of(Vectors), Vectors, Last,
                                chains_of(rows_of(Vectors) * Vectors, Vectors, inner, registers)>;

  static ESPALIER_INLINE void multiply(std::int64_t j, std::int64_t m, std::int64_t terms, T const* a, T const* b, T* c,
                                       bool accumulate) {
    constexpr contract_layout at{1, std::int64_t{facts::column_step} * facts::channels, outputs, panel};
    if constexpr (rest != 0 || last != width) {
      if (j + panel > outputs || (rest == 0 && j + panel == outputs))
        return kernel < rest == 0 ? cut.vectors : rest, last > ::run(m, terms, a, b, c, at, accumulate);
    }
    if constexpr (outputs >= panel) kernel<cut.vectors, width>::run(m, terms, a, b, c, at, accumulate);
  }
  static constexpr std::int64_t columns_from(std::int64_t j) { return j + panel <= outputs ? panel : outputs % panel; }
  /// Adds a band of windows: the first one begins at `from`, and their lines are at distance `stride`. Units of work
  /// are slices of kernel rows, panel by panel.
  static ESPALIER_INLINE void run(T const* from, std::int64_t stride, int count, T const* dy, T* y, bool first,
                                  std::int64_t first_unit, std::int64_t last_unit) {
    alignas(64) T sum[static_cast<unsigned long>(slice * panel)];  // (rows of a slice, panel)
    std::int64_t unit = 0;
    for (int r = 0; r < facts::kernel_rows * facts::runs; ++r)
      for (std::int64_t q = 0; q < slices; ++q) {
        std::int64_t const begin = rows * q / slices, m = rows * (q + 1) / slices - begin;
        T const* const a = from + r / facts::runs * facts::row_tap * stride +
                           r % facts::runs * facts::column_tap * facts::channels + begin;
        for (std::int64_t j = 0; j < outputs; j += panel, ++unit) {
          if (unit < first_unit || unit >= last_unit) continue;
          for (int i = 0; i < count; ++i)
            multiply(j, m, inner, a + i * facts::row_step * stride, dy + std::int64_t{i} * facts::columns * outputs + j,
                     sum, i > 0);
          T* const to = y + (std::int64_t{r} * rows + begin) * outputs + j;
          if (first) copy_rows<T, Arch>(to, outputs, sum, panel, m, columns_from(j));
          else add_rows<T, Arch>(to, outputs, sum, panel, m, columns_from(j));
        }
      }
  }
};

}  // namespace detail

/// y = op(windows of x) b, for batches of images: a convolution (windows times kernels), or the gradient with respect
/// to its kernels (transposed windows times dy). Each image is padded into a scratch that fits in the L2 cache, a band
/// of rows at a time. There windows are rows of matrices that overlap, so the micro-kernel of matrix products reads
/// them in place.
template <class T, Shape Image, Shape Window, class Map, Shape B, Shape Y, std::uint64_t Transposes, class Arch>
struct window_product : independent_parts {
  using facts = detail::window_facts<Image, Window, Map>;
  static constexpr bool transposed = graph::transposes_in(Transposes).a;
  static constexpr int batch = static_cast<int>(Y::value.product(0, Y::rank - 2)), outputs = Y::template extent<-1>();
  static constexpr std::int64_t depth = std::int64_t{facts::kernel_rows} * facts::kernel_columns * facts::channels;
  static constexpr std::int64_t pixels = std::int64_t{facts::rows} * facts::columns;
  using gradient = detail::window_gradient<T, facts, outputs, Arch>;
  using sums = window_sums<T, facts, outputs, Arch>;
  static constexpr std::int64_t flops = facts::images * pixels * depth * outputs * 2;

  /// Units that can be computed independently: bands of images, or parts of the gradient of the kernels. For the
  /// latter, every part pads the images again.
  static constexpr std::int64_t units = [] {
    if constexpr (transposed) return gradient::units;
    else return std::int64_t{facts::images} * sums::layout::bands;
  }();
  static constexpr int most_parts = detail::parts_along(units, flops / 64),
                       parts = transposed && most_parts > 8 ? 8 : most_parts;

  /// after: the epilogue of each finished rectangle of y; rows are counted through all images.
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run(T const* x, T const* b, T* y, After const& after = {}) {
    some(x, b, y, after, 0, units, facts::images);
  }
  /// The first images of all.
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run_images(T const* x, T const* b, T* y, int images, After const& after = {}) {
    if constexpr (transposed) some(x, b, y, after, 0, units, images);
    else some(x, b, y, after, 0, std::int64_t{images} * sums::layout::bands, images);
  }
  ESPALIER_KERNEL static void part(T const* x, T const* b, T* y, T* shared, int which) {
    part(x, b, y, detail::no_epilogue{}, shared, which);
  }
  template <class After>
  ESPALIER_KERNEL static void part(T const* x, T const* b, T* y, After const& after, T*, int which) {
    some(x, b, y, after, detail::part_begin(units, parts, which), detail::part_begin(units, parts, which + 1),
         facts::images);
  }

 private:
  static constexpr int images_per_batch = facts::images / batch;

  template <class After>
  static ESPALIER_INLINE void some(T const* x, T const* b, T* y, After const& after, std::int64_t first_unit,
                                   std::int64_t last_unit, int images) {
    if constexpr (transposed) {
      static_assert(std::is_same_v<After, detail::no_epilogue>);
      kernel_gradients(x, b, y, first_unit, last_unit, images);
    } else {
      bands(x, b, y, after, first_unit, last_unit);
    }
  }
  template <class After>
  static ESPALIER_INLINE void bands(T const* x, T const* b, T* y, After const& after, std::int64_t first_unit,
                                    std::int64_t last_unit) {
    using layout = typename sums::layout;
    constexpr bool one_b = B::size == B::value.product(B::rank - 2, B::rank);
    constexpr int advance = layout::by_row::advance, low = layout::by_row::taps.tap_low;
    typename sums::prepared use;
    int prepared_batch = -1;
    for (std::int64_t unit = first_unit; unit < last_unit;) {
      int const i = static_cast<int>(unit / layout::bands), g = one_b ? 0 : i / images_per_batch,
                line = static_cast<int>(unit % layout::bands) * layout::band;
      std::int64_t const last = one_b || last_unit < (g + 1) * images_per_batch * std::int64_t{layout::bands}
                                    ? last_unit
                                    : (g + 1) * images_per_batch * std::int64_t{layout::bands};
      int const left = layout::by_row::most - line, count = left < layout::band ? left : layout::band,
                images = last - unit < layout::images ? static_cast<int>(last - unit) : layout::images;
      unit += images;
      T const* const kernels = b + g * depth * outputs;
      if (g != prepared_batch) sums::prepare_once(kernels, use);
      prepared_batch = g;
      T const* const image = x + i * facts::image;
      T* const to = y + i * pixels * outputs;
      if constexpr (layout::in_place) {
        sums::run({image, 0, 0, facts::image, images, line, count}, kernels, use, to, i * pixels, after);
      } else {
        constexpr std::int64_t distance = layout::reach_rows(layout::band) * layout::padded_row;
        alignas(64) T scratch[static_cast<unsigned long>(layout::images * distance)];
        int const row = low + (advance < 0 ? advance * (line + count - 1) : advance * line);
        for (int k = 0; k < images; ++k)
          detail::spread_rows<T, typename layout::padded, Arch>(scratch + k * distance, image + k * facts::image, row,
                                                                layout::reach_rows(count));
        sums::run({scratch, row, layout::low, distance, images, line, count}, kernels, use, to, i * pixels, after);
      }
    }
  }
  static ESPALIER_INLINE void kernel_gradients(T const* x, T const* dy, T* y, std::int64_t first_unit,
                                               std::int64_t last_unit, int images) {
    for (int i = 0; i < images; ++i, x += facts::image) {
      T const* const own_dy = dy + i * pixels * outputs;
      T* const own_y = y + i / images_per_batch * depth * outputs;
      bool const first = i % images_per_batch == 0;
      if constexpr (facts::in_place) {
        constexpr std::int64_t stride = std::int64_t{facts::width} * facts::channels;
        gradient::run(x + facts::row_start * stride + std::int64_t{facts::column_start} * facts::channels, stride,
                      facts::rows, own_dy, own_y, first, first_unit, last_unit);
      } else {
        constexpr int band = gradient::band;
        alignas(64) T scratch[static_cast<unsigned long>(facts::reach_rows(band) * gradient::padded_row)];
        for (int row = 0; row < facts::rows; row += band) {
          int const count = facts::rows - row < band ? facts::rows - row : band;
          detail::spread_rows<T, facts, Arch>(scratch, x, facts::row_start + row * facts::row_step,
                                              facts::reach_rows(count));
          gradient::run(scratch, gradient::padded_row, count, own_dy + std::int64_t{row} * facts::columns * outputs,
                        own_y, first && row == 0, first_unit, last_unit);
        }
      }
    }
  }
};

/// y = the reduction of each window of x over its taps.
template <class T, class Op, Shape Image, Shape Window, class Map, class Arch>
struct window_reduction : independent_parts {
  using facts = detail::window_facts<Image, Window, Map>;
  using V = pack<T, Arch>;

  template <int Count>
  static ESPALIER_INLINE void some(T const* image, T* y, int row, int column) {
    V all(static_cast<T>(described<Op>.identity));
    bool fills = false;
    for (int r = 0; r < facts::kernel_rows; ++r) {
      int const p = facts::row_start + row * facts::row_step + r * facts::row_tap;
      bool const row_inside =
          facts::in_place || (p >= 0 && p < facts::height * facts::row_divisor && p % facts::row_divisor == 0);
      for (int k = 0; k < facts::kernel_columns; ++k) {
        int const q = facts::column_start + column * facts::column_step + k * facts::column_tap;
        if (row_inside &&
            (facts::in_place || (q >= 0 && q < facts::width * facts::column_divisor && q % facts::column_divisor == 0)))
          all = rule<Op>::combine(
              all, V::template load_first<Count>(
                       image + (std::int64_t{p / facts::row_divisor} * facts::width + q / facts::column_divisor) *
                                   facts::channels));
        else fills = true;
      }
    }
    constexpr T filler = facts::map.fills_with_lowest ? -math::infinity<T> : T(0);
    if (fills) all = rule<Op>::combine(all, V(filler));
    all.template store_first<Count>(y);
  }
  static constexpr std::int64_t result_rows = std::int64_t{facts::images} * facts::rows;
  static constexpr int parts = detail::parts_along(
      result_rows, result_rows* facts::columns* facts::kernel_rows* facts::kernel_columns* facts::channels);

  ESPALIER_KERNEL static void run(T const* x, T const*, T* y) { some(x, y, 0, result_rows); }
  ESPALIER_KERNEL static void part(T const* x, T const*, T* y, T*, int which) {
    some(x, y, detail::part_begin(result_rows, parts, which), detail::part_begin(result_rows, parts, which + 1));
  }

  /// Rows first ... last - 1 of the results of all images.
  static ESPALIER_INLINE void some(T const* x, T* y, std::int64_t first, std::int64_t last) {
    constexpr int tail = facts::channels % V::size;
    x += first / facts::rows * facts::image;
    y += first * facts::columns * facts::channels;
    for (std::int64_t i = first / facts::rows; i * facts::rows < last; ++i, x += facts::image)
      for (int row = i * facts::rows < first ? static_cast<int>(first % facts::rows) : 0;
           row < facts::rows && i * facts::rows + row < last; ++row)
        for (int column = 0; column < facts::columns; ++column, y += facts::channels) {
          for (int c = 0; c + V::size <= facts::channels; c += V::size) some<V::size>(x + c, y + c, row, column);
          if constexpr (tail != 0) some<tail>(x + facts::channels - tail, y + facts::channels - tail, row, column);
        }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
