// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_stop_gradient
#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto half_held = [](auto x) { return sum(stop_gradient(x) * x * x); };
inline constexpr auto value_only = [](auto x) { return stop_gradient(exp(x)) + x; };
static_assert(esp::grad([](auto x) { return sum(stop_gradient(x) * x); })(esp::tensor<float, esp::shape<3>>{1, 2, 3}) ==
              esp::tensor<float, esp::shape<3>>{1, 2, 3});
}  // namespace

BOOST_AUTO_TEST_CASE(it_is_detach) {
  auto const x = doubles<5>(1);
  esp::tensor<double, esp::shape<5>> const twice = 2 * x * x;
  check_close("half held", esp::grad(half_held)(x), twice);
  check_kernels("value", value_only, floats<3, 11>(1));
  static_assert(std::is_same_v<decltype(stop_gradient(x * 2)), decltype(detach(x * 2))>);
}
