// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_silu
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return silu(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "silu", f, [](double x) { return x / (1 + std::exp(-x)); }, -4, 4);
}

BOOST_AUTO_TEST_CASE(limits) {
  using five = esp::tensor<float, esp::shape<5>>;
  check_at("silu", f, five{-3e38f, -1e4f, 0, 1e4f, 3e38f}, five{0, 0, 0, 1e4f, 3e38f}, five{0, 0, 0.5f, 1, 1});
}
