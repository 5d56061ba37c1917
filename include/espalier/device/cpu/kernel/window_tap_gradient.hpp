// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../cascade.hpp"
#include "../product/contract_terms.hpp"
#include "window_tap_products.hpp"

namespace espalier::on_cpu {

/// The gradient of a convolution of small images with respect to its kernels, one product for each tap: the pixels that
/// windows read with it times their part of dy. Nothing is multiplied by padding. A chunk of channels and a panel of
/// outputs of some images are packed and stay in a cache near the core, while they are added to all their kernels.
/// Units of work are such parts of the kernels. All: the number of images.
template <class T, class Facts, int Outputs, int All, class Arch>
struct window_tap_gradient {
  using layout = detail::tap_products_layout<T, Facts, Outputs, Arch>;
  using by_row = typename layout::by_row;
  using by_column = typename layout::by_column;
  static constexpr int panel = layout::panel, channels = layout::channels, panels = layout::panels,
                       taps = Facts::kernel_rows * Facts::kernel_columns;
  static constexpr std::int64_t inputs = std::int64_t{Facts::height} * Facts::width;
  static constexpr int rows = layout::rows_of(layout::cut.vectors);
  /// Images that are added at once. Longer sums are loaded and stored less often, up to a part of a panel that takes a
  /// sixteenth of an L2 cache of 1 MiB.
  static constexpr int images = [] {
    std::int64_t const some = 64 * 1024 / (panel * layout::bytes) / layout::pixels,
                       most = some < 1     ? 1
                              : some < All ? some
                                           : All,
                       groups = (All + most - 1) / most;
    return static_cast<int>((All + groups - 1) / groups);
  }();
  static constexpr bool at_once = images == All;
  /// Channels of a chunk: as many blocks as fit in half of the L1 cache, but some.
  static constexpr int chunk = [] {
    std::int64_t const fit = 24 * 1024 / (images * inputs * rows * layout::bytes);
    int const most = static_cast<int>(fit < 4    ? 4
                                      : fit > 16 ? 16
                                                 : fit) *
                     rows,
              chunks = (channels + most - 1) / most, each = (channels + chunks - 1) / chunks;
    return (each + rows - 1) / rows * rows;
  }();
  static constexpr int chunks = (channels + chunk - 1) / chunk, units = chunks * panels;
  /// What a unit needs for itself. Large kernels, and images that windows step over, would need too much.
  struct arrays {
    alignas(64) T pixels[static_cast<unsigned long>(images * inputs * chunk)];             // (inputs, chunk)
    alignas(64) T gradients[static_cast<unsigned long>(images * layout::pixels * panel)];  // (pixels, panel)
    // Rows of y are at a distance for which caches have few sets, so sums over all images are added up elsewhere.
    alignas(64) T sums[at_once ? 1 : static_cast<unsigned long>(taps * chunk * panel)];  // (taps, chunk, panel)
    detail::term_offsets terms[static_cast<unsigned long>(images * layout::pixels)];
  };
  static constexpr bool fits =
      (images * (inputs * chunk + layout::pixels * panel) + (at_once ? 0 : std::int64_t{taps} * chunk * panel)) *
          layout::bytes <=
      512 * 1024;

  /// One unit of the gradient for the first `count` images.
  static ESPALIER_INLINE void run(arrays& own, T const* x, T const* dy, T* y, int count, int unit) {
    int const c = unit / panels * chunk, j = unit % panels * panel;
    if constexpr (layout::rest != 0 || layout::last != layout::width) {
      constexpr int vectors = layout::rest == 0 ? layout::cut.vectors : layout::rest;
      if (j + panel > Outputs || (layout::rest == 0 && j + panel == Outputs))
        return some<vectors, layout::last>(own, x, dy, y, count, c, j);
    }
    if constexpr (Outputs >= panel) some<layout::cut.vectors, layout::width>(own, x, dy, y, count, c, j);
  }

 private:
  template <int Vectors, int Last>
  ESPALIER_KERNEL static void some(arrays& own, T const* x, T const* dy, T* y, int count, int c, int j) {
    constexpr std::int64_t wide = Vectors * layout::width, columns = (Vectors - 1) * layout::width + Last;
    T *const pixels = own.pixels, *const gradients = own.gradients;
    [[maybe_unused]] T* const sums = own.sums;
    detail::term_offsets* const terms = own.terms;
    int const width = chunk < channels - c ? chunk : channels - c;
    if constexpr (Last != layout::width) detail::fill_run<T, Arch>(gradients, T(0), images * layout::pixels * wide);
    for (int i = 0; i < count; i += images) {
      int const some = count - i < images ? count - i : images;
      detail::copy_rows<T, Arch>(pixels, chunk, x + i * Facts::image + c, channels, some * inputs, width);
      detail::copy_rows<T, Arch>(gradients, wide, dy + i * layout::pixels * Outputs + j, Outputs, some * layout::pixels,
                                 columns);
      for (int tap = 0; tap < taps; ++tap) {
        std::int64_t const length = list_terms(tap, some, wide, terms);
        if constexpr (at_once)
          blocks<Vectors, Last>(length, pixels, gradients, terms, y + (std::int64_t{tap} * channels + c) * Outputs + j,
                                Outputs, width, false);
        else
          blocks<Vectors, layout::width>(length, pixels, gradients, terms, sums + tap * chunk * wide, wide, width,
                                         i > 0);
      }
    }
    if constexpr (!at_once)
      for (int tap = 0; tap < taps; ++tap)
        detail::copy_rows<T, Arch>(y + (std::int64_t{tap} * channels + c) * Outputs + j, Outputs,
                                   sums + tap * chunk * wide, wide, width, columns);
  }
  /// `count` rows of the kernels of a tap, in blocks of two numbers of rows.
  template <int Vectors, int Last>
  static ESPALIER_INLINE void some_terms(std::int64_t length, T const* pixels, T const* gradients,
                                         detail::term_offsets const* terms, T* to, std::int64_t stride, int count,
                                         bool accumulate) {
    constexpr int most = layout::rows_of(Vectors), fewer = most > 1 ? most - 1 : 1;
    int i = 0;
    for (int more = count - (count + most - 1) / most * fewer; i + most <= count && more > 0; --more, i += most)
      detail::contract_terms<T, Arch, most, Vectors, Last>::run(length, pixels + i, gradients, terms, to + i * stride,
                                                                stride, accumulate);
    for (; i + fewer <= count; i += fewer)
      detail::contract_terms<T, Arch, fewer, Vectors, Last>::run(length, pixels + i, gradients, terms, to + i * stride,
                                                                 stride, accumulate);
    for (; i < count; ++i)
      detail::contract_terms<T, Arch, 1, Vectors, Last>::run(length, pixels + i, gradients, terms, to + i * stride,
                                                             stride, accumulate);
  }
  /// The same for all terms, in pieces (see cascade.hpp).
  template <int Vectors, int Last>
  static ESPALIER_INLINE void blocks(std::int64_t length, T const* pixels, T const* gradients,
                                     detail::term_offsets const* terms, T* to, std::int64_t stride, int count,
                                     bool accumulate) {
    constexpr std::int64_t most = 2 * detail::terms_of_block;
    std::int64_t k = 0;
    do {
      std::int64_t const some = length - k < most ? length - k : most;
      some_terms<Vectors, Last>(some, pixels, gradients, terms + k, to, stride, count, accumulate || k > 0);
      k += most;
    } while (k < length);
  }
  /// The windows of some images whose tap reads a pixel. Returns their number.
  static std::int64_t list_terms(int tap, int some, std::int64_t wide, detail::term_offsets* to) {
    int const r = tap / Facts::kernel_columns, k = tap % Facts::kernel_columns;
    detail::term_offsets const* const begin = to;
    for (int n = 0; n < some; ++n)
      for (int i = 0; i < by_row::taps.count[r]; ++i)
        for (int q = 0; q < by_column::taps.count[k]; ++q) {
          std::int64_t const row = by_row::taps.source[r] + i * by_row::advance,
                             column = by_column::taps.source[k] + q * by_column::advance,
                             result_row = by_row::taps.first[r] + i * by_row::period,
                             result_column = by_column::taps.first[k] + q * by_column::period;
          *to++ = {
              static_cast<std::int32_t>((n * inputs + row * Facts::width + column) * chunk),
              static_cast<std::int32_t>((n * layout::pixels + result_row * Facts::columns + result_column) * wide)};
        }
    return to - begin;
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
