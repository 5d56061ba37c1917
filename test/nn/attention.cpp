// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_attention
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <class Net>
using model_of = esp::model<Net, esp::cpu, double>;
using Attention = nn::MultiheadAttention<8, 2>;
using Causal = nn::MultiheadAttention<8, 4, {.causal = true, .bias = false}>;

/// The weights of attention as the value of a net.
struct Weights {
  nn::MultiheadAttention<8, 2> attention{};
  ESPALIER_MODULE(Weights, attention)
  constexpr auto forward(auto x, auto context, auto mask) const { return attention.weights(x, context, mask); }
};
/// Rows of keys of which the second input is true.
struct Padded {
  nn::MultiheadAttention<8, 2> attention{};
  ESPALIER_MODULE(Padded, attention)
  constexpr auto forward(auto x, auto present) const { return attention(x, x, esp::reshape<2, 1, 1, 5>(present)); }
};
template <int First>
using Rotary = nn::RotaryAttention<8, 4, 2, nn::rotary_attention{.rotary = {.first_position = First}}>;

static_assert(esp::output_shape<Attention, shape<2, 5, 8>> == shape<2, 5, 8>{});
static_assert(esp::parameter_count<Attention> == 3 * 8 * 8 + 3 * 8 + 8 * 8 + 8);
static_assert(esp::parameter_count<Causal> == 4 * 8 * 8);
static_assert(esp::parameter_count<Rotary<0>> == 2 * 8 * 8 + 2 * 8 * 4);
}  // namespace

BOOST_AUTO_TEST_CASE(names_are_those_of_pytorch) {
  model_of<Attention> model{esp::seed{1}};
  BOOST_TEST(parameter_list(model) == "in_proj_weight(8,24) in_proj_bias(24) out_proj.weight(8,8) out_proj.bias(1,8)");
}
// Equal scores for all keys: every row is the mean of the values, projected.
BOOST_AUTO_TEST_CASE(mean_of_the_values) {
  model_of<Attention> model{esp::seed{1}};
  auto weight = model.parameter("in_proj_weight").span();
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) weight[i * 24 + j] = 0;  // of the queries
  model.parameter("out_proj.bias").span()[3] = 0.25;
  auto const x = doubles<2, 5, 8>(1);
  auto const y = model(x);
  auto const out = model.parameter("out_proj.weight").span();
  for (int b = 0; b < 2; ++b)
    for (int j = 0; j < 8; ++j) {
      double expected = model.parameter("out_proj.bias").span()[j];
      for (int c = 0; c < 8; ++c) {
        double mean = 0;
        for (int t = 0; t < 5; ++t)
          for (int i = 0; i < 8; ++i) mean += x(b, t, i) * weight[i * 24 + 16 + c] / 5;
        expected += mean * out[c * 8 + j];
      }
      for (int t = 0; t < 5; ++t) BOOST_TEST(near(y(b, t, j), expected));
    }
}
BOOST_AUTO_TEST_CASE(a_sequence_is_its_own_context) {
  model_of<Attention> model{esp::seed{2}};
  auto const x = doubles<2, 5, 8>(1);
  check_close("context", model(x, x), model(x), 1e-14);
  auto const y = model(x, doubles<2, 3, 8>(2));
  static_assert(std::is_same_v<decltype(y)::shape_type, shape<2, 5, 8>>);
}
// Later rows do not reach earlier ones.
BOOST_AUTO_TEST_CASE(causal) {
  model_of<Causal> model{esp::seed{3}};
  auto x = doubles<1, 6, 8>(1);
  auto const before = model(x);
  for (int j = 0; j < 8; ++j) x(0, 3, j) += 1;
  auto const after = model(x);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 8; ++j) BOOST_TEST((before(0, i, j) == after(0, i, j)) == (i < 3));
}
// Rows of weights add up to 1; a masked key has none, and what it holds does not matter.
BOOST_AUTO_TEST_CASE(masks) {
  model_of<Weights> weights{esp::seed{4}};
  auto const w = weights(doubles<2, 3, 8>(1), doubles<2, 4, 8>(2), tensor<double, shape<4>>{1, 0, 1, 1});
  for (int b = 0; b < 2; ++b)
    for (int h = 0; h < 2; ++h)
      for (int i = 0; i < 3; ++i) {
        BOOST_TEST(w(b, h, i, 1) == 0);
        BOOST_TEST(near(w(b, h, i, 0) + w(b, h, i, 2) + w(b, h, i, 3), 1));
      }
  model_of<Padded> model{esp::seed{5}};
  auto x = doubles<2, 5, 8>(3);
  tensor<double, shape<2, 5>> const present{{1, 1, 1, 1, 1}, {1, 1, 1, 0, 0}};
  auto const before = model(x, present);
  for (int j = 0; j < 8; ++j) x(1, 4, j) += 1;
  auto const after = model(x, present);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j) BOOST_TEST(before(1, i, j) == after(1, i, j));
}
// A mask is an argument of a model, too: clang 19 crashed on such a call.
BOOST_AUTO_TEST_CASE(mask_of_a_model) {
  model_of<Attention> model{esp::seed{5}};
  auto const x = doubles<2, 5, 8>(3);
  auto const context = doubles<2, 3, 8>(4);
  tensor<double, shape<2, 1, 1, 3>> mask;
  mask.fill(1);
  check_close("all keys", model(x, context, mask), model(x, context), 1e-14);
  mask(1, 0, 0, 2) = 0;
  auto const masked = model(x, context, mask), whole = model(x, context);
  for (int j = 0; j < 8; ++j) BOOST_TEST(masked(1, 0, j) != whole(1, 0, j));
}
// Weights that are kept are scaled by 1 / (1 - p): the mean over many masks is the evaluation.
BOOST_AUTO_TEST_CASE(dropout_of_weights) {
  esp::model<nn::MultiheadAttention<4, 2, {.dropout = 0.25}>> model{esp::seed{6}};
  auto const x = floats<1, 3, 4>(1);
  tensor<float, shape<1, 3, 4>> k{};
  k(0, 1, 2) = 1;
  float const evaluated = model(x)(0, 1, 2);
  double sum = 0;
  bool differ = false;
  float const first = esp::value_and_grad(model, Weighted{})(x, k).loss;
  for (int i = 0; i < 4000; ++i) {
    float const loss = esp::value_and_grad(model, Weighted{})(x, k).loss;
    differ = differ || loss != first;
    sum += static_cast<double>(loss) / 4000;
  }
  BOOST_TEST(differ);
  BOOST_TEST(std::fabs(sum - static_cast<double>(evaluated)) < 0.02);
}
// Rotary positions are relative: another first position changes nothing.
BOOST_AUTO_TEST_CASE(rotary_positions_are_relative) {
  model_of<Rotary<0>> model{esp::seed{7}};
  model_of<Rotary<9>> later{esp::seed{7}};
  model_of<nn::RotaryAttention<8, 2, 1, nn::rotary_attention{.rotary = {.base = 10}}>> other{esp::seed{7}};
  model_of<nn::RotaryAttention<8, 2, 1>> usual{esp::seed{7}};
  auto const x = doubles<2, 5, 8>(1);
  auto const y = model(x);
  check_close("first position", later(x), y, 1e-12);
  BOOST_TEST(std::fabs(other(x)(0, 4, 0) - usual(x)(0, 4, 0)) > 1e-6);
}
BOOST_AUTO_TEST_CASE(gradients) {
  auto const x = doubles<2, 4, 8>(1), k = doubles<2, 4, 8>(2);
  model_of<Attention> attention{esp::seed{1}};
  scramble(attention);
  check_parameter_gradients("attention", attention, k, x);
  model_of<Causal> causal{esp::seed{1}};
  check_parameter_gradients("causal", causal, k, x);
  model_of<Rotary<0>> rotary{esp::seed{1}};
  check_parameter_gradients("rotary", rotary, k, x);
}
