// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_kernel_winograd
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <espalier/device/cpu/kernel/winograd.hpp>

#include "support/kernel_parts.hpp"
#include "support/window_maps.hpp"
#include "support/window_values.hpp"

namespace on_cpu = espalier::on_cpu;
using espalier::convolution;
using espalier::extents;
using espalier::shape;
using espalier::winograd_tile;
using std::int64_t;
using std::size_t;

namespace {

using test::extents_of, test::map_of, test::windows;
using test::random_numbers;

template <class T>
std::vector<T> unset(int64_t size) {
  return std::vector<T>(static_cast<size_t>(size), T(NAN));
}
template <class T>
double root_of_mean_square(std::vector<T> const& x, std::vector<double> const& exact) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i)
    sum += (static_cast<double>(x[i]) - exact[i]) * (static_cast<double>(x[i]) - exact[i]);
  return std::sqrt(sum / static_cast<double>(x.size()));
}
template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// The kernel in parts, each once, in both orders: no part changes what another one has computed.
template <class T, class Kernel>
std::vector<T> in_parts(std::vector<T> const& x, std::vector<T> const& b, size_t size) {
  std::vector<T> y(size, T(NAN)), backwards = y;
  for (int which = 0; which < Kernel::parts; ++which) run_part<Kernel, T>(which, x.data(), b.data(), y.data());
  for (int which = Kernel::parts - 1; which >= 0; --which)
    run_part<Kernel, T>(which, x.data(), b.data(), backwards.data());
  BOOST_TEST(same_bits(y, backwards));
  return y;
}

/// A convolution and the gradient of its kernels by tiles: errors against double, beside those of the direct method,
/// which adds up the terms of a convolution one after the other.
/// by: so many times the estimate. It assumes that all taps are in the image; at its edges, direct sums have fewer
/// terms.
template <class T, class Image, int Outputs, int TileRows, int TileColumns, int Rows, int Columns, int Padding>
void by_tiles(char const* name, double by = 1.5) {
  using Move = windows<Image, Rows, Columns, convolution{.padding = Padding}>;
  using Window = espalier::shape_from<extents_of<Move>>;
  using Map = typename map_of<Move>::type;
  constexpr winograd_tile tile{TileRows, TileColumns, Rows, Columns};
  constexpr extents w = Move::value.shape;
  constexpr int channels = w.at[5];
  constexpr int64_t pixels = w.product(0, 3), depth = w.product(3, 6);
  using K = shape<static_cast<int>(depth), Outputs>;
  using Y = shape<static_cast<int>(pixels), Outputs>;
  using U = shape<tile.products(), espalier::winograd_matrix(channels, Outputs)>;
  constexpr std::uint64_t attribute = espalier::graph::winograd_attribute(tile);
  using Arch = on_cpu::default_arch;
  using forward = on_cpu::winograd_product<T, Image, Window, Map, U, Y, attribute, Arch>;
  using backward = on_cpu::winograd_product<T, Image, Window, Map, Y, U, attribute | 1, Arch>;
  auto const x = random_numbers<T>(Image::size, 1), k = random_numbers<T>(K::size, 2),
             dy = random_numbers<T>(Y::size, 3);
  auto u = unset<T>(U::size), y = unset<T>(Y::size), direct = y, du = u, dk = unset<T>(K::size), direct_dk = dk;
  on_cpu::winograd_kernels<T, tile, channels, Outputs, false, Arch>::run(k.data(), nullptr, u.data());
  forward::run(x.data(), u.data(), y.data());
  backward::run(x.data(), dy.data(), du.data());
  on_cpu::winograd_kernels<T, tile, channels, Outputs, true, Arch>::run(du.data(), nullptr, dk.data());
  std::fill(direct.begin(), direct.end(), T(0));
  std::fill(direct_dk.begin(), direct_dk.end(), T(0));

  std::vector<double> exact(y.size()), exact_dk(dk.size());
  for (int64_t i = 0; i < w.size(); ++i) {
    int64_t const from = espalier::moved_offset(Move::value.map, Image::value, w, i);
    if (from < 0) continue;
    int64_t const p = i / depth, tap = i % depth;
    for (int o = 0; o < Outputs; ++o) {
      double const at = static_cast<double>(x[static_cast<size_t>(from)]);
      T const factor = k[static_cast<size_t>(tap * Outputs + o)];
      T& sum = direct[static_cast<size_t>(p * Outputs + o)];
      exact[static_cast<size_t>(p * Outputs + o)] += at * static_cast<double>(factor);
      sum = std::fma(x[static_cast<size_t>(from)], factor, sum);
      T const gradient = dy[static_cast<size_t>(p * Outputs + o)];
      exact_dk[static_cast<size_t>(tap * Outputs + o)] += at * static_cast<double>(gradient);
      T& sum_dk = direct_dk[static_cast<size_t>(tap * Outputs + o)];
      sum_dk = std::fma(x[static_cast<size_t>(from)], gradient, sum_dk);
    }
  }
  // Errors of double are compared with a sum in double, which has an error of its own.
  double const least = sizeof(T) == 4 ? 0 : 1e-15 * std::sqrt(static_cast<double>(depth + pixels)),
               own = root_of_mean_square(y, exact), of_direct = root_of_mean_square(direct, exact) + least,
               own_dk = root_of_mean_square(dk, exact_dk),
               of_direct_dk = root_of_mean_square(direct_dk, exact_dk) + least;
  constexpr espalier::convolution_sizes sizes{w.at[0], w.at[1], w.at[2], channels, Outputs};
  BOOST_TEST(own <= by * espalier::winograd_error(tile, sizes) * of_direct + least,
             name << ": error " << own / of_direct << " times that of the direct method");
  // A direct sum over few rows of results has small errors by chance.
  BOOST_TEST(own_dk <= 2.5 * espalier::winograd_error_of_kernels(tile, sizes) * of_direct_dk + least,
             name << ": gradient, error " << own_dk / of_direct_dk << " times that of the direct method");
  BOOST_TEST(same_bits(y, in_parts<T, forward>(x, u, y.size())), name << ": parts");
  BOOST_TEST(same_bits(du, in_parts<T, backward>(x, dy, du.size())), name << ": parts of the gradient");
}

}  // namespace

BOOST_AUTO_TEST_CASE(tiles_of_kernels_of_three) {
  by_tiles<float, shape<2, 12, 12, 16>, 16, 2, 2, 3, 3, 1>("2 x 2");
  by_tiles<float, shape<1, 24, 18, 32>, 48, 6, 6, 3, 3, 1>("6 x 6");
  by_tiles<float, shape<3, 11, 9, 24>, 40, 4, 2, 3, 3, 1>("4 x 2");
  by_tiles<double, shape<2, 12, 12, 16>, 24, 4, 4, 3, 3, 1>("double");
}

BOOST_AUTO_TEST_CASE(images_that_are_no_multiple_of_tiles) {
  by_tiles<float, shape<2, 5, 6, 9>, 17, 4, 4, 3, 3, 0>("no padding");
  by_tiles<float, shape<2, 5, 6, 19>, 33, 2, 2, 3, 3, 2>("wide padding");
  by_tiles<float, shape<1, 1, 1, 16>, 16, 2, 2, 3, 3, 1>("one pixel", 6);
}

BOOST_AUTO_TEST_CASE(many_channels_are_computed_in_rounds) {
  by_tiles<float, shape<2, 9, 9, 200>, 150, 4, 4, 3, 3, 1>("200 to 150");
}

BOOST_AUTO_TEST_CASE(parts_of_channels_that_fill_no_register) {
  by_tiles<float, shape<2, 28, 28, 20>, 64, 4, 4, 3, 3, 1>("20");
}

BOOST_AUTO_TEST_CASE(panels_of_outputs) { by_tiles<float, shape<1, 8, 8, 16>, 130, 4, 4, 3, 3, 1>("130"); }

BOOST_AUTO_TEST_CASE(kernels_of_five_and_of_one_axis) {
  by_tiles<float, shape<2, 11, 13, 20>, 33, 2, 2, 5, 5, 2>("5 x 5");
  by_tiles<float, shape<2, 1, 50, 24>, 20, 1, 4, 1, 3, 0>("1 x 3");
  by_tiles<float, shape<2, 50, 1, 24>, 20, 4, 1, 3, 1, 0>("3 x 1");
}

// What a longer run tries beyond that.
#if defined(ESPALIER_TEST_ALL)
BOOST_AUTO_TEST_CASE(more_tiles) {
  by_tiles<float, shape<2, 12, 12, 64>, 64, 4, 4, 3, 3, 1>("4 x 4");
  by_tiles<float, shape<1, 12, 12, 32>, 32, 4, 4, 5, 5, 2>("5 x 5, larger tiles");
  by_tiles<float, shape<2, 1, 50, 24>, 20, 1, 6, 1, 3, 0>("1 x 3, larger tiles");
}

BOOST_AUTO_TEST_CASE(more_images) {
  by_tiles<float, shape<3, 7, 9, 8>, 8, 4, 4, 3, 3, 1>("7 x 9");
  by_tiles<float, shape<1, 3, 3, 16>, 16, 4, 4, 3, 3, 1>("an image smaller than a tile", 3);
  by_tiles<double, shape<2, 7, 5, 11>, 13, 2, 2, 3, 3, 1>("odd, double");
}

BOOST_AUTO_TEST_CASE(more_channels_and_outputs) {
  by_tiles<float, shape<2, 14, 14, 256>, 256, 4, 4, 3, 3, 1>("256");
  by_tiles<double, shape<1, 13, 10, 140>, 70, 4, 4, 3, 3, 1>("140 to 70, double");
  by_tiles<float, shape<2, 28, 28, 33>, 64, 4, 4, 3, 3, 1>("33");
  by_tiles<float, shape<1, 8, 8, 16>, 63, 2, 2, 3, 3, 1>("63");
  by_tiles<float, shape<1, 8, 8, 16>, 65, 2, 2, 3, 3, 1>("65");
}
#endif
