// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "winograd.hpp"

/// Winograd's method for integers of 8 bits: its matrices with integers only, so that a sum has no error at all.
///
/// A kernel's row j of the usual matrices is 1 / d of whole numbers, where d is a product of distances between the
/// points. Here it is multiplied by a number of its own, and what then lacks of a common multiple L is a factor of the
/// results. So the result of an axis is L times the sum of products, and that of both axes is the product of both L.
/// Sums may wrap around in 32 bits: L is 2^s times an odd number, which has an inverse modulo 2^32. So after that
/// multiplication and a shift by s the sum is exact if it is below 2^(31 - s) in magnitude.
/// source  as in winograd.hpp; Meng and Brothers 2019 for tiles of integers
namespace espalier {
namespace detail {

/// Points whose matrices have small whole numbers.
inline constexpr double whole_winograd_points[most_winograd_inputs - 1] = {0, 1, -1, 2, -2, 3, -3};

constexpr int common_divisor(int a, int b) { return b == 0 ? (a < 0 ? -a : a) : common_divisor(b, a % b); }

/// The matrices of one axis as integers: results (M, N), kernels (N, K), inputs (N, N), and L.
template <int M, int K>
struct winograd_integers {
  static constexpr int inputs_count = M + K - 1;
  static constexpr auto extent = static_cast<unsigned long>(inputs_count);
  int results[static_cast<unsigned long>(M)][extent]{}, kernels[extent][static_cast<unsigned long>(K)]{},
      inputs[extent][extent]{};
  int multiple = 1;  ///< L
  /// The largest sums of magnitudes in a row of `inputs` and of `kernels`: how much the transforms enlarge numbers.
  int most_of_inputs = 0, most_of_kernels = 0;

  constexpr winograd_integers() {
    constexpr winograd_matrices<M, K, whole_winograd_points> from{};
    constexpr int points = inputs_count - 1;
    int distance[extent]{}, whole[extent][static_cast<unsigned long>(K)]{}, largest = 0;
    for (int j = 0; j < inputs_count; ++j) {
      distance[j] = 1;
      for (int i = 0; i < points && j < points; ++i)
        if (i != j) distance[j] *= rounded(whole_winograd_points[j] - whole_winograd_points[i]);
      multiple = multiple / common_divisor(multiple, distance[j]) * (distance[j] < 0 ? -distance[j] : distance[j]);
      for (int i = 0; i < K; ++i) whole[j][i] = rounded(from.kernels[j][i] * distance[j]);
    }
    // A row at a point takes all of its factor, and that at infinity as much as leaves no larger numbers.
    for (int j = 0; j < inputs_count; ++j) {
      int of_kernels = multiple / distance[j];
      for (int other = of_kernels; j == points && points > 0 && of_kernels > largest; --other)
        if (multiple % other == 0 && other <= largest) of_kernels = other;
      int const of_results = multiple / distance[j] / of_kernels;
      int row = 0;
      for (int i = 0; i < K; ++i) kernels[j][i] = whole[j][i] * of_kernels, row += magnitude(kernels[j][i]);
      largest = row > largest ? row : largest;
      for (int i = 0; i < M; ++i) results[i][j] = rounded(from.results[i][j]) * of_results;
      int of_inputs = 0;
      for (int i = 0; i < inputs_count; ++i)
        inputs[j][i] = rounded(from.inputs[j][i]), of_inputs += magnitude(inputs[j][i]);
      most_of_inputs = of_inputs > most_of_inputs ? of_inputs : most_of_inputs;
    }
    most_of_kernels = largest;
  }

 private:
  static constexpr int rounded(double x) { return static_cast<int>(x < 0 ? x - .5 : x + .5); }
  static constexpr int magnitude(int x) { return x < 0 ? -x : x; }
};
template <int M, int K>
inline constexpr winograd_integers<M, K> winograd_integers_of{};

/// The inverse of an odd number modulo 2^32.
constexpr std::uint32_t inverse_of_odd(std::uint32_t x) {
  std::uint32_t r = x;  // right in 3 bits, and in twice as many after each step
  for (int i = 0; i < 5; ++i) r *= 2 - x * r;
  return r;
}

}  // namespace detail

/// How the sums of a tile of integers become those of the products: times `inverse` modulo 2^32, then shifted right.
struct winograd_scale {
  std::uint32_t inverse;
  int shift;
  /// The most channels whose sums are exact: activations of 0 to 255 or -128 to 127, weights of -128 to 127.
  int most_channels;
};
/// Tile: with integer matrices, fits_integers.
template <winograd_tile Tile>
constexpr winograd_scale winograd_scale_of() {
  int multiple = detail::winograd_integers_of<Tile.rows, Tile.kernel_rows>.multiple *
                 detail::winograd_integers_of<Tile.columns, Tile.kernel_columns>.multiple;
  int shift = 0;
  for (; multiple % 2 == 0; multiple /= 2) ++shift;
  int const terms = Tile.kernel_rows * Tile.kernel_columns;
  return {detail::inverse_of_odd(static_cast<std::uint32_t>(multiple)), shift,
          static_cast<int>(((std::int64_t{1} << (31 - shift)) - 1) / (std::int64_t{255} * 128 * terms))};
}
/// Whether transformed activations and kernels of 8 bits fit into 16.
template <winograd_tile Tile>
constexpr bool fits_integers() {
  constexpr auto const& rows = detail::winograd_integers_of<Tile.rows, Tile.kernel_rows>;
  constexpr auto const& columns = detail::winograd_integers_of<Tile.columns, Tile.kernel_columns>;
  return rows.most_of_inputs * columns.most_of_inputs * 255 < 32768 &&
         rows.most_of_kernels * columns.most_of_kernels * 128 < 32768;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
