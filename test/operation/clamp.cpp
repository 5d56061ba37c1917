// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_clamp
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x, auto low, auto high) { return clamp(x, low, high) * x; };
inline constexpr auto fixed = [](auto x) { return clamp(x, -0.5, 0.75); };
}  // namespace

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "clamp", fixed, [](double x) { return x < -0.5   ? -0.5
                                            : x > 0.75 ? 0.75
                                                       : x; }, -2, 2);
  check_kernels("clamp", f, doubles<7, 17>(1, -2, 2), doubles<17>(2, -1, 0), doubles<17>(3, 0, 1));
  check_pullback("clamp", f, doubles<7, 5>(1, -2, 2), doubles<7, 5>(2, -1, 0), doubles<5>(3, 0, 1));
}

// The ends belong to the middle; an upper end below the lower one wins.
BOOST_AUTO_TEST_CASE(ends_and_limits) {
  using six = esp::tensor<float, esp::shape<6>>;
  check_at("clamp", fixed, six{-3e38f, -0.5f, 0, 0.75f, 1, HUGE_VALF}, six{-0.5f, -0.5f, 0, 0.75f, 0.75f, 0.75f},
           six{0, 1, 1, 1, 0, 0});
  esp::tensor<float, esp::shape<3>> const x{-1, 0, 1}, y = clamp(x, 0.5f, -0.5f);
  check_close("clamp", y, esp::tensor<float, esp::shape<3>>{-0.5f, -0.5f, -0.5f});
}
