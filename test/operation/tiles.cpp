// SPDX-License-Identifier: BSL-1.0
// Windows that tile an image: the gradient of their pooling is a permutation that ops hoist, and no sum.
#define BOOST_TEST_MODULE operation_tiles
#include <espalier/eager/compiled.hpp>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/average_pool2d.hpp>
#include <espalier/operation/max_pool2d.hpp>
#include <espalier/operation/slice.hpp>
#include <espalier/operation/square.hpp>
#include <espalier/operation/sum.hpp>

#include "support/images.hpp"

using namespace test;
using esp::convolution, esp::extents, esp::nchw, esp::pooling, esp::rows_columns, esp::shape;

namespace {

constexpr bool tiles(extents const& image, rows_columns window, convolution const& walk) {
  esp::movement const m = esp::windows_of(image, window.rows, window.columns, walk);
  return operation::tiles_image(m.map, image, m.shape);
}

/// How many nodes of a family the value and the gradients of a function need.
template <class F, class... X>
int count(graph::op_family family, bool plain, X const&...) {
  auto const p = written<F, X...>::build(plain);
  graph::node_table const& g = p->nodes;
  auto needed = std::make_unique<bool[]>(graph::capacity);
  for (int i = 0; i < p->output_count; ++i) needed[static_cast<std::size_t>(p->outputs[i].id)] = true;
  int found = 0;
  for (int id = g.size; id > 0; --id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    found += g[id].op->family == family;
    for (int const x : g[id].operand) needed[static_cast<std::size_t>(x)] = true;
  }
  return found;
}

template <rows_columns Window, pooling Options = pooling{}>
struct largest {
  constexpr auto operator()(auto x) const { return esp::max_pool2d<Window, Options>(x); }
};
template <rows_columns Window, pooling Options = pooling{}>
struct average {
  constexpr auto operator()(auto x) const { return esp::average_pool2d<Window, Options>(x); }
};
/// What a net has around its poolings.
template <rows_columns Window, pooling Options = pooling{}>
struct in_a_net {
  constexpr auto operator()(auto x, auto b) const {
    return exp(0.5 * esp::max_pool2d<Window, Options>(relu(x + b))) + esp::average_pool2d<Window, Options>(x);
  }
};

template <class F, class... X>
void check_tiles(char const* name, F f, X const&... x) {
  BOOST_TEST_CONTEXT(name) {
    BOOST_TEST((count<F, X...>(graph::op_family::scatter_add, false, x...)) == 0);
    BOOST_TEST((count<F, X...>(graph::op_family::permute, false, x...)) == 0);
    BOOST_TEST((count<F, X...>(graph::op_family::scatter_add, true, x...)) > 0);
  }
  check_kernels(name, f, x...);
}

}  // namespace

BOOST_AUTO_TEST_CASE(windows_of_some_images_or_channels_are_no_tiles) {
  extents const image{4, {3, 4, 4, 8}};
  esp::movement m = esp::windows_of(image, 2, 2, convolution{.stride = 2});
  BOOST_TEST(operation::tiles_image(m.map, image, m.shape));
  m.shape.at[5] = 4;
  BOOST_TEST(!operation::tiles_image(m.map, image, m.shape));
  m.shape.at[5] = 8;
  m.shape.at[0] = 2;
  BOOST_TEST(!operation::tiles_image(m.map, image, m.shape));
}

struct of_pooled_channels {
  constexpr auto operator()(auto const& x) const {
    auto const some = esp::slice<3, 4, 8>(x);
    return sum(square(esp::average_pool2d<2>(some))) + sum(square(esp::max_pool2d<2>(some)));
  }
};
struct of_pooled {
  constexpr auto operator()(auto const& x) const {
    return sum(square(esp::average_pool2d<2>(x))) + sum(square(esp::max_pool2d<2>(x)));
  }
};
// The gradient of a pooling of a slice of channels, against that of the slice alone.
BOOST_AUTO_TEST_CASE(a_slice_of_channels_is_pooled) {
  esp::tensor<float, shape<3, 4, 4, 8>> x;
  esp::tensor<float, shape<3, 4, 4, 4>> part;
  for (std::size_t i = 0; i < 384; ++i) x.span()[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
  for (std::size_t i = 0; i < 192; ++i) part.span()[i] = x.span()[i / 4 * 8 + 4 + i % 4];
  auto const whole = esp::grad(of_pooled_channels{})(x);
  auto const alone = esp::grad(of_pooled{})(part);
  for (std::size_t i = 0; i < 384; ++i)
    BOOST_TEST(whole.span()[i] == (i % 8 < 4 ? 0.0f : alone.span()[i / 8 * 4 + i % 8 - 4]));
}

BOOST_AUTO_TEST_CASE(which_windows) {
  constexpr extents image{4, {2, 6, 8, 3}};
  static_assert(tiles(image, 2, {.stride = 2}));
  static_assert(tiles(image, {3, 4}, {.stride = {3, 4}}));
  static_assert(tiles(image, {6, 8}, {.stride = 1}));  // one window
  static_assert(tiles(image, 1, {}));
  static_assert(tiles(image, {1, 8}, {.stride = {1, 5}, .dilation = {7, 1}}));
  static_assert(!tiles(image, 3, {.stride = 2}));            // overlap
  static_assert(!tiles(image, 2, {.stride = 3}));            // leave pixels out
  static_assert(!tiles(image, {4, 2}, {.stride = {4, 2}}));  // the last rows
  static_assert(!tiles(image, 2, {.stride = 2, .padding = 1}));
  static_assert(!tiles(image, {3, 2}, {.stride = {1, 2}, .dilation = {2, 1}}));
}

BOOST_AUTO_TEST_CASE(gradients_need_no_sum) {
  check_tiles("largest of 2x2", largest<2>{}, doubles<2, 6, 8, 3>(1));
  check_tiles("largest of 3x4, whole registers", largest<rows_columns{3, 4}>{}, floats<2, 6, 8, 32>(1));
  check_tiles("largest of 3x2", largest<rows_columns{3, 2}>{}, doubles<2, 6, 4, 17>(1));
  check_tiles("average of 2x2", average<2>{}, doubles<2, 6, 8, 9>(1));
  check_tiles("in a net", in_a_net<2>{}, doubles<2, 6, 4, 8>(1), doubles<8>(2));
  check_kernels("one row", largest<rows_columns{1, 4}>{}, doubles<2, 3, 8, 8>(1));
  check_kernels("all of an image", largest<rows_columns{6, 8}>{}, floats<2, 6, 8, 16>(1));
  check_kernels("channels first", in_a_net<2, pooling{.layout = nchw}>{}, doubles<2, 8, 6, 4>(1), doubles<8, 1, 1>(2));
}
BOOST_AUTO_TEST_CASE(equal_elements_share_the_gradient) {
  esp::tensor<double, shape<2, 4, 4, 8>> x;
  for (std::int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7 % 3);
  check_kernels("three values", largest<2>{}, x);
  auto const dy = doubles<2, 2, 2, 8>(3);
  x.fill(1);
  auto const got = fused(largest<2>{}, dy, x);
  for (int c = 0; c < 8; ++c) BOOST_TEST(std::get<0>(got.gradients)(1, 2, 1, c) == dy(1, 1, 0, c) / 4);
}
BOOST_AUTO_TEST_CASE(first_and_second_order) {
  check_pullback("largest", largest<2>{}, doubles<2, 4, 4, 3>(1));
  check_pullback("in a net", in_a_net<rows_columns{2, 1}>{}, doubles<1, 4, 2, 4>(1), doubles<4>(2));
}

// Forward: relu, windows. Backward: y repeated, the elements equal to it, how many they are, dy divided by that,
// repeated, the gradient in the order of the image with that of relu, and the sum for b.
BOOST_AUTO_TEST_CASE(kernels_of_a_gradient) {
  auto const gradients = esp::grad<0, 1>([](auto x, auto b) {
    auto const y = esp::max_pool2d<2>(relu(x + b));
    return sum(y * y);
  });
  auto const x = floats<4, 8, 8, 16>(1);
  auto const b = floats<16>(2);
  using compiled = decltype(esp::compiled{gradients, x, b});
  static_assert(compiled::kernel_count == 9);
}
