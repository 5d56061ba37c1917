// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../shape/window.hpp"
#include "tap_sums.hpp"
#include "windows.hpp"

/// Convolutions whose sums stay in registers until they are complete.
namespace espalier::on_cpu {

namespace detail {
template <class T, class Image, class Window, class Map, class Arch, int Each, int Outputs, class Weight,
          bool OfPositions>
constexpr auto find_tap_sums() {
  if constexpr (OfPositions) return std::type_identity<position_sums<T, Image, Window, Map, Arch, Each>>{};
  else return std::type_identity<tap_sums<T, Image, Window, Map, Arch, Each, Outputs, Weight>>{};
}
}  // namespace detail

/// A window_product, or the gradient of its kernels, whose sums over all taps stay in registers: results of some
/// columns and of one register of channels at a time. Outputs: of a pixel, in all groups. As many channels go into a
/// group as results come out of it, and registers have whole groups, or a group has whole registers; or there is one
/// group. Weight: as for tap_sums.
template <class T, Shape Image, Shape Window, class Map, std::uint64_t Attribute, int Outputs, class Arch,
          class Weight = T>
struct tap_sum_product : independent_parts {
  using weight = Weight;
  static constexpr bool transposed = graph::transposes_in(Attribute).a;
  static constexpr int each = Window::value.at[5] / graph::groups_in(Attribute);
  static constexpr std::int64_t columns = Window::value.at[2];
  using sums =
      typename decltype(detail::find_tap_sums<T, Image, Window, Map, Arch, each, Outputs, Weight, transposed>())::type;
  static constexpr int parts = sums::parts;
  static constexpr std::int64_t room_size = sums::room_size;

  /// after: the epilogue of each finished line of y; rows are counted through all images.
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run(T const* x, Weight const* b, T* y, After const& after = {}) {
    room_on_stack<T, room_size> own;
    if constexpr (transposed) sums::run(own, x, b, y);
    else lines(own, x, b, y, after, 0, sums::result_rows);
  }
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run(room<T> own, T const* x, Weight const* b, T* y, After const& after = {}) {
    if constexpr (transposed) sums::run(own, x, b, y);
    else lines(own, x, b, y, after, 0, sums::result_rows);
  }
  /// The first images of all.
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run_images(T const* x, Weight const* b, T* y, int images, After const& after = {}) {
    room_on_stack<T, room_size> own;
    if constexpr (transposed) sums::some(own, x, b, y, images, 0, sums::registers);
    else lines(own, x, b, y, after, 0, std::int64_t{images} * Window::value.at[1]);
  }
  ESPALIER_KERNEL static void part(room<T> own, T const* x, Weight const* b, T* y, T* shared, int which) {
    part(own, x, b, y, detail::no_epilogue{}, shared, which);
  }
  template <class After>
  ESPALIER_KERNEL static void part(room<T> own, T const* x, Weight const* b, T* y, After const& after, T* shared,
                                   int which) {
    if constexpr (transposed) sums::part(own, x, b, y, shared, which);
    else
      lines(own, x, b, y, after, detail::part_begin(sums::result_rows, parts, which),
            detail::part_begin(sums::result_rows, parts, which + 1));
  }

 private:
  template <class After>
  static ESPALIER_INLINE void lines(room<T> own, T const* x, Weight const* b, T* y, After const& after,
                                    std::int64_t first, std::int64_t last) {
    if constexpr (std::is_same_v<After, detail::no_epilogue>) {
      sums::some(own, x, b, y, first, last);
    } else {
      for (std::int64_t i = first; i < last; i += sums::band) {
        std::int64_t const end = i + sums::band < last ? i + sums::band : last;
        sums::some(own, x, b, y, i, end);
        after(i * columns, (end - i) * columns, 0, Outputs);
      }
    }
  }
};

namespace detail {

/// Whether a product of windows of one group is faster as sums over taps, as measured. A window_product prepares each
/// block of sums anew, which takes as long as some 10 terms, and leaves registers empty if there are few results. Sums
/// over taps read all kernels for each row of results, and a pixel for each register of results. So their kernels must
/// be in the L2 cache; neighbouring columns must share pixels; and a block must have enough columns, whose sums do not
/// wait for each other. With 16 registers there are too few for blocks that read as little as those of products.
/// Kernels of 16 bits are computed as those of floats are, so that results have the same bits.
template <class T, class Image, class Window, class Map, class B, class Y, std::uint64_t Attribute, class Arch>
constexpr bool prefers_tap_sums() {
  constexpr int outputs = Y::template extent<-1>(), taps = Window::value.at[4], channels = Window::value.at[5];
  constexpr std::int64_t depth = std::int64_t{Window::value.at[3]} * taps * channels, size = pack<T, Arch>::size;
  if constexpr (graph::groups_in(Attribute) > 1 || graph::transposes_in(Attribute).a || register_count<Arch> < 32 ||
                taps == 1 || Map::value.divisor[1] > 1 || Map::value.divisor[2] > 1 || outputs % size != 0 ||
                depth * outputs * static_cast<std::int64_t>(sizeof(T)) > 320 * 1024 ||
                B::size != B::value.product(B::rank - 2, B::rank)) {
    return false;
  } else if constexpr (window_product<T, Image, Window, Map, B, Y, Attribute, Arch>::by_taps) {
    return false;
  } else {
    using sums = tap_sums<T, Image, Window, Map, Arch, channels, outputs>;
    constexpr column_blocks blocks = sums::blocks;
    return sums::can_pack && sums::unrolled && blocks.at_edges && blocks.count >= 8;
  }
}

}  // namespace detail

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
