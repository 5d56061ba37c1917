// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_window
#include <boost/test/unit_test.hpp>

#include <espalier/shape/window.hpp>

using namespace espalier;

BOOST_AUTO_TEST_CASE(numbers_of_two_axes_and_four_edges) {
  constexpr rows_columns both = 3, each{1, 2};
  static_assert(both.rows == 3 && both.columns == 3 && each.rows == 1 && each.columns == 2);
  constexpr edges all = 3, two{1, 2}, four{1, 2, 3, 4};
  static_assert(all.top == 3 && all.left == 3 && all.bottom == 3 && all.right == 3);
  static_assert(two.top == 1 && two.bottom == 1 && two.left == 2 && two.right == 2);
  static_assert(four.top == 1 && four.left == 2 && four.bottom == 3 && four.right == 4);
}

// extent, kernel, before, after, stride, dilation
BOOST_AUTO_TEST_CASE(counts) {
  static_assert(window_count(5, 3, 0, 0, 1, 1) == 3 && window_count(5, 3, 1, 1, 1, 1) == 5 &&
                window_count(5, 3, 0, 2, 2, 1) == 3);
  static_assert(window_count(224, 7, 3, 3, 2, 1) == 112 && window_count(28, 1, 0, 0, 2, 1) == 14 &&
                window_count(7, 3, 2, 2, 1, 2) == 7);
  static_assert(window_count(3, 3, 0, 0, 5, 1) == 1 && window_count(3, 7, 1, 1, 1, 1) == 0 &&
                window_count(3, 2, 0, 0, 1, 3) == 0);
  // As many as there are first pixels from which a kernel stays inside.
  for (int extent = 1; extent < 9; ++extent)
    for (int kernel_extent = 1; kernel_extent < 5; ++kernel_extent)
      for (int before = 0; before < 3; ++before)
        for (int stride = 1; stride < 4; ++stride)
          for (int step = 1; step < 3; ++step) {
            int count = 0;
            for (int i = -before; i + step * (kernel_extent - 1) < extent + 1; i += stride) ++count;
            BOOST_TEST(window_count(extent, kernel_extent, before, 1, stride, step) == count);
          }
}

BOOST_AUTO_TEST_CASE(named_relations) {
  static_assert(kernel_fits<kernel<5>, width<3>, padding<1, 1>, dilation<1>>::agree);
  static_assert(!kernel_fits<kernel<7>, width<3>, padding<1, 1>, dilation<1>>::agree);
  static_assert(kernel_fits<kernel<2>, height<3>, padding<0, 0>, dilation<2>>::agree);
  static_assert(!kernel_fits<kernel<2>, height<3>, padding<0, 0>, dilation<3>>::agree);
  static_assert(kernel_channels<channels<8>, kernel_inputs<2>, groups<4>, kernel_outputs<12>>::agree);
  static_assert(!kernel_channels<channels<8>, kernel_inputs<2>, groups<4>, kernel_outputs<10>>::agree);
  static_assert(!kernel_channels<channels<8>, kernel_inputs<4>, groups<1>, kernel_outputs<10>>::agree);
}

BOOST_AUTO_TEST_CASE(ranges) {
  static_assert(in_range(convolution{}) &&
                in_range(convolution{.stride = 3, .padding = 2, .dilation = {1, 2}, .groups = 4}));
  static_assert(!in_range(convolution{.stride = 0}) && !in_range(convolution{.stride = {1, 0}}) &&
                !in_range(convolution{.padding = {0, 0, 0, -1}}));
  static_assert(!in_range(convolution{.dilation = {0, 1}}) && !in_range(convolution{.groups = 0}));
}

// The map of windows takes from where the definition says.
BOOST_AUTO_TEST_CASE(map_of_windows) {
  constexpr convolution options{.stride = {2, 1}, .padding = {1, 2, 0, 1}, .dilation = {1, 2}};
  constexpr extents image{4, {2, 5, 4, 3}};
  constexpr movement m = windows_of(image, 3, 2, options);
  static_assert(m.shape == extents{6, {2, 2, 5, 3, 2, 3}});
  std::int64_t flat = 0;
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 5; ++j)
        for (int r = 0; r < 3; ++r)
          for (int k = 0; k < 2; ++k)
            for (int c = 0; c < 3; ++c) {
              int const p = 2 * i - 1 + r, q = j - 2 + 2 * k;
              std::int64_t const at = p < 0 || p >= 5 || q < 0 || q >= 4 ? -1 : ((n * 5 + p) * 4 + q) * 3 + c;
              BOOST_TEST(moved_offset(m.map, image, m.shape, flat++) == at);
            }
}
