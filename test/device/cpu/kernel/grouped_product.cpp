// SPDX-License-Identifier: BSL-1.0
// Products of windows whose groups are in place, against sums over windows that are written out.
#define BOOST_TEST_MODULE device_cpu_kernel_grouped_product
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <espalier/device/cpu/kernel/grouped_product.hpp>

#include "support/window_products.hpp"

namespace on_cpu = espalier::on_cpu;
using espalier::convolution;
using espalier::shape;

namespace {

using test::extents_of, test::map_of, test::windows;

template <class T, class Image, class Move, class B, class Y, int Groups, bool Gradient>
using kernel =
    on_cpu::detail::grouped_product<T, Image, espalier::shape_from<extents_of<Move>>, typename map_of<Move>::type, B, Y,
                                    espalier::graph::groups_attribute(Groups) |
                                        espalier::graph::transposes_attribute({Gradient, false}),
                                    on_cpu::default_arch>;

/// Both products: windows times kernels, and the gradient of the kernels. Outputs: of a group.
template <class T, class Image, int Rows, int Columns, int Outputs, convolution Options, int Groups>
void convolved(char const* name) {
  using Move = windows<Image, Rows, Columns, Options>;
  using products = test::window_products<T, Image, Move, Outputs, Groups>;
  using K = shape<static_cast<int>(products::depth), static_cast<int>(products::outputs)>;
  using Y = shape<static_cast<int>(products::pixels), static_cast<int>(products::outputs)>;
  products const all;
  auto const y = test::result<kernel<T, Image, Move, K, Y, Groups, false>>(all.dy.size(), all.x, all.k),
             dk = test::result<kernel<T, Image, Move, Y, K, Groups, true>>(all.k.size(), all.x, all.dy);
  double const worst = all.error_of(y), worst_gradient = all.error_of_gradient(dk);
  BOOST_TEST(worst <= 2 + std::sqrt(static_cast<double>(products::depth)), name << ": windows times kernels " << worst);
  BOOST_TEST(worst_gradient <= 2 + std::sqrt(static_cast<double>(products::pixels)),
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
