// SPDX-License-Identifier: BSL-1.0
// Kernels along rows: rows of each length at which another way of giving them to threads begins, against the CPU.
#define BOOST_TEST_MODULE device_cuda_kernel_rows
#include <boost/test/unit_test.hpp>

#include "layer_norm_rows.hpp"

using namespace test;

// A row for a lane, for parts of a warp, for a warp; lengths that no access of 16 bytes divides.
BOOST_AUTO_TEST_CASE(short_rows) {
  check_layer_norm<float, 37, 1>();
  check_layer_norm<float, 5, 3>();
  check_layer_norm<float, 33, 7>();
  check_layer_norm<float, 9, 33>();
  check_layer_norm<float, 130, 64>();
  check_layer_norm<float, 3, 255>();
  check_layer_norm<float, 4, 256>();
}
// A row for some warps, for a block.
BOOST_AUTO_TEST_CASE(rows_of_a_block) {
  check_layer_norm<float, 7, 260>();
  check_layer_norm<float, 3, 1023>();
  check_layer_norm<float, 3, 1024>();
  check_layer_norm<float, 2, 1026>();
  check_layer_norm<float, 2, 4096>();
}
BOOST_AUTO_TEST_CASE(rows_of_doubles) {
  check_layer_norm<double, 9, 33>();
  check_layer_norm<double, 3, 1024>();
}
