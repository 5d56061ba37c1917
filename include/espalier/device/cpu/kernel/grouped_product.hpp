// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "tap_sum_product.hpp"

/// Convolutions with groups of channels that are in place, and the gradients with respect to their kernels.
namespace espalier::on_cpu {

namespace detail {

template <class T, class Image, class Window, class Map, class B, class Y, std::uint64_t Attribute, class Arch>
constexpr auto find_grouped_product() {
  constexpr int groups = graph::groups_in(Attribute), each = Window::value.at[5] / groups,
                outputs = Y::template extent<-1>() / groups;
  constexpr int size = pack<T, Arch>::size;
  // The gradient of larger groups has more sums than registers, so that factors would be read again and again.
  constexpr bool fits = size % each == 0 || (!graph::transposes_in(Attribute).a && each % size == 0 && each <= 32);
  if constexpr (each == outputs && fits)
    return std::type_identity<tap_sum_product<T, Image, Window, Map, Attribute, each * groups, Arch>>{};
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
