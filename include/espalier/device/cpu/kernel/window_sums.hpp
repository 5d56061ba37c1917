// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../product/contract_list.hpp"
#include "window_facts.hpp"
#include "window_taps.hpp"

namespace espalier::on_cpu {

namespace detail {

/// How the sums of windows times kernels are computed: one product for each group of rows and columns, whose rows are
/// the windows of several lines and images. Sums stay in registers over all taps, if their kernels leave room in the L2
/// cache.
template <class T, class Facts, int Outputs, class Arch>
struct window_sums_layout {
  using facts = Facts;
  static constexpr window_axis row_axis{Facts::rows,    Facts::kernel_rows, Facts::row_step,
                                        Facts::row_tap, Facts::row_start,   Facts::row_divisor};
  static constexpr window_axis column_axis{Facts::columns,    Facts::kernel_columns, Facts::column_step,
                                           Facts::column_tap, Facts::column_start,   Facts::column_divisor};
  static constexpr std::int64_t kept_bytes = 256 * 1024;  // of images, in the L2 cache
  static constexpr int width = pack<T, Arch>::size, registers = register_count<Arch>, channels = Facts::channels,
                       pixel = Facts::pixel;
  /// The results of all groups for a pixel, which are the columns of the kernels, too.
  static constexpr std::int64_t all_outputs = std::int64_t{Outputs} * Facts::groups;
  static constexpr std::int64_t bytes = sizeof(T);
  using by_row = axis_taps<row_axis, smallest_period(row_axis), 1>;
  static constexpr int merged = Facts::groups > 1
                                    ? 0  // results of neighbouring columns are not adjacent
                                    : best_together(column_axis, Outputs, std::int64_t{by_row::taps.most} * channels,
                                                    width, registers, Arch::bytes);
  using by_column =
      axis_taps<column_axis, merged == 0 ? smallest_period(column_axis) : merged, merged == 0 ? 1 : merged>;

  static constexpr int lanes = by_column::together * Outputs, vectors = (lanes + width - 1) / width,
                       last = lanes - (vectors - 1) * width;
  /// Products have many rows, whatever the extents are, so blocks are chosen for many.
  static constexpr contract_cut cut = best_cut(many_rows, vectors, registers, false, Arch::bytes);
  static constexpr int rows_of(int each) { return best_rows(many_rows, each, registers, false, Arch::bytes).rows; }
  static constexpr int rest = vectors % cut.vectors, panel = cut.vectors * width, panels = (lanes + panel - 1) / panel;

  static constexpr int terms_of(int row_group, int column_group) {
    return by_row::taps.count[row_group] * by_column::taps.count[column_group] * channels;
  }
  /// The terms of all groups before one.
  static constexpr std::int64_t terms_before(int row_group, int column_group) {
    std::int64_t sum = 0;
    for (int i = 0; i < row_group * by_column::groups + column_group; ++i)
      sum += terms_of(i / by_column::groups, i % by_column::groups);
    return sum;
  }
  static constexpr std::int64_t all_terms = terms_before(by_row::groups, 0);
  static constexpr int most_terms = by_row::taps.most * by_column::taps.most * channels;
  /// Terms that are added at once. Their kernels come from the L2 cache as fast as blocks use them (see block_cost),
  /// and leave room for the images there.
  static constexpr int piece = [] {
    std::int64_t const most = most_terms > 0 ? most_terms : 1, fit = 160 * 1024 / (panel * bytes);
    std::int64_t const pieces = by_column::complete ? (most + fit - 1) / fit : 1;
    return static_cast<int>((most + pieces - 1) / pieces);
  }();

  /// The part of the image that windows reach, padded with 0.
  static constexpr int low = by_column::taps.low, reach = by_column::taps.high - low + 1;
  struct padded {
    static constexpr int channels = Facts::pixel, height = Facts::height, width = Facts::width, row_divisor = 1,
                         column_divisor = 1, column_start = low, reach_columns = reach;
  };
  static constexpr std::int64_t padded_row = std::int64_t{reach} * pixel;
  static constexpr int tap_rows = by_row::taps.tap_high - by_row::taps.tap_low;
  static constexpr int reach_rows(int lines) {
    return (by_row::advance < 0 ? -by_row::advance : by_row::advance) * (lines - 1) + tap_rows + 1;
  }
  static constexpr bool in_place =
      by_row::taps.low >= 0 && by_row::taps.high < Facts::height && low >= 0 && low + reach <= Facts::width;
  static constexpr std::int64_t stride = in_place ? std::int64_t{Facts::width} * pixel : padded_row;
  /// Lines that are padded and multiplied at once, in bands of about one size.
  static constexpr int band = [] {
    int most = 1;
    while (most < by_row::most && reach_rows(most + 1) * stride * bytes <= kept_bytes) ++most;
    int const bands = (by_row::most + most - 1) / most;
    return (by_row::most + bands - 1) / bands;
  }();
  static constexpr int bands = (by_row::most + band - 1) / band;
  /// Small images are multiplied several at a time.
  static constexpr int images = [] {
    if (bands > 1) return 1;
    std::int64_t const fit = kept_bytes / (reach_rows(band) * stride * bytes);
    return fit < 1 ? 1 : fit < Facts::images ? static_cast<int>(fit) : Facts::images;
  }();

  /// Whether all kernels are used in the order in which they are stored.
  static constexpr bool in_order = merged == 0 && Facts::row_divisor == 1 && Facts::column_divisor == 1 &&
                                   (Facts::kernel_rows == 1 || Facts::row_tap > 0) &&
                                   (Facts::kernel_columns == 1 || Facts::column_tap > 0);
  /// Kernels of many outputs are at a distance for which caches have few sets, so a panel that is read often is packed.
  static constexpr bool packs =
      !in_order || (all_outputs > panel && std::int64_t{Facts::columns} * band * images >= 32);
  /// Whether all kernels and lists of terms are prepared once, otherwise piece by piece for each band and group.
  static constexpr bool once =
      all_terms * Facts::groups <= 4096 && (!packs || all_terms * panels * panel * bytes * Facts::groups <= 128 * 1024);
  static constexpr std::int64_t kept_terms = once ? all_terms * panels : piece;
};

}  // namespace detail

/// y = windows of images times kernels, without multiplications by the zeros of a dilated image. Outputs: of a pixel.
/// Of several groups, the first one: others begin at other channels, columns of the kernels, and results. Weight: half
/// or bfloat16 for kernels that are widened as they are loaded or packed.
template <class T, class Facts, int Outputs, class Arch, class Weight = T>
struct window_sums {
  using layout = detail::window_sums_layout<T, Facts, Outputs, Arch>;
  using by_row = typename layout::by_row;
  using by_column = typename layout::by_column;
  static constexpr int panel = layout::panel, lanes = layout::lanes, channels = layout::channels,
                       together = by_column::together;
  static constexpr std::int64_t all_outputs = layout::all_outputs;

  /// Kernels in the order of use, and where the terms of a sum lie in the image.
  struct prepared {
    alignas(
        64) T kernels[layout::packs && layout::kept_terms > 0 ? static_cast<unsigned long>(layout::kept_terms* panel)
                                                              : 1];  // (terms, panel)
    std::int32_t terms[layout::kept_terms > 0 ? static_cast<unsigned long>(layout::kept_terms) : 1];
  };
  static ESPALIER_INLINE void prepare_once(Weight const* b, prepared& to) {
    if constexpr (layout::once)
      for (int g = 0; g < by_row::groups; ++g)
        for (int h = 0; h < by_column::groups; ++h)
          for (int p = 0; p < layout::panels; ++p) {
            std::int64_t const at = first_of(g, h, p);
            prepare(g, h, p * panel, 0, layout::terms_of(g, h), b, to.kernels + (layout::packs ? at * panel : 0),
                    to.terms + at);
          }
  }

  /// Lines [first, first + count) of some images. from: a band whose first row is row `row` of the first image, and
  /// whose first column is column `column`. distance: of images in it. y begins at the first image. number: of its
  /// first pixel, for the epilogue.
  struct band {
    T const* from;
    int row, column;
    std::int64_t distance;
    int images, first, count;
  };
  template <class After>
  ESPALIER_KERNEL static void run(band const& x, Weight const* b, prepared& use, T* y, std::int64_t number,
                                  After const& after) {
    T const* const from = x.from + (std::int64_t{by_row::taps.tap_low} - x.row) * layout::stride +
                          std::int64_t{by_column::taps.tap_low - x.column} * layout::pixel +
                          std::int64_t{x.first} * by_row::advance * layout::stride;
    for (int g = 0; g < by_row::groups; ++g) {
      int const left = by_row::count(g) - x.first, lines = left < x.count ? left : x.count;
      if (lines <= 0) continue;
      for (int h = 0; h < by_column::groups; ++h) {
        T* const to = y + ((std::int64_t{x.first} * by_row::period + g) * Facts::columns + h * together) * all_outputs;
        walk const start{from, to, x.distance, by_column::count(h * together), lines};
        std::int64_t const line = number + (std::int64_t{x.first} * by_row::period + g) * Facts::columns;
        for (int j = 0; start.columns > 0 && j < lanes; j += panel)
          some_lanes(g, h, j, x.first, start, x.images, b, use, line, after);
      }
    }
    if constexpr (!line_by_line) {
      int const begin = x.first * by_row::period, end = (x.first + x.count) * by_row::period;
      for (int i = 0; i < x.images; ++i)
        after(number + i * pixels + std::int64_t{begin} * Facts::columns,
              std::int64_t{(end < Facts::rows ? end : Facts::rows) - begin} * Facts::columns, 0, Outputs);
    }
  }

 private:
  static constexpr std::int64_t pixels = std::int64_t{Facts::rows} * Facts::columns;
  /// Whether lines of y are complete one by one.
  static constexpr bool line_by_line = by_column::groups == 1 && (together == 1 || layout::panels == 1);

  /// A walk over the rows of a product: windows at a distance of one period, line by line and image by image.
  struct walk {
    static constexpr std::int64_t a_row = std::int64_t{by_column::advance} * layout::pixel,
                                  a_line = by_row::advance * layout::stride,
                                  c_row = together == 1 ? by_column::period * all_outputs : lanes,
                                  c_line = std::int64_t{by_row::period} * Facts::columns * all_outputs;
    T const* a;
    T* c;
    std::int64_t distance;
    int columns, lines;
    int column = 0, line = 0;  ///< line: of all images

    /// The addresses of `Rows` rows. Rows behind the last one are in `spare`, as are those that are not complete;
    /// incomplete[r] is where the columns of these belong.
    template <int Rows>
    ESPALIER_INLINE void next(int images, T const** from, T** to, T* spare, T** incomplete) {
      if (column + Rows < columns) {
        for (int r = 0; r < Rows; ++r) {
          from[r] = a + r * a_row;
          to[r] = c + r * c_row;
          incomplete[r] = nullptr;
        }
        a += Rows * a_row;
        c += Rows * c_row;
        column += Rows;
        return;
      }
      for (int r = 0; r < Rows; ++r) {
        bool const ended = line == lines * images, cut = !by_column::complete && column + 1 == columns;
        from[r] = ended ? from[0] : a;
        to[r] = ended || cut ? spare + r * panel : c;
        if constexpr (!by_column::complete) incomplete[r] = !ended && cut ? c : nullptr;
        if (!ended) step();
      }
    }
    void step() {
      a += a_row;
      c += c_row;
      if (++column < columns) return;
      column = 0;
      a += a_line - columns * a_row;
      c += c_line - columns * c_row;
      if (++line % lines != 0) return;
      a += distance - lines * a_line;
      c += pixels * all_outputs - lines * c_line;
    }
  };

  /// The lanes of packed kernels from lane j on. The last panel may have fewer registers.
  static constexpr int packed_row(int j) {
    return layout::rest != 0 && j + panel > lanes ? layout::rest * layout::width : panel;
  }
  static constexpr std::int64_t first_of(int g, int h, int p) {
    return layout::terms_before(g, h) * layout::panels + std::int64_t{p} * layout::terms_of(g, h);
  }

  using kernel_element = std::conditional_t<layout::packs, T, Weight>;  // as blocks read them
  template <int Vectors, int Last>
  using kernel = detail::contract_list<T, Arch, layout::rows_of(Vectors), Vectors, Last,
                                       detail::chains_of(layout::rows_of(Vectors) * Vectors, Vectors,
                                                         layout::most_terms, layout::registers),
                                       layout::packs, kernel_element>;
  /// Adds terms to one panel of lanes of all rows. finished(line): a line is complete.
  template <class Kernel, class Finished>
  static ESPALIER_INLINE void multiply(int j, walk rows, int images, std::int64_t count, std::int32_t const* terms,
                                       kernel_element const* b, bool accumulate, Finished const& finished) {
    constexpr int some = Kernel::rows;
    T const* from[static_cast<unsigned>(some)];
    T *to[static_cast<unsigned>(some)], *incomplete[static_cast<unsigned>(some)];
    alignas(64) T spare[static_cast<unsigned>(some * panel)];
    if (accumulate) detail::fill_run<T, Arch>(spare, T(0), some * panel);
    for (int line = 0; line < rows.lines * images;) {
      rows.template next<some>(images, from, to, spare, incomplete);
      Kernel::run(count, from, terms, b, all_outputs, to, accumulate);
      if constexpr (!by_column::complete) {
        int const left = Facts::columns % together * Outputs - j;
        for (int r = 0; r < some; ++r)
          if (incomplete[r] != nullptr && left > 0)
            detail::copy_run<T, Arch>(incomplete[r], to[r], left < panel ? left : panel);
      }
      for (; line < rows.line; ++line) finished(line);
    }
  }
  /// Lines in a row whose windows are inside the image with the same rows of taps [from, to), up to line `end`.
  struct line_range {
    int end, from, to;
  };
  static line_range lines_from(int g, int first, int end) {
    auto const taps_below = [g](int line, int height) {
      int count = 0;
      while (count < by_row::taps.count[g] && by_row::taps.source[g][count] + by_row::advance * line < height) ++count;
      return count;
    };
    if constexpr (!skips_padding) return {end, 0, by_row::taps.count[g]};
    line_range r{first + 1, taps_below(first, 0), taps_below(first, Facts::height)};
    while (r.end < end && taps_below(r.end, 0) == r.from && taps_below(r.end, Facts::height) == r.to) ++r.end;
    return r;
  }
  /// Whether rows of taps in the padding are left out. Then the first and last lines are products of their own, which
  /// must fill some blocks.
  static constexpr bool skips_padding =
      !layout::in_place && by_row::taps.most > 1 && std::int64_t{by_column::most} * layout::images >= 16;

  /// Lanes [j, j + panel) of one group of rows and columns. first: the number of the first line. number: of its first
  /// pixel in y.
  template <class Kernel, class After>
  static ESPALIER_INLINE void group(int g, int h, int j, int first, walk const& rows, int images, Weight const* b,
                                    prepared& use, std::int64_t number, After const& after) {
    int const terms = layout::terms_of(g, h), terms_per_row = by_column::taps.count[h] * channels;
    std::int64_t const at = layout::once ? first_of(g, h, j / panel) : 0;
    for (int k = 0; k == 0 || k < terms; k += layout::piece) {
      int const end = terms - k < layout::piece ? terms : k + layout::piece;
      if constexpr (!layout::once) prepare(g, h, j, k, end - k, b, use.kernels, use.terms);
      line_range lines{};
      for (int i = 0; i < rows.lines; i = lines.end - first) {
        lines = lines_from(g, first + i, first + rows.lines);
        // If windows of some lines meet no pixel, their results are sums of no terms.
        int const begin = lines.from * terms_per_row, last = lines.to * terms_per_row, to = last < end ? last : end,
                  from = begin >= last || k >= begin ? k : begin;
        if (from >= to && !(k == 0 && begin >= last)) continue;
        std::int64_t const skipped = layout::once ? from : from - k;
        kernel_element const* kernels;
        if constexpr (layout::packs) kernels = use.kernels + at * panel + skipped * packed_row(j);
        else kernels = b + from * all_outputs + j;
        bool const complete = line_by_line && (to == last || begin >= last);
        walk some = rows;
        some.lines = lines.end - first - i;
        some.a += i * walk::a_line;
        some.c += i * walk::c_line + j;
        multiply<Kernel>(j, some, images, from < to ? to - from : 0, use.terms + at + skipped, kernels,
                         begin < last && from > begin, [&](int line) {
                           if (complete) finish(number, i + line % some.lines, line / some.lines, j, after);
                         });
      }
    }
  }
  /// The epilogue of one line of lanes from j on.
  template <class After>
  static ESPALIER_INLINE void finish(std::int64_t number, int line, int image, int j, After const& after) {
    int const from = together == 1 ? j : 0, left = Outputs - from;
    after(number + image * pixels + std::int64_t{line} * by_row::period * Facts::columns, Facts::columns, from,
          together == 1 && left >= panel ? panel : left);
  }
  template <class After>
  static ESPALIER_INLINE void some_lanes(int g, int h, int j, int first, walk const& start, int images, Weight const* b,
                                         prepared& use, std::int64_t number, After const& after) {
    if constexpr (layout::rest != 0 || layout::last != layout::width) {
      if (j + panel > lanes || (layout::rest == 0 && j + panel == lanes))
        return group<kernel<layout::rest == 0 ? layout::cut.vectors : layout::rest, layout::last>>(
            g, h, j, first, start, images, b, use, number, after);
    }
    if constexpr (lanes >= panel)
      group<kernel<layout::cut.vectors, layout::width>>(g, h, j, first, start, images, b, use, number, after);
  }

  /// Prepares the terms [k, k + count) of a group, for lanes [j, j + panel).
  static void prepare(int g, int h, int j, int k, int count, Weight const* b, T* kernels, std::int32_t* terms) {
    int const columns = by_column::taps.count[h], end = k + count;
    while (k < end) {
      int const tap = k / channels, c = k % channels, row = by_row::taps.source[g][tap / columns],
                column = by_column::taps.source[h][tap % columns];
      int const some = end - k < channels - c ? end - k : channels - c;
      std::int64_t const at = (row - by_row::taps.tap_low) * layout::stride +
                              std::int64_t{column - by_column::taps.tap_low} * layout::pixel + c;
      for (int i = 0; i < some; ++i) terms[i] = static_cast<std::int32_t>(at + i);
      if constexpr (layout::packs) {
        pack_kernels(g, h, row, column, j, c, some, b, kernels);
        kernels += std::int64_t{some} * packed_row(j);
      }
      terms += some;
      k += some;
    }
  }
  /// The kernels of one pixel: of channels [c, c + count), for lanes [j, j + panel). Lanes that do not read the pixel
  /// have 0.
  static void pack_kernels(int g, int h, int row, int column, int j, int c, int count, Weight const* b, T* to) {
    if constexpr (together > 1 || lanes % panel != 0)
      detail::fill_run<T, Arch>(to, T(0), std::int64_t{count} * packed_row(j));
    int const r = detail::tap_on(layout::row_axis, g, row), end = j + panel < lanes ? j + panel : lanes;
    for (int lane = j; lane < end;) {
      int const i = lane / Outputs, o = lane % Outputs,
                k = detail::tap_on(layout::column_axis, h * together + i, column),
                some = end - lane < Outputs - o ? end - lane : Outputs - o;
      if (k >= 0)
        detail::copy_rows<T, Arch>(to + (lane - j), packed_row(j),
                                   b + ((std::int64_t{r} * Facts::kernel_columns + k) * channels + c) * all_outputs + o,
                                   all_outputs, count, some);
      lane += some;
    }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
