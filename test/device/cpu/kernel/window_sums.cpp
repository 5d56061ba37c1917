// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_kernel_window_sums
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <espalier/device/cpu/kernel/windows.hpp>

#include "support/longer_run.hpp"
#include "support/kernel_parts.hpp"
#include "support/window_maps.hpp"
#include "support/window_values.hpp"

namespace on_cpu = espalier::on_cpu;
using espalier::extents;
using espalier::index_map;
using espalier::movement;
using espalier::shape;
using std::int64_t;
using std::size_t;

namespace {

using test::random_numbers;

/// A number in [low, high] for each case and property.
constexpr int chosen(int which, int property, int low, int high) {
  std::uint64_t x = static_cast<std::uint64_t>(which) * 64 + static_cast<std::uint64_t>(property) + 1;
  for (int i = 0; i < 3; ++i) x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return low + static_cast<int>((x >> 33) % static_cast<std::uint64_t>(high - low + 1));
}
inline constexpr int channel_counts[] = {1, 2, 3, 8, 17};

/// Windows of a dilated image, with all numbers drawn: extents, kernels, steps, dilations, starts and divisors. Every
/// fourth case has negative steps and taps.
template <int Which>
struct drawn {
  static constexpr int images = chosen(Which, 0, 1, 2), channels = channel_counts[chosen(Which, 1, 0, 4)],
                       outputs = channel_counts[chosen(Which, 2, 0, 4)];
  using image = shape<images, chosen(Which, 3, 1, 9), chosen(Which, 4, 1, 9), channels>;
  static constexpr int sign(int which) { return Which % 4 == 3 && chosen(Which, which, 0, 1) == 1 ? -1 : 1; }
  static constexpr movement value = [] {
    movement m{};
    m.map =
        index_map{6,
                  {0, 1, 2, 1, 2, 3},
                  {1, sign(5) * chosen(Which, 6, 1, 4), sign(7) * chosen(Which, 8, 1, 4),
                   sign(9) * chosen(Which, 10, 1, 3), sign(11) * chosen(Which, 12, 1, 3), 1},
                  {0, chosen(Which, 13, -6, 3) - (sign(5) - 1) * 4, chosen(Which, 14, -6, 3) - (sign(7) - 1) * 4, 0},
                  {1, chosen(Which, 15, 1, 4), chosen(Which, 16, 1, 4), 1, 0, 0},
                  false};
    if (Which % 2 == 0) m.map.step[1] = m.map.step[2] = 1;  // as in a gradient with respect to images
    m.shape = extents{6,
                      {images, chosen(Which, 17, 1, 11), chosen(Which, 18, 1, 14), chosen(Which, 19, 1, 5),
                       chosen(Which, 20, 1, 5), channels}};
    return m;
  }();
};

/// An epilogue that adds 1000 to each element, so that an element that it misses or meets twice is wrong.
template <class T, int Outputs>
struct add_thousand {
  T* y;
  void operator()(int64_t row, int64_t rows, int64_t column, int64_t columns) const {
    for (int64_t i = row; i < row + rows; ++i)
      for (int64_t j = column; j < column + columns; ++j) y[i * Outputs + j] += T(1000);
  }
};

template <class T, class Image, class Move, int Outputs>
struct checked {
  static constexpr extents w = Move::value.shape;
  static constexpr int64_t pixels = w.product(0, 3), depth = w.product(3, 6);
  using product = on_cpu::window_product<T, Image, espalier::shape_from<test::extents_of<Move>>,
                                         typename test::map_of<Move>::type, shape<static_cast<int>(depth), Outputs>,
                                         shape<static_cast<int>(pixels), Outputs>, 0, on_cpu::default_arch>;

  /// The largest error, in units of the rounding error of the sum of magnitudes.
  static double error(std::vector<T> const& x, std::vector<T> const& k, std::vector<T> const& y) {
    double worst = 0;
    for (int64_t p = 0; p < pixels; ++p)
      for (int o = 0; o < Outputs; ++o) {
        double sum = 0, size = 0;
        for (int64_t i = 0; i < depth; ++i) {
          int64_t const from = espalier::moved_offset(Move::value.map, Image::value, w, p * depth + i);
          if (from < 0) continue;
          double const term = static_cast<double>(x[static_cast<size_t>(from)]) *
                              static_cast<double>(k[static_cast<size_t>(i * Outputs + o)]);
          sum += term;
          size += std::fabs(term);
        }
        double const got = static_cast<double>(y[static_cast<size_t>(p * Outputs + o)]),
                     off = std::fabs(got - sum) /
                           ((size + 1e-30) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2);
        if (got != sum) worst = std::isnan(off) ? 1e9 : std::fmax(worst, off);
      }
    return worst;
  }

  /// The same by one product for each tap, for all images at once and one by one.
  static void by_taps(int which, std::vector<T> const& x, std::vector<T> const& k, std::vector<T> const& y) {
    using by_taps = on_cpu::window_tap_products<T, typename product::facts, Outputs, false, on_cpu::default_arch>;
    std::vector<T> after(y.size(), T(NAN)), single = after;
    add_thousand<T, Outputs> const add{after.data()};
    constexpr int images = w.at[0];
    on_cpu::room_on_stack<T, by_taps::template room_size<(images > 2 ? images : 2)>> own;
    for (int panel = 0; panel < by_taps::panels; ++panel) {
      by_taps::template run<images>(own, x.data(), k.data(), after.data(), images, panel, 0, add);
      for (int i = 0; i < images; ++i)
        by_taps::template run<2>(own, x.data() + i * (Image::size / images), k.data(),
                                 single.data() + i * (pixels / images) * Outputs, 1, panel, i * (pixels / images),
                                 on_cpu::detail::no_epilogue{});
    }
    double const worst = error(x, k, single);
    BOOST_TEST(worst <= 2 + std::sqrt(static_cast<double>(depth)), "case " << which << " by taps: " << worst);
    bool same = true;
    for (size_t i = 0; i < y.size(); ++i) same = same && after[i] == single[i] + T(1000);
    BOOST_TEST(same, "case " << which << " by taps, with an epilogue");
  }

  static void run(int which) {
    auto const x = random_numbers<T>(Image::size, 1), k = random_numbers<T>(depth * Outputs, 2);
    std::vector<T> y(static_cast<size_t>(pixels * Outputs), T(NAN)), after = y, in_parts = y, first = y;
    product::run(x.data(), k.data(), y.data());
    double const worst = error(x, k, y);
    BOOST_TEST(worst <= 2 + std::sqrt(static_cast<double>(depth)), "case " << which << ": " << worst);
    add_thousand<T, Outputs> const add{after.data()};
    product::run(x.data(), k.data(), after.data(), add);
    bool same = true;
    for (size_t i = 0; i < y.size(); ++i) same = same && after[i] == y[i] + T(1000);
    BOOST_TEST(same, "case " << which << " with an epilogue");
    for (int part = 0; part < product::parts; ++part)
      run_part<product, T>(part, x.data(), k.data(), in_parts.data(), add_thousand<T, Outputs>{in_parts.data()});
    BOOST_TEST((in_parts == after), "case " << which << " in parts");
    int64_t const one = pixels / w.at[0] * Outputs;
    product::run_images(x.data(), k.data(), first.data(), 1, add_thousand<T, Outputs>{first.data()});
    bool of_one = true;
    for (int64_t i = 0; i < pixels * Outputs; ++i) {
      T const got = first[static_cast<size_t>(i)];
      of_one = of_one && (i < one ? got == after[static_cast<size_t>(i)] : std::isnan(got));
    }
    BOOST_TEST(of_one, "case " << which << ", the first image");
    by_taps(which, x, k, y);
  }
};

template <class T, int First, int... I>
void check_drawn(std::integer_sequence<int, I...>) {
  (checked<T, typename drawn<First + I>::image, drawn<First + I>, drawn<First + I>::outputs>::run(First + I), ...);
}

template <class T, class Image, int Rows, int Columns, int Outputs, espalier::convolution Options>
void convolved(int which) {
  checked<T, Image, test::windows<Image, Rows, Columns, Options>, Outputs>::run(which);
}
/// The images' gradient of a convolution of `Image`.
template <class T, class Image, int Rows, int Columns, int Outputs, espalier::convolution Options>
void back(int which) {
  constexpr movement there = espalier::windows_of(Image::value, Rows, Columns, Options);
  using Gradient = shape<Image::value.at[0], there.shape.at[1], there.shape.at[2], Outputs>;
  checked<T, Gradient,
          test::windows_of_gradient<Gradient, Image::value.at[1], Image::value.at[2], Rows, Columns, Options>,
          Image::value.at[3]>::run(which);
}

}  // namespace

// A longer run draws other windows: together they are 32 of floats and 24 of doubles.
using test::longer_run;
inline constexpr int first_of_floats = longer_run ? 12 : 0, floats_drawn = longer_run ? 20 : 12;
inline constexpr int first_of_doubles = longer_run ? 40 : 32, doubles_drawn = longer_run ? 16 : 8;
BOOST_AUTO_TEST_CASE(drawn_windows_of_floats) {
  check_drawn<float, first_of_floats>(std::make_integer_sequence<int, floats_drawn>{});
}
BOOST_AUTO_TEST_CASE(drawn_windows_of_doubles) {
  check_drawn<double, first_of_doubles>(std::make_integer_sequence<int, doubles_drawn>{});
}

// Few channels: neighbouring columns are computed together, in rows that are complete or not.
BOOST_AUTO_TEST_CASE(columns_together) {
  using espalier::convolution;
  back<float, shape<2, 16, 24, 3>, 7, 7, 16, convolution{.stride = 2, .padding = 3}>(100);
  back<float, shape<3, 17, 23, 3>, 7, 7, 8, convolution{.stride = 4, .padding = 3}>(101);
  back<double, shape<1, 12, 12, 2>, 3, 5, 9, convolution{.stride = {1, 2}, .padding = 1}>(102);
  convolved<float, shape<1, 9, 40, 8>, 3, 3, 1, convolution{.padding = 1}>(103);
  convolved<float, shape<2, 9, 37, 3>, 3, 3, 4, convolution{.padding = 1}>(104);
  convolved<double, shape<1, 1, 64, 1>, 1, 9, 1, convolution{.padding = {0, 4}}>(105);
}

// Sums in several pieces, and several panels of lanes.
BOOST_AUTO_TEST_CASE(many_channels) {
  using espalier::convolution;
  back<float, shape<1, 9, 10, 70>, 3, 3, 90, convolution{.stride = 2, .padding = 1}>(200);
  back<double, shape<1, 10, 7, 33>, 3, 3, 60, convolution{.stride = {2, 3}, .padding = 1}>(201);
  convolved<float, shape<1, 6, 7, 130>, 3, 3, 100, convolution{.padding = 1}>(202);
  convolved<float, shape<1, 1, 50, 48>, 1, 3, 48, convolution{.padding = {0, 4}, .dilation = {1, 4}}>(203);
  convolved<float, shape<1, 33, 34, 3>, 7, 7, 64, convolution{.stride = 2, .padding = 3}>(204);
}

// Small images, which are multiplied by one tap after the other.
BOOST_AUTO_TEST_CASE(small_images) {
  using espalier::convolution;
  convolved<float, shape<1, 7, 7, 70>, 3, 3, 96, convolution{.padding = 1}>(300);
  convolved<float, shape<3, 14, 13, 32>, 3, 3, 70, convolution{.padding = 1}>(301);
  convolved<double, shape<2, 4, 3, 40>, 3, 3, 33, convolution{.padding = 1}>(302);
  convolved<float, shape<1, 2, 2, 800>, 3, 3, 50, convolution{.padding = 1}>(303);
  convolved<float, shape<1, 9, 9, 64>, 5, 5, 64, convolution{.stride = 2, .padding = 2}>(304);
  back<float, shape<2, 9, 8, 40>, 3, 3, 48, convolution{.stride = 2, .padding = 1}>(305);
}
