// SPDX-License-Identifier: BSL-1.0
// Sums of windows times a factor for each tap or position, against sums over windows that are written out.
#define BOOST_TEST_MODULE device_cpu_kernel_tap_sums
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <espalier/device/cpu/kernel/tap_sums.hpp>

#include "support/window_products.hpp"

namespace on_cpu = espalier::on_cpu;
using espalier::convolution;
using espalier::extents;
using espalier::movement;
using espalier::shape;
using std::int64_t;
using std::size_t;

namespace {

using test::extents_of, test::map_of, test::windows, test::windows_of_gradient;
using test::random_numbers, test::written_out, test::off;

/// Each: channels of a group.
template <class T, class Image, class Move, int Each>
void tap_sums(char const* name) {
  using Window = espalier::shape_from<extents_of<Move>>;
  constexpr extents w = Move::value.shape;
  constexpr int64_t positions = w.product(0, 3), taps = w.product(3, 5), C = w.at[5];
  auto const x = random_numbers<T>(Image::size, 1), factor = random_numbers<T>(taps * Each * C, 2);
  auto const all = written_out<T, Image, Move>(x);
  using kernel = on_cpu::tap_sums<T, Image, Window, typename map_of<Move>::type, on_cpu::default_arch, Each>;
  auto const y = test::result<kernel>(static_cast<size_t>(positions * C), x, factor);
  double worst = 0;
  for (int64_t i = 0; i < positions * C; ++i) {
    double sum = 0, size = 0;
    for (int64_t t = 0; t < taps * Each; ++t) {
      int64_t const channel = i % C / Each * Each + t % Each;
      double const term = static_cast<double>(all[static_cast<size_t>((i / C * taps + t / Each) * C + channel)]) *
                          static_cast<double>(factor[static_cast<size_t>(t * C + i % C)]);
      sum += term;
      size += std::fabs(term);
    }
    worst = std::fmax(worst, off(y[static_cast<size_t>(i)], sum, size));
  }
  BOOST_TEST(worst <= 2 + std::sqrt(static_cast<double>(taps * Each)), name << ": sums over taps " << worst);
}

template <class T, class Image, class Move, int Each>
void position_sums(char const* name) {
  using Window = espalier::shape_from<extents_of<Move>>;
  constexpr extents w = Move::value.shape;
  constexpr int64_t positions = w.product(0, 3), taps = w.product(3, 5), C = w.at[5];
  auto const x = random_numbers<T>(Image::size, 1), factor = random_numbers<T>(positions * C, 2);
  auto const all = written_out<T, Image, Move>(x);
  using kernel = on_cpu::position_sums<T, Image, Window, typename map_of<Move>::type, on_cpu::default_arch, Each>;
  auto const y = test::result<kernel>(static_cast<size_t>(taps * Each * C), x, factor);
  double worst = 0;
  for (int64_t i = 0; i < taps * Each * C; ++i) {
    int64_t const tap = i / (Each * C), channel = i % C / Each * Each + i / C % Each;
    double sum = 0, size = 0;
    for (int64_t p = 0; p < positions; ++p) {
      double const term = static_cast<double>(all[static_cast<size_t>((p * taps + tap) * C + channel)]) *
                          static_cast<double>(factor[static_cast<size_t>(p * C + i % C)]);
      sum += term;
      size += std::fabs(term);
    }
    worst = std::fmax(worst, off(y[static_cast<size_t>(i)], sum, size));
  }
  BOOST_TEST(worst <= 2 + std::sqrt(static_cast<double>(positions)), name << ": sums over positions " << worst);
}

template <class T, class Image, int Rows, int Columns, convolution Options, int Each = 1>
void convolved(char const* name) {
  tap_sums<T, Image, windows<Image, Rows, Columns, Options>, Each>(name);
  position_sums<T, Image, windows<Image, Rows, Columns, Options>, Each>(name);
}
/// The images' gradient: windows of a smaller image.
template <class T, class Image, int Rows, int Columns, convolution Options, int Each = 1>
void back(char const* name) {
  constexpr movement there = espalier::windows_of(Image::value, Rows, Columns, Options);
  using Gradient = shape<Image::value.at[0], there.shape.at[1], there.shape.at[2], Image::value.at[3]>;
  tap_sums<T, Gradient, windows_of_gradient<Gradient, Image::value.at[1], Image::value.at[2], Rows, Columns, Options>,
           Each>(name);
}

[[maybe_unused]] constexpr int whole = on_cpu::pack<float>::size;

}  // namespace

#ifdef ESPALIER_TEST_FEW
// With a sanitizer all others take a compiler nine minutes.
BOOST_AUTO_TEST_CASE(few) {
  convolved<float, shape<2, 5, 7, 23>, 3, 3, convolution{.padding = 1}>("registers that overlap");
  convolved<double, shape<1, 2, 3, 4>, 3, 3, convolution{.padding = 6}>("windows outside the image");
  tap_sums<float, shape<2, 8, 21, 17>, windows<shape<2, 8, 21, 17>, 3, 3, convolution{}>, 1>("a shorter last block");
  convolved<double, shape<2, 9, 14, 10>, 2, 3,
            convolution{.stride = {2, 3}, .padding = {2, 0, 2, 1}, .dilation = {3, 2}}, 2>("everything set");
  back<double, shape<1, 6, 5, 3>, 2, 2, convolution{.stride = 4}>("pixels that no window reads");
}
#else
// Whole registers, registers that overlap, and parts of a register.
BOOST_AUTO_TEST_CASE(numbers_of_channels) {
  constexpr convolution around{.padding = 1};
  convolved<float, shape<2, 5, 7, 1>, 3, 3, around>("a channel");
  convolved<float, shape<2, 5, 7, 3>, 3, 3, around>("3 channels");
  convolved<float, shape<2, 5, 7, 16>, 3, 3, around>("16 channels");
  convolved<float, shape<2, 5, 7, 23>, 3, 3, around>("23 channels");
  convolved<double, shape<2, 5, 7, 17>, 3, 3, around>("17 channels of double");
}
BOOST_AUTO_TEST_CASE(numbers_of_columns) {
  constexpr convolution around{.padding = 1};
  convolved<float, shape<1, 3, 1, 9>, 3, 3, around>("a column");
  convolved<float, shape<1, 3, 8, 9>, 3, 3, around>("a block");
  convolved<float, shape<1, 3, 13, 9>, 3, 3, around>("13 columns");
  convolved<float, shape<1, 3, 56, 9>, 3, 3, around>("blocks of equal size");
  convolved<float, shape<1, 3, 61, 9>, 3, 3, convolution{}>("without padding");
}
BOOST_AUTO_TEST_CASE(options) {
  convolved<float, shape<2, 9, 15, 20>, 3, 3, convolution{.stride = 2, .padding = 1}>("every second");
  convolved<double, shape<2, 9, 14, 5>, 2, 3,
            convolution{.stride = {2, 3}, .padding = {2, 0, 2, 1}, .dilation = {3, 2}}>("everything set");
  convolved<float, shape<1, 12, 12, 6>, 7, 7, convolution{.padding = 3}>("7x7");
  convolved<float, shape<2, 1, 50, 6>, 1, 31, convolution{.padding = {0, 30, 0, 0}}>("a long kernel");
  convolved<float, shape<1, 1, 90, 6>, 1, 3, convolution{.padding = {0, 40, 0, 0}, .dilation = {1, 20}}>(
      "a wide padding");
  convolved<double, shape<1, 2, 3, 4>, 3, 3, convolution{.padding = 6}>("windows outside the image");
}
// Two rows of factors are multiplied together where all their windows are inside the image.
BOOST_AUTO_TEST_CASE(numbers_of_rows) {
  constexpr convolution around{.padding = 1}, second{.stride = 2, .padding = 1};
  convolved<float, shape<2, 1, 9, 17>, 3, 3, around>("a row");
  convolved<float, shape<2, 3, 9, 17>, 3, 3, around>("a row inside");
  convolved<float, shape<2, 4, 9, 17>, 3, 3, around>("a pair");
  convolved<float, shape<2, 7, 9, 17>, 3, 3, around>("pairs and a row");
  convolved<float, shape<2, 8, 20, 17>, 3, 3, convolution{}>("without padding");
  convolved<float, shape<2, 8, 21, 17>, 3, 3, convolution{}>("a shorter last block, without padding");
  convolved<double, shape<2, 12, 9, 9>, 3, 3, second>("every second");
  convolved<float, shape<2, 13, 19, 17>, 3, 3, convolution{.stride = {3, 1}, .padding = {2, 1}, .dilation = {2, 1}}>(
      "rows that are not adjacent");
  convolved<float, shape<1, 9, 11, 33>, 3, 1, convolution{.padding = {1, 0}}>("3x1");
  convolved<float, shape<1, 9, 11, 16>, 2, 2, convolution{}>("2x2");
  convolved<float, shape<2, 9, 20, 16>, 5, 5, convolution{.padding = 2}>("5x5");
  convolved<double, shape<2, 9, 20, 8>, 6, 4, convolution{.padding = {3, 2, 1, 0}}>("6x4");
}
// The sums of all channels are beyond the L1 cache.
BOOST_AUTO_TEST_CASE(many_sums) {
  convolved<float, shape<2, 5, 7, 1250>, 3, 3, convolution{.padding = 1}>("1250 channels");
  convolved<double, shape<2, 6, 9, 300>, 3, 3, convolution{.stride = 2, .padding = 1}, 2>("150 groups");
  convolved<float, shape<2, 6, 9, 16 * whole>, 3, 3, convolution{.padding = 1}, whole>("16 groups");
  convolved<float, shape<1, 3, 60, 150>, 1, 31, convolution{.padding = {0, 40}}>("a long kernel");
}
BOOST_AUTO_TEST_CASE(gradients_of_the_images) {
  back<float, shape<2, 9, 15, 20>, 3, 3, convolution{.padding = 1}>("3x3");
  back<float, shape<2, 9, 30, 20>, 3, 3, convolution{.stride = 2, .padding = 1}>("every second");
  back<double, shape<2, 9, 14, 5>, 2, 3, convolution{.stride = {2, 3}, .padding = {2, 0, 2, 1}, .dilation = {3, 2}}>(
      "everything set");
  back<double, shape<1, 6, 5, 3>, 2, 2, convolution{.stride = 4}>("pixels that no window reads");
  back<float, shape<1, 1, 80, 7>, 1, 31, convolution{.stride = {1, 2}, .padding = {0, 15}}>("a long kernel");
}
// Enough for several parts, and for prefetching.
BOOST_AUTO_TEST_CASE(many_rows) {
  convolved<float, shape<2, 60, 40, 48>, 3, 3, convolution{.padding = 1}>("60 rows");
  convolved<float, shape<1, 130, 130, 64>, 3, 3, convolution{.stride = 2, .padding = 1}>("130 rows");
}
// Each result is a sum over the channels of its group.
BOOST_AUTO_TEST_CASE(groups_of_channels) {
  constexpr convolution around{.padding = 1}, second{.stride = 2, .padding = 1};
  convolved<float, shape<2, 5, 7, 2>, 3, 3, around, 2>("a group of 2");
  convolved<float, shape<2, 9, 17, 6>, 3, 3, around, 2>("3 groups of 2");
  convolved<float, shape<2, 8, 20, 32>, 3, 3, around, 4>("8 groups of 4");
  convolved<float, shape<2, 8, 9, 20>, 3, 3, second, 4>("registers that overlap");
  convolved<float, shape<2, 8, 9, 2 * whole>, 3, 3, around, whole>("groups that fill a register");
  convolved<float, shape<2, 4, 37, 2 * whole>, 3, 3, around, whole>("several blocks of such groups");
  using two = shape<2, 5, 17, 4 * whole>;
  tap_sums<float, two, windows<two, 3, 3, second>, 2 * whole>("groups that fill two registers");
  convolved<float, shape<1, 1, 60, whole>, 1, 31, convolution{.padding = {0, 15}}, whole>(
      "a group that fills a register, and a long kernel");
  back<float, shape<2, 9, 15, whole>, 3, 3, second, whole>("images' gradient of a group that fills a register");
  convolved<double, shape<2, 9, 14, 10>, 2, 3,
            convolution{.stride = {2, 3}, .padding = {2, 0, 2, 1}, .dilation = {3, 2}}, 2>("everything set");
  convolved<float, shape<1, 12, 12, 12>, 7, 7, convolution{.padding = 3}, 4>("7x7");
  convolved<float, shape<1, 1, 60, 8>, 1, 31, convolution{.padding = {0, 15}}, 4>("a long kernel");
  convolved<float, shape<3, 4, 5, 12>, 1, 1, convolution{}, 4>("1x1");
  back<float, shape<2, 9, 15, 20>, 3, 3, around, 4>("images' gradient");
  back<float, shape<2, 9, 30, 20>, 3, 3, second, 4>("images' gradient of every second");
  back<double, shape<2, 9, 14, 6>, 2, 3, convolution{.stride = {2, 3}, .padding = {2, 0, 2, 1}, .dilation = {3, 2}}, 2>(
      "images' gradient of everything set");
  back<float, shape<1, 1, 80, 8>, 1, 31, convolution{.stride = {1, 2}, .padding = {0, 15}}, 2>(
      "images' gradient of a long kernel");
}
#endif
