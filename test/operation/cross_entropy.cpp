// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_cross_entropy
#include "support/check_pullback.hpp"

using namespace test;
using esp::label_loss, esp::reduce;

namespace {
template <label_loss Options>
struct of_scores {
  constexpr auto operator()(auto z, auto labels) const { return cross_entropy<Options>(z, labels); }
  constexpr auto operator()(auto z, auto labels, auto weight) const {
    return cross_entropy<Options>(z, labels, weight);
  }
};
constexpr label_loss each{.reduce = reduce::none}, total{.reduce = reduce::sum}, ignoring{.ignore_index = 1},
    smooth{.label_smoothing = 0.3}, everything{.ignore_index = 1, .label_smoothing = 0.3, .reduce = reduce::none},
    mean_of_everything{.ignore_index = 1, .label_smoothing = 0.3};

/// An independent account, one place at a time, of (N, C, D) scores.
template <int N, int C, int D>
struct account {
  esp::tensor<double, esp::shape<N, D>> loss;
  double sum = 0, weights = 0;
};
template <int N, int C, int D>
account<N, C, D> reference(label_loss options, esp::tensor<double, esp::shape<N, C, D>> const& z,
                           esp::tensor<std::int32_t, esp::shape<N, D>> const& labels,
                           esp::tensor<double, esp::shape<C>> const& weight) {
  account<N, C, D> r;
  for (int n = 0; n < N; ++n)
    for (int d = 0; d < D; ++d) {
      int const y = labels(n, d);
      if (y == options.ignore_index) continue;
      double exponentials = 0, l = 0;
      for (int c = 0; c < C; ++c) exponentials += std::exp(z(n, c, d));
      for (int c = 0; c < C; ++c)
        l -= weight[c] * ((c == y) * (1 - options.label_smoothing) + options.label_smoothing / C) *
             (z(n, c, d) - std::log(exponentials));
      r.loss(n, d) = l;
      r.sum += l;
      r.weights += weight[y];
    }
  return r;
}
auto const z = doubles<5, 4, 3>(1, -3, 3);
auto const y = labels<5, 3>(2, 4);
auto const weight = doubles<4>(3, 0.2, 2);
esp::tensor<double, esp::shape<4>> const ones{1, 1, 1, 1};

template <class S, class E>
esp::tensor<double, S> value(E const& e) {
  return esp::tensor<double, S>(e);
}
}  // namespace

BOOST_AUTO_TEST_CASE(each_sum_and_mean) {
  auto const plain = reference(label_loss{}, z, y, ones), weighted = reference(label_loss{}, z, y, weight);
  check_close("each", value<esp::shape<5, 3>>(cross_entropy<each>(z, y)), plain.loss);
  check_close("each, weighted", value<esp::shape<5, 3>>(cross_entropy<each>(z, y, weight)), weighted.loss);
  check_close("sum", value<esp::shape<>>(cross_entropy<total>(z, y, weight)),
              esp::tensor<double, esp::shape<>>{weighted.sum});
  check_close("mean", value<esp::shape<>>(cross_entropy(z, y)), esp::tensor<double, esp::shape<>>{plain.sum / 15});
  check_close("mean, weighted", value<esp::shape<>>(cross_entropy(z, y, weight)),
              esp::tensor<double, esp::shape<>>{weighted.sum / weighted.weights});
}

BOOST_AUTO_TEST_CASE(ignored_labels_and_smoothing) {
  auto const some = reference(ignoring, z, y, ones), smoothed = reference(smooth, z, y, ones),
             all = reference(everything, z, y, weight);
  check_close("ignoring", value<esp::shape<>>(cross_entropy<ignoring>(z, y)),
              esp::tensor<double, esp::shape<>>{some.sum / some.weights});
  check_close("smooth", value<esp::shape<>>(cross_entropy<smooth>(z, y)),
              esp::tensor<double, esp::shape<>>{smoothed.sum / 15});
  check_close("everything", value<esp::shape<5, 3>>(cross_entropy<everything>(z, y, weight)), all.loss);
  check_close("its mean", value<esp::shape<>>(cross_entropy<mean_of_everything>(z, y, weight)),
              esp::tensor<double, esp::shape<>>{all.sum / all.weights});
}

// A matrix of scores has a path of its own; so have more places.
BOOST_AUTO_TEST_CASE(matrices_and_images) {
  auto const flat = doubles<6, 5>(4, -3, 3);
  auto const of_flat = labels<6>(5, 5);
  auto const w = doubles<5>(6, 0.2, 2);
  esp::tensor<double, esp::shape<6, 5, 1>> const column = esp::reshape<6, 5, 1>(flat);
  esp::tensor<std::int32_t, esp::shape<6, 1>> of_column;
  for (int i = 0; i < 6; ++i) of_column[i] = of_flat[i];
  auto const expected = reference(everything, column, of_column, w);
  esp::tensor<double, esp::shape<6>> const as_row = esp::reshape<6>(expected.loss);
  check_close("matrix", value<esp::shape<6>>(cross_entropy<everything>(flat, of_flat, w)), as_row);

  esp::tensor<double, esp::shape<5, 4, 1, 3>> const image = esp::reshape<5, 4, 1, 3>(z);
  esp::tensor<std::int32_t, esp::shape<5, 1, 3>> of_image;
  for (int i = 0; i < 15; ++i) of_image[i] = y[i];
  esp::tensor<double, esp::shape<5, 1, 3>> const losses = cross_entropy<each>(image, of_image);
  esp::tensor<double, esp::shape<5, 3>> const places = esp::reshape<5, 3>(losses);
  check_close("image", places, reference(label_loss{}, z, y, ones).loss);
}

BOOST_AUTO_TEST_CASE(nothing_but_ignored_labels) {
  esp::tensor<std::int32_t, esp::shape<5, 3>> none;
  for (auto& label : none) label = 1;
  auto const r = fused(of_scores<ignoring>{}, esp::tensor<double, esp::shape<>>{1}, z, none);
  BOOST_TEST(r.value[0] == 0);
  check_close("gradient", std::get<0>(r.gradients), esp::tensor<double, esp::shape<5, 4, 3>>{});
}

// A score of minus infinity takes a class out of the race.
BOOST_AUTO_TEST_CASE(classes_that_cannot_be) {
  esp::tensor<float, esp::shape<1, 3>> const masked{{1, -HUGE_VALF, 2}};
  esp::tensor<std::int32_t, esp::shape<1>> const two{2};
  auto const r = fused(of_scores<label_loss{}>{}, esp::tensor<float, esp::shape<>>{1}, masked, two);
  float const p = 1 / (1 + std::exp(1.0f));
  BOOST_TEST(r.value[0] == -std::log(1 - p), boost::test_tools::tolerance(1e-5f));
  check_close("gradient", std::get<0>(r.gradients), esp::tensor<float, esp::shape<1, 3>>{{p, 0, -p}});
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("mean", of_scores<label_loss{}>{}, floats<32, 10>(1, -3, 3), labels<32>(2, 10));
  check_kernels("everything", of_scores<everything>{}, doubles<7, 33>(1), labels<7>(2, 33), doubles<33>(3, 0.1, 1));
  check_kernels("places", of_scores<mean_of_everything>{}, doubles<3, 5, 2, 3>(1), labels<3, 2, 3>(2, 5),
                doubles<5>(3, 0.1, 1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("mean", of_scores<label_loss{}>{}, doubles<4, 3>(1), labels<4>(2, 3));
  check_pullback("ignoring, weighted", of_scores<ignoring>{}, doubles<4, 3, 2>(1), labels<4, 2>(2, 3),
                 doubles<3>(3, 0.1, 1));
  check_pullback("everything", of_scores<everything>{}, doubles<2, 3, 2>(1), labels<2, 2>(2, 3), doubles<3>(3, 0.1, 1));
}
