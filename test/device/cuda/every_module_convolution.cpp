// SPDX-License-Identifier: BSL-1.0
// Every layer that convolves, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_module_convolution
#include "every_module.hpp"

using namespace every_module;

BOOST_AUTO_TEST_CASE(of_images) { check<nn::Conv<2, 4, 3, nn::conv{.stride = 2, .groups = 2}>, 2, 2, 5, 6>("conv"); }
BOOST_AUTO_TEST_CASE(of_signals) { check<nn::Conv1d<3, 4, 3, nn::conv{.layout = esp::nhwc}>, 2, 7, 3>("conv1d"); }
BOOST_AUTO_TEST_CASE(transposed) {
  check<nn::ConvTranspose<3, 2, 3, nn::conv_transpose{.stride = 2}>, 2, 3, 3, 4>("conv_transpose");
}
BOOST_AUTO_TEST_CASE(with_norm_and_rectifier) {
  check<nn::ConvBN<2, 4, 3, nn::conv{.stride = 2}>, 3, 2, 6, 6>("conv_bn");
}
