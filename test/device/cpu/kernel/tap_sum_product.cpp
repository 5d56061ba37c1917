// SPDX-License-Identifier: BSL-1.0
// Products of windows whose sums stay in registers, against sums over windows that are written out.
#define BOOST_TEST_MODULE device_cpu_kernel_tap_sum_product
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <espalier/device/cpu/kernel/tap_sum_product.hpp>

#include "support/window_products.hpp"

namespace on_cpu = espalier::on_cpu;
using espalier::convolution;
using espalier::shape;
using std::int64_t;
using std::size_t;

namespace {

using test::extents_of, test::map_of, test::windows, test::windows_of_gradient;

constexpr int whole = on_cpu::pack<float>::size;

/// Copies the results as they are when they are finished, and counts how often each is.
template <class T>
struct recorder {
  std::vector<T> const& y;
  std::vector<T>& finished;
  std::vector<int>& count;
  int64_t outputs;
  void operator()(int64_t row, int64_t rows, int64_t column, int64_t columns) const {
    for (int64_t i = row; i < row + rows; ++i)
      for (int64_t o = column; o < column + columns; ++o) {
        auto const at = static_cast<size_t>(i * outputs + o);
        finished[at] = y[at];
        ++count[at];
      }
  }
};

template <class T, class Image, class Move, int Outputs>
void multiplied(char const* name) {
  using products = test::window_products<T, Image, Move, Outputs, 1>;
  using kernel = on_cpu::tap_sum_product<T, Image, espalier::shape_from<extents_of<Move>>, typename map_of<Move>::type,
                                         0, Outputs, on_cpu::default_arch>;
  products const all;
  auto const y = test::result<kernel>(all.dy.size(), all.x, all.k);
  double const worst = all.error_of(y);
  BOOST_TEST(worst <= 2 + std::sqrt(static_cast<double>(products::depth)), name << ' ' << worst);

  std::vector<T> again(y.size(), T(NAN)), finished = again;
  std::vector<int> count(y.size());
  kernel::run(all.x.data(), all.k.data(), again.data(), recorder<T>{again, finished, count, Outputs});
  BOOST_TEST(finished == y, name << ": epilogue");
  BOOST_TEST(count == std::vector<int>(y.size(), 1), name << ": epilogue");

  again.assign(y.size(), T(7));
  kernel::run_images(all.x.data(), all.k.data(), again.data(), 1);
  auto const of_image = static_cast<std::ptrdiff_t>(y.size() / static_cast<size_t>(Image::value.at[0]));
  BOOST_TEST(std::vector<T>(again.begin(), again.begin() + of_image) == std::vector<T>(y.begin(), y.begin() + of_image),
             name << ": the first image");
}
template <class T, class Image, int Rows, int Columns, int Outputs, convolution Options>
void convolved(char const* name) {
  multiplied<T, Image, windows<Image, Rows, Columns, Options>, Outputs>(name);
}

constexpr convolution around{.padding = 1}, second{.stride = 2, .padding = 1};

template <class Image, int Outputs, convolution Options, int Rows = 3, int Columns = 3>
constexpr bool prefers() {
  using Move = windows<Image, Rows, Columns, Options>;
  constexpr espalier::extents w = Move::value.shape;
  return on_cpu::detail::prefers_tap_sums<float, Image, espalier::shape_from<extents_of<Move>>,
                                          typename map_of<Move>::type,
                                          shape<static_cast<int>(w.product(3, 6)), Outputs>,
                                          shape<static_cast<int>(w.product(0, 3)), Outputs>, 0, on_cpu::default_arch>();
}

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_of_results) {
  convolved<float, shape<2, 5, 17, 1>, 3, 3, whole, around>("a channel, a register");
  convolved<float, shape<2, 5, 17, 3>, 3, 3, 2 * whole, around>("3 channels, two registers");
  convolved<float, shape<2, 5, 17, 3>, 3, 3, whole + 3, around>("registers that overlap");
  convolved<float, shape<2, 5, 17, 2>, 3, 3, 3, around>("fewer than a register");
  convolved<float, shape<2, 5, 7, whole>, 3, 3, 3 * whole, around>("a register of channels");
  convolved<double, shape<2, 5, 9, 5>, 3, 3, whole, around>("double");
}
BOOST_AUTO_TEST_CASE(options) {
  convolved<float, shape<2, 9, 31, 3>, 7, 7, whole, convolution{.stride = 4, .padding = 3}>("7x7, every fourth");
  convolved<float, shape<2, 9, 30, 4>, 3, 3, whole, second>("every second");
  convolved<float, shape<2, 1, 70, 2>, 1, 31, whole, convolution{.padding = {0, 30, 0, 0}}>("a long kernel");
  convolved<double, shape<2, 9, 14, 5>, 2, 3, 4,
            convolution{.stride = {2, 3}, .padding = {2, 0, 2, 1}, .dilation = {3, 2}}>("everything set");
  using dy = shape<2, 5, 8, 3>;
  multiplied<float, dy, windows_of_gradient<dy, 9, 15, 3, 3, second>, whole>("images' gradient of every second");
}
// Kernels of one register of results are packed, for a band of rows.
BOOST_AUTO_TEST_CASE(kernels_that_are_packed) {
  using Image = shape<2, 6, 9, 40>;
  using Move = windows<Image, 3, 3, around>;
  using sums = on_cpu::tap_sums<float, Image, espalier::shape_from<extents_of<Move>>, typename map_of<Move>::type,
                                on_cpu::default_arch, 40, 512>;
  static_assert(sums::packs && sums::band > 1);
  convolved<float, Image, 3, 3, 512, around>("512 results");
  convolved<float, shape<3, 7, 9, 40>, 3, 3, 512 + 3, around>("registers that overlap");
  static_assert(on_cpu::detail::cache_sets(2048) == 2 && on_cpu::detail::cache_sets(192) == 64 &&
                on_cpu::detail::cache_sets(4096) == 1 && on_cpu::detail::cache_sets(20) == 64);
}
// Large images, and enough for several parts.
BOOST_AUTO_TEST_CASE(large_images) {
  convolved<float, shape<2, 60, 60, 3>, 3, 3, 2 * whole, around>("60 rows");
  convolved<float, shape<1, 300, 1200, 3>, 2, 2, whole, convolution{.stride = 2}>("beyond the caches");
}
// Long rows of few channels to full registers. Many channels, short rows and kernels of one column are products.
BOOST_AUTO_TEST_CASE(which_products) {
  constexpr bool enough_registers = on_cpu::detail::register_count<on_cpu::default_arch> == 32;
  static_assert(prefers<shape<4, 28, 28, 1>, 16, around>() == enough_registers);
  static_assert(prefers<shape<4, 28, 28, 8>, 16, around>() == enough_registers);
  static_assert(!prefers<shape<4, 28, 28, 512>, 64, around>());
  static_assert(!prefers<shape<4, 28, 7, 1>, 16, around>());
  static_assert(!prefers<shape<4, 28, 28, 1>, whole + 1, around>());
  static_assert(!prefers<shape<4, 28, 28, 8>, 16, convolution{.padding = {1, 0}}, 3, 1>());
}
