// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_reshape
#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto flat = [](auto x) { return reshape<-1>(x); };
inline constexpr auto regrouped = [](auto x) { return reshape<2, -1, 5>(x * x) * reshape<2, 6, 5>(x); };
inline constexpr auto of_reshape = [](auto x) { return reshape<3, -1>(reshape<-1, 2>(reshape<60>(x))) * 2; };
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = floats<3, 4, 5>(1);
  esp::tensor<float, esp::shape<60>> const y = reshape<60>(x);
  esp::tensor<float, esp::shape<2, 6, 5>> const z = reshape<2, -1, 5>(x);
  esp::tensor<float, esp::shape<1, 60, 1, 1>> const w = reshape<1, -1, 1, 1>(x);
  for (int i = 0; i < 60; ++i) {
    BOOST_TEST(y[i] == x[i]);
    BOOST_TEST(z[i] == x[i]);
    BOOST_TEST(w[i] == x[i]);
  }
  esp::tensor<float, esp::shape<1, 1>> const one{{3}};
  esp::tensor<float, esp::shape<>> const scalar = reshape<>(one);
  BOOST_TEST(scalar[0] == 3);
}

BOOST_AUTO_TEST_CASE(kernels_and_gradients) {
  check_kernels("flat", flat, doubles<3, 4, 5>(1));
  check_kernels("regrouped", regrouped, doubles<3, 4, 5>(1));
  check_kernels("reshape of reshape", of_reshape, doubles<3, 4, 5>(1));
  check_pullback("flat", flat, doubles<3, 4, 5>(1));
  check_pullback("regrouped", regrouped, doubles<3, 4, 5>(1));
}
