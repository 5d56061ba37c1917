// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../operation/rule.hpp"
#include "../product/contract.hpp"
#include "move.hpp"
#include "../thread/team.hpp"

#include "../../../base/diagnostics_push.hpp"
/// Convolutions and pooling: products and reductions that read windows of images in place. The matrix of windows, which
/// repeats elements of the image, is never stored.
namespace espalier::on_cpu {

namespace detail {

/// The properties of a window map that its kernels share. Positions count in the dilated and padded image. Its pixel
/// (p, q) is pixel (p / divisor, q / divisor) of the image if these are whole numbers inside it, otherwise 0.
template <Shape Image, Shape Window, class Map>
struct window_facts {
  static constexpr index_map map = Map::value;
  static constexpr int images = Window::value.at[0], rows = Window::value.at[1], columns = Window::value.at[2],
                       kernel_rows = Window::value.at[3], kernel_columns = Window::value.at[4],
                       channels = Window::value.at[5];
  static constexpr int height = Image::value.at[1], width = Image::value.at[2];
  static constexpr std::int64_t image = std::int64_t{height} * width * channels;
  static constexpr int row_step = map.step[1], column_step = map.step[2], row_tap = map.step[3],
                       column_tap = map.step[4];
  static constexpr int row_start = map.start[1], column_start = map.start[2], row_divisor = map.divisor[1],
                       column_divisor = map.divisor[2];
  /// Extent of the dilated and padded image that windows reach.
  static constexpr int reach_columns = (columns - 1) * column_step + (kernel_columns - 1) * column_tap + 1;
  static constexpr int reach_rows(int some) { return (some - 1) * row_step + (kernel_rows - 1) * row_tap + 1; }
  static constexpr bool in_place = is_total(map, Image::value, Window::value);
  /// Whether the taps of a kernel row are adjacent, and therefore one run of memory.
  static constexpr bool one_run = column_tap == 1;
  static constexpr int runs = one_run ? 1 : kernel_columns, run = one_run ? kernel_columns * channels : channels;
};

/// Writes rows first ... first + count of the dilated and padded image to `to`.
template <class T, class Facts, class Arch>
ESPALIER_KERNEL void spread_rows(T* to, T const* image, int first, int count) {
  constexpr std::int64_t padded_row = std::int64_t{Facts::reach_columns} * Facts::channels;
  for (int r = 0; r < count; ++r, to += padded_row) {
    int const p = first + r;
    if (p < 0 || p >= Facts::height * Facts::row_divisor || p % Facts::row_divisor != 0) {
      fill_run<T, Arch>(to, T(0), padded_row);
      continue;
    }
    T const* const from = image + std::int64_t{p / Facts::row_divisor} * Facts::width * Facts::channels;
    if constexpr (Facts::column_divisor == 1) {
      constexpr int left = Facts::column_start < 0 ? -Facts::column_start : 0,
                    skip = Facts::column_start > 0 ? Facts::column_start : 0;
      constexpr int have = Facts::width - skip, room = Facts::reach_columns - left, most = have < room ? have : room,
                    some = most < 0 ? 0 : most;
      constexpr int front = left < Facts::reach_columns ? left : Facts::reach_columns;
      fill_run<T, Arch>(to, T(0), front * Facts::channels);
      copy_run<T, Arch>(to + front * Facts::channels, from + skip * Facts::channels, some * Facts::channels);
      fill_run<T, Arch>(to + (front + some) * Facts::channels, T(0),
                        (Facts::reach_columns - front - some) * Facts::channels);
    } else {
      for (int k = 0; k < Facts::reach_columns; ++k) {
        int const q = Facts::column_start + k;
        if (q < 0 || q >= Facts::width * Facts::column_divisor || q % Facts::column_divisor != 0)
          fill_run<T, Arch>(to + k * Facts::channels, T(0), Facts::channels);
        else
          copy_run<T, Arch>(to + k * Facts::channels, from + q / Facts::column_divisor * Facts::channels,
                            Facts::channels);
      }
    }
  }
}

template <class T, class Arch>
ESPALIER_KERNEL void clear(T* to, std::int64_t n) {
  fill_run<T, Arch>(to, T(0), n);
}
/// to[r, 0 ... columns) += from[r, 0 ... columns)
template <class T, class Arch>
ESPALIER_KERNEL void add_rows(T* to, std::int64_t to_stride, T const* from, std::int64_t from_stride, std::int64_t rows,
                              std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) add_run<T, Arch>(to + r * to_stride, from + r * from_stride, columns);
}

}  // namespace detail

/// y = op(windows of x) b, for batches of images: a convolution (windows times kernels), or the gradient with respect
/// to its kernels (transposed windows times dy). Each image is padded into a scratch that fits in the L2 cache, a band
/// of rows at a time. There a kernel row of a line of windows is a matrix whose rows overlap, so the micro-kernel of
/// matrix products reads it in place.
template <class T, Shape Image, Shape Window, class Map, Shape B, Shape Y, std::uint64_t Transposes, class Arch>
struct window_product : independent_parts {
  using facts = detail::window_facts<Image, Window, Map>;
  static constexpr bool transposed = graph::transposes_in(Transposes).a;
  static constexpr int batch = static_cast<int>(Y::value.product(0, Y::rank - 2)), outputs = Y::template extent<-1>();
  static constexpr std::int64_t depth = std::int64_t{facts::kernel_rows} * facts::kernel_columns * facts::channels;
  static constexpr int width = pack<T, Arch>::size, registers = detail::register_count<Arch>;
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
  static constexpr int rows = transposed ? facts::run : facts::columns,
                       inner = transposed ? facts::columns : facts::run;
  static constexpr std::int64_t vectors = (outputs + width - 1) / width;
  static constexpr int last = static_cast<int>(outputs - (vectors - 1) * width);
  static constexpr detail::contract_cut cut = detail::best_cut(rows, vectors, registers, false, Arch::bytes);
  static constexpr int rest = static_cast<int>(vectors % cut.vectors);
  static constexpr std::int64_t panel = std::int64_t{cut.vectors} * width;
  /// Terms of a sum whose part of b fits in the L1 cache.
  static constexpr int piece = [] {
    int const most = static_cast<int>(24 * 1024 / (panel * static_cast<std::int64_t>(sizeof(T))));
    int const pieces = (inner + most - 1) / most;
    return (inner + pieces - 1) / pieces;
  }();
  /// The number of slices of c. The rows of a slice stay in the L1 cache while lines of windows are summed.
  static constexpr std::int64_t slices = [] {
    std::int64_t const most = 24 * 1024 / (panel * static_cast<std::int64_t>(sizeof(T))),
                       some = (rows + most - 1) / most;
    return transposed ? some : 1;
  }();
  static constexpr std::int64_t slice = (rows + slices - 1) / slices, panels = (outputs + panel - 1) / panel;
  /// Kernels of many outputs are at a distance for which caches have few sets, so a panel that is read often is packed.
  static constexpr bool packs_kernels = !transposed && outputs > panel&& std::int64_t{facts::columns} * band >= 32;
  static constexpr int rows_of(int each) {
    return detail::best_rows(rows / slices, each, registers, false, Arch::bytes).rows;
  }
  template <int Vectors, int Last>
  using kernel = detail::contract_panel<T, Arch, rows_of(Vectors), Vectors, Last,
                                        detail::chains_of(rows_of(Vectors) * Vectors, Vectors, inner, registers)>;

  static ESPALIER_INLINE void multiply(std::int64_t j, std::int64_t m, std::int64_t terms, T const* a, T const* b, T* c,
                                       bool accumulate) {
    constexpr std::int64_t pixel = std::int64_t{facts::column_step} * facts::channels,
                           b_row = packs_kernels ? panel : outputs, c_row = transposed ? panel : outputs;
    constexpr detail::contract_layout at =
        transposed ? detail::contract_layout{1, pixel, b_row, c_row} : detail::contract_layout{pixel, 1, b_row, c_row};
    if constexpr (rest != 0 || last != width) {
      if (j + panel > outputs || (rest == 0 && j + panel == outputs))
        return kernel < rest == 0 ? cut.vectors : rest, last > ::run(m, terms, a, b, c, at, accumulate);
    }
    if constexpr (outputs >= panel) kernel<cut.vectors, width>::run(m, terms, a, b, c, at, accumulate);
  }
  static constexpr std::int64_t columns_from(std::int64_t j) { return j + panel <= outputs ? panel : outputs % panel; }
  /// Computes a band of windows: the first one begins at `from`, and their lines are at distance `stride`.
  static ESPALIER_INLINE void windows_times_kernels(T const* from, std::int64_t stride, int row, int count, T const* b,
                                                    T* y) {
    // Most rows of a dilated image are 0: they are skipped.
    constexpr bool spread = facts::row_divisor > 1;
    if constexpr (spread) detail::clear<T, Arch>(y, std::int64_t{count} * facts::columns * outputs);
    alignas(64) T packed_kernels[packs_kernels ? static_cast<unsigned long>(piece * panel) : 1];
    for (std::int64_t j = 0; j < outputs; j += panel)
      for (int r = 0; r < facts::kernel_rows * facts::runs; ++r)
        for (int k = 0; k < inner; k += piece) {
          int const terms = inner - k < piece ? inner - k : piece;
          T const* const a = from + r / facts::runs * facts::row_tap * stride +
                             r % facts::runs * facts::column_tap * facts::channels + k;
          T const* kernels = b + (std::int64_t{r} * inner + k) * outputs + j;
          if constexpr (packs_kernels) {
            detail::copy_rows<T, Arch>(packed_kernels, panel, kernels, outputs, terms, columns_from(j));
            kernels = packed_kernels;
          }
          for (int i = 0; i < count; ++i) {
            if constexpr (spread)
              if ((facts::row_start + (row + i) * facts::row_step + r / facts::runs * facts::row_tap) %
                      facts::row_divisor !=
                  0)
                continue;
            multiply(j, rows, terms, a + i * facts::row_step * stride, kernels,
                     y + std::int64_t{i} * facts::columns * outputs + j, spread || r + k > 0);
          }
        }
  }
  /// Units of work are slices of kernel rows, panel by panel.
  static ESPALIER_INLINE void windows_times_gradient(T const* from, std::int64_t stride, int count, T const* dy, T* y,
                                                     bool first, std::int64_t first_unit, std::int64_t last_unit) {
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
          if (first) detail::copy_rows<T, Arch>(to, outputs, sum, panel, m, columns_from(j));
          else detail::add_rows<T, Arch>(to, outputs, sum, panel, m, columns_from(j));
        }
      }
  }
  static ESPALIER_INLINE void some_rows(T const* from, std::int64_t stride, int row, int count, T const* b, T* y,
                                        bool first, std::int64_t first_unit, std::int64_t last_unit) {
    std::int64_t const offset = std::int64_t{row} * facts::columns * outputs;
    if constexpr (transposed) windows_times_gradient(from, stride, count, b + offset, y, first, first_unit, last_unit);
    else windows_times_kernels(from, stride, row, count, b, y + offset);
  }

  /// Units that can be computed independently: bands of images, or parts of the gradient of the kernels. For the
  /// latter, every part pads the images again.
  static constexpr int bands = facts::in_place ? 1 : (facts::rows + band - 1) / band;
  static constexpr std::int64_t units =
      transposed ? facts::kernel_rows * facts::runs * slices * panels : std::int64_t{facts::images} * bands;
  static constexpr std::int64_t flops =
      std::int64_t{facts::images} * facts::rows * facts::columns * depth * outputs * 2;
  static constexpr int most_parts = detail::parts_along(units, flops / 64),
                       parts = transposed && most_parts > 8 ? 8 : most_parts;

  ESPALIER_KERNEL static void run(T const* x, T const* b, T* y) { some(x, b, y, 0, units); }
  /// The first images of all.
  ESPALIER_KERNEL static void run_images(T const* x, T const* b, T* y, int images) {
    some(x, b, y, 0, transposed ? units : std::int64_t{images} * bands, images);
  }
  ESPALIER_KERNEL static void part(T const* x, T const* b, T* y, T*, int which) {
    some(x, b, y, detail::part_begin(units, parts, which), detail::part_begin(units, parts, which + 1));
  }

 private:
  static ESPALIER_INLINE void some(T const* x, T const* b, T* y, std::int64_t first_unit, std::int64_t last_unit,
                                   int last_image = facts::images) {
    constexpr int images = facts::images / batch;
    constexpr std::int64_t pixels = std::int64_t{facts::rows} * facts::columns;
    constexpr bool one_b = B::size == B::value.product(B::rank - 2, B::rank);
    std::int64_t unit = 0;
    for (int i = 0; i < last_image; ++i, x += facts::image) {
      std::int64_t const g = i / images;
      T const* const own_b = transposed ? b + i * pixels * outputs : b + (one_b ? 0 : g * depth * outputs);
      T* const own_y = transposed ? y + g * depth * outputs : y + i * pixels * outputs;
      if constexpr (facts::in_place) {
        constexpr std::int64_t stride = std::int64_t{facts::width} * facts::channels;
        if constexpr (!transposed)
          if (i < first_unit || i >= last_unit) continue;
        some_rows(x + facts::row_start * stride + std::int64_t{facts::column_start} * facts::channels, stride, 0,
                  facts::rows, own_b, own_y, i % images == 0, first_unit, last_unit);
      } else {
        alignas(64) T scratch[static_cast<unsigned long>(facts::reach_rows(band) * padded_row)];
        for (int row = 0; row < facts::rows; row += band, ++unit) {
          if constexpr (!transposed)
            if (unit < first_unit || unit >= last_unit) continue;
          int const count = facts::rows - row < band ? facts::rows - row : band;
          detail::spread_rows<T, facts, Arch>(scratch, x, facts::row_start + row * facts::row_step,
                                              facts::reach_rows(count));
          some_rows(scratch, padded_row, row, count, own_b, own_y, i % images == 0 && row == 0, first_unit, last_unit);
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
