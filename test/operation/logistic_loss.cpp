// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_logistic_loss
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto z, auto target, auto weight) { return logistic_loss(z, target, weight); };
inline constexpr auto plain = [](auto z, auto target) { return logistic_loss(z, target); };
inline constexpr auto of_one = [](auto z) { return logistic_loss(z, 0 * z + 1); };
inline constexpr auto of_none = [](auto z) { return logistic_loss(z, 0 * z, 3.0); };
double reference(double z, double target, double weight) {
  return weight * target * std::log1p(std::exp(-z)) + (1 - target) * std::log1p(std::exp(z));
}
}  // namespace

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  auto const z = doubles<7, 5>(1, -4, 4), target = doubles<7, 5>(2, 0, 1);
  auto const weight = doubles<5>(3, 0.5, 3);
  esp::tensor<double, esp::shape<7, 5>> expected;
  for (int i = 0; i < 7; ++i)
    for (int k = 0; k < 5; ++k) expected(i, k) = reference(z(i, k), target(i, k), weight[k]);
  check_close("logistic_loss", fused(f, z, z, target, weight).value, expected);
  check_kernels("logistic_loss", f, z, target, weight);
  check_kernels("logistic_loss", plain, floats<33>(4, -4, 4), floats<33>(5, 0, 1));
  check_pullback("logistic_loss", f, z, target, weight);
  check_pullback("logistic_loss", plain, z, target);
}

// A right answer costs nothing and has no gradient; a wrong one costs its distance. Small values keep their digits.
BOOST_AUTO_TEST_CASE(large_scores) {
  using six = esp::tensor<float, esp::shape<6>>;
  six const z{-1e38f, -1e4f, -50, 50, 1e4f, 1e38f};
  check_at("one", of_one, z, six{1e38f, 1e4f, 50, 0, 0, 0}, six{-1, -1, -1, 0, 0, 0});
  check_at("none", of_none, z, six{0, 0, 0, 50, 1e4f, 1e38f}, six{0, 0, 0, 1, 1, 1});
  auto const r = fused(of_one, z, z);
  BOOST_TEST(r.value[3] == std::exp(-50.0f), boost::test_tools::tolerance(1e-5f));
}
