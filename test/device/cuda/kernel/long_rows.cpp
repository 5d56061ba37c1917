// SPDX-License-Identifier: BSL-1.0
// Kernels along long rows: for clusters of blocks, and cut among blocks that know nothing of each other, against the
// CPU.
#define BOOST_TEST_MODULE device_cuda_kernel_long_rows
#include <boost/test/unit_test.hpp>

#include "layer_norm_rows.hpp"

using namespace test;

// The second run of each check is on a device without clusters, where the same rows are cut.
BOOST_AUTO_TEST_CASE(rows_of_a_cluster) {
  check_layer_norm<float, 3, 8192>();
  check_layer_norm<float, 3, 16384>();
  check_layer_norm<float, 2, 32766>();
}
BOOST_AUTO_TEST_CASE(rows_that_are_cut) {
  check_layer_norm<float, 2, 40000>();
  check_layer_norm<float, 1, 70001>();
}
// Few rows of many elements: most of a device would be idle.
BOOST_AUTO_TEST_CASE(few_rows) { check_layer_norm<float, 66, 2048>(); }
