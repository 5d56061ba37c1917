// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_detach_where
#include "support/check_pullback.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
inline constexpr auto partly = [](auto x, auto condition) { return detach_where(x * x, condition) * x; };
inline constexpr auto by_row = [](auto x, auto row) { return detach_where(tanh(x), esp::equal(row, 1)) * 2; };
inline constexpr auto summed = [](auto x, auto condition) { return sum(detach_where(x * x, condition)); };

constexpr tensor<float, shape<2, 2>> x{{1, 2}, {3, 4}};
constexpr tensor<float, shape<2, 1>> second{{0}, {-3}};
static_assert(tensor<float, shape<2, 2>>{detach_where(x * x, second)} == tensor<float, shape<2, 2>>{{1, 4}, {9, 16}});
static_assert(esp::grad<0>(summed)(x, second) == tensor<float, shape<2, 2>>{{2, 4}, {0, 0}});
}  // namespace

// Where the condition holds, the adjoint is 0, not a product with 0: it may be infinite.
BOOST_AUTO_TEST_CASE(infinite_adjoints) {
  tensor<double, shape<3>> const at{1, 2, 3};
  tensor<double, shape<3>> const dy{HUGE_VAL, 1, -HUGE_VAL};
  tensor<bool, shape<3>> const held{true, false, true};
  auto const dx = esp::vjp([](auto v, auto c) { return detach_where(v, c); })(at, held)(dy);
  BOOST_TEST((dx == tensor<double, shape<3>>{0, 1, 0}));
}
BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("everywhere", partly, doubles<3, 5>(1), labels<3, 5>(2, 2));
  check_kernels("rows", by_row, floats<5, 33>(1), labels<5, 1>(2, 3));
  check_kernels("columns", by_row, floats<5, 33>(1), labels<33>(2, 3));
}
