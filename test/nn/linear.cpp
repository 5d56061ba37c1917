// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_linear
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::Linear<3, 2>, shape<5, 3>> == shape<5, 2>{});
static_assert(esp::output_shape<nn::Linear<3, 2>, shape<4, 5, 3>> == shape<4, 5, 2>{});
static_assert(esp::parameter_count<nn::Linear<3, 2>> == 8 && esp::parameter_count<nn::Linear<3, 2, nn::no_bias>> == 6);

BOOST_AUTO_TEST_CASE(value_is_x_times_weight_plus_bias) {
  esp::model<nn::Linear<3, 2>, esp::cpu, double> model;
  assign(model.parameter("weight"), {1, 2, 3, 4, 5, 6});
  assign(model.parameter("bias"), {10, 20});
  tensor<double, shape<2, 3>> const x{{1, 0, 2}, {-1, 1, 0}};
  BOOST_TEST(model(x) == (tensor<double, shape<2, 2>>{{21, 34}, {12, 22}}));
}
BOOST_AUTO_TEST_CASE(without_bias) {
  esp::model<nn::Linear<3, 2, nn::no_bias>> model;
  BOOST_TEST(parameter_list(model) == "weight(3,2)");
  assign(model.parameter("weight"), {1, 2, 3, 4, 5, 6});
  BOOST_TEST(model(tensor<float, shape<1, 3>>{{1, 0, 2}}) == (tensor<float, shape<1, 2>>{{11, 14}}));
}
BOOST_AUTO_TEST_CASE(further_leading_axes_are_rows) {
  esp::model<nn::Linear<3, 2>> model{esp::seed{3}};
  auto const x = floats<2, 4, 3>(1);
  tensor<float, shape<8, 3>> rows;
  for (int i = 0; i < 24; ++i) rows[i] = x[i];
  auto const y = model(x);
  auto const flat = model(rows);
  for (int i = 0; i < 16; ++i) BOOST_TEST(near(static_cast<double>(y[i]), static_cast<double>(flat[i]), 1e-6));
}
BOOST_AUTO_TEST_CASE(begins_with_kaiming_uniform_weights_then_bias) {
  esp::model<nn::Linear<6, 5>> model{esp::seed{11}};
  BOOST_TEST(parameter_list(model) == "weight(6,5) bias(1,5)");
  tensor<float, shape<6, 5>> weight;
  tensor<float, shape<5>> bias;
  nn::init::fill(nn::init::kaiming_uniform{.fan_in = 6}, weight.span(), {11, 0});
  nn::init::fill(nn::init::kaiming_uniform{.fan_in = 5}, bias.span(), {11, 1});
  BOOST_TEST(copy(model.parameter("weight").span()) == copy(weight.span()), boost::test_tools::per_element());
  BOOST_TEST(copy(model.parameter("bias").span()) == copy(bias.span()), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(gradient_is_x_transposed_times_dy_and_the_column_sums) {
  esp::model<nn::Linear<3, 2>, esp::cpu, double> model{esp::seed{1}};
  auto const x = doubles<4, 3>(1);
  auto const dy = doubles<4, 2>(2);
  auto const [loss, gradients] = esp::value_and_grad(model, Weighted{})(x, dy);
  auto const dw = gradients.parameter("weight").span(), db = gradients.parameter("bias").span();
  for (int o = 0; o < 2; ++o) {
    double column = 0;
    for (int n = 0; n < 4; ++n) column += dy(n, o);
    BOOST_TEST(near(db[o], column));
    for (int i = 0; i < 3; ++i) {
      double sum = 0;
      for (int n = 0; n < 4; ++n) sum += x(n, i) * dy(n, o);
      BOOST_TEST(near(dw[i * 2 + o], sum));
    }
  }
}
