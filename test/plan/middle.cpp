// SPDX-License-Identifier: BSL-1.0
// Reductions and broadcasts of scattered axes, of one leaf at many places, in ranks up to 6. Kernels must equal the
// interpreter.
#define BOOST_TEST_MODULE plan_middle
#include "support/check_kernels.hpp"

using namespace test;
using esp::keepdims;

namespace {
inline constexpr auto middle_norm = [](auto x) { return normalize<1>(x, 1e-5) + normalize<0, 2>(x, 1e-5) * x; };
inline constexpr auto outer_axes = [](auto x) { return x * sum<0, 2>(x, keepdims) - max<1, 3>(x, keepdims) * x; };
inline constexpr auto inner_broadcast = [](auto x, auto a) { return exp(x * a) + sum<2>(x, keepdims) * exp(x * a); };
inline constexpr auto of_a_broadcast = [](auto a) {
  auto const x = esp::broadcast_to<esp::shape<2, 3, 4, 5>>(a);
  return sum<0, 2>(x * x) + sum<0, 2>(x);
};
// Rows that lie in segments: all axes but one run in the middle.
inline constexpr auto channels = [](auto x, auto w, auto b) { return normalize<0, 2, 3>(x, 1e-5) * w + b; };
inline constexpr auto largest_of_channels = [](auto x, auto w) {
  auto const e = exp(x - max<0, 2>(x, keepdims)) * w;
  return e / sum<0, 2>(e, keepdims) + x * sum<0, 2>(e * x, keepdims);
};
inline constexpr auto channels_and_all = [](auto x) {
  return sum(square(x - mean<0, 2>(x, keepdims))) * x + sum<0, 2>(x, keepdims) * sum<0>(x, keepdims);
};
inline constexpr auto six = [](auto x) {
  return sum<1, 4>(x * transpose<0, 5>(transpose<0, 5>(x)), keepdims) * x + mean<0, 3, 5>(x, keepdims);
};
inline constexpr auto moved = [](auto x) {
  auto const t = transpose<1, 2>(x);
  return reshape<-1>(t * t) + sum(t) * reshape<-1>(t);
};
}  // namespace

BOOST_AUTO_TEST_CASE(norms_of_the_middle) { check_kernels("5x7x3", middle_norm, doubles<5, 7, 3>(1)); }
BOOST_AUTO_TEST_CASE(scattered_axes) { check_kernels("2x3x4x5", outer_axes, doubles<2, 3, 4, 5>(1)); }
BOOST_AUTO_TEST_CASE(broadcasts_in_the_middle) {
  check_kernels("2x3x4x5 with 2x1x4x1", inner_broadcast, doubles<2, 3, 4, 5>(1), doubles<2, 1, 4, 1>(2));
  check_kernels("2x3x4x5 with 3x1x5", inner_broadcast, doubles<2, 3, 4, 5>(1), doubles<3, 1, 5>(2));
}
BOOST_AUTO_TEST_CASE(reduced_broadcast) { check_kernels("3x1x5", of_a_broadcast, doubles<3, 1, 5>(1)); }
BOOST_AUTO_TEST_CASE(channels_of_images) {
  check_kernels("2x3x8x8", channels, doubles<2, 3, 8, 8>(1), doubles<3, 1, 1>(2), doubles<3, 1, 1>(3));
  check_kernels("3x2x5x8", channels, floats<3, 2, 5, 8>(1), floats<2, 1, 1>(2), floats<1, 2, 1, 1>(3));
  check_kernels("2x3x1x5", channels, doubles<2, 3, 1, 5>(1), doubles<3, 1, 1>(2), doubles<3, 1, 1>(3));
}
BOOST_AUTO_TEST_CASE(several_reductions_of_channels) {
  check_kernels("2x3x50", largest_of_channels, doubles<2, 3, 50>(1), doubles<3, 1>(2));
  check_kernels("4x18x130", largest_of_channels, floats<4, 18, 130>(1), floats<18, 1>(2));
  check_kernels("3x4x21", channels_and_all, doubles<3, 4, 21>(1));
}
BOOST_AUTO_TEST_CASE(rank_six) { check_kernels("2x3x2x2x3x2", six, doubles<2, 3, 2, 2, 3, 2>(1)); }
BOOST_AUTO_TEST_CASE(moved_axes) { check_kernels("4x3x5", moved, doubles<4, 3, 5>(1)); }
