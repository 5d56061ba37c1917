// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_transformer
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <class Net>
using model_of = esp::model<Net, esp::cpu, double>;
using PostNorm = nn::TransformerEncoderLayer<8, 2, 12>;
using PreNorm = nn::TransformerEncoderLayer<8, 4, 12, {.norm_first = true, .causal = true}, nn::GELU>;
using Needle = nn::Transformer<8, 2, 3, 10, 2, 6>;
using Llama = nn::LlamaBlock<8, 4, 2, 10>;

static_assert(esp::output_shape<PostNorm, shape<2, 5, 8>> == shape<2, 5, 8>{} &&
              esp::output_shape<Needle, shape<2, 5, 8>> == shape<2, 5, 8>{} &&
              esp::output_shape<Llama, shape<2, 5, 8>> == shape<2, 5, 8>{});
static_assert(esp::parameter_count<PostNorm> == 4 * 64 + 4 * 8 + 2 * 8 * 12 + 12 + 8 + 4 * 8);
static_assert(esp::parameter_count<nn::SwiGLU<8, 10>> == 3 * 80);

/// The scores of the last row.
struct Last {
  nn::Embedding<4, 8> embedding{};
  nn::Transformer<8, 2, 4, 16, 1, 6> body{};
  nn::Linear<8, 4> head{};
  ESPALIER_MODULE(Last, embedding, body, head)
  using input_element = std::int32_t;
  constexpr auto forward(auto x) const { return head(esp::reshape<16, 8>(esp::slice<1, 5, 6>(body(embedding(x))))); }
};

/// Rows 3 and later of a sequence are changed; whether rows before it change.
template <class Net>
bool looks_ahead() {
  model_of<Net> model{esp::seed{3}};
  auto x = doubles<1, 6, 8>(1);
  auto const before = model(x);
  for (int j = 0; j < 8; ++j) x(0, 3, j) += 1 + j;
  auto const after = model(x);
  bool ahead = false;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 8; ++j) ahead = ahead || before(0, i, j) != after(0, i, j);
  bool changed = false;
  for (int j = 0; j < 8; ++j) changed = changed || before(0, 5, j) != after(0, 5, j);
  BOOST_TEST(changed);
  return ahead;
}
}  // namespace

BOOST_AUTO_TEST_CASE(names_are_those_of_pytorch_and_llama) {
  model_of<PostNorm> encoder{esp::seed{1}};
  BOOST_TEST(parameter_list(encoder) ==
             "self_attn.in_proj_weight(8,24) self_attn.in_proj_bias(24) self_attn.out_proj.weight(8,8) "
             "self_attn.out_proj.bias(1,8) linear1.weight(8,12) linear1.bias(1,12) linear2.weight(12,8) "
             "linear2.bias(1,8) norm1.weight(8) norm1.bias(8) norm2.weight(8) norm2.bias(8)");
  model_of<Llama> llama{esp::seed{1}};
  BOOST_TEST(parameter_list(llama) ==
             "attention.wq.weight(8,8) attention.wk.weight(8,4) attention.wv.weight(8,4) attention.wo.weight(8,8) "
             "feed_forward.w1.weight(8,10) feed_forward.w2.weight(10,8) feed_forward.w3.weight(8,10) "
             "attention_norm.weight(8) ffn_norm.weight(8)");
}
BOOST_AUTO_TEST_CASE(causal_layers_do_not_look_ahead) {
  BOOST_TEST(looks_ahead<PostNorm>());
  BOOST_TEST(!looks_ahead<PreNorm>());
  BOOST_TEST(!looks_ahead<Needle>());
  BOOST_TEST(!looks_ahead<Llama>());
}
// Without positions, rows in another order give results in that order.
BOOST_AUTO_TEST_CASE(rows_in_another_order) {
  model_of<PostNorm> model{esp::seed{4}};
  auto const x = doubles<1, 5, 8>(1);
  tensor<double, shape<1, 5, 8>> const backwards = esp::flip<1>(x);
  check_close("backwards", model(backwards), tensor<double, shape<1, 5, 8>>{esp::flip<1>(model(x))}, 1e-12);
}
// Behind the last norm of a post-norm layer every row has mean 0.
BOOST_AUTO_TEST_CASE(post_norm_is_normal) {
  model_of<PostNorm> model{esp::seed{4}};
  auto const y = model(doubles<2, 5, 8>(1));
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < 5; ++t) {
      double mean = 0;
      for (int j = 0; j < 8; ++j) mean += y(b, t, j) / 8;
      BOOST_TEST(std::fabs(mean) < 1e-12);
    }
}
// A pre-norm layer whose branches end in zeros is the identity.
BOOST_AUTO_TEST_CASE(branches_are_added) {
  model_of<PreNorm> model{esp::seed{4}};
  for (char const* name : {"self_attn.out_proj.weight", "self_attn.out_proj.bias", "linear2.weight", "linear2.bias"})
    for (double& v : model.parameter(name).span()) v = 0;
  auto const x = doubles<2, 5, 8>(1);
  BOOST_TEST((model(x) == x));
}
BOOST_AUTO_TEST_CASE(swiglu) {
  model_of<nn::SwiGLU<3, 4>> model{esp::seed{5}};
  auto const x = doubles<2, 3>(1);
  auto const y = model(x);
  auto const w1 = model.parameter("w1.weight").span(), w2 = model.parameter("w2.weight").span(),
             w3 = model.parameter("w3.weight").span();
  for (int b = 0; b < 2; ++b)
    for (int j = 0; j < 3; ++j) {
      double expected = 0;
      for (int h = 0; h < 4; ++h) {
        double gate = 0, value = 0;
        for (int i = 0; i < 3; ++i) {
          gate += x(b, i) * w1[i * 4 + h];
          value += x(b, i) * w3[i * 4 + h];
        }
        expected += gate / (1 + std::exp(-gate)) * value * w2[h * 3 + j];
      }
      BOOST_TEST(near(y(b, j), expected));
    }
}
BOOST_AUTO_TEST_CASE(gradients) {
  auto const x = doubles<2, 4, 8>(1), k = doubles<2, 4, 8>(2);
  model_of<PostNorm> post{esp::seed{1}};
  scramble(post);
  check_parameter_gradients("post-norm", post, k, x);
  model_of<PreNorm> pre{esp::seed{1}};
  scramble(pre);
  check_parameter_gradients("pre-norm", pre, k, x);
  model_of<Needle> needle{esp::seed{1}};
  scramble(needle);
  check_parameter_gradients("needle", needle, k, x);
  model_of<Llama> llama{esp::seed{1}};
  scramble(llama);
  check_parameter_gradients("llama", llama, k, x);
}
// Dropout everywhere: training is random, evaluation is not.
BOOST_AUTO_TEST_CASE(dropout) {
  using Net = nn::TransformerEncoderLayer<4, 2, 6, {.dropout = 0.5}>;
  esp::model<Net> model{esp::seed{8}};
  auto const x = floats<1, 3, 4>(1), k = floats<1, 3, 4>(2);
  BOOST_TEST((model(x) == model(x)));
  BOOST_TEST(esp::value_and_grad(model, Weighted{})(x, k).loss != esp::value_and_grad(model, Weighted{})(x, k).loss);
  esp::model<nn::Transformer<4, 2, 3, 6, 2, 5, {.dropout = 0.25}>> needle{esp::seed{8}};
  BOOST_TEST((needle(x) == needle(x)));
  BOOST_TEST(esp::value_and_grad(needle, Weighted{})(x, k).loss != esp::value_and_grad(needle, Weighted{})(x, k).loss);
}
// Which of four symbols was first? Only attention reaches it from the last row.
BOOST_AUTO_TEST_CASE(a_transformer_learns) {
  esp::model<Last> model{esp::seed{1}};
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, optim::Adam{.learning_rate = 0.01}, esp::batch<16, 6>{}};
  float loss = 0;
  for (unsigned step = 0; step < 300; ++step) {
    tensor<std::int32_t, shape<16, 6>> const words = labels<16, 6>(step, 4);
    tensor<std::int32_t, shape<16>> first;
    for (int i = 0; i < 16; ++i) first[i] = words(i, 0);
    loss = trainer.step(words, first);
  }
  BOOST_TEST(loss < 0.1f);
}

// Layers behind the first ones keep the formula of attention: with loops in all of them, the program would take more
// steps than compilers allow.
BOOST_AUTO_TEST_CASE(many_layers_of_long_sequences_compile) {
  using Layer = nn::TransformerEncoderLayer<8, 2, 16, nn::encoder_layer{.causal = true}>;
  using Program = esp::detail::training_program<nn::Repeat<16, Layer>, nn::MeanSquaredError, esp::batch<1, 256, 8>>;
  static_assert(esp::plan::loops_of<Program>.count > 0);
  BOOST_TEST((esp::plan::graph_of<Program>.nodes.found == esp::graph::fault::none));
}
