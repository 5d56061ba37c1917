// SPDX-License-Identifier: BSL-1.0
// Every op that takes several tensors element by element, of one shape and of shapes that are repeated, on the device
// as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_op_broadcast
#include "every_op.hpp"

using namespace every_op;

namespace {
auto const x = random_tensor<3, 35>(1), y = random_tensor<3, 35>(2), positive = random_tensor<3, 35>(3, 0.5, 2);
auto const row = random_tensor<35>(6, 0.5, 2);
auto const column = random_tensor<3, 1>(7, 0.5, 2);
auto const number = random_tensor<>(8, 0.5, 2);
auto const channels = random_tensor<3, 1>(9, 0.5, 2);
// Not x > 0.25f: a device runs no kernels before main().
auto const chosen = [] {
  esp::tensor<bool, esp::shape<3, 35>> r;
  for (std::int64_t i = 0; i < r.size(); ++i) r[i] = x[i] > 0.25f;
  return r;
}();
}  // namespace

BOOST_AUTO_TEST_CASE(sums) {
  check(
      "add", [](auto a, auto b) { return a + b; }, x, y);
  check(
      "add a row and a column", [](auto a, auto b, auto c) { return a + b + c; }, x, row, column);
  check(
      "add zeros", [](auto a) { return esp::zeros<esp::shape<3, 35>>(a) + a; }, x);
  check(
      "add one number", [](auto a, auto b) { return a + b; }, x, number);
  check(
      "add a middle axis", [](auto a, auto b) { return a + b; }, random_tensor<2, 3, 5>(1), random_tensor<2, 1, 5>(2));
  check(
      "subtract", [](auto a, auto b) { return a - b; }, x, y);
  check(
      "subtract from a row", [](auto a, auto b) { return b - a; }, x, row);
}
BOOST_AUTO_TEST_CASE(products) {
  check(
      "multiply", [](auto a, auto b) { return a * b; }, x, y);
  check(
      "multiply by a row", [](auto a, auto b) { return a * b; }, x, row);
  check(
      "multiply by channels", [](auto a, auto b) { return a * b; }, random_tensor<2, 3, 5>(1), channels);
  check(
      "divide", [](auto a, auto b) { return a / b; }, x, positive);
  check(
      "divide by a column", [](auto a, auto b) { return a / b; }, x, column);
  check(
      "power", [](auto a, auto b) { return pow(a, b); }, positive, y);
  check(
      "power of a row", [](auto a, auto b) { return pow(b, a); }, y, row);
}
BOOST_AUTO_TEST_CASE(extremes) {
  check(
      "maximum", [](auto a, auto b) { return maximum(a, b); }, x, y);
  check(
      "minimum", [](auto a, auto b) { return minimum(a, b); }, x, y);
  check(
      "minimum with a row", [](auto a, auto b) { return minimum(a, b); }, x, row);
  check(
      "clamp", [](auto a, auto low, auto high) { return clamp(a, low, high); }, x, random_tensor<3, 35>(2, -1.5, 0),
      row);
}
// They have no gradient: it is 0.
BOOST_AUTO_TEST_CASE(comparisons) {
  check(
      "compare >, >=, ==", [](auto a, auto b) { return (a > b) + 2 * (a >= b) + 4 * equal(a, b); }, x, y);
  check(
      "compare <, <=, !=", [](auto a, auto b) { return (a < b) + 2 * (a <= b) + 4 * not_equal(a, b); }, x, row);
}
BOOST_AUTO_TEST_CASE(choices) {
  check(
      "where", [](auto a, auto b) { return where(a > b, a, b * b); }, x, y);
  check(
      "where a flag is set, of a row and a number", [](auto c, auto a) { return where(c, a, 0.5); }, chosen, row);
}
BOOST_AUTO_TEST_CASE(parameters_of_functions) {
  check(
      "leaky_relu", [](auto a, auto negative_slope) { return leaky_relu(a, negative_slope); }, x, row);
  check(
      "elu", [](auto a, auto alpha) { return elu(a, alpha); }, x, column);
  check(
      "huber", [](auto a, auto delta) { return huber(a, delta); }, x, number);
  check(
      "logistic_loss", [](auto z, auto target) { return logistic_loss(z, target); }, x, random_tensor<3, 35>(2, 0, 1));
  check(
      "logistic_loss with weights", [](auto z, auto target, auto weight) { return logistic_loss(z, target, weight); },
      x, random_tensor<3, 35>(2, 0, 1), row);
}
