// SPDX-License-Identifier: BSL-1.0
// Attention and Transformers: the function, the modules, a net that learns.
//   guide_attention [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>

#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;

// [classifier]
/// Which of four symbols comes first? Indices (N, 8) -> scores (N, 4).
struct First {
  using input_element = std::int32_t;
  nn::Embedding<4, 16> symbols;
  nn::SinusoidalPositions<> positions;
  nn::Repeat<2, nn::TransformerEncoderLayer<16, 4, 32, {.norm_first = true}, nn::GELU>> layers;
  nn::Linear<16, 4> head;
  ESPALIER_MODULE(First, symbols, positions, layers, head)

  constexpr auto forward(auto indices) const {
    return head(esp::mean<1>(layers(positions(symbols(indices)))));  // over the positions
  }
};
// [/classifier]

// [llama]
/// A language model in the manner of Llama: indices (N, T) -> scores (N, T, Words) of the next word.
template <int Words, int Features, int Layers>
struct LanguageModel {
  using input_element = std::int32_t;
  nn::Embedding<Words, Features> words;
  nn::Repeat<Layers, nn::LlamaBlock<Features, 8, 4, 3 * Features>> blocks;  // 8 heads of queries, 4 of keys and values
  nn::RMSNorm<shape<Features>> norm;
  ESPALIER_MODULE(LanguageModel, words, blocks, norm)

  constexpr auto forward(auto indices) const { return matmul(norm(blocks(words(indices))), transpose(words.weight)); }
};
static_assert(esp::output_shape<LanguageModel<100, 64, 5>, shape<2, 12>> == shape<2, 12, 100>{});
// [/llama]

int main(int count, char** words) {
  examples::recorded out;

  // [function]
  tensor<float, shape<2, 4, 10, 8>> q, k, v;  // (batch, heads, positions, features)
  nn::init::fill(nn::init::normal{}, q.span(), {.seed = 1});
  nn::init::fill(nn::init::normal{}, k.span(), {.seed = 2});
  nn::init::fill(nn::init::normal{}, v.span(), {.seed = 3});
  tensor<float, shape<2, 4, 10, 8>> y = scaled_dot_product_attention(q, k, v);
  y = scaled_dot_product_attention<{.causal = true}>(q, k, v);  // query i looks at keys 0 to i
  // [/function]
  out.print("first row is a value  %s\n", y(1, 3, 0, 5) == v(1, 3, 0, 5) ? "yes" : "no");

  // [masks]
  tensor<float, shape<2, 1, 1, 10>> present;  // 1 where an example has a key, for all heads and queries
  present.fill(1);
  present(1, 0, 0, 9) = 0;
  y = scaled_dot_product_attention(q, k, v, present);

  tensor<float, shape<4, 10, 10>> bias;  // is added to the scores, for all examples
  for (int h = 0; h < 4; ++h)
    for (int i = 0; i < 10; ++i)
      for (int j = 0; j < 10; ++j) bias(h, i, j) = -0.1f * static_cast<float>((h + 1) * (i > j ? i - j : j - i));
  y = scaled_dot_product_attention<{.mask = esp::attention_mask::added}>(q, k, v, bias);
  // [/masks]
  present.fill(0);
  tensor<float, shape<2, 4, 10, 8>> const nothing = scaled_dot_product_attention(q, k, v, present);
  out.print("nothing to look at    %g\n", static_cast<double>(nothing(0, 0, 0, 0)));

  // [groups]
  tensor<float, shape<2, 2, 10, 8>> few_keys, few_values;  // query heads 0 and 1 share key head 0, 2 and 3 key head 1
  nn::init::fill(nn::init::normal{}, few_keys.span(), {.seed = 4});
  nn::init::fill(nn::init::normal{}, few_values.span(), {.seed = 5});
  y = scaled_dot_product_attention(rotary_embedding(q), rotary_embedding(few_keys), few_values);
  // [/groups]

  // [modules]
  esp::model<nn::MultiheadAttention<16, 4, {.causal = true}>> attention{esp::seed{0}};
  tensor<float, shape<2, 10, 16>> x;       // (batch, positions, features)
  tensor<float, shape<2, 7, 16>> context;  // another sequence
  nn::init::fill(nn::init::normal{}, x.span(), {.seed = 6});
  nn::init::fill(nn::init::normal{}, context.span(), {.seed = 7});
  auto const of_itself = attention(x);
  auto const of_context = attention(x, context);
  // [/modules]
  out.print("outputs               %d and %d numbers\n", static_cast<int>(of_itself.size()),
            static_cast<int>(of_context.size()));

  // [training]
  esp::model<First> model{esp::seed{0}};
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, esp::optim::Adam{.learning_rate = 0.003}, esp::batch<32, 8>{}};
  tensor<std::int32_t, shape<32, 8>> symbols;
  tensor<std::int32_t, shape<32>> first;
  float loss = 0;
  for (unsigned step = 0; step < 400; ++step) {
    tensor<float, shape<32, 8>> random;
    nn::init::fill(nn::init::uniform{0, 4}, random.span(), {.seed = 8, .number = step});
    for (int i = 0; i < 256; ++i) symbols[i] = static_cast<std::int32_t>(random[i]);
    for (int i = 0; i < 32; ++i) first[i] = symbols(i, 0);
    loss = trainer.step(symbols, first);
  }
  // [/training]
  out.print("loss below 0.1        %s\n", loss < 0.1f ? "yes" : "no");
  return out.finish(count, words);
}
