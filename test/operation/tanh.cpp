// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_tanh
#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return tanh(x); };
}

BOOST_AUTO_TEST_CASE(values) {
  auto const x = floats<33>(1, -4, 4);
  esp::tensor<float, esp::shape<33>> const y = tanh(x);
  for (int i = 0; i < 33; ++i) BOOST_TEST(y[i] == std::tanh(x[i]), boost::test_tools::tolerance(1e-6f));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("tanh", f, floats<1>(1, -4, 4));
  check_kernels("tanh", f, doubles<3, 17>(1, -4, 4));
}

BOOST_AUTO_TEST_CASE(slopes) { check_pullback("tanh", f, doubles<3, 5>(2, -2, 2)); }
