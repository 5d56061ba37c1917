// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../shape/window.hpp"
#include "tap_sums.hpp"
#include "windows.hpp"

#include "../../../base/diagnostics_push.hpp"
/// Convolutions with groups of channels that are in place, and the gradients with respect to their kernels.
namespace espalier::on_cpu {

/// A window_product of groups as small as registers: as many channels go into a group as results come out of it, and
/// registers have whole groups, or a group has whole registers.
template <class T, Shape Image, Shape Window, class Map, std::uint64_t Attribute, class Arch>
struct small_group_product : independent_parts {
  static constexpr bool transposed = graph::transposes_in(Attribute).a;
  static constexpr int all_channels = Window::value.at[5], each = all_channels / graph::groups_in(Attribute);
  static constexpr std::int64_t columns = Window::value.at[2];
  using sums = std::conditional_t<transposed, position_sums<T, Image, Window, Map, Arch, each>,
                                  tap_sums<T, Image, Window, Map, Arch, each>>;
  static constexpr int parts = sums::parts;

  /// after: the epilogue of each finished line of y; rows are counted through all images.
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run(T const* x, T const* b, T* y, After const& after = {}) {
    if constexpr (transposed) sums::run(x, b, y);
    else lines(x, b, y, after, 0, sums::result_rows);
  }
  /// The first images of all.
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run_images(T const* x, T const* b, T* y, int images, After const& after = {}) {
    if constexpr (transposed) sums::some(x, b, y, images, 0, sums::registers);
    else lines(x, b, y, after, 0, std::int64_t{images} * Window::value.at[1]);
  }
  ESPALIER_KERNEL static void part(T const* x, T const* b, T* y, T* shared, int which) {
    part(x, b, y, detail::no_epilogue{}, shared, which);
  }
  template <class After>
  ESPALIER_KERNEL static void part(T const* x, T const* b, T* y, After const& after, T* shared, int which) {
    if constexpr (transposed) sums::part(x, b, y, shared, which);
    else
      lines(x, b, y, after, detail::part_begin(sums::result_rows, parts, which),
            detail::part_begin(sums::result_rows, parts, which + 1));
  }

 private:
  template <class After>
  static ESPALIER_INLINE void lines(T const* x, T const* b, T* y, After const& after, std::int64_t first,
                                    std::int64_t last) {
    if constexpr (std::is_same_v<After, detail::no_epilogue>) {
      sums::some(x, b, y, first, last);
    } else {
      for (std::int64_t i = first; i < last; ++i) {
        sums::some(x, b, y, i, i + 1);
        after(i * columns, columns, 0, all_channels);
      }
    }
  }
};

namespace detail {

template <class T, class Image, class Window, class Map, class B, class Y, std::uint64_t Attribute, class Arch>
constexpr auto find_grouped_product() {
  constexpr int groups = graph::groups_in(Attribute), each = Window::value.at[5] / groups,
                outputs = Y::template extent<-1>() / groups;
  constexpr int size = pack<T, Arch>::size;
  // The gradient of larger groups has more sums than registers, so that factors would be read again and again.
  constexpr bool fits = size % each == 0 || (!graph::transposes_in(Attribute).a && each % size == 0 && each <= 32);
  if constexpr (each == outputs && fits)
    return std::type_identity<small_group_product<T, Image, Window, Map, Attribute, Arch>>{};
  else return std::type_identity<window_product<T, Image, Window, Map, B, Y, Attribute, Arch>>{};
}
template <class T, class Image, class Window, class Map, class B, class Y, std::uint64_t Attribute, class Arch>
using grouped_product = typename decltype(find_grouped_product<T, Image, Window, Map, B, Y, Attribute, Arch>())::type;

/// The columns of an image that has so many pixels in all: at most 64, if they divide the pixels into rows that fill
/// blocks of columns.
constexpr int columns_of_pixels(int pixels) {
  int columns = pixels < 64 ? pixels : 64;
  while (pixels % columns != 0) --columns;
  return columns >= 8 || pixels > 4096 ? columns : pixels;
}
/// The pixels of a kernel of one tap: rows of a matrix, as the windows of one image, or of several.
template <class A, int Images = 1>
struct pixels_as_windows {
  static constexpr int pixels = A::value.at[0] / Images, channels = A::value.at[1], columns = columns_of_pixels(pixels);
  using image = shape<Images, pixels / columns, columns, channels>;
  using window = shape<Images, pixels / columns, columns, 1, 1, channels>;
  struct map {
    static constexpr index_map value = windows_of(image::value, 1, 1, convolution{}).map;
  };
};

}  // namespace detail

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
