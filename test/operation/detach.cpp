// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_detach
#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto half_held = [](auto x) { return sum(detach(x) * x * x); };
inline constexpr auto held = [](auto x) { return sum(detach(x * x)); };
inline constexpr auto straight_through = [](auto x) { return sum((x + detach(where(x > 0, 1, 0) - x)) * 3); };
inline constexpr auto value_only = [](auto x) { return detach(exp(x)) + detach(x); };
inline constexpr auto of_gradient = [](auto x) { return sum(detach(esp::grad(half_held)(x)) * x); };
}  // namespace

BOOST_AUTO_TEST_CASE(gradients_stop) {
  auto const x = doubles<5>(1);
  esp::tensor<double, esp::shape<5>> const twice = 2 * x * x;
  check_close("half held", esp::grad(half_held)(x), twice);
  BOOST_TEST((esp::grad(held)(x) == esp::tensor<double, esp::shape<5>>{}));
  BOOST_TEST((esp::grad(straight_through)(x) == esp::tensor<double, esp::shape<5>>{3, 3, 3, 3, 3}));
  check_close("of a gradient", esp::grad(of_gradient)(x), twice);
}

BOOST_AUTO_TEST_CASE(values_pass) {
  check_kernels("value", value_only, floats<3, 11>(1));
  auto const x = floats<33>(1);
  esp::tensor<float, esp::shape<33>> const y = detach(x);
  BOOST_TEST((y == x));
}
