// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../operation/rule.hpp"
#include "move.hpp"
#include "thread_sums.hpp"

/// Kernels for windows of images: reductions that read the images in place, and windows written to memory (im2col) for
/// the backend's products.
namespace espalier::on_cuda {

/// y = the reduction of each window of x over its taps: a thread for each result, or for as many channels as one access
/// holds.
/// table   x (images, height, width, channels), y (images, rows, columns, channels)
template <class T, class Op, class Image, class Window, class Map>
struct window_reduction : result_kernel_base<window_reduction<T, Op, Image, Window, Map>, T,
                                             Window::value.product(0, 3) * Window::value.at[5],
                                             access_width<T>(Window::value.at[5]), 2, 0, 1> {
  using facts = detail::map_facts<Image, Window, Map>;
  using C = compute_type<T>;
  using table = kernel_table<2>;
  static constexpr int rows = Window::value.at[1], columns = Window::value.at[2], kernel_rows = Window::value.at[3],
                       kernel_columns = Window::value.at[4], channels = Window::value.at[5],
                       height = Image::value.at[1], width = Image::value.at[2];
  static constexpr int V = access_width<T>(channels);
  static constexpr int load_access = V == full_width<T> ? 16 : 0;

  ESPALIER_HOST_DEVICE static ESPALIER_INLINE pack<T, V> some(table const& t, index32 i) {
    constexpr int row_step = facts::map.step[1], column_step = facts::map.step[2], row_tap = facts::map.step[3],
                  column_tap = facts::map.step[4], row_start = facts::map.start[1], column_start = facts::map.start[2];
    constexpr index32 row_divisor = facts::map.divisor[1], column_divisor = facts::map.divisor[2];
    constexpr index32 packs = channels / V, across = columns, down = rows;
    index32 const channel = i % packs * V, pixel = i / packs, column = pixel % across, row = pixel / across % down,
                  image = pixel / across / down;
    T const* const x =
        static_cast<T const*>(t.pointer[0]) + image * static_cast<index32>(height * width * channels) + channel;
    int const top = row_start + static_cast<int>(row) * row_step,
              left = column_start + static_cast<int>(column) * column_step;
    thread_sums<Op, C, V, kernel_rows * kernel_columns> taps;
    bool fills = false;
    for (int r = 0; r < kernel_rows; ++r) {
      index32 const p = static_cast<index32>(top + r * row_tap);
      bool const row_inside = facts::stays(1) || (p < static_cast<index32>(height) * row_divisor &&
                                                  (row_divisor == 1 || p % row_divisor == 0));
      for (int k = 0; k < kernel_columns; ++k) {
        index32 const q = static_cast<index32>(left + k * column_tap);
        if (row_inside && (facts::stays(2) || (q < static_cast<index32>(width) * column_divisor &&
                                               (column_divisor == 1 || q % column_divisor == 0)))) {
          taps.add(load<T, V>(x + (p / row_divisor * static_cast<index32>(width) + q / column_divisor) *
                                      static_cast<index32>(channels)));
        } else {
          fills = true;
        }
      }
    }
    pack<C, V> const all = taps.total();
    constexpr C filler = static_cast<C>(facts::map.fills_with_lowest ? -__builtin_huge_val() : 0.0);
    pack<T, V> y;
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) y.at[v] = static_cast<T>(fills ? rule<Op>::combine(all.at[v], filler) : all.at[v]);
    return y;
  }
};

/// Divides a product with windows, op(windows of x) b, into passes of matrix products. Each pass writes the windows of
/// some images as a matrix (pixels of the result, taps and channels). Windows that equal the image are not written.
/// Y: the shape of the result; Transposes: as of the product (1: windows transposed, for the kernel gradient).
/// memory   scratch bytes: windows of about Most bytes, at least of one image, or of a group of images if sums run over
///          all of a group
template <class T, class Image, class Window, class Map, class Y, std::uint64_t Transposes,
          std::int64_t Most = std::int64_t{256} << 20>
struct window_product {
  static_assert(!graph::transposes_in(Transposes).b,
                "a product with windows supports Transposes 0 and 1: the right operand cannot be transposed");
  using image_shape = Image;
  using window_shape = Window;
  using map = Map;
  static constexpr bool transposed = graph::transposes_in(Transposes).a;
  static constexpr int images = Window::value.at[0], outputs = Y::value.at[Y::rank - 1];
  static constexpr std::int64_t pixels = Window::value.product(1, 3), depth = Window::value.product(3, 6),
                                image = Image::size / images;
  /// Independent products: groups of images, each with its own kernels.
  static constexpr int groups = static_cast<int>(Y::value.product(0, Y::rank - 2)), in_group = images / groups;
  static constexpr bool in_place = renames(Map::value, Image::value, Window::value);

  /// Images whose windows one pass writes: some groups, or a part that divides a group.
  static constexpr int images_per_pass = [] {
    if (in_place) return images;
    std::int64_t const fit = Most / (pixels * depth * static_cast<std::int64_t>(sizeof(T)));
    int most = fit < images ? static_cast<int>(fit) : images;
    if (most < in_group && transposed) return in_group;
    if (most < 1) return 1;
    if (most < in_group)
      while (in_group % most != 0) --most;
    else
      while (most % in_group != 0 || images % most != 0) --most;
    return most;
  }();
  static constexpr int passes = images / images_per_pass;
  static constexpr std::int64_t scratch =
      in_place ? 0 : pixels * depth * images_per_pass * static_cast<std::int64_t>(sizeof(T));

  static constexpr extents some(extents s) {
    s.at[0] = images_per_pass;
    return s;
  }
  struct some_images {
    static constexpr extents value = some(Image::value);
  };
  struct some_windows {
    static constexpr extents value = some(Window::value);
  };
  /// table   the first image of the pass in x, scratch
  using rows_kernel = move_kernel<T, shape_from<some_images>, shape_from<some_windows>, Map>;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
