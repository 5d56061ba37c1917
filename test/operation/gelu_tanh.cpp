// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_gelu_tanh
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return gelu_tanh(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  auto const reference = [](double x) {
    return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  };
  check_unary("gelu_tanh", f, reference, -4, 4);
}

BOOST_AUTO_TEST_CASE(limits) {
  using five = esp::tensor<float, esp::shape<5>>;
  check_at("gelu_tanh", f, five{-3e38f, -1e4f, 0, 1e4f, 3e38f}, five{0, 0, 0, 1e4f, 3e38f}, five{0, 0, 0.5f, 1, 1});
  using four = esp::tensor<double, esp::shape<4>>;
  check_at("gelu_tanh", f, four{-12, -10, 10, 1e200}, four{0, 0, 10, 1e200}, four{0, 0, 1, 1});
}
