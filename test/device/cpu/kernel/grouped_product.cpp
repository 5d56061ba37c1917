// SPDX-License-Identifier: BSL-1.0
// Products of windows whose groups are in place, against sums over windows that are written out.
#define BOOST_TEST_MODULE device_cpu_kernel_grouped_product
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <espalier/device/cpu/kernel/grouped_product.hpp>

#include "support/window_maps.hpp"
#include "support/window_values.hpp"

namespace on_cpu = espalier::on_cpu;
using espalier::convolution;
using espalier::extents;
using espalier::shape;
using std::int64_t;
using std::size_t;

namespace {

using test::extents_of, test::map_of, test::windows;
using test::random_numbers, test::written_out, test::off;

template <class T, class Image, class Move, class B, class Y, int Groups, bool Gradient>
using kernel =
    on_cpu::detail::grouped_product<T, Image, espalier::shape_from<extents_of<Move>>, typename map_of<Move>::type, B, Y,
                                    espalier::graph::groups_attribute(Groups) |
                                        espalier::graph::transposes_attribute({Gradient, false}),
                                    on_cpu::default_arch>;

/// The results of the kernel at once and of its parts one after the other, which are the same bits.
template <class Kernel, class T>
std::vector<T> result(size_t size, std::vector<T> const& x, std::vector<T> const& b) {
  std::vector<T> y(size, T(NAN)), by_parts = y;
  Kernel::run(x.data(), b.data(), y.data());
  for (int i = 0; i < Kernel::parts; ++i) Kernel::part(x.data(), b.data(), by_parts.data(), nullptr, i);
  BOOST_TEST(y == by_parts);
  return y;
}

/// Both products: windows times kernels, and the gradient of the kernels. Outputs: of a group.
template <class T, class Image, int Rows, int Columns, int Outputs, convolution Options, int Groups>
void convolved(char const* name) {
  using Move = windows<Image, Rows, Columns, Options>;
  constexpr extents w = Move::value.shape;
  constexpr int64_t pixels = w.product(0, 3), taps = w.product(3, 5), C = w.at[5], channels = C / Groups,
                    depth = taps * channels, outputs = Outputs * Groups;
  using K = shape<static_cast<int>(depth), static_cast<int>(outputs)>;
  using Y = shape<static_cast<int>(pixels), static_cast<int>(outputs)>;
  auto const x = random_numbers<T>(Image::size, 1), k = random_numbers<T>(K::size, 2),
             dy = random_numbers<T>(Y::size, 3), all = written_out<T, Image, Move>(x);
  auto const y = result<kernel<T, Image, Move, K, Y, Groups, false>>(dy.size(), x, k),
             dk = result<kernel<T, Image, Move, Y, K, Groups, true>>(k.size(), x, dy);
  // Term i of window p for results of group g.
  auto const window = [&](int64_t p, int64_t i, int64_t g) {
    return static_cast<double>(all[static_cast<size_t>((p * taps + i / channels) * C + g * channels + i % channels)]);
  };
  double worst = 0, worst_gradient = 0;
  for (int64_t o = 0; o < outputs; ++o) {
    int64_t const g = o / Outputs;
    auto const of = [&](std::vector<T> const& v, int64_t row) {
      return static_cast<double>(v[static_cast<size_t>(row * outputs + o)]);
    };
    for (int64_t p = 0; p < pixels; ++p) {
      double sum = 0, size = 0;
      for (int64_t i = 0; i < depth; ++i) {
        sum += window(p, i, g) * of(k, i);
        size += std::fabs(window(p, i, g) * of(k, i));
      }
      worst = std::fmax(worst, off(static_cast<T>(of(y, p)), sum, size));
    }
    for (int64_t i = 0; i < depth; ++i) {
      double sum = 0, size = 0;
      for (int64_t p = 0; p < pixels; ++p) {
        sum += window(p, i, g) * of(dy, p);
        size += std::fabs(window(p, i, g) * of(dy, p));
      }
      worst_gradient = std::fmax(worst_gradient, off(static_cast<T>(of(dk, i)), sum, size));
    }
  }
  BOOST_TEST(worst <= 2 + std::sqrt(static_cast<double>(depth)), name << ": windows times kernels " << worst);
  BOOST_TEST(worst_gradient <= 2 + std::sqrt(static_cast<double>(pixels)),
             name << ": gradient of the kernels " << worst_gradient);
}

constexpr convolution around{.padding = 1}, second{.stride = 2, .padding = 1};
constexpr int whole = on_cpu::pack<float>::size;

}  // namespace

// Which of them runs is a matter of the register.
BOOST_AUTO_TEST_CASE(as_many_outputs_as_channels) {
  convolved<float, shape<2, 5, 7, 6>, 3, 3, 2, around, 3>("2");
  convolved<float, shape<2, 6, 9, 24>, 3, 3, 4, second, 6>("4");
  convolved<float, shape<2, 5, 7, 24>, 3, 3, 8, around, 3>("8");
  convolved<float, shape<2, 5, 7, 2 * whole>, 3, 3, whole, around, 2>("a register");
  convolved<float, shape<2, 5, 7, 4 * whole>, 3, 3, 2 * whole, around, 2>("two registers");
  convolved<double, shape<2, 5, 7, 64>, 3, 3, 32, around, 2>("32 of double");
}
BOOST_AUTO_TEST_CASE(other_numbers_of_outputs) {
  convolved<float, shape<2, 5, 7, 6>, 3, 3, 5, around, 2>("3 to 5");
  convolved<float, shape<2, 9, 11, 24>, 3, 3, 20, around, 2>("12 to 20");
  convolved<double, shape<2, 5, 7, 60>, 2, 3, 17,
            convolution{.stride = {2, 3}, .padding = {2, 0, 2, 1}, .dilation = {3, 2}}, 3>("everything set");
  convolved<float, shape<3, 4, 5, 60>, 1, 1, 18, convolution{}, 3>("1x1");
}
// Lines of one image, several images at once, and kernels that are prepared piece by piece.
BOOST_AUTO_TEST_CASE(bands_and_pieces) {
  convolved<float, shape<1, 40, 30, 120>, 3, 3, 40, around, 2>("bands");
  convolved<float, shape<20, 5, 5, 96>, 3, 3, 48, around, 2>("20 images");
  convolved<float, shape<1, 6, 6, 640>, 3, 3, 24, around, 2>("many channels");
}
BOOST_AUTO_TEST_CASE(pixels_are_cut_into_columns) {
  using on_cpu::detail::columns_of_pixels;
  static_assert(columns_of_pixels(1) == 1 && columns_of_pixels(64) == 64 && columns_of_pixels(105) == 35);
  static_assert(columns_of_pixels(6272) == 64 && columns_of_pixels(127) == 127);
}
