// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_tap_products
#include <boost/test/unit_test.hpp>

#include <espalier/shape/tap_products.hpp>
#include <espalier/shape/window.hpp>

namespace esp = espalier;
using esp::convolution;
using esp::extents;

namespace {

/// The costs of a convolution of images by kernels of `taps` x `taps`.
constexpr esp::direct_costs costs(extents image, int taps, convolution options, int outputs, bool turned = false) {
  esp::movement const m = esp::windows_of(image, taps, taps, options);
  return esp::costs_of_direct(image, m.shape, m.map, image.at[0], outputs, turned);
}
constexpr convolution same{.padding = 1};

}  // namespace

BOOST_AUTO_TEST_CASE(pairs_in_the_padding_are_left_out) {
  static_assert(costs({4, {1, 7, 7, 512}}, 3, same, 512).inside * 9 == 19 * 19);
  static_assert(costs({4, {2, 4, 5, 64}}, 3, same, 64).inside * 9 == 2 * 10 * 13);
  static_assert(costs({4, {1, 7, 7, 64}}, 3, convolution{}, 64).inside == 25);
  // Steps of two from the padding on: the first tap of the first of four windows reads it.
  static_assert(costs({4, {1, 8, 8, 64}}, 3, {.stride = 2, .padding = 1}, 64).inside * 9 == 11 * 11);
}

BOOST_AUTO_TEST_CASE(small_images_with_many_channels_are_multiplied_by_taps) {
  static_assert(costs({4, {1, 7, 7, 512}}, 3, same, 512).prefers_taps());
  static_assert(costs({4, {8, 7, 7, 512}}, 3, same, 512).prefers_taps());
  static_assert(costs({4, {1, 7, 7, 512}}, 3, same, 512).prefers_taps_for_kernels());
  static_assert(!costs({4, {1, 56, 56, 64}}, 3, same, 64).prefers_taps());
  static_assert(!costs({4, {8, 14, 14, 8}}, 3, same, 64).prefers_taps());
  static_assert(!costs({4, {8, 14, 14, 64}}, 3, same, 8).prefers_taps());
  static_assert(!costs({4, {8, 20, 20, 64}}, 3, convolution{}, 64).prefers_taps_for_kernels());
}

BOOST_AUTO_TEST_CASE(turning_kernels_costs_less_while_they_are_packed) {
  constexpr esp::direct_costs plain = costs({4, {1, 7, 7, 512}}, 3, same, 512),
                              turned = costs({4, {1, 7, 7, 512}}, 3, same, 512, true);
  static_assert(turned.by_taps - plain.by_taps < turned.by_windows - plain.by_windows);
  static_assert(turned.least() == turned.by_taps);
}
