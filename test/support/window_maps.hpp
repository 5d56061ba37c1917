// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/device/map_type.hpp>
#include <espalier/shape/window.hpp>

#include <utility>

/// Movements as types, and windows of images among them, for kernels that read through them.
namespace test {

using espalier::convolution, espalier::extents, espalier::index_map, espalier::movement, espalier::windows_of;

/// A map as a type. Move::value: its movement.
template <class Move, class I = std::make_integer_sequence<int, espalier::on_device::map_numbers>>
struct map_of;
template <class Move, int... I>
struct map_of<Move, std::integer_sequence<int, I...>> {
  using type = espalier::on_device::map_type<espalier::on_device::map_number(Move::value.map, I)...>;
};
template <class Move>
struct extents_of {
  static constexpr extents value = Move::value.shape;
};

template <class Image, int Rows, int Columns, convolution Options, bool Lowest = false>
struct windows {
  static constexpr movement value = windows_of(Image::value, Rows, Columns, Options, Lowest);
};
/// Windows of an image whose pixels are spread, as the gradient of a convolution with steps reads them: of dy, from the
/// last tap that reaches a pixel.
template <class Gradient, int Height, int Width, int Rows, int Columns, convolution Options>
struct windows_of_gradient {
  static constexpr movement value = [] {
    movement m{};
    m.map = index_map{6,
                      {0, 1, 2, 1, 2, 3},
                      {1, 1, 1, Options.dilation.rows, Options.dilation.columns, 1},
                      {0, Options.padding.top - Options.dilation.rows * (Rows - 1),
                       Options.padding.left - Options.dilation.columns * (Columns - 1), 0, 0, 0},
                      {1, Options.stride.rows, Options.stride.columns, 1, 0, 0},
                      false};
    m.shape = extents{6, {Gradient::value.at[0], Height, Width, Rows, Columns, Gradient::value.at[3]}};
    return m;
  }();
};

}  // namespace test
