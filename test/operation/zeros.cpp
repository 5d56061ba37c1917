// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_zeros
#include <espalier/eager/compiled.hpp>

#include "support/built_program.hpp"
#include "support/check_pullback.hpp"

using namespace test;

namespace {
/// The sums of the rows so far: a loop that starts from zeros.
inline constexpr auto running_sum = [](auto x) {
  auto sum_so_far = esp::zeros<esp::shape<5>>(x);
  for (int i = 0; i < 3; ++i) sum_so_far = sum_so_far * 0.5 + sum<0>(x);
  return sum_so_far;
};
inline constexpr auto only_zeros = [](auto x) { return esp::zeros<esp::shape<2, 3>>(x); };
inline constexpr auto added = [](auto x) { return esp::zeros<esp::shape<4, 5>>(x) + x; };
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  esp::tensor<float, esp::shape<2, 3>> y{{1, 2, 3}, {4, 5, 6}};
  y = only_zeros(floats<7>(1));
  BOOST_TEST((y == esp::tensor<float, esp::shape<2, 3>>{}));
  esp::compiled run{only_zeros, doubles<7>(1)};
  esp::tensor<double, esp::shape<2, 3>> of_doubles{{1, 2, 3}, {4, 5, 6}};
  run(doubles<7>(1), of_doubles);
  BOOST_TEST((of_doubles == esp::tensor<double, esp::shape<2, 3>>{}));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("loop", running_sum, doubles<4, 5>(1));
  check_kernels("added", added, floats<4, 5>(1));
}

BOOST_AUTO_TEST_CASE(gradients_pass_by_it) {
  check_pullback("loop", running_sum, doubles<4, 5>(1));
  check_pullback("added", added, doubles<4, 5>(1));
}

// The initial state of a loop costs no node where it is added.
BOOST_AUTO_TEST_CASE(adding_zeros_gives_the_operand) {
  built_program p;
  esp::extents const shape{2, {4, 5}};
  esp::handle const x = p.argument(0, shape);
  BOOST_TEST((esp::operation::emit_constant(p.nodes, 0, shape) + x).id == x.id);
  auto const y = floats<4, 5>(1);
  BOOST_TEST((evaluate(added(y)) == y));
}
