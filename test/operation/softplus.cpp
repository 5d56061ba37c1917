// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_softplus
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return softplus(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "softplus", f, [](double x) { return std::log1p(std::exp(x)); }, -4, 4);
}

// Relative to the value: far to the left it is exp(x), with all its digits.
BOOST_AUTO_TEST_CASE(small_values_keep_their_digits) {
  auto const x = floats<100>(1, -80, 0);
  auto const y = fused(f, x, x).value;
  auto const z = doubles<100>(2, -600, 0);
  auto const w = fused(f, z, z).value;
  for (int i = 0; i < 100; ++i) {
    BOOST_TEST(static_cast<double>(y[i]) == std::log1p(std::exp(static_cast<double>(x[i]))),
               boost::test_tools::tolerance(1e-6));
    BOOST_TEST(w[i] == std::log1p(std::exp(z[i])), boost::test_tools::tolerance(1e-14));
  }
}

BOOST_AUTO_TEST_CASE(limits) {
  using five = esp::tensor<float, esp::shape<5>>;
  check_at("softplus", f, five{-3e38f, -1e4f, 0, 1e4f, 3e38f}, five{0, 0, std::log(2.0f), 1e4f, 3e38f},
           five{0, 0, 0.5f, 1, 1});
  static_assert(esp::rule<esp::softplus_>::apply(-800.0) == 0 && esp::rule<esp::softplus_>::apply(-40.0) > 4.2e-18);
}
