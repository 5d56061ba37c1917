// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "windows.hpp"
#include "thread_sums.hpp"

/// Convolutions of one channel per group: sums of windows of images times a factor, channel by channel. The images are
/// read in place.
namespace espalier::on_cuda {

namespace detail {

/// Where the taps of windows lie in an image.
template <class T, class Image, class Window, class Map>
struct tap_places {
  using facts = map_facts<Image, Window, Map>;
  static constexpr int channels = Window::value.at[5], height = Image::value.at[1], width = Image::value.at[2];
  static constexpr int V = access_width<T>(channels);

  /// The offset of a tap's pixel in the image, and whether it is inside.
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE found_element find(int row, int column, int r, int k) {
    constexpr int row_step = facts::map.step[1], column_step = facts::map.step[2], row_tap = facts::map.step[3],
                  column_tap = facts::map.step[4], row_start = facts::map.start[1], column_start = facts::map.start[2];
    constexpr index32 row_divisor = facts::map.divisor[1], column_divisor = facts::map.divisor[2];
    // A negative position is a large unsigned number.
    index32 const p = static_cast<index32>(row_start + row * row_step + r * row_tap),
                  q = static_cast<index32>(column_start + column * column_step + k * column_tap);
    bool const row_inside = facts::stays(1) || (p < static_cast<index32>(height) * row_divisor &&
                                                (row_divisor == 1 || p % row_divisor == 0)),
               column_inside = facts::stays(2) || (q < static_cast<index32>(width) * column_divisor &&
                                                   (column_divisor == 1 || q % column_divisor == 0));
    return {(p / row_divisor * static_cast<index32>(width) + q / column_divisor) * static_cast<index32>(channels),
            row_inside && column_inside};
  }
};

}  // namespace detail

/// y = windows of x times a factor for each tap and channel, summed over the taps: a thread for each result, or for as
/// many channels as one access holds.
/// table   x (images, height, width, C), factor (kernel rows, kernel columns, C), y (images, rows, columns, C)
template <class T, class Image, class Window, class Map>
struct tap_sums
    : result_kernel_base<tap_sums<T, Image, Window, Map>, T, Window::value.product(0, 3) * Window::value.at[5],
                         access_width<T>(Window::value.at[5]), 3, 0, 1> {
  using places = detail::tap_places<T, Image, Window, Map>;
  using C = compute_type<T>;
  using table = kernel_table<3>;
  static constexpr int rows = Window::value.at[1], columns = Window::value.at[2], kernel_rows = Window::value.at[3],
                       kernel_columns = Window::value.at[4], channels = places::channels;
  static constexpr int V = places::V;
  static constexpr int load_access = V == full_width<T> ? 16 : 0;

  ESPALIER_HOST_DEVICE static ESPALIER_INLINE pack<T, V> some(table const& t, index32 i) {
    constexpr index32 packs = channels / V, across = columns, down = rows;
    index32 const channel = i % packs * V, pixel = i / packs, column = pixel % across, row = pixel / across % down,
                  image = pixel / across / down;
    T const* const x = static_cast<T const*>(t.pointer[0]) +
                       image * static_cast<index32>(places::height * places::width * channels) + channel;
    T const* const factor = static_cast<T const*>(t.pointer[1]) + channel;
    pack<C, V> all;
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) all.at[v] = C(0);
    for (int r = 0; r < kernel_rows; ++r)
      for (int k = 0; k < kernel_columns; ++k) {
        detail::found_element const at = places::find(static_cast<int>(row), static_cast<int>(column), r, k);
        if (!at.inside) continue;
        pack<C, V> const tap = load<T, V>(x + at.offset),
                         weight = load<T, V>(factor + (r * kernel_columns + k) * channels);
        ESPALIER_UNROLL
        for (int v = 0; v < V; ++v) all.at[v] += tap.at[v] * weight.at[v];
      }
    pack<T, V> y;
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) y.at[v] = static_cast<T>(all.at[v]);
    return y;
  }
};

/// y = windows of x times a factor for each position and channel, summed over the positions of all images, in an order
/// that does not depend on the device. Threads of a block add every 32nd term of a result, and then their sums.
/// table   x (images, height, width, C), factor (images, rows, columns, C), y (kernel rows, kernel columns, C)
template <class T, class Image, class Window, class Map>
struct position_sums {
  using places = detail::tap_places<T, Image, Window, Map>;
  using table = kernel_table<3>;
  using C = compute_type<T>;
  static constexpr int rows = Window::value.at[1], columns = Window::value.at[2], kernel_columns = Window::value.at[4],
                       channels = places::channels;
  static constexpr std::int64_t results = Window::value.product(3, 6), terms = Window::value.product(0, 3);
  static constexpr int width = places::V, threads = 256, cluster = 1, lanes = 8, shares = threads / lanes;
  static constexpr std::int64_t groups = results / width, blocks = (groups + lanes - 1) / lanes;
  using own_sums = thread_sums<void, C, width, terms / shares>;
  static constexpr int load_access = width == full_width<T> ? 16 : 0, store_access = load_access;

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    T const* const x = static_cast<T const*>(t.pointer[0]);
    T const* const factor = static_cast<T const*>(t.pointer[1]);
    constexpr index32 count = static_cast<index32>(groups);
    index32 const share = static_cast<index32>(c.thread()) / lanes;
    index32 const group = static_cast<index32>(c.block()) * lanes + static_cast<index32>(c.thread()) % lanes;
    own_sums own;
    if (group < count) add_terms(x, factor, group, share, own);
    pack<C, width> all = own.total();
    C* const sums = c.template shared<C, threads * width, 0>();
    ESPALIER_UNROLL
    for (int v = 0; v < width; ++v) sums[v * threads + c.thread()] = all.at[v];
    c.barrier();
    if (share != 0 || group >= count) return;
    for (int s = 1; s < shares; ++s) {
      ESPALIER_UNROLL
      for (int v = 0; v < width; ++v) all.at[v] += sums[v * threads + s * lanes + c.thread()];
    }
    store<T, width>(static_cast<T*>(t.pointer[2]) + group * width, all);
  }

 private:
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void add_terms(T const* x, T const* factor, index32 group, index32 share,
                                                             own_sums& own) {
    constexpr index32 end = static_cast<index32>(terms), packs = channels / width, across = columns, down = rows,
                      taps = kernel_columns, depth = channels;
    index32 const channel = group % packs * width, tap = group / packs;
    int const r = static_cast<int>(tap / taps), k = static_cast<int>(tap % taps);
    for (index32 i = share; i < end; i += shares) {
      index32 const image = i / across / down;
      detail::found_element const at =
          places::find(static_cast<int>(i / across % down), static_cast<int>(i % across), r, k);
      if (!at.inside) continue;
      pack<C, width> const pixel = load<T, width>(
                               x + image * static_cast<index32>(places::height * places::width * channels) + at.offset +
                               channel),
                           weight = load<T, width>(factor + i * depth + channel);
      pack<C, width> product;
      ESPALIER_UNROLL
      for (int v = 0; v < width; ++v) product.at[v] = pixel.at[v] * weight.at[v];
      own.add(product);
    }
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
