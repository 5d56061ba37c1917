// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_conv_transpose2d
#include "support/images.hpp"

using namespace test;
using esp::convolution;
using esp::nchw;
using esp::shape;
using esp::transposed_convolution;

namespace {
template <transposed_convolution Options, class X, class W>
using shape_of_result_of =
    esp::shape_of<decltype(conv_transpose2d<Options>(esp::tensor<float, X>{}, esp::tensor<float, W>{}))>;
template <transposed_convolution Options, class X, class W, class Y>
inline constexpr bool has_shape = std::is_same_v<shape_of_result_of<Options, X, W>, Y>;

/// <conv2d(x, w), y> = <x, conv_transpose2d(y, w)>.
template <transposed_convolution Options, class X, class W>
void check_adjoint(X const& x, W const& w) {
  using Y = esp::shape_of<decltype(conv2d<adjoint<Options>>(x, w))>;
  auto const y = numbers<double, Y>(3);
  esp::tensor<double, shape<>> const forward = sum(conv2d<adjoint<Options>>(x, w) * y),
                                     back = sum(x * conv_transpose2d<Options>(y, w));
  BOOST_TEST(forward[0] == back[0], boost::test_tools::tolerance(1e-12));
}
}  // namespace

BOOST_AUTO_TEST_CASE(shapes) {
  static_assert(has_shape<transposed_convolution{}, shape<2, 4, 5, 4>, shape<3, 3, 3, 4>, shape<2, 6, 7, 3>>);
  static_assert(
      has_shape<transposed_convolution{.stride = 2}, shape<1, 4, 4, 8>, shape<2, 2, 5, 8>, shape<1, 8, 8, 5>>);
  static_assert(has_shape<transposed_convolution{.stride = 2, .padding = 1, .extra = {1, 0}}, shape<1, 4, 4, 8>,
                          shape<3, 3, 5, 8>, shape<1, 8, 7, 5>>);
  static_assert(has_shape<transposed_convolution{.stride = 3, .dilation = 2, .groups = 2, .layout = nchw},
                          shape<1, 8, 2, 3>, shape<8, 5, 3, 1>, shape<1, 10, 8, 7>>);
}

BOOST_AUTO_TEST_CASE(by_the_compiler) {
  constexpr esp::tensor<double, shape<1, 1, 2, 1>> x{{{{1}, {10}}}};
  constexpr esp::tensor<double, shape<2, 2, 1, 1>> w{{{{1}}, {{2}}}, {{{3}}, {{4}}}};
  constexpr esp::tensor<double, shape<1, 2, 3, 1>> y = conv_transpose2d(x, w);
  static_assert(y == esp::tensor<double, shape<1, 2, 3, 1>>{{{{1}, {12}, {20}}, {{3}, {34}, {40}}}});
  esp::tensor<double, shape<1, 2, 3, 1>> const by_kernels = conv_transpose2d(x, w);
  BOOST_TEST((by_kernels == y));
}

BOOST_AUTO_TEST_CASE(values) {
  check_transposed<transposed_convolution{}>("few channels", doubles<2, 4, 5, 2>(1), doubles<3, 2, 3, 2>(2));
  check_transposed<transposed_convolution{.stride = 2, .padding = 1, .extra = 1}>("3x3", floats<2, 4, 5, 16>(1),
                                                                                  floats<3, 3, 8, 16>(2));
  check_transposed<transposed_convolution{
      .stride = {3, 2}, .padding = {0, 1, 2, 1}, .dilation = {1, 2}, .extra = {2, 0}, .groups = 2}>(
      "groups", doubles<2, 4, 5, 18>(1), doubles<3, 2, 10, 18>(2));
  check_transposed<transposed_convolution{.stride = 2, .layout = nchw}>("channels first", floats<1, 9, 3, 4>(1),
                                                                        floats<9, 8, 2, 2>(2));
  check_transposed<transposed_convolution{.stride = 3}>("gaps between the windows", doubles<1, 3, 3, 8>(1),
                                                        doubles<1, 2, 9, 8>(2));
}

BOOST_AUTO_TEST_CASE(adjoint_of_a_convolution) {
  check_adjoint<transposed_convolution{.stride = 2, .padding = 1, .extra = {0, 1}}>(doubles<2, 7, 8, 3>(1),
                                                                                    doubles<3, 3, 3, 4>(2));
  check_adjoint<transposed_convolution{.stride = 2, .padding = 1, .extra = {0, 1}}>(doubles<2, 7, 8, 8>(1),
                                                                                    doubles<3, 3, 8, 9>(2));
  check_adjoint<transposed_convolution{.padding = 2, .dilation = 2, .groups = 3, .layout = nchw}>(
      doubles<1, 6, 5, 6>(1), doubles<9, 2, 3, 2>(2));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("strided", transposed_of_both<transposed_convolution{.stride = 2, .padding = 1, .extra = 1}>{},
                 doubles<1, 3, 3, 2>(1), doubles<3, 3, 2, 2>(2));
  check_pullback("channels first",
                 transposed_of_both<transposed_convolution{.dilation = {1, 2}, .groups = 2, .layout = nchw}>{},
                 doubles<1, 4, 2, 3>(1), doubles<4, 1, 2, 2>(2));
}
