// SPDX-License-Identifier: BSL-1.0
// Every op that pools windows of images, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_op_window
#include "every_op.hpp"

using namespace every_op;
using esp::pooling;

// Windows of 8 channels and more are read where images lie, others are written out.
BOOST_AUTO_TEST_CASE(largest) {
  check(
      "max_pool2d", [](auto x) { return esp::max_pool2d<2>(x); }, random_tensor<2, 6, 4, 3>(1));
  check(
      "max_pool2d of many channels", [](auto x) { return esp::max_pool2d<3, pooling{.stride = 2, .padding = 1}>(x); },
      random_tensor<2, 5, 7, 9>(1));
  check(
      "max_pool2d, channels first",
      [](auto x) {
        return esp::max_pool2d<esp::rows_columns{2, 3}, pooling{.dilation = 2, .layout = esp::nchw}>(x);
      },
      random_tensor<2, 8, 6, 7>(1));
}
BOOST_AUTO_TEST_CASE(means) {
  check(
      "average_pool2d", [](auto x) { return esp::average_pool2d<2>(x); }, random_tensor<2, 6, 4, 3>(1));
  check(
      "average_pool2d of many channels",
      [](auto x) { return esp::average_pool2d<3, pooling{.stride = 2, .padding = 1}>(x); },
      random_tensor<2, 5, 7, 9>(1));
  check(
      "average_pool2d, channels first", [](auto x) { return esp::average_pool2d<2, pooling{.layout = esp::nchw}>(x); },
      random_tensor<2, 3, 6, 4>(1));
  check(
      "global_average_pool", [](auto x) { return global_average_pool(x); }, random_tensor<2, 5, 3, 4>(1));
  check(
      "global_average_pool, channels first", [](auto x) { return esp::global_average_pool<esp::nchw>(x); },
      random_tensor<2, 4, 5, 3>(1));
}
