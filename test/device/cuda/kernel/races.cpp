// SPDX-License-Identifier: BSL-1.0
// The library's kernels with a thread of the system for each of theirs: a missing barrier is a data race, which a
// thread sanitizer reports.
#define BOOST_TEST_MODULE device_cuda_kernel_races
#include <boost/test/unit_test.hpp>

#include <espalier/device/cuda/simulator/thread_context.hpp>

#include "layer_norm_rows.hpp"

using namespace test;

namespace {
struct by_threads {
  template <class Check>
  static void each(Check check) {
    kernel_backend<espalier::on_cuda::thread_launcher> with_clusters, without{false};
    check("by threads", with_clusters);
    check("by threads, without clusters", without);
  }
};
inline constexpr auto batch_norm = [](auto x) { return esp::normalize<0>(x, 1e-5); };
inline constexpr auto everything = [](auto x) { return x / esp::sqrt(esp::sum(x * x)) + esp::max(x); };
inline constexpr auto turned = [](auto x) { return esp::transpose(x) * 2.0f; };

template <int Rows, int Columns>
void check_rows() {
  check_on_cuda<by_threads>("layer norm", layer_norm, numbers<float, esp::shape<Rows, Columns>>(1, -2, 2),
                            numbers<float, esp::shape<Columns>>(2, 0.5, 1.5),
                            numbers<float, esp::shape<Columns>>(3, -1, 1));
}
}  // namespace

BOOST_AUTO_TEST_CASE(rows_of_a_warp_and_of_a_block) {
  check_rows<70, 33>();
  check_rows<9, 516>();
  check_rows<3, 1028>();
}
// Without clusters, these rows are cut.
BOOST_AUTO_TEST_CASE(rows_of_a_cluster) { check_rows<2, 4104>(); }
BOOST_AUTO_TEST_CASE(columns) {
  check_on_cuda<by_threads>("batch norm", batch_norm, numbers<float, esp::shape<37, 12>>(1, -2, 2));
}
BOOST_AUTO_TEST_CASE(one_long_row) {
  check_on_cuda<by_threads>("everything", everything, numbers<float, esp::shape<5000>>(1, -2, 2));
}
BOOST_AUTO_TEST_CASE(squares_that_turn) {
  check_on_cuda<by_threads>("transpose", turned, numbers<float, esp::shape<70, 40>>(1, -2, 2));
}
