// SPDX-License-Identifier: BSL-1.0
// Every op that is a product, convolutions included, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_op_contraction
#include "every_op.hpp"

using namespace every_op;
using esp::convolution, esp::transposed_convolution;

BOOST_AUTO_TEST_CASE(products) {
  check("matmul", [](auto a, auto b) { return matmul(a, b); }, drawn<5, 7>(1), drawn<7, 9>(2));
  check("matmul of transposes", [](auto a, auto b) { return matmul(transpose(a), transpose(b)); }, drawn<7, 5>(1), drawn<9, 7>(2));
  check("matmul with bias and ReLU", [](auto a, auto b, auto c) { return relu(matmul(a, b) + c); }, drawn<5, 8>(1), drawn<8, 12>(2), drawn<12>(3));
  check("matmul of a row and a column", [](auto a, auto b) { return matmul(a, b); }, drawn<1, 17>(1), drawn<17, 1>(2));
}
BOOST_AUTO_TEST_CASE(batches_of_products) {
  check("matmul, a batch", [](auto a, auto b) { return matmul(a, b); }, drawn<3, 4, 5>(1), drawn<3, 5, 6>(2));
  check("matmul, one matrix for a batch", [](auto a, auto b) { return matmul(a, b); }, drawn<3, 4, 5>(1), drawn<5, 6>(2));
  check("matmul, batches that are repeated", [](auto a, auto b) { return matmul(a, b); }, drawn<2, 1, 4, 5>(1), drawn<3, 5, 2>(2));
}
BOOST_AUTO_TEST_CASE(convolutions_of_images) {
  check("conv2d", [](auto x, auto w) { return conv2d(x, w); }, drawn<2, 5, 6, 3>(1), drawn<3, 2, 3, 4>(2));
  check("conv2d with stride and padding", [](auto x, auto w) { return esp::conv2d<convolution{.stride = {2, 1}, .padding = 1}>(x, w); }, drawn<2, 6, 5, 2>(1),
        drawn<3, 3, 2, 4>(2));
  check("conv2d with dilation, channels first", [](auto x, auto w) { return esp::conv2d<convolution{.padding = {1, 0, 2, 1}, .dilation = 2, .layout = esp::nchw}>(x, w); },
        drawn<2, 2, 6, 7>(1), drawn<3, 2, 2, 3>(2));
  check("conv2d in groups", [](auto x, auto w) { return esp::conv2d<convolution{.stride = 2, .groups = 2}>(x, w); }, drawn<2, 5, 5, 4>(1), drawn<2, 3, 2, 6>(2));
}
BOOST_AUTO_TEST_CASE(convolutions_of_signals) {
  check("conv1d", [](auto x, auto w) { return esp::conv1d<convolution{.stride = 2, .padding = 1}>(x, w); }, drawn<2, 9, 3>(1), drawn<3, 3, 4>(2));
  check("conv1d in groups, channels first", [](auto x, auto w) { return esp::conv1d<convolution{.groups = 2, .layout = esp::nchw}>(x, w); }, drawn<2, 4, 7>(1),
        drawn<6, 2, 3>(2));
}
BOOST_AUTO_TEST_CASE(transposed_convolutions) {
  check("conv_transpose2d", [](auto x, auto w) { return conv_transpose2d(x, w); }, drawn<2, 3, 4, 4>(1), drawn<2, 3, 3, 4>(2));
  check("conv_transpose2d with stride", [](auto x, auto w) { return esp::conv_transpose2d<transposed_convolution{.stride = 2, .padding = 1, .extra = 1}>(x, w); },
        drawn<2, 3, 3, 2>(1), drawn<3, 3, 3, 2>(2));
  check("conv_transpose2d in groups, channels first",
        [](auto x, auto w) { return esp::conv_transpose2d<transposed_convolution{.groups = 2, .layout = esp::nchw}>(x, w); }, drawn<2, 4, 3, 3>(1), drawn<4, 3, 2, 2>(2));
}
