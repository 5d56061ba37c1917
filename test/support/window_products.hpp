// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "window_maps.hpp"
#include "window_values.hpp"

/// Products of windows in groups, against sums over windows that are written out.
namespace test {

/// The results of a kernel at once and of its parts one after the other, which are the same bits.
template <class Kernel, class T>
std::vector<T> result(std::size_t size, std::vector<T> const& x, std::vector<T> const& b) {
  std::vector<T> y(size, T(NAN)), by_parts = y;
  Kernel::run(x.data(), b.data(), y.data());
  for (int i = 0; i < Kernel::parts; ++i) Kernel::part(x.data(), b.data(), by_parts.data(), nullptr, i);
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
    double worst = 0;
    for (std::int64_t p = 0; p < pixels; ++p)
      for (std::int64_t o = 0; o < outputs; ++o) {
        double sum = 0, size = 0;
        for (std::int64_t i = 0; i < depth; ++i) {
          double const term = window(p, i, o / Outputs) * of(k, i, o);
          sum += term;
          size += std::fabs(term);
        }
        worst = std::fmax(worst, off(static_cast<T>(of(y, p, o)), sum, size));
      }
    return worst;
  }
  /// And of the gradient of the kernels.
  double error_of_gradient(std::vector<T> const& dk) const {
    double worst = 0;
    for (std::int64_t i = 0; i < depth; ++i)
      for (std::int64_t o = 0; o < outputs; ++o) {
        double sum = 0, size = 0;
        for (std::int64_t p = 0; p < pixels; ++p) {
          double const term = window(p, i, o / Outputs) * of(dy, p, o);
          sum += term;
          size += std::fabs(term);
        }
        worst = std::fmax(worst, off(static_cast<T>(of(dk, i, o)), sum, size));
      }
    return worst;
  }

 private:
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
