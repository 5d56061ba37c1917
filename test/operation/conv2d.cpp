// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_conv2d
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/concatenate.hpp>
#include <espalier/operation/flip.hpp>
#include <espalier/operation/pad.hpp>
#include <espalier/operation/slice.hpp>

#include "support/images.hpp"

using namespace test;
using esp::convolution;
using esp::nchw;
using esp::shape;

namespace {
template <convolution Options, class X, class W>
using shape_of_conv = esp::shape_of<decltype(conv2d<Options>(esp::tensor<float, X>{}, esp::tensor<float, W>{}))>;
template <convolution Options, class X, class W, class Y>
inline constexpr bool has_shape = std::is_same_v<shape_of_conv<Options, X, W>, Y>;

/// Bias, activation and residual, which run on each line of the result.
template <convolution Options>
struct followed {
  constexpr auto operator()(auto x, auto w, auto b, auto r) const { return relu(conv2d<Options>(x, w) + b) + r; }
};
/// The gradient of images that other ops have made: what follows it is their pullback.
template <convolution Options>
struct gradient_followed {
  constexpr auto operator()(auto x, auto w, auto dy) const {
    auto const loss = [](auto v, auto k, auto d) { return sum(conv2d<Options>(esp::tanh(v), k) * d); };
    return esp::grad<0>(loss)(x, w, dy);
  }
};

/// A convolution of a flipped image, whose windows go backwards through the image.
template <convolution Options, int Padding>
struct flipped {
  constexpr auto operator()(auto x, auto w) const {
    return conv2d<Options>(esp::flip<1, 2>(esp::pad<0, 0, Padding, 1, 1, Padding, 0, 0>(x)), w);
  }
};
template <class F, int Of>
struct gradient_of_square {
  constexpr auto operator()(auto x, auto w) const {
    auto const loss = [](auto v, auto k) { return sum(square(F{}(v, k))); };
    return esp::grad<Of>(loss)(x, w);
  }
};

/// Windows of some channels or images, and of channels that padding adds, are no windows of the whole image.
template <convolution Options, int Axis, int From, int To>
struct of_a_part {
  constexpr auto operator()(auto x, auto w) const { return conv2d<Options>(esp::slice<Axis, From, To>(x), w); }
};
template <convolution Options>
struct of_more_channels {
  constexpr auto operator()(auto x, auto w) const { return conv2d<Options>(esp::pad<0, 0, 0, 0, 0, 0, 0, 2>(x), w); }
};
/// What a product leaves beside its sums is read by windows only, and with a factor for each channel.
inline constexpr auto of_a_residual_sum = [](auto x, auto w, auto k) {
  auto const y = conv2d<convolution{.groups = 4}>(reshape<2, 5, 6, 4>(matmul(reshape<60, 4>(x), w)) + x, k);
  return esp::concatenate<3>(y, y);
};
inline constexpr auto gradient_of_a_residual_sum = [](auto x, auto w, auto k) {
  return esp::grad<2>([](auto a, auto b, auto c) { return sum(square(of_a_residual_sum(a, b, c))); })(x, w, k);
};

inline constexpr auto twice = [](auto x, auto w) {
  return sum(conv2d<convolution{.padding = 1}>(relu(conv2d<convolution{.padding = 1}>(x, w)), w));
};
}  // namespace

BOOST_AUTO_TEST_CASE(shapes) {
  static_assert(has_shape<convolution{}, shape<2, 6, 7, 3>, shape<3, 3, 3, 4>, shape<2, 4, 5, 4>>);
  static_assert(has_shape<convolution{.padding = 1}, shape<2, 6, 7, 3>, shape<3, 3, 3, 4>, shape<2, 6, 7, 4>>);
  static_assert(
      has_shape<convolution{.stride = 2, .padding = 1}, shape<2, 6, 7, 3>, shape<3, 3, 3, 4>, shape<2, 3, 4, 4>>);
  static_assert(has_shape<convolution{.stride = 2, .padding = 3}, shape<1, 224, 224, 3>, shape<7, 7, 3, 64>,
                          shape<1, 112, 112, 64>>);
  static_assert(
      has_shape<convolution{.padding = {1, 2, 3, 4}}, shape<1, 6, 7, 3>, shape<3, 2, 3, 4>, shape<1, 8, 12, 4>>);
  static_assert(has_shape<convolution{.stride = {2, 3}, .padding = {2, 1}, .dilation = {2, 1}}, shape<1, 9, 9, 3>,
                          shape<3, 5, 3, 4>, shape<1, 5, 3, 4>>);
  static_assert(has_shape<convolution{.groups = 4}, shape<1, 5, 5, 8>, shape<1, 1, 2, 12>, shape<1, 5, 5, 12>>);
  static_assert(has_shape<convolution{.layout = nchw}, shape<2, 3, 6, 7>, shape<4, 3, 5, 2>, shape<2, 4, 2, 6>>);
  static_assert(
      has_shape<convolution{.stride = 4, .padding = 1}, shape<1, 1, 1, 1>, shape<3, 3, 1, 1>, shape<1, 1, 1, 1>>);
}

BOOST_AUTO_TEST_CASE(by_the_compiler) {
  constexpr esp::tensor<double, shape<1, 3, 3, 1>> x{{{{1}, {2}, {3}}, {{4}, {5}, {6}}, {{7}, {8}, {9}}}};
  constexpr esp::tensor<double, shape<2, 2, 1, 1>> w{{{{1}}, {{-1}}}, {{{0}}, {{10}}}};
  constexpr esp::tensor<double, shape<1, 2, 2, 1>> y = conv2d(x, w);
  static_assert(y == esp::tensor<double, shape<1, 2, 2, 1>>{{{{49}, {59}}, {{79}, {89}}}});
  esp::tensor<double, shape<1, 2, 2, 1>> const by_kernels = conv2d(x, w);
  BOOST_TEST((by_kernels == y));
}

BOOST_AUTO_TEST_CASE(few_channels) {
  check_convolution<convolution{.padding = 1}>("3x3", doubles<2, 6, 7, 3>(1), doubles<3, 3, 3, 4>(2));
  check_convolution<convolution{.stride = {2, 3}, .padding = {2, 1}, .dilation = {2, 1}}>(
      "2x5, everything set", doubles<2, 9, 8, 2>(1), doubles<2, 5, 2, 5>(2));
  check_convolution<convolution{.padding = 1, .groups = 4}>("a channel a group", floats<2, 5, 6, 4>(1),
                                                            floats<3, 3, 1, 8>(2));
}

BOOST_AUTO_TEST_CASE(many_channels) {
  check_convolution<convolution{.padding = 1}>("3x3", floats<2, 6, 7, 8>(1), floats<3, 3, 8, 16>(2));
  check_convolution<convolution{}>("1x1", floats<2, 5, 5, 9>(1), floats<1, 1, 9, 13>(2));
  check_convolution<convolution{.stride = 2, .padding = 1}>("3x3, every second", floats<3, 9, 8, 16>(1),
                                                            floats<3, 3, 16, 12>(2));
  check_convolution<convolution{.stride = {1, 2}, .padding = {0, 2, 1, 3}, .dilation = {1, 2}}>(
      "2x3, edges", doubles<1, 7, 9, 11>(1), doubles<2, 3, 11, 10>(2));
}

BOOST_AUTO_TEST_CASE(groups) {
  check_convolution<convolution{.groups = 2}>("two groups", floats<3, 6, 5, 32>(1), floats<3, 3, 16, 24>(2));
  check_convolution<convolution{.stride = 2, .padding = 1, .groups = 2}>(
      "two groups, every second", doubles<2, 7, 6, 18>(1), doubles<3, 2, 9, 10>(2));
}

BOOST_AUTO_TEST_CASE(a_kernel_for_each_channel) {
  check_convolution<convolution{.padding = 1, .groups = 16}>("3x3", floats<2, 9, 11, 16>(1), floats<3, 3, 1, 16>(2));
  check_convolution<convolution{.stride = {2, 1}, .padding = {1, 0, 2, 1}, .dilation = {1, 2}, .groups = 5}>(
      "everything set", doubles<2, 9, 10, 5>(1), doubles<3, 2, 1, 5>(2));
  check_convolution<convolution{.padding = 4, .groups = 2}>("more padding than image", doubles<1, 3, 2, 2>(1),
                                                            doubles<3, 3, 1, 2>(2));
  check_convolution<convolution{.padding = 1, .groups = 3}>("three outputs for each", floats<2, 6, 5, 3>(1),
                                                            floats<3, 3, 1, 9>(2));
  check_convolution<convolution{.stride = 2, .padding = 1, .groups = 8, .layout = nchw}>(
      "channels first", floats<2, 8, 7, 6>(1), floats<8, 1, 3, 3>(2));
}

// Kernels read the images in place: neither windows nor their products with the kernels are stored.
BOOST_AUTO_TEST_CASE(a_kernel_for_each_channel_needs_no_memory) {
  auto const x = floats<2, 6, 7, 8>(1);
  auto const w = floats<3, 3, 1, 8>(2);
  using forward = decltype(esp::compiled{convolution_of_both<convolution{.padding = 1, .groups = 8}>{}, x, w});
  static_assert(forward::kernel_count == 1 && forward::workspace_bytes == 0);
  constexpr auto gradients = esp::grad<0, 1>([](auto images, auto kernels) {
    auto const y = esp::conv2d<convolution{.stride = 2, .padding = 1, .groups = 8}>(images, kernels);
    return sum(y * y);
  });
  // The result, its gradient, the flipped kernels, and a kernel for each gradient.
  using backward = decltype(esp::compiled{gradients, x, w});
  static_assert(backward::kernel_count == 5);
  static_assert(backward::workspace_bytes <= sizeof(float) * (2 * 4 * 4 * 8 * 2 + 3 * 3 * 8 + 64));
}

BOOST_AUTO_TEST_CASE(a_kernel_for_each_channel_by_the_compiler) {
  constexpr esp::tensor<double, shape<1, 2, 2, 2>> x{{{{1, 10}, {2, 20}}, {{3, 30}, {4, 40}}}};
  constexpr esp::tensor<double, shape<1, 2, 1, 2>> w{{{{1, 2}}, {{-1, 3}}}};
  constexpr esp::tensor<double, shape<1, 2, 1, 2>> y = esp::conv2d<convolution{.groups = 2}>(x, w);
  static_assert(y == esp::tensor<double, shape<1, 2, 1, 2>>{{{{-1, 80}}, {{-1, 180}}}});
  esp::tensor<double, shape<1, 2, 1, 2>> const by_kernels = esp::conv2d<convolution{.groups = 2}>(x, w);
  BOOST_TEST((by_kernels == y));
}

BOOST_AUTO_TEST_CASE(channels_first) {
  check_convolution<convolution{.stride = 2, .padding = {1, 0, 2, 1}, .groups = 2, .layout = nchw}>(
      "groups", floats<2, 16, 7, 8>(1), floats<10, 8, 3, 2>(2));
}

// More rows than are padded at a time.
BOOST_AUTO_TEST_CASE(bands) {
  check_convolution<convolution{.padding = 1}>("200 rows", floats<1, 200, 20, 64>(1), floats<3, 3, 64, 8>(2));
}

BOOST_AUTO_TEST_CASE(flipped_images) {
  using in_place = flipped<convolution{}, 0>;
  using padded = flipped<convolution{.stride = {2, 1}, .dilation = {1, 2}}, 3>;
  check_kernels("in place", in_place{}, doubles<2, 7, 6, 8>(1), doubles<3, 3, 8, 4>(2));
  check_kernels("padded", padded{}, doubles<2, 7, 6, 3>(1), doubles<3, 3, 3, 4>(2));
  check_kernels("padded, images", gradient_of_square<padded, 0>{}, doubles<2, 7, 6, 3>(1), doubles<3, 3, 3, 4>(2));
  check_kernels("padded, kernels", gradient_of_square<padded, 1>{}, doubles<2, 7, 6, 3>(1), doubles<3, 3, 3, 4>(2));
}

BOOST_AUTO_TEST_CASE(what_follows) {
  check_kernels("3x3", followed<convolution{.padding = 1}>{}, floats<2, 9, 8, 3>(1), floats<3, 3, 3, 20>(2),
                floats<20>(3), floats<2, 9, 8, 20>(4));
  check_kernels("bands", followed<convolution{.stride = {1, 2}}>{}, doubles<1, 60, 40, 24>(1), doubles<3, 3, 24, 40>(2),
                doubles<40>(3), doubles<1, 58, 19, 40>(4));
  check_kernels("gradient, every second", gradient_followed<convolution{.stride = 2, .padding = 1}>{},
                doubles<2, 9, 8, 12>(1), doubles<3, 3, 12, 10>(2), doubles<2, 5, 4, 10>(3));
  check_kernels("gradient, few channels", gradient_followed<convolution{.stride = 2, .padding = 3}>{},
                floats<2, 12, 13, 3>(1), floats<7, 7, 3, 8>(2), floats<2, 6, 7, 8>(3));
}

BOOST_AUTO_TEST_CASE(parts_of_images) {
  constexpr convolution plain{}, of_each{.groups = 4};
  auto const x = doubles<2, 5, 6, 6>(1);
  auto const w = doubles<3, 3, 4, 3>(2);
  auto const more = doubles<2, 2, 8, 3>(3);
  auto const each = doubles<3, 3, 1, 4>(4);
  check_pullback("the first channels", of_a_part<plain, 3, 0, 4>{}, x, w);
  check_pullback("the last channels", of_a_part<plain, 3, 2, 6>{}, x, w);
  check_pullback("a kernel for each of the first channels", of_a_part<of_each, 3, 0, 4>{}, x, each);
  check_pullback("more channels", of_more_channels<plain>{}, x, more);
  check_pullback("a kernel for each of more channels", of_more_channels<convolution{.groups = 8}>{}, x,
                 doubles<2, 2, 1, 8>(5));
  check_pullback("the first image", of_a_part<plain, 0, 0, 1>{}, x, doubles<3, 3, 6, 3>(6));
  check_kernels("the first channels", of_a_part<plain, 3, 0, 4>{}, x, w);
  check_kernels("more channels", of_more_channels<plain>{}, x, more);
}

BOOST_AUTO_TEST_CASE(kernels_for_each_channel_of_a_residual_sum) {
  auto const x = doubles<2, 5, 6, 4>(1);
  auto const w = doubles<4, 4>(2);
  auto const k = doubles<3, 3, 1, 4>(3);
  check_kernels("result", of_a_residual_sum, x, w, k);
  check_kernels("gradient", gradient_of_a_residual_sum, x, w, k);
}

// What a longer run tries beyond that; the kernels themselves are tested with as many shapes in device/cpu/kernel.
#if defined(ESPALIER_TEST_ALL)
BOOST_AUTO_TEST_CASE(more_sizes) {
  check_convolution<convolution{.stride = 2, .padding = 3}>("7x7", floats<2, 12, 12, 3>(1), floats<7, 7, 3, 8>(2));
  check_convolution<convolution{.stride = 2}>("1x1, every second", doubles<2, 6, 5, 9>(1), doubles<1, 1, 9, 8>(2));
  check_convolution<convolution{.stride = 3, .padding = 2, .dilation = 2}>("3x3, dilated", doubles<2, 8, 8, 8>(1),
                                                                           doubles<3, 3, 8, 7>(2));
  check_convolution<convolution{.padding = 1, .layout = nchw}>("few channels", doubles<2, 3, 5, 6>(1),
                                                               doubles<4, 3, 3, 3>(2));
}

BOOST_AUTO_TEST_CASE(more_kernels_for_each_channel) {
  check_convolution<convolution{.stride = 2, .padding = 1, .groups = 21}>("every second", floats<2, 9, 30, 21>(1),
                                                                          floats<3, 3, 1, 21>(2));
  check_convolution<convolution{.stride = 3, .padding = 2, .groups = 6}>("5x5, every third", doubles<1, 11, 13, 6>(1),
                                                                         doubles<5, 5, 1, 6>(2));
  check_convolution<convolution{.padding = {0, 15}, .groups = 4}>("a long kernel", floats<1, 1, 40, 4>(1),
                                                                  floats<1, 31, 1, 4>(2));
  check_convolution<convolution{.groups = 3}>("one window", doubles<1, 3, 3, 3>(1), doubles<3, 3, 1, 3>(2));
  check_convolution<convolution{.stride = 2, .groups = 3}>("1x1", doubles<2, 4, 5, 3>(1), doubles<1, 1, 1, 3>(2));
}

BOOST_AUTO_TEST_CASE(more_flipped_images) {
  using in_place = flipped<convolution{}, 0>;
  check_kernels("in place, images", gradient_of_square<in_place, 0>{}, doubles<2, 7, 6, 8>(1), doubles<3, 3, 8, 4>(2));
  check_kernels("in place, kernels", gradient_of_square<in_place, 1>{}, doubles<2, 7, 6, 8>(1), doubles<3, 3, 8, 4>(2));
}

BOOST_AUTO_TEST_CASE(more_that_follows) {
  check_kernels("one output", followed<convolution{.padding = 1}>{}, doubles<3, 5, 7, 8>(1), doubles<3, 3, 8, 1>(2),
                doubles<1>(3), doubles<3, 5, 7, 1>(4));
  check_kernels("in place, two panels", followed<convolution{}>{}, floats<2, 5, 5, 12>(1), floats<1, 1, 12, 90>(2),
                floats<90>(3), floats<2, 5, 5, 90>(4));
  check_kernels("gradient", gradient_followed<convolution{.padding = 1}>{}, doubles<2, 9, 8, 12>(1),
                doubles<3, 3, 12, 10>(2), doubles<2, 9, 8, 10>(3));
}
#endif

BOOST_AUTO_TEST_CASE(gradients) {
  constexpr convolution strided{.stride = 2, .padding = 1},
      wide{.stride = {2, 1}, .padding = {1, 0, 2, 1}, .dilation = {1, 2}, .groups = 2, .layout = nchw};
  check_pullback("3x3", convolution_of_both<strided>{}, doubles<2, 4, 5, 2>(1), doubles<3, 3, 2, 3>(2));
  check_pullback("2x2, channels first", convolution_of_both<wide>{}, doubles<1, 4, 4, 5>(1), doubles<2, 2, 2, 2>(2));
  constexpr convolution of_each{.stride = 2, .padding = 1, .groups = 3};
  check_pullback("a kernel for each channel", convolution_of_both<of_each>{}, doubles<2, 4, 5, 3>(1),
                 doubles<3, 3, 1, 3>(2));
  check_pullback("two kernels for each channel", convolution_of_both<of_each>{}, doubles<2, 4, 5, 3>(1),
                 doubles<3, 3, 1, 6>(2));
  check_pullback("twice", twice, doubles<1, 4, 4, 2>(1), doubles<3, 3, 2, 2>(2));
}
