// SPDX-License-Identifier: BSL-1.0
// Every op that renames, repeats, moves or joins elements, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_op_movement
#include "every_op.hpp"

using namespace every_op;

namespace {
auto const x = random_tensor<5, 33>(1), y = random_tensor<5, 33>(2);
auto const images = random_tensor<3, 5, 7>(3);
}  // namespace

BOOST_AUTO_TEST_CASE(names) {
  check(
      "reshape", [](auto a) { return esp::reshape<11, -1>(a) * 2; }, x);
  check(
      "reshape alone", [](auto a) { return esp::reshape<165>(a); }, x);
  check(
      "squeeze", [](auto a) { return esp::squeeze<1>(a); }, random_tensor<5, 1, 7>(1));
  check(
      "unsqueeze", [](auto a) { return esp::unsqueeze<0, 2>(a); }, x);
}
BOOST_AUTO_TEST_CASE(repeats) {
  check(
      "broadcast_to more rows", [](auto a) { return esp::broadcast_to<esp::shape<5, 33>>(a); }, random_tensor<33>(1));
  check(
      "broadcast_to both ends", [](auto a) { return esp::broadcast_to<esp::shape<3, 5, 7>>(a); },
      random_tensor<5, 1>(1));
  check(
      "expand", [](auto a) { return esp::expand<3, 5, 7>(a); }, random_tensor<3, 1, 7>(1));
}
BOOST_AUTO_TEST_CASE(orders) {
  check(
      "transpose", [](auto a) { return transpose(a); }, x);
  check(
      "transpose, and use", [](auto a, auto b) { return esp::transpose<0, 2>(a) * b; }, images,
      random_tensor<7, 5, 3>(4));
  check(
      "permute", [](auto a) { return esp::permute<2, 0, 1>(a); }, images);
  check(
      "permute channels", [](auto a) { return esp::permute<0, 2, 3, 1>(a); }, random_tensor<2, 3, 4, 5>(1));
  check(
      "flip rows", [](auto a) { return esp::flip<-1>(a); }, x);
  check(
      "flip columns and rows", [](auto a) { return esp::flip<0, 1>(a); }, x);
}
BOOST_AUTO_TEST_CASE(parts) {
  check(
      "slice of columns", [](auto a) { return esp::slice<1, 3, 30, 2>(a); }, x);
  check(
      "slice backwards", [](auto a) { return esp::slice<0, -1, 0, -1>(a); }, x);
  check(
      "split",
      [](auto a) {
        auto const [b, c, d] = esp::split<0>(a);
        return b * c - d;
      },
      images);
  check(
      "split in sections",
      [](auto a) {
        auto const [b, c] = esp::split<1, 16, 17>(a);
        return tanh(b) * esp::slice<1, 1>(c);
      },
      x);
}
BOOST_AUTO_TEST_CASE(zeros_between_and_around) {
  check(
      "pad", [](auto a) { return esp::pad<1, 0, 2, 3>(a); }, x);
  check(
      "pad with the lowest", [](auto a) { return esp::max<1>(esp::pad<0, 0, 2, 1>(a, esp::lowest)); },
      random_tensor<4, 9>(1));
  check(
      "dilate", [](auto a) { return esp::dilate<2, 1>(a); }, x);
  check(
      "undilate", [](auto a) { return esp::undilate<2, 1>(a); }, x);
}
BOOST_AUTO_TEST_CASE(concatenations) {
  check(
      "concatenate rows", [](auto a, auto b) { return esp::concatenate<0>(a, b); }, x, random_tensor<2, 33>(2));
  check(
      "concatenate columns", [](auto a, auto b, auto c) { return esp::concatenate<1>(a, b * 2, c); }, x,
      random_tensor<5, 7>(2), random_tensor<5, 4>(3));
  check(
      "stack", [](auto a, auto b) { return esp::stack<0>(a, b); }, x, y);
  check(
      "stack last", [](auto a, auto b) { return esp::stack<-1>(a, b); }, x, y);
}
