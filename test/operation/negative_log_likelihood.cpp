// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_negative_log_likelihood
#include "support/check_pullback.hpp"

using namespace test;
using esp::label_loss, esp::reduce;

namespace {
template <label_loss Options>
struct of_logarithms {
  constexpr auto operator()(auto x, auto labels) const { return negative_log_likelihood<Options>(x, labels); }
  constexpr auto operator()(auto x, auto labels, auto weight) const {
    return negative_log_likelihood<Options>(x, labels, weight);
  }
};
constexpr label_loss each{.reduce = reduce::none}, ignoring{.ignore_index = -1},
    total{.ignore_index = -1, .reduce = reduce::sum};
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  esp::tensor<double, esp::shape<3, 2>> const x{{-1, -2}, {-3, -HUGE_VAL}, {-5, -6}};
  esp::tensor<std::int32_t, esp::shape<3>> const y{1, 0, 1}, some{1, -1, 0};
  esp::tensor<double, esp::shape<2>> const weight{3, 0.5};
  esp::tensor<double, esp::shape<3>> const l = negative_log_likelihood<each>(x, y),
                                           w = negative_log_likelihood<each>(x, y, weight);
  check_close("each", l, esp::tensor<double, esp::shape<3>>{2, 3, 6});
  check_close("weighted", w, esp::tensor<double, esp::shape<3>>{1, 9, 3});
  esp::tensor<double, esp::shape<>> const mean = negative_log_likelihood(x, y),
                                          sum = negative_log_likelihood<total>(x, some),
                                          weighted = negative_log_likelihood<ignoring>(x, some, weight);
  BOOST_TEST(mean[0] == 11.0 / 3, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(sum[0] == 7);
  BOOST_TEST(weighted[0] == 16 / 3.5, boost::test_tools::tolerance(1e-14));
}

// Cross-entropy is this loss of logarithms of probabilities.
BOOST_AUTO_TEST_CASE(of_log_softmax) {
  auto const z = doubles<4, 3, 5>(1, -3, 3);
  auto const y = labels<4, 5>(2, 3);
  esp::tensor<double, esp::shape<4, 5>> const a = negative_log_likelihood<each>(esp::log_softmax<1>(z), y),
                                              b = cross_entropy<each>(z, y);
  check_close("both", a, b);
}

BOOST_AUTO_TEST_CASE(kernels_and_gradients) {
  check_kernels("mean", of_logarithms<label_loss{}>{}, floats<32, 10>(1, -3, 0), labels<32>(2, 10));
  check_kernels("places", of_logarithms<ignoring>{}, doubles<3, 5, 2>(1, -3, 0), labels<3, 2>(2, 5),
                doubles<5>(3, 0.1, 1));
  check_pullback("mean", of_logarithms<label_loss{}>{}, doubles<4, 3>(1, -3, 0), labels<4>(2, 3));
  check_pullback("weighted", of_logarithms<each>{}, doubles<4, 3, 2>(1, -3, 0), labels<4, 2>(2, 3),
                 doubles<3>(3, 0.1, 1));
}
