// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_kernel_windows
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <espalier/device/cpu/kernel/move.hpp>
#include <espalier/device/cpu/kernel/scatter_add.hpp>
#include <espalier/device/cpu/kernel/windows.hpp>
#include <espalier/operation/max.hpp>
#include <espalier/operation/sum.hpp>

#include "support/kernel_parts.hpp"
#include "support/window_maps.hpp"
#include "support/window_values.hpp"

namespace on_cpu = espalier::on_cpu;
using espalier::convolution;
using espalier::extents;
using espalier::index_map;
using espalier::movement;
using espalier::shape;
using std::int64_t;
using std::size_t;

namespace {

using test::extents_of, test::map_of, test::windows, test::windows_of_gradient;
using test::random_numbers, test::written_out, test::off;

/// Both products with windows against sums over the windows written out: `Groups` batches of images.
template <class T, class Image, class Move, int Outputs, int Groups>
void products(char const* name) {
  constexpr extents w = Move::value.shape;
  constexpr int64_t pixels = w.product(0, 3), own = pixels / Groups, depth = w.product(3, 6);
  using Window = espalier::shape_from<extents_of<Move>>;
  using Map = typename map_of<Move>::type;
  auto const x = random_numbers<T>(Image::size, 1), k = random_numbers<T>(Groups * depth * Outputs, 2),
             dy = random_numbers<T>(pixels * Outputs, 3);
  auto const all = written_out<T, Image, Move>(x);
  std::vector<T> y(static_cast<size_t>(pixels * Outputs), T(NAN)), dk(k.size(), T(NAN));
  using K = shape<Groups, static_cast<int>(depth), Outputs>;
  using Y = shape<Groups, static_cast<int>(own), Outputs>;
  on_cpu::window_product<T, Image, Window, Map, K, Y, 0, on_cpu::default_arch>::run(x.data(), k.data(), y.data());
  using gradient = on_cpu::window_product<T, Image, Window, Map, Y, K, 1, on_cpu::default_arch>;
  gradient::run(x.data(), dy.data(), dk.data());
  std::vector<T> in_parts(k.size(), T(NAN)), by_taps = in_parts;
  for (int part = 0; part < gradient::parts; ++part) run_part<gradient, T>(part, x.data(), dy.data(), in_parts.data());
  BOOST_TEST((in_parts == dk), name << ": gradient of the kernels in parts");
  constexpr int images = w.at[0] / Groups;
  using tap_gradient = on_cpu::window_tap_gradient<T, typename gradient::facts, Outputs, images, on_cpu::default_arch>;
  auto const arrays = std::make_unique<typename tap_gradient::arrays>();
  for (int g = 0; g < Groups; ++g)
    for (int unit = 0; unit < tap_gradient::units; ++unit)
      tap_gradient::run(*arrays, x.data() + g * (Image::size / Groups), dy.data() + g * own * Outputs,
                        by_taps.data() + g * depth * Outputs, images, unit);
  double worst = 0, worst_gradient = 0;
  for (int64_t p = 0; p < pixels; ++p)
    for (int o = 0; o < Outputs; ++o) {
      double sum = 0, size = 0;
      for (int64_t i = 0; i < depth; ++i) {
        double const term = static_cast<double>(all[static_cast<size_t>(p * depth + i)]) *
                            static_cast<double>(k[static_cast<size_t>((p / own * depth + i) * Outputs + o)]);
        sum += term;
        size += std::fabs(term);
      }
      worst = std::fmax(worst, off(y[static_cast<size_t>(p * Outputs + o)], sum, size));
    }
  for (int g = 0; g < Groups; ++g)
    for (int64_t i = 0; i < depth; ++i)
      for (int o = 0; o < Outputs; ++o) {
        double sum = 0, size = 0;
        for (int64_t p = g * own; p < (g + 1) * own; ++p) {
          double const term = static_cast<double>(all[static_cast<size_t>(p * depth + i)]) *
                              static_cast<double>(dy[static_cast<size_t>(p * Outputs + o)]);
          sum += term;
          size += std::fabs(term);
        }
        for (auto const* of : {&dk, &by_taps})
          worst_gradient =
              std::fmax(worst_gradient, off((*of)[static_cast<size_t>((g * depth + i) * Outputs + o)], sum, size));
      }
  BOOST_TEST(worst <= 2 + std::sqrt(static_cast<double>(depth)), name << ": windows times kernels " << worst);
  BOOST_TEST(worst_gradient <= 2 + std::sqrt(static_cast<double>(own)),
             name << ": gradient of the kernels " << worst_gradient);
}

template <class T, class Image, int Rows, int Columns, int Outputs, convolution Options, int Groups = 1>
void convolved(char const* name) {
  products<T, Image, windows<Image, Rows, Columns, Options>, Outputs, Groups>(name);
}
/// The images' gradient of a convolution: windows of a smaller image.
template <class T, class Image, int Rows, int Columns, int Outputs, convolution Options>
void back(char const* name) {
  constexpr movement there = espalier::windows_of(Image::value, Rows, Columns, Options);
  using Gradient = shape<Image::value.at[0], there.shape.at[1], there.shape.at[2], Outputs>;
  products<T, Gradient, windows_of_gradient<Gradient, Image::value.at[1], Image::value.at[2], Rows, Columns, Options>,
           Image::value.at[3], 1>(name);
}

template <class T, class Op, class Image, int Rows, int Columns, convolution Options, bool Lowest>
void reduced(char const* name) {
  using Move = windows<Image, Rows, Columns, Options, Lowest>;
  constexpr extents w = Move::value.shape;
  auto const x = random_numbers<T>(Image::size, 1);
  auto const all = written_out<T, Image, Move>(x);
  std::vector<T> y(static_cast<size_t>(w.product(0, 3) * w.at[5]), T(NAN));
  on_cpu::window_reduction<T, Op, Image, espalier::shape_from<extents_of<Move>>, typename map_of<Move>::type,
                           on_cpu::default_arch>::run(x.data(), nullptr, y.data());
  double worst = 0;
  for (int64_t p = 0; p < w.product(0, 3); ++p)
    for (int c = 0; c < w.at[5]; ++c) {
      double sum = espalier::described<Op>.identity, size = 1;
      for (int tap = 0; tap < Rows * Columns; ++tap) {
        double const term = static_cast<double>(all[static_cast<size_t>((p * Rows * Columns + tap) * w.at[5] + c)]);
        sum = espalier::rule<Op>::combine(sum, term);
        size += std::isinf(term) ? 0 : std::fabs(term);
      }
      worst = std::fmax(worst, off(y[static_cast<size_t>(p * w.at[5] + c)], sum, size));
    }
  BOOST_TEST(worst <= 4, name << ": " << worst);
}

/// Windows written out, and folded back, against the map.
template <class T, class Image, class Move>
void written(char const* name) {
  using Window = espalier::shape_from<extents_of<Move>>;
  using Map = typename map_of<Move>::type;
  auto const x = random_numbers<T>(Image::size, 1), dy = random_numbers<T>(Window::size, 2);
  auto const all = written_out<T, Image, Move>(x);
  std::vector<T> y(all.size(), T(NAN)), dx(x.size(), T(NAN));
  on_cpu::move_kernel<T, Image, Window, Map, on_cpu::default_arch>::run(x.data(), nullptr, y.data());
  BOOST_TEST((y == all), name);
  on_cpu::scatter_add_kernel<T, Window, Image, Map, on_cpu::default_arch>::run(dy.data(), nullptr, dx.data());
  std::vector<double> sum(x.size());
  for (int64_t i = 0; i < Window::size; ++i)
    if (int64_t const to = espalier::moved_offset(Move::value.map, Image::value, Window::value, i); to >= 0)
      sum[static_cast<size_t>(to)] += static_cast<double>(dy[static_cast<size_t>(i)]);
  double worst = 0;
  for (size_t i = 0; i < sum.size(); ++i) worst = std::fmax(worst, std::fabs(static_cast<double>(dx[i]) - sum[i]));
  BOOST_TEST(worst <= (sizeof(T) == 4 ? 4e-6 : 1e-14), name << ", folded: " << worst);
}

}  // namespace

// Images that windows step over would need too much of the stack by one tap after the other.
BOOST_AUTO_TEST_CASE(large_steps) {
  using image = shape<2, 160, 160, 64>;
  using move = windows<image, 9, 9, convolution{.stride = 8, .padding = 4}>;
  using window = espalier::shape_from<extents_of<move>>;
  using facts = on_cpu::detail::window_facts<image, window, typename map_of<move>::type>;
  static_assert(!on_cpu::window_tap_gradient<float, facts, 64, 2, on_cpu::default_arch>::fits);
  using small = shape<2, 7, 7, 64>;
  using around = windows<small, 3, 3, convolution{.padding = 1}>;
  using of_small =
      on_cpu::detail::window_facts<small, espalier::shape_from<extents_of<around>>, typename map_of<around>::type>;
  static_assert(on_cpu::window_tap_gradient<float, of_small, 64, 2, on_cpu::default_arch>::fits);
}
// Small images, which are multiplied by one tap after the other.
BOOST_AUTO_TEST_CASE(small_images) {
  convolved<float, shape<1, 7, 7, 70>, 3, 3, 96, convolution{.padding = 1}>("7x7");
  convolved<float, shape<9, 6, 7, 33>, 3, 3, 40, convolution{.padding = 1}>("some images at once");
  convolved<double, shape<4, 5, 6, 20>, 3, 3, 37, convolution{.padding = 1}, 2>("two batches");
  convolved<float, shape<2, 9, 8, 48>, 5, 3, 64, convolution{.stride = 2, .padding = {2, 1}}>("steps");
  back<float, shape<2, 9, 8, 40>, 3, 3, 48, convolution{.stride = 2, .padding = 1}>("dilated");
}
BOOST_AUTO_TEST_CASE(kernels_of_all_sizes) {
  convolved<float, shape<2, 5, 6, 8>, 1, 1, 16, convolution{}>("1x1");
  convolved<float, shape<2, 7, 6, 9>, 1, 3, 33, convolution{.padding = {0, 1}}>("1x3");
  convolved<float, shape<1, 7, 6, 11>, 2, 2, 7, convolution{}>("2x2");
  convolved<float, shape<3, 7, 9, 16>, 3, 3, 64, convolution{.padding = 1}>("3x3");
  convolved<double, shape<1, 9, 8, 8>, 4, 3, 5, convolution{.padding = {2, 1, 1, 1}}>("4x3");
  convolved<double, shape<1, 6, 11, 10>, 5, 5, 12, convolution{.padding = 2}>("5x5");
  convolved<float, shape<1, 13, 9, 12>, 7, 6, 17, convolution{.padding = {3, 2}}>("7x6");
  convolved<float, shape<1, 9, 9, 3>, 7, 7, 24, convolution{.padding = 3}>("7x7, three channels");
  convolved<double, shape<2, 1, 1, 8>, 1, 1, 1, convolution{}>("one pixel, one output");
}

BOOST_AUTO_TEST_CASE(steps_and_edges) {
  convolved<float, shape<2, 9, 8, 16>, 3, 3, 20, convolution{.stride = 2, .padding = 1}>("every second");
  convolved<float, shape<2, 9, 8, 16>, 1, 1, 20, convolution{.stride = 2}>("1x1, every second");
  convolved<float, shape<1, 12, 13, 9>, 3, 2, 8, convolution{.stride = {3, 4}, .padding = {0, 1, 2, 3}}>(
      "every third and fourth");
  convolved<double, shape<1, 9, 10, 8>, 3, 3, 9, convolution{.padding = {2, 0, 2, 1}, .dilation = {2, 3}}>("dilated");
  convolved<float, shape<1, 6, 5, 8>, 2, 3, 9, convolution{.stride = 2, .padding = {5, 6, 4, 7}, .dilation = {1, 2}}>(
      "windows in the padding alone");
  convolved<float, shape<1, 40, 3, 8>, 3, 1, 6, convolution{.stride = 5, .padding = {1, 0}}>("a column");
}

// Gradients of kernels with outputs of one register: blocks of adjacent rows, which are a run of a window.
BOOST_AUTO_TEST_CASE(few_outputs) {
  convolved<float, shape<3, 20, 20, 3>, 7, 7, 16, convolution{.stride = 4, .padding = 3}>("21 numbers");
  convolved<float, shape<2, 9, 12, 10>, 1, 5, 11, convolution{.padding = {0, 2}}>("50 numbers: 17, 17 and 16");
  convolved<float, shape<2, 9, 12, 20>, 3, 3, 5, convolution{.padding = {1, 2}, .dilation = {1, 2}}>("dilated");
  convolved<double, shape<2, 9, 12, 5>, 3, 3, 8, convolution{.padding = 1}>("double");
  convolved<float, shape<2, 6, 8, 30>, 3, 3, 3, convolution{.stride = 2, .padding = 1}>("every second");
  convolved<float, shape<1, 4, 12, 80>, 2, 6, 4, convolution{}>("a run beyond the L1 cache");
  convolved<float, shape<40, 30, 30, 6>, 3, 3, 16, convolution{.padding = 1}>("enough for parts");
}

BOOST_AUTO_TEST_CASE(groups) {
  convolved<float, shape<4, 5, 6, 9>, 3, 3, 10, convolution{.padding = 1}, 2>("two");
  convolved<double, shape<3, 5, 6, 8>, 1, 2, 9, convolution{}, 3>("three");
}

BOOST_AUTO_TEST_CASE(bands) {
  convolved<float, shape<2, 200, 12, 64>, 3, 3, 9, convolution{.padding = 1}>("200 rows");
  convolved<double, shape<1, 90, 14, 70>, 3, 3, 8, convolution{.stride = 2, .padding = {1, 0, 0, 1}}>(
      "90 rows, every second");
  convolved<float, shape<1, 5, 90, 300>, 3, 2, 6, convolution{.padding = {1, 0, 1, 1}}>("a row of 105 KiB");
  back<float, shape<1, 90, 22, 8>, 3, 3, 64, convolution{.stride = 2, .padding = 1}>("90 rows, back");
}

BOOST_AUTO_TEST_CASE(back_to_the_images) {
  back<float, shape<2, 7, 8, 16>, 3, 3, 12, convolution{.padding = 1}>("3x3");
  back<float, shape<2, 8, 9, 16>, 3, 3, 12, convolution{.stride = 2, .padding = 1}>("every second");
  back<float, shape<2, 8, 9, 9>, 1, 1, 8, convolution{.stride = 2}>("1x1, every second");
  back<float, shape<1, 11, 12, 10>, 2, 2, 9, convolution{.stride = 3}>("pixels that no window reads");
  back<double, shape<1, 11, 12, 7>, 4, 5, 8,
       convolution{.stride = {2, 3}, .padding = {1, 2, 3, 0}, .dilation = {1, 2}}>("everything set");
  back<double, shape<1, 9, 9, 5>, 5, 3, 8, convolution{.stride = {4, 2}, .padding = {4, 2}, .dilation = {2, 1}}>(
      "taps that meet no pixel");
}

BOOST_AUTO_TEST_CASE(reductions) {
  reduced<float, espalier::max_, shape<2, 7, 6, 16>, 2, 2, convolution{.stride = 2}, true>("largest");
  reduced<float, espalier::max_, shape<2, 7, 6, 13>, 3, 3, convolution{.stride = 2, .padding = 1}, true>(
      "largest, padded");
  reduced<double, espalier::max_, shape<1, 7, 9, 9>, 2, 3, convolution{.padding = {2, 0, 0, 3}, .dilation = {1, 2}},
          true>("largest, dilated");
  reduced<float, espalier::sum_, shape<1, 7, 9, 40>, 3, 2, convolution{.stride = {1, 3}, .padding = {1, 2}}, false>(
      "sum");
  reduced<double, espalier::sum_, shape<1, 4, 4, 11>, 4, 4, convolution{}, false>("sum of all");
}

BOOST_AUTO_TEST_CASE(written_out_and_scatter_added) {
  using few = shape<2, 6, 7, 3>;
  written<float, few, windows<few, 3, 3, convolution{.padding = 1}>>("3x3");
  written<float, few, windows<few, 2, 5, convolution{.stride = {2, 3}, .padding = {2, 1}, .dilation = {2, 1}}>>(
      "everything set");
  written<double, shape<1, 5, 5, 17>, windows<shape<1, 5, 5, 17>, 2, 2, convolution{.stride = 2}>>("many channels");
  written<double, shape<1, 5, 4, 1>, windows<shape<1, 5, 4, 1>, 2, 3, convolution{.padding = {0, 3}}>>("one channel");
  written<float, few, windows<few, 3, 3, convolution{.stride = 2, .padding = 1}, true>>("lowest");
  using gradient = shape<1, 3, 4, 5>;
  written<float, gradient, windows_of_gradient<gradient, 6, 8, 3, 3, convolution{.stride = 2, .padding = 1}>>("spread");
}
