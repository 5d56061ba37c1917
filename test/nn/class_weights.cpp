// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_class_weights
#include <boost/test/unit_test.hpp>

#include "support/check_pullback.hpp"
#include "support/losses.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <class Weights>
inline constexpr auto times = [](auto x) { return x * Weights{}; };
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = doubles<7, 4>(1);
  auto const y = fused(times<nn::class_weights<1.0, 2.0, 1.0, 0.25>>, x, x).value;
  double const weight[] = {1, 2, 1, 0.25};
  for (int i = 0; i < 28; ++i) BOOST_TEST(y[i] == x[i] * weight[i % 4]);
  auto const same = fused(times<nn::class_weights<0.5, 0.5, 0.5, 0.5>>, x, x).value;
  for (int i = 0; i < 28; ++i) BOOST_TEST(same[i] == x[i] / 2);
}
BOOST_AUTO_TEST_CASE(kernels_and_gradients) {
  check_kernels("weights", times<nn::class_weights<1.0, 2.0, 1.0, 0.25, 3.0>>, floats<33, 5>(1));
  check_pullback("weights", times<nn::class_weights<1.0, 2.0, 1.0, 0.25, 3.0>>, doubles<3, 5>(1));
}
