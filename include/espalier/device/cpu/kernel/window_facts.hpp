// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../shape/index_map.hpp"
#include "../../../shape/shape.hpp"
#include "copy_run.hpp"

namespace espalier::on_cpu::detail {

/// The properties of a window map that its kernels share. Positions count in the dilated and padded image. Its pixel
/// (p, q) is pixel (p / divisor, q / divisor) of the image if these are whole numbers inside it, otherwise 0. A pixel
/// has the channels of all groups; kernels read those of one group at a time.
template <Shape Image, Shape Window, class Map, int Groups = 1>
struct window_facts {
  static constexpr index_map map = Map::value;
  static constexpr int images = Window::value.at[0], rows = Window::value.at[1], columns = Window::value.at[2],
                       kernel_rows = Window::value.at[3], kernel_columns = Window::value.at[4],
                       pixel = Window::value.at[5], groups = Groups, channels = pixel / groups;
  static constexpr int height = Image::value.at[1], width = Image::value.at[2];
  static constexpr std::int64_t image = std::int64_t{height} * width * pixel;
  static constexpr int row_step = map.step[1], column_step = map.step[2], row_tap = map.step[3],
                       column_tap = map.step[4];
  static constexpr int row_start = map.start[1], column_start = map.start[2], row_divisor = map.divisor[1],
                       column_divisor = map.divisor[2];
  /// Extent of the dilated and padded image that windows reach.
  static constexpr int reach_columns = (columns - 1) * column_step + (kernel_columns - 1) * column_tap + 1;
  static constexpr int reach_rows(int some) { return (some - 1) * row_step + (kernel_rows - 1) * row_tap + 1; }
  static constexpr bool in_place = is_total(map, Image::value, Window::value);
  /// Whether the taps of a kernel row are adjacent, and therefore one run of memory.
  static constexpr bool one_run = column_tap == 1 && groups == 1;
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

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
