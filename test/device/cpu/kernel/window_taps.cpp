// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_kernel_window_taps
#include <boost/test/unit_test.hpp>

#include <espalier/device/cpu/kernel/window_taps.hpp>

using namespace espalier::on_cpu::detail;

namespace {

/// Whether the groups of an axis have each window once, and each of its taps that meets a pixel.
template <window_axis A, int Period, int Together>
constexpr bool covers() {
  using groups = axis_taps<A, Period, Together>;
  int windows = 0;
  for (int g = 0; g < groups::groups; ++g)
    for (int row = 0; row < groups::count(g * Together); ++row)
      for (int i = 0; i < Together; ++i) {
        int const window = row * Period + g * Together + i;
        if (window >= A.extent) continue;
        ++windows;
        int taps = 0;
        for (int s = 0; s < groups::taps.count[g]; ++s)
          taps += tap_on(A, window, groups::taps.source[g][s] + row * groups::advance) >= 0;
        int expected = 0;
        for (int r = 0; r < A.kernel; ++r) expected += (A.start + window * A.step + r * A.tap) % A.divisor == 0;
        if (taps != expected) return false;
      }
  return windows == A.extent;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_tap_of_each_window) {
  static_assert(covers<window_axis{9, 3, 1, 1, -1, 1}, 1, 1>());
  static_assert(covers<window_axis{9, 3, 1, 1, -1, 2}, 2, 1>());
  static_assert(covers<window_axis{9, 3, 1, 1, -1, 2}, 4, 4>());
  static_assert(covers<window_axis{32, 7, 1, 1, -3, 4}, 4, 1>());
  static_assert(covers<window_axis{32, 7, 1, 1, -3, 4}, 4, 4>());
  static_assert(covers<window_axis{10, 4, 3, 2, -5, 4}, 4, 1>());
  static_assert(covers<window_axis{10, 4, 2, 3, -5, 4}, 2, 1>());
  static_assert(covers<window_axis{10, 4, -1, -2, 9, 2}, 2, 2>());
  static_assert(covers<window_axis{3, 2, 1, 1, 0, 5}, 5, 1>());
}

BOOST_AUTO_TEST_CASE(windows_without_a_pixel) {
  using groups = axis_taps<window_axis{9, 1, 1, 1, 0, 3}, 3, 1>;
  static_assert(groups::taps.count[0] == 1 && groups::taps.count[1] == 0 && groups::taps.count[2] == 0);
  static_assert(groups::most == 3 && groups::advance == 1);
}

// 7 taps with steps of 2 are 4 pixels of the gradient for 2 columns, and 5 pixels for 4 columns. Three channels of 4
// columns fill 12 of 16 lanes.
BOOST_AUTO_TEST_CASE(columns_together) {
  constexpr window_axis a{224, 7, 1, 1, -3, 2};
  static_assert(count_sources(a, 0, 1) == 3 && count_sources(a, 1, 1) == 4);
  static_assert(count_sources(a, 0, 2) == 4 && count_sources(a, 0, 4) == 5);
  static_assert(best_together(a, 3, 256, 16, 32, 64) == 4);
  // Outputs that fill registers are computed one by one.
  static_assert(best_together(a, 64, 256, 16, 32, 64) == 0);
}
