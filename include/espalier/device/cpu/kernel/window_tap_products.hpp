// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../shape/tap_products.hpp"
#include "../product/contract_rows.hpp"
#include "window_facts.hpp"
#include "window_taps.hpp"

/// Convolutions of small images with many channels: one product for each tap of the kernels.
namespace espalier::on_cpu {

namespace detail {

/// The windows of one axis whose tap r reads a pixel: first[r], first[r] + period, ..., count[r] of them. The first
/// one reads pixel source[r], and the others follow at the distance `advance`.
template <window_axis A, int Size>
struct tap_windows {
  static constexpr int period = smallest_period(A),
                       advance = static_cast<int>(std::int64_t{period} * A.step / A.divisor);
  struct table {
    int first[static_cast<unsigned>(A.kernel)], count[static_cast<unsigned>(A.kernel)],
        source[static_cast<unsigned>(A.kernel)];
    std::int64_t all;  ///< the sum of the counts
  };
  static constexpr table taps = [] {
    table t{};
    for (int r = 0; r < A.kernel; ++r) {
      for (int i = 0; i < A.extent; ++i) {
        int const at = A.start + i * A.step + r * A.tap;
        if (at < 0 || at % A.divisor != 0 || at / A.divisor >= Size) continue;
        if (t.count[r] == 0) t.first[r] = i, t.source[r] = at / A.divisor;
        ++t.count[r];
      }
      t.all += t.count[r];
    }
    return t;
  }();
};

template <class T, class Facts, int Outputs, class Arch>
struct tap_products_layout {
  static constexpr window_axis row_axis{Facts::rows,    Facts::kernel_rows, Facts::row_step,
                                        Facts::row_tap, Facts::row_start,   Facts::row_divisor};
  static constexpr window_axis column_axis{Facts::columns,    Facts::kernel_columns, Facts::column_step,
                                           Facts::column_tap, Facts::column_start,   Facts::column_divisor};
  using by_row = tap_windows<row_axis, Facts::height>;
  using by_column = tap_windows<column_axis, Facts::width>;
  static constexpr int width = pack<T, Arch>::size, registers = register_count<Arch>, channels = Facts::channels;
  static constexpr std::int64_t bytes = sizeof(T), pixels = std::int64_t{Facts::rows} * Facts::columns;

  static constexpr int vectors = (Outputs + width - 1) / width, last = Outputs - (vectors - 1) * width;
  static constexpr contract_cut cut = best_cut(many_rows, vectors, registers, false, Arch::bytes);
  static constexpr int rows_of(int each) { return best_rows(many_rows, each, registers, false, Arch::bytes).rows; }
  static constexpr int rest = vectors % cut.vectors, panel = cut.vectors * width,
                       panels = (vectors + cut.vectors - 1) / cut.vectors;

  /// Terms that are added at once: their part of a panel of kernels fits in the L1 cache. Kernels that are turned take
  /// half as long with as many terms as a panel has lanes, because the next ones are prefetched in full.
  static constexpr int piece(bool turned) {
    int const fit = turned ? panel : static_cast<int>(32 * 1024 / (panel * bytes)), pieces = (channels + fit - 1) / fit;
    return (channels + pieces - 1) / pieces;
  }
  /// Images whose sums for one panel stay in the L2 cache beside the kernels.
  static constexpr int images_of(int all) {
    std::int64_t const fit = espalier::detail::most_pixels_by_taps / pixels,
                       most = fit < 1     ? 1
                              : fit < all ? fit
                                          : all,
                       groups = (all + most - 1) / most;
    return static_cast<int>((all + groups - 1) / groups);
  }
};

}  // namespace detail

/// y = windows of images times kernels. The kernels of each tap multiply the pixels that windows read with it, so
/// nothing is multiplied by padding, and images are read where they are stored. Each kernel is read once, in the order
/// in which it is stored; small images with many channels have few multiplications for each. Turned: kernels are stored
/// as those of the images' gradient are, with taps in the opposite order, and as (taps, outputs, channels).
/// Weight: half or bfloat16 for kernels that are widened as they are packed.
template <class T, class Facts, int Outputs, bool Turned, class Arch, class Weight = T>
struct window_tap_products {
  using layout = detail::tap_products_layout<T, Facts, Outputs, Arch>;
  using by_row = typename layout::by_row;
  using by_column = typename layout::by_column;
  static constexpr int panel = layout::panel, channels = layout::channels, panels = layout::panels,
                       piece = layout::piece(Turned);

  /// Some images, which use the same kernels, in one panel of outputs. number: of the first pixel, for the epilogue.
  /// Most: of images. own: room_size<Most> elements.
  template <int Most>
  static constexpr std::int64_t size_of_sums = room_for<T>(Most* layout::pixels* panel);
  template <int Most>
  static constexpr std::int64_t room_size = size_of_sums<Most> + room_for<T>(std::int64_t{piece} * panel);
  template <int Most, class After>
  ESPALIER_KERNEL static void run(room<T> own, T const* x, Weight const* b, T* y, int images, int which,
                                  std::int64_t number, After const& after) {
    T *const sums = own.at, *const kernels = own.at + size_of_sums<Most>;  // (images, pixels, panel), (terms, panel)
    int const j = which * panel;
    detail::fill_run<T, Arch>(sums, T(0), images * layout::pixels * panel);
    if constexpr (layout::rest != 0 || layout::last != layout::width) {
      if (which == panels - 1)
        all_taps<layout::rest == 0 ? layout::cut.vectors : layout::rest, layout::last>(x, b, j, images, sums, kernels);
      else if constexpr (panels > 1) all_taps<layout::cut.vectors, layout::width>(x, b, j, images, sums, kernels);
    } else {
      all_taps<layout::cut.vectors, layout::width>(x, b, j, images, sums, kernels);
    }
    std::int64_t const columns = Outputs - j < panel ? Outputs - j : panel;
    detail::copy_rows<T, Arch>(y + j, Outputs, sums, panel, images * layout::pixels, columns);
    after(number, images * layout::pixels, j, columns);
  }

 private:
  /// A walk over the windows of one tap, line by line and image by image.
  struct walk {
    static constexpr std::int64_t a_row = std::int64_t{by_column::advance} * channels,
                                  a_line = std::int64_t{by_row::advance} * Facts::width * channels,
                                  c_row = std::int64_t{by_column::period} * panel,
                                  c_line = std::int64_t{by_row::period} * Facts::columns * panel;
    T const* a;
    T* c;
    int columns, lines;
    int column = 0, line = 0;

    ESPALIER_INLINE void step() {
      a += a_row;
      c += c_row;
      if (++column < columns) return;
      column = 0;
      a += a_line - columns * a_row;
      c += c_line - columns * c_row;
      if (++line < lines) return;
      line = 0;
      a += Facts::image - lines * a_line;
      c += layout::pixels * panel - lines * c_line;
    }
  };

  static constexpr int taps = Facts::kernel_rows * Facts::kernel_columns;
  /// Where the kernels of a tap are stored, for channels from c on and outputs from j on.
  static ESPALIER_INLINE Weight const* kernels_of(Weight const* b, int tap, int c, int j) {
    b += std::int64_t{Turned ? taps - 1 - tap : tap} * channels * Outputs;
    return Turned ? b + std::int64_t{j} * channels + c : b + std::int64_t{c} * Outputs + j;
  }
  template <int Vectors, int Last>
  static ESPALIER_INLINE void all_taps(T const* x, Weight const* b, int j, int images, T* sums, T* kernels) {
    for (int tap = 0; tap < taps; ++tap) {
      int const r = tap / Facts::kernel_columns, k = tap % Facts::kernel_columns;
      walk rows{x + (std::int64_t{by_row::taps.source[r]} * Facts::width + by_column::taps.source[k]) * channels,
                sums + (std::int64_t{by_row::taps.first[r]} * Facts::columns + by_column::taps.first[k]) * panel,
                by_column::taps.count[k], by_row::taps.count[r]};
      std::int64_t const count = std::int64_t{images} * rows.lines * rows.columns;
      if (count == 0) continue;
      for (int c = 0; c < channels; c += piece, rows.a += piece) {
        int const terms = channels - c < piece ? channels - c : piece;
        Weight const* const next = c + piece < channels ? kernels_of(b, tap, c + piece, j)
                                   : tap + 1 < taps     ? kernels_of(b, tap + 1, 0, j)
                                                        : kernels_of(b, 0, 0, j + panel < Outputs ? j + panel : 0);
        one_piece<Vectors, Last>(terms, rows, count, kernels_of(b, tap, c, j), kernels, next);
      }
    }
  }
  /// Adds some terms to `count` rows of sums. Blocks have two numbers of rows, so that few rows are computed in vain.
  /// The first blocks prefetch the next kernels.
  template <int Vectors, int Last>
  static ESPALIER_INLINE void one_piece(std::int64_t terms, walk rows, std::int64_t count, Weight const* b, T* kernels,
                                        Weight const* next) {
    constexpr int most = layout::rows_of(Vectors), fewer = most > 1 ? most - 1 : 1, wide = Vectors * layout::width;
    constexpr std::int64_t some_bytes = 2 * 64, of_weight = sizeof(Weight);  // prefetched for each term
    std::int64_t more = count - (count + most - 1) / most * fewer;
    alignas(64) T spare[static_cast<unsigned long>(wide)];
    detail::fill_run<T, Arch>(spare, T(0), wide);
    if constexpr (Turned)
      detail::copy_transposed<T, Arch>(kernels, wide, b, channels, (Vectors - 1) * layout::width + Last, terms);
    bool packed = Turned;
    detail::rows_options<T> options{kernels, next, (Turned ? channels : Outputs) * of_weight};
    for (int block = 0; count > 0; ++block, --more) {
      T const* from[static_cast<unsigned>(most)];
      T* to[static_cast<unsigned>(most)];
      int const some = !packed || more > 0 ? most : fewer;
      for (int i = 0; i < some; ++i) {
        from[i] = i < count ? rows.a : from[0];
        to[i] = i < count ? rows.c : spare;
        if (i < count) rows.step();
      }
      if (!packed)
        detail::contract_rows<T, Arch, most, Vectors, Last, true, Weight>::run(terms, from, b, Outputs, to, options);
      else if (some == most)
        detail::contract_rows<T, Arch, most, Vectors, Last, false>::run(terms, from, kernels, wide, to, options);
      else detail::contract_rows<T, Arch, fewer, Vectors, Last, false>::run(terms, from, kernels, wide, to, options);
      count -= some;
      packed = true;
      options.advance(some_bytes);
      if ((block + 1) * some_bytes >= (Turned ? terms : wide) * of_weight) options = {kernels, kernels, 0};
    }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
