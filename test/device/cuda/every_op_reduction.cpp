// SPDX-License-Identifier: BSL-1.0
// Every op that reduces axes or looks along them, for each kind of axis: the last, the first, one in the middle, both
// ends, all. On the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_op_reduction
#include "every_op.hpp"

using namespace every_op;

namespace {
auto const x = random_tensor<5, 33>(1);
auto const images = random_tensor<3, 5, 7>(2);
auto const positive = random_tensor<5, 33>(3, 0.25, 2);
}  // namespace

BOOST_AUTO_TEST_CASE(sums) {
  check(
      "sum of rows", [](auto a) { return esp::sum<1>(a * a); }, x);
  check(
      "sum of columns", [](auto a) { return esp::sum<0>(a * a); }, x);
  check(
      "sum of the middle", [](auto a) { return esp::sum<1>(a); }, images);
  check(
      "sum of both ends", [](auto a) { return esp::sum<0, 2>(a, esp::keepdims); }, images);
  check(
      "sum of all", [](auto a) { return sum(a * a); }, x);
  check(
      "mean of rows", [](auto a) { return esp::mean<-1>(a); }, x);
  check(
      "mean of columns", [](auto a) { return esp::mean<0>(a, esp::keepdims); }, x);
  check(
      "mean of all, and used", [](auto a) { return a * mean(a); }, positive);
  check(
      "reduce", [](auto a) { return esp::reduced<esp::reduce::sum>(a) + esp::reduced<esp::reduce::mean>(a); },
      positive);
}
BOOST_AUTO_TEST_CASE(extremes) {
  check(
      "max of rows", [](auto a) { return esp::max<1>(a); }, x);
  check(
      "max of columns", [](auto a) { return esp::max<0>(a); }, x);
  check(
      "max of all", [](auto a) { return max(a); }, images);
  check(
      "min of rows", [](auto a) { return esp::min<1>(a); }, x);
  check(
      "min of the middle", [](auto a) { return esp::min<1>(a); }, images);
}
BOOST_AUTO_TEST_CASE(exponentials) {
  check(
      "logsumexp of rows", [](auto a) { return esp::logsumexp<-1>(a); }, x);
  check(
      "logsumexp of columns", [](auto a) { return esp::logsumexp<0>(a); }, x);
  check(
      "softmax", [](auto a) { return softmax(a); }, x);
  check(
      "scaled_dot_product_attention",
      [](auto q, auto k, auto m) {
        return scaled_dot_product_attention<{.causal = true, .mask = esp::attention_mask::added}>(q, k, k * 2, m);
      },
      random_tensor<2, 4, 5, 8>(21), random_tensor<2, 2, 9, 8>(22), random_tensor<5, 9>(23));
  check(
      "rotary_embedding",
      [](auto a) { return esp::rotary_embedding(a) + esp::rotary_embedding<{.interleaved = false}>(a); },
      random_tensor<2, 4, 8>(24));
  check(
      "softmax of columns", [](auto a) { return esp::softmax<0>(a); }, x);
  check(
      "softmax, log", [](auto a) { return log_softmax(a); }, x);
  check(
      "softmax of the middle, log", [](auto a) { return esp::log_softmax<1>(a); }, images);
}
BOOST_AUTO_TEST_CASE(norms) {
  check(
      "norm and unit of rows", [](auto a) { return esp::norm<-1>(a, esp::keepdims) + esp::unit<-1>(a); }, x);
  check(
      "norm and unit of columns", [](auto a) { return esp::norm<0>(a) + esp::unit<0>(a); }, x);
  check(
      "norm and unit of all", [](auto a) { return norm(a) + esp::unit(a); }, images);
  check(
      "norm and unit of zeros",
      [](auto a) { return norm(relu(a - 100), esp::keepdims) + esp::unit(relu(a - 100)) + a; }, images);
  check(
      "normalize rows", [](auto a, auto w) { return esp::normalize<-1>(a, 1e-5) * w; }, x,
      random_tensor<33>(4, 0.5, 1.5));
  check(
      "normalize columns", [](auto a, auto w) { return esp::normalize<0>(a, 1e-5) * w; }, x,
      random_tensor<33>(4, 0.5, 1.5));
  check(
      "normalize channels", [](auto a) { return esp::normalize<0, 2>(a, 1e-5); }, images);
  check(
      "rms_normalize rows", [](auto a, auto w) { return esp::rms_normalize<-1>(a, 1e-5) * w; }, x,
      random_tensor<33>(4, 0.5, 1.5));
  check(
      "rms_normalize columns", [](auto a) { return esp::rms_normalize<0>(a, 1e-5); }, x);
}
