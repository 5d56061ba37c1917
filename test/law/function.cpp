// SPDX-License-Identifier: BSL-1.0
// Laws of functions and their gradients.
#define BOOST_TEST_MODULE law_function
#include "support/check_kernels.hpp"

using namespace test;

namespace {
inline constexpr auto total = [](auto x) { return sum(x); };
inline constexpr auto largest = [](auto x) { return sum(max<1>(x)); };
inline constexpr auto layer = [](auto x, auto w) { return tanh(matmul(x, w)) * softmax(x); };
inline constexpr auto soft = [](auto x) { return sum(softmax(x) * x); };
inline constexpr auto composed = [](auto x) { return sum(exp(tanh(x * x))); };
// (12, 5) to (3, 4, 5), moved to (5, 3, 4), beside a sum over an axis in the middle.
inline constexpr auto moves = [](auto x) {
  auto const forward = transpose<1, 2>(transpose<0, 2>(reshape<3, 4, 5>(x)));
  return esp::broadcast_to<esp::shape<2, 5, 3, 4>>(forward) + sum<1>(forward, esp::keepdims);
};
}  // namespace

BOOST_AUTO_TEST_CASE(gradient_of_a_sum_is_one) {
  auto const d = esp::grad(total)(floats<7, 33>(1));
  for (float element : d) BOOST_TEST(element == 1);
}

BOOST_AUTO_TEST_CASE(gradient_of_a_maximum_sums_to_one_a_row) {
  auto const d = esp::grad(largest)(doubles<7, 33>(1));
  esp::tensor<double, esp::shape<7>> const rows = sum<1>(d);
  for (double row : rows) BOOST_TEST(row == 1);
}

BOOST_AUTO_TEST_CASE(softmax_rows_sum_to_one) {
  auto const x = floats<17, 33>(1, -20, 20);
  esp::tensor<float, esp::shape<17, 33>> const y = softmax(x), shifted = softmax(x + 100);
  esp::tensor<float, esp::shape<17>> const rows = sum<1>(y);
  for (float row : rows) BOOST_TEST(row == 1, boost::test_tools::tolerance(1e-5f));
  for (float element : y) BOOST_TEST(element >= 0);
  check_close("a shift changes nothing", shifted, y, 1e-5);
}

BOOST_AUTO_TEST_CASE(logsumexp_moves_with_its_operand) {
  auto const x = doubles<9, 17>(1, -5, 5);
  esp::tensor<double, esp::shape<9>> const y = logsumexp<1>(x), moved = logsumexp<1>(x + 1000), largest_one = max<1>(x);
  for (int i = 0; i < 9; ++i) {
    BOOST_TEST(moved[i] == y[i] + 1000, boost::test_tools::tolerance(1e-13));
    BOOST_TEST(y[i] >= largest_one[i]);
    BOOST_TEST(y[i] <= largest_one[i] + std::log(17.0));
  }
}

// What does not change under a shift has gradients that sum to zero.
BOOST_AUTO_TEST_CASE(gradients_of_softmax_sum_to_zero) {
  auto const x = doubles<5, 7>(1), dy = doubles<5, 7>(2);
  auto const dx = esp::vjp([](auto v) { return softmax(v); })(x)(dy);
  esp::tensor<double, esp::shape<5>> const rows = sum<1>(dx);
  for (double row : rows) BOOST_TEST(std::fabs(row) < 1e-14);
}

BOOST_AUTO_TEST_CASE(vjp_is_linear_in_the_cotangent) {
  auto const x = doubles<5, 7>(1);
  auto const w = doubles<7, 7>(2);
  auto const u = doubles<5, 7>(3), v = doubles<5, 7>(4);
  auto const back = esp::vjp(layer)(x, w);
  auto const [dxu, dwu] = back(u);
  auto const [dxv, dwv] = back(v);
  esp::tensor<double, esp::shape<5, 7>> const both = 2 * u - 3 * v;
  auto const [dx, dw] = back(both);
  esp::tensor<double, esp::shape<5, 7>> const dx_expected = 2 * dxu - 3 * dxv;
  esp::tensor<double, esp::shape<7, 7>> const dw_expected = 2 * dwu - 3 * dwv;
  check_close("dx", dx, dx_expected);
  check_close("dw", dw, dw_expected);
}

// <dy, A x> = <A^T dy, x> for what is linear.
BOOST_AUTO_TEST_CASE(movement_and_its_adjoint) {
  auto const x = doubles<12, 5>(1);
  auto const dy = doubles<2, 5, 3, 4>(2);
  auto const dx = esp::vjp(moves)(x)(dy);
  auto const y = fused(moves, dy, x).value;
  esp::tensor<double, esp::shape<>> const forward = sum(dy * y), back = sum(dx * x);
  BOOST_TEST(forward[0] == back[0], boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(chain_rule) {
  auto const x = doubles<33>(1);
  auto const d = esp::grad(composed)(x);
  for (int i = 0; i < 33; ++i) {
    double const t = std::tanh(x[i] * x[i]);
    BOOST_TEST(d[i] == std::exp(t) * (1 - t * t) * 2 * x[i], boost::test_tools::tolerance(1e-11));
  }
}

// The same computation twice gives the same bits.
BOOST_AUTO_TEST_CASE(results_are_repeatable) {
  auto const x = floats<37, 53>(1);
  BOOST_TEST((esp::grad(soft)(x) == esp::grad(soft)(x)));
}
