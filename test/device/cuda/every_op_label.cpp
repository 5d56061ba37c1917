// SPDX-License-Identifier: BSL-1.0
// Every op that reads labels, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_op_label
#include "every_op.hpp"

using namespace every_op;

namespace {
auto const scores = random_tensor<5, 11>(1);
auto const places = random_tensor<2, 7, 3>(2);
auto const weight = random_tensor<11>(3, 0.25, 2);
auto const classes = labels<5>(4, 11);
auto const classes_of_places = labels<2, 3>(5, 7);
}  // namespace

BOOST_AUTO_TEST_CASE(positions) {
  check(
      "one_hot", [](auto l) { return esp::one_hot<11>(l); }, classes);
  check(
      "one_hot, and use", [](auto a, auto l) { return a * esp::one_hot<11>(l); }, scores, classes);
  check(
      "one_hot: pick, class_labels", [](auto a, auto l) { return pick(a, l); }, scores, classes);
}
BOOST_AUTO_TEST_CASE(cross_entropies) {
  check(
      "cross_entropy", [](auto a, auto l) { return cross_entropy(a, l); }, scores, classes);
  check(
      "cross_entropy of places",
      [](auto a, auto l) { return esp::cross_entropy<esp::label_loss{.reduce = esp::reduce::none}>(a, l); }, places,
      classes_of_places);
  check(
      "cross_entropy with weights and smoothing",
      [](auto a, auto l, auto w) {
        return esp::cross_entropy<esp::label_loss{.label_smoothing = 0.1, .reduce = esp::reduce::sum}>(a, l, w);
      },
      scores, classes, weight);
}
BOOST_AUTO_TEST_CASE(likelihoods) {
  check(
      "negative_log_likelihood", [](auto a, auto l) { return negative_log_likelihood(a, l); }, scores, classes);
  check(
      "negative_log_likelihood with weights", [](auto a, auto l, auto w) { return negative_log_likelihood(a, l, w); },
      scores, classes, weight);
  check(
      "negative_log_likelihood of places",
      [](auto a, auto l) { return esp::negative_log_likelihood<esp::label_loss{.reduce = esp::reduce::sum}>(a, l); },
      places, classes_of_places);
  check(
      "label_loss with ignored labels",
      [](auto a, auto l) { return esp::negative_log_likelihood<esp::label_loss{.ignore_index = 3}>(a, l); }, scores,
      esp::tensor<std::int32_t, esp::shape<5>>{3, 0, 10, 3, 7});
}
BOOST_AUTO_TEST_CASE(indices) {
  check(
      "gather", [](auto a, auto l) { return gather<1>(a, l); }, random_tensor<5, 11>(6), labels<4, 7>(7, 11));
  check(
      "take_along_axis", [](auto a, auto l) { return take_along_axis<1>(a, l); }, random_tensor<2, 5, 8>(8),
      labels<2, 9, 1>(9, 5));
  check(
      "index_select", [](auto a, auto l) { return index_select<0>(a, l); }, random_tensor<9, 12>(10),
      labels<2, 7>(11, 9));
  check(
      "scatter_add", [](auto a, auto l, auto b) { return scatter_add<0>(a, l, b); }, random_tensor<6, 5>(12),
      labels<9, 5>(13, 6), random_tensor<9, 5>(14));
  check(
      "index_copy", [](auto a, auto l, auto b) { return index_copy<1>(a, l, b); }, random_tensor<3, 7, 5>(15),
      esp::tensor<std::int32_t, esp::shape<2>>{4, 1}, random_tensor<3, 2, 5>(16));
  check(
      "index_copy of one slice", [](auto a, auto l, auto b) { return index_copy<1>(a, l, b); },
      random_tensor<3, 7, 5>(17), esp::tensor<std::int32_t, esp::shape<1>>{6}, random_tensor<3, 1, 5>(18));
  check(
      "index_copy of equal indices", [](auto a, auto l, auto b) { return index_copy<0>(exp(a), l, b); },
      random_tensor<7, 8>(19), esp::tensor<std::int32_t, esp::shape<5>>{6, 2, 6, 6, 2}, random_tensor<5, 8>(20));
  check(
      "detach_where",
      [](auto a, auto l) { return detach_where(index_select<0>(a, l), esp::equal(esp::reshape<6, 1>(l), 2)) * 3; },
      random_tensor<9, 12>(13), esp::tensor<std::int32_t, esp::shape<6>>{2, 0, 8, 2, 5, 0});
}
