// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>

#include "../base/supported.hpp"

/// Winograd's method for convolutions: its matrices, its cost and its error.
///
/// Along one axis, M results of a kernel of K taps are computed from N = M + K - 1 elements with N multiplications
/// instead of M K: y = A ((G w) * (B x)). The matrices follow from Lagrange's interpolation of polynomials at N - 1
/// points and at infinity.
/// source  Winograd 1980; Lavin and Gray 2015; for the points Barabasz et al. 2020
namespace espalier {

/// A tile: results of one axis (M) and the taps of the kernel (K), for rows and columns. 1 and 1: an axis along which
/// nothing is convolved.
struct winograd_tile {
  int rows = 1, columns = 1, kernel_rows = 1, kernel_columns = 1;
  constexpr int input_rows() const { return rows + kernel_rows - 1; }
  constexpr int input_columns() const { return columns + kernel_columns - 1; }
  /// The products of a tile for each pair of an input channel and an output.
  constexpr int products() const { return input_rows() * input_columns(); }
  friend constexpr bool operator==(winograd_tile const&, winograd_tile const&) = default;
};

namespace detail {

inline constexpr int most_winograd_inputs = 8;
/// Elements of a row of a transformed tile and of its products: a block of twelve tiles lies on the stack.
inline constexpr int most_winograd_row = 8192;
/// The first points of interpolation. A pair of p and -1 / p instead of p and -p makes the error of F(4, 3) smaller by
/// a third.
inline constexpr double winograd_points[most_winograd_inputs - 1] = {0, 1, -1, .5, -2, -.5, 2};

/// The matrices of one axis: results (M, N), kernels (N, K), inputs (N, N). Points: of the interpolation.
template <int M, int K, double const (&Points)[most_winograd_inputs - 1] = winograd_points>
struct winograd_matrices {
  static constexpr int inputs_count = M + K - 1;
  static_assert(inputs_count <= most_winograd_inputs);
  static constexpr auto extent = static_cast<unsigned long>(inputs_count);
  double results[static_cast<unsigned long>(M)][extent]{}, kernels[extent][static_cast<unsigned long>(K)]{},
      inputs[extent][extent]{};

  constexpr winograd_matrices() {
    constexpr int points = inputs_count - 1;
    double const(&p)[most_winograd_inputs - 1] = Points;
    for (int j = 0; j < points; ++j) {
      double power = 1, distance = 1;
      for (int i = 0; i < M; ++i, power *= p[j]) results[i][j] = power;
      for (int i = 0; i < points; ++i)
        if (i != j) distance *= p[j] - p[i];
      power = 1;
      for (int i = 0; i < K; ++i, power *= p[j]) kernels[j][i] = power / distance;
      add_roots(inputs[j], j);
    }
    results[M - 1][points] = 1;
    kernels[points][K - 1] = 1;
    add_roots(inputs[points], -1);
  }

 private:
  /// The coefficients of the product of x - p over all points p except number `without`.
  constexpr void add_roots(double* coefficients, int without) const {
    coefficients[0] = 1;
    int degree = 0;
    for (int i = 0; i < inputs_count - 1; ++i) {
      if (i == without) continue;
      ++degree;
      for (int k = degree; k >= 0; --k)
        coefficients[k] = (k > 0 ? coefficients[k - 1] : 0) - Points[i] * coefficients[k];
    }
  }
};
template <int M, int K>
inline constexpr winograd_matrices<M, K> winograd_of{};

/// The sum of the squares of the factors by which the transforms of one axis enlarge the roundings of products, mean
/// over the results.
template <int M, int K>
constexpr double winograd_growth() {
  constexpr winograd_matrices<M, K> const& m = winograd_of<M, K>;
  constexpr int n = winograd_matrices<M, K>::inputs_count;
  double sum = 0;
  for (int j = 0; j < n; ++j) {
    double a = 0, b = 0, g = 0;
    for (int i = 0; i < M; ++i) a += m.results[i][j] * m.results[i][j];
    for (int i = 0; i < n; ++i) b += m.inputs[j][i] * m.inputs[j][i];
    for (int i = 0; i < K; ++i) g += m.kernels[j][i] * m.kernels[j][i];
    sum += a * b * g;
  }
  return sum / M;
}

constexpr double root_of(double x) {
  double r = x < 1 ? 1 : x;
  for (int i = 0; i < 40; ++i) r = (r + x / r) / 2;
  return r;
}

/// The growth for M of 1, 2, 4, 6 and K of 1, 3, 5; 0 for others.
constexpr double winograd_growth(int m, int k) {
  if (m == 1 && k == 1) return 1;
  if (k == 3) return m == 2 ? winograd_growth<2, 3>() : m == 4 ? winograd_growth<4, 3>() : winograd_growth<6, 3>();
  return m == 2 ? winograd_growth<2, 5>() : winograd_growth<4, 5>();
}

}  // namespace detail

/// Elements of the transformed kernels of one place of a tile. They are at no distance of a multiple of 2 KiB: caches
/// have few sets for that.
constexpr int winograd_matrix(int channels, int outputs) {
  int const elements = channels * outputs;
  return elements % 512 == 0 ? elements + 16 : elements;
}

/// The sizes of a convolution: results (images, rows, columns, outputs).
struct convolution_sizes {
  std::int64_t images;
  int rows, columns, channels, outputs;
};
constexpr std::int64_t tiles_of(winograd_tile const& t, convolution_sizes const& s) {
  return s.images * ((s.rows + t.rows - 1) / t.rows) * ((s.columns + t.columns - 1) / t.columns);
}

/// The estimated error of a convolution by this tile, by the error of the direct method: root of the mean square, for
/// inputs and kernels of independent random numbers. The direct method adds up one term after the other. The rounding
/// errors of a sum of n terms grow as n. The transforms add about as much as 8 more terms.
constexpr double winograd_error(winograd_tile const& t, convolution_sizes const& s) {
  double const growth =
      detail::winograd_growth(t.rows, t.kernel_rows) * detail::winograd_growth(t.columns, t.kernel_columns);
  return detail::root_of(growth * (1 + 16. / s.channels)) / (t.kernel_rows * t.kernel_columns);
}
namespace detail {
/// The gradient of kernels adds up sums of so many tiles.
inline constexpr std::int64_t winograd_tiles_of_sum = 24;
/// The variance of the rounding errors of a sum of n terms, in pieces of `piece` terms that are added up.
constexpr double variance_of_sum(double n, double piece) {
  double const pieces = n < piece ? 1 : n / piece, each = n / pieces;
  return (pieces * each * each + pieces * pieces * each) / 2;
}
}  // namespace detail
/// The same for the gradient of kernels. Its sums over results are split: into bands of images that fit in a cache by
/// the direct method, and into sums of few tiles.
constexpr double winograd_error_of_kernels(winograd_tile const& t, convolution_sizes const& s) {
  double const growth =
      detail::winograd_growth(t.rows, t.kernel_rows) * detail::winograd_growth(t.columns, t.kernel_columns);
  double const tiles = static_cast<double>(tiles_of(t, s)), area = t.rows * t.columns,
               pixels = static_cast<double>(std::int64_t{s.rows} * s.columns), band = 65536. / s.channels,
               direct = detail::variance_of_sum(pixels * static_cast<double>(s.images), pixels < band ? pixels : band),
               own = detail::variance_of_sum(tiles, detail::winograd_tiles_of_sum) * area /
                     (t.kernel_rows * t.kernel_columns);
  return detail::root_of(growth * (1.6 + 16 / tiles) * own / direct);
}

namespace detail {
/// Elements of transformed kernels that are written to a cache near a core and read from there, written to the last
/// level of cache beside the kernels and images, or only read from there.
inline constexpr double winograd_kernels_near = 1 << 20, winograd_kernels_cached = 3 << 20,
                        winograd_kernels_read = 6 << 20;
/// What transformed kernels cost in multiplications, as measured. Those that fit in no cache are written to so many
/// distant parts of memory at once that it depends little on the tile.
constexpr double winograd_kernels_cost(double products, double kernels, bool constant_kernels) {
  if (constant_kernels) return (products < winograd_kernels_read ? 4 : 14) * products;
  if (products < winograd_kernels_cached) return (products < winograd_kernels_near ? 8 : 12) * products;
  return 150 * kernels;
}
}  // namespace detail
/// Multiplications of the direct method. The kernels are read once, which takes as long as multiplying four windows.
constexpr double direct_cost(winograd_tile const& t, convolution_sizes const& s) {
  double const kernels = double{1} * t.kernel_rows * t.kernel_columns * s.channels * s.outputs;
  return kernels * (static_cast<double>(s.images * s.rows * s.columns) + 4);
}
/// The cost of a convolution by this tile, in the same unit: products, transforms (as measured), and kernels, which
/// are transformed in every run unless they are constants.
constexpr double winograd_cost(winograd_tile const& t, convolution_sizes const& s, bool constant_kernels) {
  int const in_rows = t.input_rows(), in_columns = t.input_columns();
  double const tiles = static_cast<double>(tiles_of(t, s));
  double const products = double{1} * t.products() * s.channels * s.outputs,
               inputs = 1.4 * t.products() * (in_rows + in_columns) * s.channels,
               results = 1.6 * t.columns * in_rows * (in_columns + t.rows) * s.outputs;
  double const kernels = double{1} * t.kernel_rows * t.kernel_columns * s.channels * s.outputs;
  return tiles * (products + inputs + results) + detail::winograd_kernels_cost(products, kernels, constant_kernels);
}

/// The fastest tile for a convolution whose estimated error is at most `error` times that of the direct method; no rows
/// if the direct method is about as fast. taps: its kernel_rows and kernel_columns. of_kernels: for the gradient of the
/// kernels. direct: the cost of the direct method, if it is known better than by direct_cost.
constexpr winograd_tile fastest_tile(winograd_tile const& taps, convolution_sizes const& s, double error,
                                     bool of_kernels, bool constant_kernels, double direct = 0) {
  winograd_tile best = taps;
  best.rows = best.columns = 0;
  auto const fits = [](int kernel) { return kernel == 1 || kernel == 3 || kernel == 5; };
  if (!fits(taps.kernel_rows) || !fits(taps.kernel_columns) || taps.kernel_rows * taps.kernel_columns == 1 ||
      s.channels < 8 || s.outputs < 8)
    return best;
  constexpr int extents[] = {1, 2, 4, 6};
  double least = .87 * (direct > 0 ? direct : direct_cost(taps, s));
  for (int const rows : extents)
    for (int const columns : extents) {
      winograd_tile t = taps;
      t.rows = rows;
      t.columns = columns;
      if ((rows == 1) != (taps.kernel_rows == 1) || (columns == 1) != (taps.kernel_columns == 1) ||
          t.input_rows() > detail::most_winograd_inputs || t.input_columns() > detail::most_winograd_inputs ||
          t.input_columns() * (s.channels + s.outputs) > detail::most_winograd_row)
        continue;
      double const cost = winograd_cost(t, s, constant_kernels);
      if (cost >= least || (of_kernels ? winograd_error_of_kernels(t, s) : winograd_error(t, s)) > error) continue;
      least = cost;
      best = t;
    }
  return best;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
