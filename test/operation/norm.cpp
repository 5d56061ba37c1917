// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_norm
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/unit.hpp>

#include "support/axes.hpp"
#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto length = [](auto x) { return norm(x); };
inline constexpr auto first_sum = [](auto x) { return sum(esp::grad(length)(x) * (x + 1)); };
inline constexpr auto second_sum = [](auto x) { return sum(esp::grad(first_sum)(x) * (x + 1)); };
template <int Axis>
struct directions {
  constexpr auto operator()(auto x) const { return esp::unit<Axis>(x) * x; }
};
inline constexpr auto direction_of_all = [](auto x) { return esp::unit(x, 3.0) + esp::unit(x); };
inline constexpr auto along = [](auto x) { return sum(esp::unit(x) * (x + 1)); };
inline constexpr auto again = [](auto x) { return sum(esp::grad(along)(x) * (x + 2)); };
using three = esp::tensor<float, esp::shape<3>>;
using wide = esp::tensor<double, esp::shape<3>>;

constexpr wide pythagorean{2, 3, 6};
static_assert(esp::tensor<double, esp::shape<>>{norm(pythagorean)}() == 7);
static_assert(all_close(wide{esp::unit(pythagorean)}, wide{2.0 / 7, 3.0 / 7, 6.0 / 7}, 1e-15));
}  // namespace

BOOST_AUTO_TEST_CASE(every_set_of_axes) {
  auto const x = doubles<2, 3, 2>(1);
  for_some_axes<3>([&](auto mask) {
    BOOST_TEST_CONTEXT("axes " << mask.value) {
      check_pullback("gradients", reduces<over_norm, mask.value, false>{}, x);
    }
  });
  check_pullback("unit", directions<1>{}, x);
  check_pullback("unit below eps and above", direction_of_all, doubles<2, 3>(2, -0.1, 0.1));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("all", length, doubles<5, 7>(1));
  check_kernels("last", reduces<over_norm, 2, false>{}, floats<7, 33>(1));
  check_kernels("first", reduces<over_norm, 1, true>{}, floats<33, 17>(1));
  check_kernels("unit of rows", directions<1>{}, floats<7, 33>(1));
  check_kernels("unit of columns", directions<0>{}, floats<7, 33>(1));
}

BOOST_AUTO_TEST_CASE(range) {
  for (float const s : {1.0f, 1e-37f, 1e-30f, 1e-20f, 1.5e19f, 1e30f, 4e37f}) {
    BOOST_TEST_CONTEXT("times " << s) {
      three const x{2 * s, 3 * s, 6 * s}, u{2.0f / 7, 3.0f / 7, 6.0f / 7};
      float const y = esp::tensor<float, esp::shape<>>{norm(x)}();
      BOOST_TEST(y == 7 * s, boost::test_tools::tolerance(1e-6f));
      check_close("gradient", three{esp::grad(length)(x)}, u, 1e-6);
      check_close("unit", three{esp::unit(x, 0.0)}, u, 1e-6);
    }
  }
  // Of a norm that float cannot hold, the unit vector is right.
  check_close("unit of the largest", three{esp::unit(three{3e38f, 3e38f, -3e38f})},
              three{0.57735027f, 0.57735027f, -0.57735027f}, 1e-6);
  for (double const s : {1e-300, 1e300})
    check_close("double", wide{esp::unit(wide{2 * s, 3 * s, 6 * s}, 0.0)}, wide{2.0 / 7, 3.0 / 7, 6.0 / 7}, 1e-14);
}

BOOST_AUTO_TEST_CASE(zero_vector) {
  three const zero{};
  check_close("unit", three{esp::unit(zero)}, zero, 0);
  check_close("first", three{esp::grad(length)(zero)}, zero, 0);
  check_close("second", three{esp::grad(first_sum)(zero)}, zero, 0);
  check_close("third", three{esp::grad(second_sum)(zero)}, zero, 0);
  check_close("unit, first", three{esp::grad(along)(zero)}, zero, 0);
  check_close("unit, second", three{esp::grad(again)(zero)}, zero, 0);
}
