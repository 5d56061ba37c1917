// SPDX-License-Identifier: BSL-1.0
// Kernels down columns and over segments of rows, in one launch and cut, against the CPU.
#define BOOST_TEST_MODULE device_cuda_kernel_columns
#include <boost/test/unit_test.hpp>

#include "support/check_on_cuda.hpp"

using namespace test;

namespace {
inline constexpr auto batch_norm = [](auto x, auto weight, auto bias) {
  return esp::normalize<0>(x, 1e-5) * weight + bias;
};
inline constexpr auto channel_norm = [](auto x) { return esp::normalize<0, 2, 3>(x, 1e-5); };
inline constexpr auto everything = [](auto x) { return x / esp::sqrt(esp::sum(x * x)) + esp::max(x); };

template <class T, int Rows, int Columns>
void check_batch_norm() {
  std::string const name = "batch norm of " + std::to_string(Rows) + "x" + std::to_string(Columns);
  check_on_cuda(name.c_str(), batch_norm, numbers<T, esp::shape<Rows, Columns>>(1, -2, 2),
                numbers<T, esp::shape<Columns>>(2, 0.5, 1.5), numbers<T, esp::shape<Columns>>(3, -1, 1));
}
}  // namespace

BOOST_AUTO_TEST_CASE(columns_of_a_block) {
  check_batch_norm<float, 32, 64>();
  check_batch_norm<float, 5, 3>();
  check_batch_norm<double, 700, 34>();
  check_batch_norm<double, 33, 17>();
}
BOOST_AUTO_TEST_CASE(columns_that_are_cut) { check_batch_norm<double, 4099, 66>(); }
BOOST_AUTO_TEST_CASE(channels_of_images) {
  check_on_cuda("2x3x4x4", channel_norm, numbers<float, esp::shape<2, 3, 4, 4>>(1, -2, 2));
  check_on_cuda("5x2x3x3", channel_norm, numbers<float, esp::shape<5, 2, 3, 3>>(1, -2, 2));
  check_on_cuda("16x2x64x66", channel_norm, numbers<float, esp::shape<16, 2, 64, 66>>(1, -2, 2));
}
BOOST_AUTO_TEST_CASE(sums_over_everything) {
  check_on_cuda("7x5", everything, numbers<float, esp::shape<7, 5>>(1, -2, 2));
  check_on_cuda("300000", everything, numbers<float, esp::shape<300001>>(1, -2, 2));
}
