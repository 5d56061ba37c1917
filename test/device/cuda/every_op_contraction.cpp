// SPDX-License-Identifier: BSL-1.0
// Every op that is a product of matrices, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_op_contraction
#include "every_op.hpp"

using namespace every_op;

BOOST_AUTO_TEST_CASE(products) {
  check(
      "matmul", [](auto a, auto b) { return matmul(a, b); }, random_tensor<5, 7>(1), random_tensor<7, 9>(2));
  check(
      "matmul of transposes", [](auto a, auto b) { return matmul(transpose(a), transpose(b)); }, random_tensor<7, 5>(1),
      random_tensor<9, 7>(2));
  check(
      "matmul with bias and ReLU", [](auto a, auto b, auto c) { return relu(matmul(a, b) + c); },
      random_tensor<5, 8>(1), random_tensor<8, 12>(2), random_tensor<12>(3));
  check(
      "matmul of a row and a column", [](auto a, auto b) { return matmul(a, b); }, random_tensor<1, 17>(1),
      random_tensor<17, 1>(2));
}
BOOST_AUTO_TEST_CASE(batches_of_products) {
  check(
      "matmul, a batch", [](auto a, auto b) { return matmul(a, b); }, random_tensor<3, 4, 5>(1),
      random_tensor<3, 5, 6>(2));
  check(
      "matmul, one matrix for a batch", [](auto a, auto b) { return matmul(a, b); }, random_tensor<3, 4, 5>(1),
      random_tensor<5, 6>(2));
  check(
      "matmul, batches that are repeated", [](auto a, auto b) { return matmul(a, b); }, random_tensor<2, 1, 4, 5>(1),
      random_tensor<3, 5, 2>(2));
}
