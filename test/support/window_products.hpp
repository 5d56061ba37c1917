// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernel_parts.hpp"
#include "window_maps.hpp"
#include "window_values.hpp"

/// Products of windows in groups, against sums over windows that are written out.
namespace test {

/// The results of a kernel at once and of its parts one after the other, which are the same bits.
template <class Kernel, class T>
std::vector<T> result(std::size_t size, std::vector<T> const& x, std::vector<T> const& b) {
  std::vector<T> y(size, T(NAN)), by_parts = y;
  Kernel::run(x.data(), b.data(), y.data());
  for (int i = 0; i < Kernel::parts; ++i) run_part<Kernel, T>(i, x.data(), b.data(), by_parts.data());
  BOOST_TEST(y == by_parts);
  return y;
}

/// Windows of random images, kernels and a gradient of the results. Outputs: of a group.
template <class T, class Image, class Move, int Outputs, int Groups>
struct window_products {
  static constexpr espalier::extents w = Move::value.shape;
  static constexpr std::int64_t pixels = w.product(0, 3), taps = w.product(3, 5), all_channels = w.at[5],
                                channels = all_channels / Groups, depth = taps * channels, outputs = Outputs * Groups;
  std::vector<T> const x = random_numbers<T>(Image::size, 1), k = random_numbers<T>(depth * outputs, 2),
                       dy = random_numbers<T>(pixels * outputs, 3), all = written_out<T, Image, Move>(x);

  /// The largest error of windows times kernels, as `off` counts it.
  double error_of(std::vector<T> const& y) const {
    return largest_error(pixels, depth, y, [&](std::int64_t p, std::int64_t i, std::int64_t o) {
      return window(p, i, o / Outputs) * of(k, i, o);
    });
  }
  /// And of the gradient of the kernels.
  double error_of_gradient(std::vector<T> const& dk) const {
    return largest_error(depth, pixels, dk, [&](std::int64_t i, std::int64_t p, std::int64_t o) {
      return window(p, i, o / Outputs) * of(dy, p, o);
    });
  }

 private:
  /// got: (rows, outputs). term(row, number, output): the terms of a sum.
  static double largest_error(std::int64_t rows, std::int64_t terms, std::vector<T> const& got, auto const& term) {
    double worst = 0;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t o = 0; o < outputs; ++o) {
        double sum = 0, size = 0;
        for (std::int64_t i = 0; i < terms; ++i) {
          double const x = term(r, i, o);
          sum += x;
          size += std::fabs(x);
        }
        worst = std::fmax(worst, off(static_cast<T>(of(got, r, o)), sum, size));
      }
    return worst;
  }
  /// Term i of window p for results of group g.
  double window(std::int64_t p, std::int64_t i, std::int64_t g) const {
    return static_cast<double>(
        all[static_cast<std::size_t>((p * taps + i / channels) * all_channels + g * channels + i % channels)]);
  }
  static double of(std::vector<T> const& v, std::int64_t row, std::int64_t output) {
    return static_cast<double>(v[static_cast<std::size_t>(row * outputs + output)]);
  }
};

}  // namespace test
