// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_elu
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x, auto alpha) { return elu(x, alpha); };
inline constexpr auto fixed = [](auto x) { return elu(x, 0.5); };
inline constexpr auto usual = [](auto x) { return elu(x); };
}  // namespace

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_binary(
      "elu", f, [](double x, double alpha) { return x > 0 ? x : alpha * std::expm1(x); }, -2, 2);
  check_unary(
      "elu", fixed, [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); }, -3, 3);
  check_unary(
      "elu", usual, [](double x) { return x > 0 ? x : std::expm1(x); }, -3, 3);
}

BOOST_AUTO_TEST_CASE(small_values_keep_their_digits) {
  esp::tensor<float, esp::shape<3>> const x{-1e-6f, -1e-20f, -0.01f};
  auto const y = fused(usual, x, x).value;
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(static_cast<double>(y[i]) == std::expm1(static_cast<double>(x[i])), boost::test_tools::tolerance(1e-6));
}

// At 0 the gradient is alpha, that of the left.
BOOST_AUTO_TEST_CASE(kink_and_limits) {
  using six = esp::tensor<float, esp::shape<6>>;
  check_at("elu", fixed, six{-HUGE_VALF, -1e4f, -0.0f, 0, 1e4f, HUGE_VALF}, six{-0.5f, -0.5f, 0, 0, 1e4f, HUGE_VALF},
           six{0, 0, 0.5f, 0.5f, 1, 1});
}
