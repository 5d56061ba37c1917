// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_gelu
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return gelu(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "gelu", f, [](double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; }, -4, 4);
}

BOOST_AUTO_TEST_CASE(limits) {
  using five = esp::tensor<float, esp::shape<5>>;
  check_at("gelu", f, five{-3e38f, -1e4f, 0, 1e4f, 3e38f}, five{0, 0, 0, 1e4f, 3e38f}, five{0, 0, 0.5f, 1, 1});
}
