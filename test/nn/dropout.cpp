// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_dropout
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::Dropout<0.1>, shape<5, 3>> == shape<5, 3>{} && esp::parameter_count<nn::Dropout<0.1>> == 0);

namespace {
using wide = shape<16, 64>;

/// The sum over a batch of ones that went through dropout.
template <class Model>
double kept(Model& model) {
  tensor<float, wide> ones;
  ones.fill(1);
  return static_cast<double>(esp::value_and_grad(model, Weighted{})(ones, ones).loss);
}
}  // namespace

BOOST_AUTO_TEST_CASE(evaluation_is_the_identity) {
  auto const x = floats<4, 5>(1);
  esp::model<nn::Dropout<0.5>> model;
  BOOST_TEST(model(x) == x);
}
BOOST_AUTO_TEST_CASE(training_keeps_and_scales) {
  esp::model<nn::Dropout<0.25>> model{esp::seed{5}};
  double total = 0;
  for (int run = 0; run < 50; ++run) {
    double const here = kept(model) * 0.75;  // how many were kept
    BOOST_TEST(std::fabs(here - std::round(here)) < 1e-2);
    BOOST_TEST(std::fabs(here - 768) < 6 * 14);
    total += here;
  }
  BOOST_TEST(std::fabs(total / 50 - 768) < 5 * 14 / 7.0);
}
BOOST_AUTO_TEST_CASE(elements_are_zero_or_scaled) {
  // The training gradient of y = dropout(x + bias) with respect to each bias is its mask over 1 - p.
  esp::model<nn::Sequential<nn::Linear<1, 64>, nn::Dropout<0.2>>, esp::cpu, double> model{esp::seed{1}};
  tensor<double, shape<1, 64>> ones;
  ones.fill(1);
  auto const slopes = esp::value_and_grad(model, Weighted{})(tensor<double, shape<1, 1>>{{1}}, ones).slopes;
  int zeros = 0;
  for (double const g : slopes.parameter("0.bias").span()) {
    BOOST_TEST((g == 0 || near(g, 1.25)));
    zeros += g == 0;
  }
  BOOST_TEST(zeros > 3);
  BOOST_TEST(zeros < 28);
}
BOOST_AUTO_TEST_CASE(each_run_each_layer_and_each_seed_draw_their_own) {
  esp::model<nn::Dropout<0.5>> model{esp::seed{5}}, same{esp::seed{5}}, other{esp::seed{6}};
  double const first = kept(model), second = kept(model), third = kept(model);
  BOOST_TEST((first != second || second != third));
  BOOST_TEST(kept(same) == first);
  BOOST_TEST(kept(same) == second);
  double const a = kept(other), b = kept(other);
  BOOST_TEST((a != first || b != second));
  // Two layers with the same mask would keep half of the ones, two with masks of their own a quarter.
  esp::model<nn::Sequential<nn::Dropout<0.5>, nn::Dropout<0.5>>> two{esp::seed{5}};
  BOOST_TEST(std::fabs(kept(two) / 4 - 256) < 6 * 14);
}
BOOST_AUTO_TEST_CASE(nothing_is_dropped_with_probability_zero) {
  esp::model<nn::Dropout<0.0>> model;
  BOOST_TEST(kept(model) == 1024);
}
BOOST_AUTO_TEST_CASE(a_given_mask) {
  esp::model<nn::MaskedDropout<0.5, shape<2, 3>>, esp::cpu, double> model;
  tensor<double, shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
  BOOST_TEST(buffer_list(model) == "mask(2,3)");
  BOOST_TEST(training_output(model, x) == (tensor<double, shape<2, 3>>{{2, 4, 6}, {8, 10, 12}}));  // a mask of ones at first
  assign(model.buffer("mask"), {1, 0, 1, 0, 0, 1});
  BOOST_TEST(training_output(model, x) == (tensor<double, shape<2, 3>>{{2, 0, 6}, {0, 0, 12}}));
  BOOST_TEST(model(x) == x);
}
BOOST_AUTO_TEST_CASE(a_given_mask_masks_the_gradient) {
  esp::model<nn::Sequential<nn::Linear<1, 3>, nn::MaskedDropout<0.2, shape<1, 3>>>, esp::cpu, double> model;
  BOOST_TEST(buffer_list(model) == "1.mask(1,3)");
  assign(model.buffer("1.mask"), {1, 0, 1});
  auto const slopes = esp::value_and_grad(model, Weighted{})(tensor<double, shape<1, 1>>{{1}}, tensor<double, shape<1, 3>>{{1, 2, 4}}).slopes;
  BOOST_TEST(copy(slopes.parameter("0.bias").span()) == (std::vector<double>{1.25, 0, 5}), boost::test_tools::per_element());
}
