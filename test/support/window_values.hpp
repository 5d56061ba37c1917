// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/base/philox.hpp>
#include <espalier/shape/index_map.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

/// Images to test kernels of windows with, their windows written out, and how far a sum over them is off.
namespace test {

// Buffers of exactly the size that is asked for, so that the address sanitizer sees any access outside.
template <class T>
std::vector<T> random_numbers(std::int64_t size, std::uint64_t key) {
  std::vector<T> x(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i)
    x[static_cast<std::size_t>(i)] = T(2) * espalier::uniform_from_bits<T>(espalier::philox_bits(i, key, 0)) - T(1);
  return x;
}

/// The windows of images, element by element, as numbers of T. Move::value: their movement.
template <class T, class Image, class Move, class X>
std::vector<T> written_out(std::vector<X> const& x) {
  constexpr espalier::extents w = Move::value.shape;
  std::vector<T> all(static_cast<std::size_t>(w.size()));
  for (std::int64_t i = 0; i < w.size(); ++i) {
    std::int64_t const from = espalier::moved_offset(Move::value.map, Image::value, w, i);
    all[static_cast<std::size_t>(i)] = from >= 0 ? static_cast<T>(x[static_cast<std::size_t>(from)])
                                       : Move::value.map.fills_with_lowest ? -std::numeric_limits<T>::infinity()
                                                                           : T(0);
  }
  return all;
}

/// The error of a sum in units of the last place of its magnitude: the sum of the absolute values of its terms.
template <class T>
double off(T got, double sum, double magnitude) {
  if (static_cast<double>(got) == sum) return 0;
  double const e =
      std::fabs(static_cast<double>(got) - sum) / ((magnitude + 1e-30) * (sizeof(T) == 4 ? 6e-8 : 1.2e-16));
  return std::isnan(e) ? 1e9 : e;
}

}  // namespace test
