// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_broadcast_to
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int... E>
struct to {
  constexpr auto operator()(auto x) const { return esp::broadcast_to<esp::shape<E...>>(x * x); }
};
template <int... E>
struct leaf_to {
  constexpr auto operator()(auto x) const { return esp::broadcast_to<esp::shape<E...>>(x); }
};
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  esp::tensor<float, esp::shape<3>> const row{1, 2, 3};
  esp::tensor<float, esp::shape<2, 3>> const y = esp::broadcast_to<esp::shape<2, 3>>(row);
  BOOST_TEST((y == esp::tensor<float, esp::shape<2, 3>>{{1, 2, 3}, {1, 2, 3}}));
  esp::tensor<float, esp::shape<2, 1>> const column{{1}, {2}};
  esp::tensor<float, esp::shape<2, 3>> const z = esp::broadcast_to<esp::shape<2, 3>>(column);
  BOOST_TEST((z == esp::tensor<float, esp::shape<2, 3>>{{1, 1, 1}, {2, 2, 2}}));
  static_assert(
      std::is_same_v<decltype(esp::broadcast_to<2, 3>(column)), decltype(esp::broadcast_to<esp::shape<2, 3>>(column))>);
  esp::tensor<float, esp::shape<2, 3>> const of_extents = esp::broadcast_to<2, 3>(column);
  BOOST_TEST((of_extents == z));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("row", leaf_to<7, 33>{}, floats<33>(1));
  check_kernels("column", leaf_to<7, 33>{}, floats<7, 1>(1));
  check_kernels("one", leaf_to<7, 33>{}, floats<1, 1>(1));
  check_kernels("scalar", leaf_to<3, 5>{}, doubles<>(1));
  check_kernels("same", leaf_to<3, 5>{}, doubles<3, 5>(1));
  check_kernels("middle", leaf_to<3, 4, 5>{}, doubles<3, 1, 5>(1));
  check_kernels("outer and inner", to<3, 4, 5>{}, doubles<1, 4, 1>(1));
  check_kernels("three runs", to<2, 3, 2, 3, 2, 2>{}, doubles<1, 3, 1, 3, 1, 2>(1));
  check_kernels("three other runs", to<2, 3, 2, 3, 2, 2>{}, doubles<3, 1, 3, 2, 1>(1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("row", to<4, 5>{}, doubles<5>(1));
  check_pullback("column", to<4, 5>{}, doubles<4, 1>(1));
  check_pullback("three runs", to<2, 3, 2, 3, 2, 2>{}, doubles<1, 3, 1, 3, 1, 2>(1));
  check_pullback("three other runs", to<2, 3, 2, 3, 2, 2>{}, doubles<3, 1, 3, 2, 1>(1));
}
