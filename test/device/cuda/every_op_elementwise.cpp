// SPDX-License-Identifier: BSL-1.0
// Every op that takes one tensor element by element, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_op_elementwise
#include "every_op.hpp"

using namespace every_op;

namespace {
auto const x = random_tensor<3, 35>(1);
auto const positive = random_tensor<3, 35>(2, 0.25, 4);
}  // namespace

BOOST_AUTO_TEST_CASE(arithmetic) {
  check(
      "abs", [](auto a) { return abs(a); }, x);
  check(
      "is_finite", [](auto a) { return is_finite(a / (a - a)); }, x);
  check(
      "negate", [](auto a) { return -a; }, x);
  check(
      "square", [](auto a) { return square(a); }, x);
  check(
      "sqrt", [](auto a) { return sqrt(a); }, positive);
  check(
      "divide a number", [](auto a) { return 2 / a; }, positive);
}
BOOST_AUTO_TEST_CASE(functions) {
  check(
      "cos", [](auto a) { return cos(a); }, x);
  check(
      "sin", [](auto a) { return sin(a); }, x);
  check(
      "erf", [](auto a) { return erf(a); }, x);
  check(
      "exp", [](auto a) { return exp(a); }, x);
  check(
      "log", [](auto a) { return log(a); }, positive);
  check(
      "tanh", [](auto a) { return tanh(a); }, x);
  check(
      "sigmoid", [](auto a) { return sigmoid(a); }, x);
  check(
      "softplus", [](auto a) { return softplus(a); }, x);
  check(
      "power of a number", [](auto a) { return pow(a, 2.5); }, positive);
}
BOOST_AUTO_TEST_CASE(rectifiers) {
  check(
      "relu", [](auto a) { return relu(a); }, x);
  check(
      "hard_tanh", [](auto a) { return hard_tanh(a); }, x);
  check(
      "leaky_relu", [](auto a) { return leaky_relu(a, 0.25); }, x);
  check(
      "elu", [](auto a) { return elu(a); }, x);
  check(
      "gelu", [](auto a) { return gelu(a); }, x);
  check(
      "gelu_tanh", [](auto a) { return gelu_tanh(a); }, x);
  check(
      "silu", [](auto a) { return silu(a); }, x);
  check(
      "clamp between numbers", [](auto a) { return clamp(a, -0.75, 1.25); }, x);
}
BOOST_AUTO_TEST_CASE(what_has_no_history) {
  check(
      "detach", [](auto a) { return detach(tanh(a)) * a; }, x);
  check(
      "detach an argument", [](auto a) { return esp::detach(a); }, x);
  check(
      "stop_gradient", [](auto a) { return stop_gradient(tanh(a)) * a; }, x);
}
