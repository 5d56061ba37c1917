// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../cascade.hpp"
#include "../product/contract.hpp"
#include "../product/contract_list.hpp"
#include "../product/contract_run.hpp"
#include "window_facts.hpp"

namespace espalier::on_cpu::detail {

/// Of `count` positions at a distance of `step`: the lowest one, from the first one on, and the distance of the others.
constexpr int lowest_of(int count, int step) { return step < 0 ? (count - 1) * step : 0; }
constexpr int distance_of(int count, int step) { return (count - 1) * (step < 0 ? -step : step); }

/// to[r, 0 ... columns) += from[r, 0 ... columns)
template <class T, class Arch>
ESPALIER_KERNEL void add_rows(T* to, std::int64_t to_stride, T const* from, std::int64_t from_stride, std::int64_t rows,
                              std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) add_run<T, Arch>(to + r * to_stride, from + r * from_stride, columns);
}

/// How a gradient with respect to kernels is computed: transposed windows times dy. Rows of the product are the taps
/// and channels of a window, terms are the windows of several lines and images.
template <class T, class Facts, int Outputs, class Arch>
struct window_gradient_layout {
  static constexpr int width = pack<T, Arch>::size, registers = register_count<Arch>, channels = Facts::channels,
                       pixel = Facts::pixel, run = Facts::run;
  /// The elements of dy for a pixel, and the columns of the gradient: those of all groups.
  static constexpr std::int64_t all_outputs = std::int64_t{Outputs} * Facts::groups;
  static constexpr std::int64_t bytes = sizeof(T), kept_bytes = 256 * 1024;  // of images, in the L2 cache
  static constexpr int most_windows = 4096;                                  // a list of 16 KiB
  static constexpr int depth = Facts::kernel_rows * Facts::kernel_columns * channels;
  static constexpr int vectors = (Outputs + width - 1) / width, last = Outputs - (vectors - 1) * width;
  static constexpr contract_cut cut = best_cut(depth, vectors, registers, false, Arch::bytes);
  static constexpr int rest = vectors % cut.vectors, panel = cut.vectors * width,
                       panels = (vectors + cut.vectors - 1) / cut.vectors;
  static constexpr int rows_of(int each) { return best_rows(depth, each, registers, false, Arch::bytes).rows; }

  /// The first row and column of the dilated and padded image that windows reach, and how many they reach.
  static constexpr int low_row(int lines) {
    return Facts::row_start + lowest_of(lines, Facts::row_step) + lowest_of(Facts::kernel_rows, Facts::row_tap);
  }
  static constexpr int low_column = Facts::column_start + lowest_of(Facts::columns, Facts::column_step) +
                                    lowest_of(Facts::kernel_columns, Facts::column_tap);
  static constexpr int reach_rows(int lines) {
    return distance_of(lines, Facts::row_step) + distance_of(Facts::kernel_rows, Facts::row_tap) + 1;
  }
  static constexpr int reach =
      distance_of(Facts::columns, Facts::column_step) + distance_of(Facts::kernel_columns, Facts::column_tap) + 1;
  struct padded : Facts {
    static constexpr int column_start = low_column, reach_columns = reach, channels = Facts::pixel;
  };
  static constexpr std::int64_t stride = std::int64_t{Facts::in_place ? Facts::width : reach} * pixel;

  /// Lines that are padded and multiplied at once, in bands of about one size.
  static constexpr int band = [] {
    int most = 1;
    while (most < Facts::rows && reach_rows(most + 1) * stride * bytes <= kept_bytes &&
           (most + 1) * Facts::columns <= most_windows)
      ++most;
    int const bands = (Facts::rows + most - 1) / most;
    return (Facts::rows + bands - 1) / bands;
  }();
  /// The elements between images that are multiplied at once, if a band is a whole image, and their number.
  static constexpr std::int64_t image = Facts::in_place ? Facts::image : reach_rows(band) * stride;
  static constexpr int images = [] {
    if (band < Facts::rows) return 1;
    std::int64_t const fit = kept_bytes / (image * bytes), some = most_windows / (Facts::rows * Facts::columns),
                       most = fit < some ? fit : some;
    return most < 1 ? 1 : most < Facts::images ? static_cast<int>(most) : Facts::images;
  }();
  static constexpr int windows = images * band * Facts::columns;

  /// The windows of a product. The pixels that they step over and their part of dy fit in the L1 cache, as do the rows
  /// of a slice of y, which all windows of a band are added to. A piece is one chain (see cascade.hpp).
  static constexpr int piece = [] {
    std::int64_t const step = std::int64_t{distance_of(2, Facts::column_step)} * channels, most = 16 * 1024 / bytes,
                       of_b = most / panel, of_a = most / (step > 0 ? step : 1), fit = of_b < of_a ? of_b : of_a;
    std::int64_t const least = 2048 / (cut.rows * cut.vectors);
    int const most_terms = static_cast<int>(fit < least ? least : fit), chain = 2 * terms_of_block,
              some = most_terms < chain ? most_terms : chain, pieces = (windows + some - 1) / some;
    return (windows + pieces - 1) / pieces;
  }();
  /// Whether rows are multiplied as blocks of adjacent ones: the outputs fill one register at most, and a run of a
  /// window makes larger blocks than contract_list has.
  static constexpr std::int64_t bytes_of_run = run * panel * bytes;
  static constexpr int rows_of_list = best_rows(depth, 1, registers, false, Arch::bytes).rows;
  static constexpr bool by_runs = vectors == 1 && rows_of_list < run && bytes_of_run <= 24 * 1024;
  static constexpr int most_rows_of_run = registers == 32 ? 24 : registers - 4,
                       pieces_of_run = (run + most_rows_of_run - 1) / most_rows_of_run,
                       rows_of_run = (run + pieces_of_run - 1) / pieces_of_run;
  static constexpr int slice = [] {
    int const each = by_runs ? run : cut.rows, fit = static_cast<int>(24 * 1024 / (panel * bytes)),
              eighth = (depth + 7) / 8, some = panels > 4 || fit < eighth ? fit : eighth;
    return (some + each - 1) / each * each;
  }();
  static constexpr int slices = (depth + slice - 1) / slice;
};

/// The products of a window_product that is a gradient with respect to kernels. Units of work are panels of slices of
/// the gradient. Of several groups, the first one, as in window_sums.
template <class T, class Facts, int Outputs, class Arch>
struct window_gradient {
  using layout = window_gradient_layout<T, Facts, Outputs, Arch>;
  static constexpr int panel = layout::panel;
  static constexpr std::int64_t units = std::int64_t{layout::panels} * layout::slices;

  /// Rows of many outputs are at a distance for which caches have few sets, so sums of some pieces are added to y once.
  /// So are those of many pieces, whose errors are smaller then (see cascade.hpp).
  static constexpr std::int64_t calls = std::int64_t{(Facts::images + layout::images - 1) / layout::images} *
                                        ((Facts::rows + layout::band - 1) / layout::band),
                                pieces_of_call = (layout::windows + layout::piece - 1) / layout::piece;
  static constexpr bool buffered = layout::all_outputs > panel || calls* pieces_of_call > blocks_of_level;

  /// What all calls share: where the windows of some lines and images begin, padded images, and sums.
  struct arrays {
    std::int32_t windows[static_cast<unsigned long>(layout::windows)];
    alignas(64) T padded[Facts::in_place ? 1 : static_cast<unsigned long>(layout::images * layout::image)];
    alignas(64) T sums[buffered ? static_cast<unsigned long>(layout::slice * panel) : 1];  // (rows of a slice, panel)

    ESPALIER_INLINE void list_windows() {
      std::int32_t* to = windows;
      for (int k = 0; k < layout::images; ++k)
        for (int i = 0; i < layout::band; ++i)
          for (int j = 0; j < Facts::columns; ++j)
            *to++ = static_cast<std::int32_t>(k * layout::image + i * Facts::row_step * layout::stride +
                                              std::int64_t{j} * Facts::column_step * layout::pixel);
    }
  };

  /// Adds the first `count` windows of own.windows. from: the first window. dy: of it. first: y has no sums yet.
  static ESPALIER_INLINE void add(T const* from, arrays& own, int count, T const* dy, T* y, bool first,
                                  std::int64_t first_unit, std::int64_t last_unit) {
    [[maybe_unused]] T* const sums = own.sums;
    for (std::int64_t unit = first_unit; unit < last_unit; ++unit) {
      int const j = static_cast<int>(unit / layout::slices) * panel,
                begin = static_cast<int>(unit % layout::slices) * layout::slice,
                end = begin + layout::slice < layout::depth ? begin + layout::slice : layout::depth;
      T* const to = y + begin * layout::all_outputs + j;
      [[maybe_unused]] std::int64_t const columns = Outputs - j < panel ? Outputs - j : panel;
      int pieces = 0;  // in sums
      [[maybe_unused]] bool stored = !first;
      for (int k = 0; k < count; k += layout::piece) {
        int const some = count - k < layout::piece ? count - k : layout::piece;
        some_lanes(j, begin, end, some, from, own.windows + k, dy + k * layout::all_outputs, buffered ? sums : to,
                   pieces++ > 0 || (!buffered && !first));
        if constexpr (buffered) {
          if (pieces < blocks_of_level && k + some < count) continue;
          if (stored) add_rows<T, Arch>(to, layout::all_outputs, sums, panel, end - begin, columns);
          else copy_rows<T, Arch>(to, layout::all_outputs, sums, panel, end - begin, columns);
          stored = true;
          pieces = 0;
        }
      }
    }
  }

 private:
  static constexpr std::int64_t c_row = buffered ? panel : layout::all_outputs;
  /// Rows [begin, end), which are whole runs.
  static ESPALIER_INLINE void multiply_runs(int begin, int end, std::int64_t count, T const* from,
                                            std::int32_t const* terms, T const* dy, T* to, bool accumulate) {
    constexpr int each = layout::rows_of_run, rest = layout::run % each;
    for (int i = begin; i < end; i += layout::run) {
      T const* const first = from + offset_of(i);
      T* const c = to + (i - begin) * c_row;
      for (int r = 0; r + each <= layout::run; r += each)
        contract_run<T, Arch, each, layout::last>::run(count, first + r, terms, dy, layout::all_outputs, c + r * c_row,
                                                       c_row, accumulate);
      if constexpr (constexpr int r = layout::run - rest; rest != 0)
        contract_run<T, Arch, rest, layout::last>::run(count, first + r, terms, dy, layout::all_outputs, c + r * c_row,
                                                       c_row, accumulate);
    }
  }
  template <int Vectors, int Last>
  using kernel =
      contract_list<T, Arch, layout::rows_of(Vectors), Vectors, Last,
                    chains_of(layout::rows_of(Vectors) * Vectors, Vectors, layout::piece, layout::registers), false>;
  static ESPALIER_INLINE void some_lanes(int j, int begin, int end, std::int64_t count, T const* from,
                                         std::int32_t const* terms, T const* dy, T* c, bool accumulate) {
    if constexpr (layout::by_runs) {
      multiply_runs(begin, end, count, from, terms, dy, c, accumulate);
    } else {
      if constexpr (layout::rest != 0 || layout::last != layout::width) {
        if (j + panel > Outputs || (layout::rest == 0 && j + panel == Outputs))
          return multiply<kernel<layout::rest == 0 ? layout::cut.vectors : layout::rest, layout::last>>(
              begin, end, count, from, terms, dy + j, c, accumulate);
      }
      if constexpr (Outputs >= panel)
        multiply<kernel<layout::cut.vectors, layout::width>>(begin, end, count, from, terms, dy + j, c, accumulate);
    }
  }
  /// Rows [begin, end) of one panel of lanes; to begins with them. Rows behind the last one are stored elsewhere.
  template <class Kernel>
  static ESPALIER_INLINE void multiply(int begin, int end, std::int64_t count, T const* from, std::int32_t const* terms,
                                       T const* dy, T* to, bool accumulate) {
    constexpr int some = Kernel::rows;
    T const* a[static_cast<unsigned>(some)];
    T* c[static_cast<unsigned>(some)];
    alignas(64) T spare[static_cast<unsigned>(panel)];
    for (int i = begin; i < end; i += some) {
      T const* const first = from + offset_of(i);
      bool const in_order = i % layout::run + some <= layout::run && i + some <= end;
      for (int r = 0; r < some; ++r) {
        a[r] = in_order ? first + r : i + r < end ? from + offset_of(i + r) : first;
        c[r] = to + (i - begin + r) * c_row;
      }
      if (i + some > end) {
        fill_run<T, Arch>(spare, T(0), panel);
        for (int r = end - i; r < some; ++r) c[r] = spare;
      }
      Kernel::run(count, a, terms, dy, layout::all_outputs, c, accumulate);
    }
  }
  /// The offset of a tap and channel in a window.
  static constexpr std::int64_t offset_of(int row) {
    int const tap = row / layout::channels, c = row % layout::channels;
    return std::int64_t{tap / Facts::kernel_columns} * Facts::row_tap * layout::stride +
           std::int64_t{tap % Facts::kernel_columns} * Facts::column_tap * layout::pixel + c;
  }
};

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
