// SPDX-License-Identifier: BSL-1.0
// WeightNorm: another form of a module's weight, not a layer.
#define BOOST_TEST_MODULE nn_weight_norm
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <class M>
using model_of = esp::model<M, esp::cpu, double>;
using Normed = nn::WeightNorm<nn::Linear<3, 4>>;

static_assert(esp::output_shape<Normed, shape<5, 3>> == shape<5, 4>{});
static_assert(esp::parameter_count<Normed> == 12 + 4 + 4);

/// A module of your own with a weight of three axes.
struct Mixed {
  esp::parameter<shape<4>, nn::init::initialized_by<nn::init::constant{0.5}>> before{};
  esp::parameter<shape<2, 3, 4>, nn::init::initialized_by<nn::init::normal{.mean = 1}>> weight{};
  ESPALIER_MODULE(Mixed, before, weight)
  constexpr auto forward(auto x) const { return forward_with(x, weight); }
  constexpr auto forward_with(auto x, auto const& w) const { return esp::sum<0, 1>(w) * x + before; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(parameters_are_the_modules_with_length_and_direction) {
  model_of<Normed> model;
  BOOST_TEST(parameter_list(model) == "weight_v(3,4) weight_g(1,4) bias(1,4)");
  model_of<nn::WeightNorm<nn::Linear<3, 4, nn::no_bias>>> without_bias;
  BOOST_TEST(parameter_list(without_bias) == "weight_v(3,4) weight_g(1,4)");
  model_of<nn::Sequential<nn::ReLU, nn::WeightNorm<Mixed>>> inside;
  BOOST_TEST(parameter_list(inside) == "1.before(4) 1.weight_v(2,3,4) 1.weight_g(1,1,4)");
  BOOST_TEST(buffer_list(inside) == "");
}
BOOST_AUTO_TEST_CASE(begins_as_the_module_does) {
  model_of<Normed> normed{esp::seed{7}};
  model_of<nn::Linear<3, 4>> plain{esp::seed{7}};
  auto const v = normed.parameter("weight_v").span(), w = plain.parameter("weight").span();
  BOOST_TEST(copy(v) == copy(w), boost::test_tools::per_element());
  assign(normed.parameter("bias"), copy(plain.parameter("bias").span()));
  auto const x = doubles<5, 3>(1);
  check_close("the same function", normed(x), plain(x), 1e-14);

  model_of<nn::WeightNorm<Mixed>> mixed{esp::seed{3}};
  model_of<Mixed> plain_mixed{esp::seed{3}};
  check_close("weights of three axes", mixed(doubles<5, 4>(2)), plain_mixed(doubles<5, 4>(2)), 1e-13);

  esp::model<nn::WeightNorm<nn::Linear<300, 4>>> in_float{esp::seed{2}};
  auto const weights = in_float.parameter("weight_v").span(), lengths = in_float.parameter("weight_g").span();
  for (int unit = 0; unit < 4; ++unit) {
    double squares = 0;
    for (int i = 0; i < 300; ++i) squares += std::pow(static_cast<double>(weights[4 * i + unit]), 2);
    BOOST_TEST(near(static_cast<double>(lengths[unit]), std::sqrt(squares), 1e-6));
  }
}
BOOST_AUTO_TEST_CASE(of_a_convolution) {
  model_of<nn::WeightNorm<nn::Conv<2, 3, 3>>> normed{esp::seed{5}};
  model_of<nn::Conv<2, 3, 3>> plain{esp::seed{5}};
  BOOST_TEST(parameter_list(normed) == "weight_v(3,3,2,3) weight_g(1,1,1,3) bias(3)");
  assign(normed.parameter("bias"), copy(plain.parameter("bias").span()));
  auto const x = doubles<2, 2, 5, 5>(1);
  check_close("begins as the convolution does", normed(x), plain(x), 1e-13);
  for (double& g : normed.parameter("weight_g").span()) g *= 2;
  for (double& w : plain.parameter("weight").span()) w *= 2;
  check_close("twice the length", normed(x), plain(x), 1e-13);
}
BOOST_AUTO_TEST_CASE(value_and_gradients_against_the_formula) {
  model_of<Normed> model;
  scramble(model, 0.5, 2);
  auto const x = doubles<5, 3>(1);
  tensor<double, shape<5, 4>> const k = doubles<5, 4>(3);
  auto const v = model.parameter("weight_v").span(), g = model.parameter("weight_g").span(),
             b = model.parameter("bias").span();
  auto const y = model(x);
  auto const gradients = esp::value_and_grad(model, Weighted{})(x, k);
  auto const dv = gradients.gradients.parameter("weight_v").span(),
             dg = gradients.gradients.parameter("weight_g").span();
  for (int unit = 0; unit < 4; ++unit) {
    double length = 0;
    for (int i = 0; i < 3; ++i) length += v[4 * i + unit] * v[4 * i + unit];
    length = std::sqrt(length);
    double dw[3]{}, along = 0;  // dL/dw, and its part along v
    for (int n = 0; n < 5; ++n) {
      double expected = b[unit];
      for (int i = 0; i < 3; ++i) {
        expected += x(n, i) * g[unit] * v[4 * i + unit] / length;
        dw[i] += x(n, i) * k(n, unit);
      }
      BOOST_TEST(near(y(n, unit), expected));
    }
    for (int i = 0; i < 3; ++i) along += dw[i] * v[4 * i + unit] / length;
    BOOST_TEST(near(dg[unit], along));
    for (int i = 0; i < 3; ++i)
      BOOST_TEST(near(dv[4 * i + unit], g[unit] / length * (dw[i] - along * v[4 * i + unit] / length)));
  }
  // A unit whose v is 0 has the weight 0, and its v stays.
  for (int i = 0; i < 3; ++i) v[4 * i + 1] = 0;
  auto const z = model(x);
  auto const at_zero = esp::value_and_grad(model, Weighted{})(x, k);
  for (int n = 0; n < 5; ++n) BOOST_TEST(z(n, 1) == b[1]);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(at_zero.gradients.parameter("weight_v").span()[4 * i + 1] == 0);
    BOOST_TEST(near(at_zero.gradients.parameter("weight_v").span()[4 * i], dv[4 * i]));
  }
  BOOST_TEST(at_zero.gradients.parameter("weight_g").span()[1] == 0);
}
BOOST_AUTO_TEST_CASE(the_length_of_v_does_not_count) {
  model_of<Normed> model{esp::seed{1}};
  auto const x = doubles<5, 3>(1);
  auto const y = model(x);
  for (double& v : model.parameter("weight_v").span()) v *= 7;
  check_close("re-scaled", model(x), y, 1e-13);
}
BOOST_AUTO_TEST_CASE(learns) {
  model_of<nn::Sequential<nn::WeightNorm<nn::Linear<3, 8>>, nn::Tanh, nn::WeightNorm<nn::Linear<8, 2>>>> model{
      esp::seed{1}};
  esp::trainer train{model, nn::MeanSquaredError{}, optim::Adam{.learning_rate = 0.02}, esp::batch<6, 3>{}};
  auto const x = doubles<6, 3>(1);
  auto const target = doubles<6, 2>(2);
  double const first = train.step(x, target);
  for (int i = 0; i < 300; ++i) train.step(x, target);
  BOOST_TEST(train.step(x, target) < first / 20);
}
