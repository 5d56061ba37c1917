// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_huber
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto z, auto delta) { return huber(z, delta); };
inline constexpr auto fixed = [](auto z) { return huber(z, 0.5); };
double reference(double z, double delta) {
  return std::fabs(z) <= delta ? z * z / 2 : delta * (std::fabs(z) - delta / 2);
}
}  // namespace

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_binary("huber", f, reference, 0.2, 2);
  check_unary(
      "huber", fixed, [](double z) { return reference(z, 0.5); }, -2, 2);
}

BOOST_AUTO_TEST_CASE(kinks_and_limits) {
  using six = esp::tensor<float, esp::shape<6>>;
  check_at("huber", fixed, six{-3e38f, -0.5f, 0, 0.5f, 1e4f, HUGE_VALF},
           six{1.5e38f, 0.125f, 0, 0.125f, 4999.875f, HUGE_VALF}, six{-0.5f, -0.5f, 0, 0.5f, 0.5f, 0.5f});
}
