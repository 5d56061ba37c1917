// SPDX-License-Identifier: BSL-1.0
// Every op that convolves, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_op_convolution
#include "every_op.hpp"

using namespace every_op;
using esp::convolution, esp::transposed_convolution;

BOOST_AUTO_TEST_CASE(convolutions_of_images) {
  check(
      "conv2d", [](auto x, auto w) { return conv2d(x, w); }, random_tensor<2, 5, 6, 3>(1),
      random_tensor<3, 2, 3, 4>(2));
  check(
      "conv2d with stride and padding",
      [](auto x, auto w) {
        return esp::conv2d<convolution{.stride = {2, 1}, .padding = 1}>(x, w);
      },
      random_tensor<2, 6, 5, 2>(1), random_tensor<3, 3, 2, 4>(2));
  check(
      "conv2d with dilation, channels first",
      [](auto x, auto w) {
        return esp::conv2d<convolution{.padding = {1, 0, 2, 1}, .dilation = 2, .layout = esp::nchw}>(x, w);
      },
      random_tensor<2, 2, 6, 7>(1), random_tensor<3, 2, 2, 3>(2));
  check(
      "conv2d in groups", [](auto x, auto w) { return esp::conv2d<convolution{.stride = 2, .groups = 2}>(x, w); },
      random_tensor<2, 5, 5, 4>(1), random_tensor<2, 3, 2, 6>(2));
  check(
      "conv2d of each channel",
      [](auto x, auto w) { return esp::conv2d<convolution{.stride = 2, .padding = 1, .groups = 8}>(x, w); },
      random_tensor<2, 6, 5, 8>(1), random_tensor<3, 3, 1, 8>(2));
  check(
      "conv2d of each channel, three outputs for each, channels first",
      [](auto x, auto w) {
        return esp::conv2d<convolution{.padding = {1, 0, 2, 1}, .dilation = {1, 2}, .groups = 3, .layout = esp::nchw}>(
            x, w);
      },
      random_tensor<2, 3, 5, 6>(1), random_tensor<9, 1, 3, 2>(2));
}
BOOST_AUTO_TEST_CASE(convolutions_of_small_images) {
  check(
      "conv2d of 2x2, every second",
      [](auto x, auto w) { return esp::conv2d<convolution{.stride = 2, .padding = 1}>(x, w); },
      random_tensor<2, 2, 2, 3>(1), random_tensor<3, 3, 3, 4>(2));
  check(
      "conv2d of 1x1, channels first",
      [](auto x, auto w) { return esp::conv2d<convolution{.padding = 1, .layout = esp::nchw}>(x, w); },
      random_tensor<2, 3, 1, 1>(1), random_tensor<4, 3, 3, 3>(2));
  check(
      "conv2d of 2x1 in groups",
      [](auto x, auto w) { return esp::conv2d<convolution{.padding = 2, .groups = 2}>(x, w); },
      random_tensor<2, 2, 1, 4>(1), random_tensor<5, 5, 2, 6>(2));
  check(
      "conv2d of 2x2, each channel",
      [](auto x, auto w) { return esp::conv2d<convolution{.padding = 2, .groups = 8}>(x, w); },
      random_tensor<2, 2, 2, 8>(1), random_tensor<5, 5, 1, 8>(2));
}
BOOST_AUTO_TEST_CASE(convolutions_of_signals) {
  check(
      "conv1d", [](auto x, auto w) { return esp::conv1d<convolution{.stride = 2, .padding = 1}>(x, w); },
      random_tensor<2, 9, 3>(1), random_tensor<3, 3, 4>(2));
  check(
      "conv1d in groups, channels first",
      [](auto x, auto w) { return esp::conv1d<convolution{.groups = 2, .layout = esp::nchw}>(x, w); },
      random_tensor<2, 4, 7>(1), random_tensor<6, 2, 3>(2));
}
BOOST_AUTO_TEST_CASE(transposed_convolutions) {
  check(
      "conv_transpose2d", [](auto x, auto w) { return conv_transpose2d(x, w); }, random_tensor<2, 3, 4, 4>(1),
      random_tensor<2, 3, 3, 4>(2));
  check(
      "conv_transpose2d with stride",
      [](auto x, auto w) {
        return esp::conv_transpose2d<transposed_convolution{.stride = 2, .padding = 1, .extra = 1}>(x, w);
      },
      random_tensor<2, 3, 3, 2>(1), random_tensor<3, 3, 3, 2>(2));
  check(
      "conv_transpose2d in groups, channels first",
      [](auto x, auto w) {
        return esp::conv_transpose2d<transposed_convolution{.groups = 2, .layout = esp::nchw}>(x, w);
      },
      random_tensor<2, 4, 3, 3>(1), random_tensor<4, 3, 2, 2>(2));
}
