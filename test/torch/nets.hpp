// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>

/// The nets of test/torch/exchange.py, as espalier writes them. Names of members are those of the PyTorch modules.
namespace nets {

namespace nn = espalier::nn;

// [features]
using Features =
    nn::Sequential<nn::Linear<12, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::LayerNorm1d<16>, nn::Linear<16, 5>>;
// [/features]

// [images]
struct Images {
  nn::Conv<3, 8, 3, nn::conv{.padding = 1}> conv1;  // channels second, as in PyTorch
  nn::BatchNorm2d<8> norm1;
  nn::MaxPool2d<2> pool;
  nn::Conv<8, 12, espalier::rows_columns{3, 2}, nn::conv{.stride = 2, .padding = 1, .groups = 2}> conv2;
  nn::GroupNorm<3, 12> norm2;
  nn::ConvTranspose<12, 6, 2, nn::conv_transpose{.stride = 2, .groups = 3}> up;
  nn::Linear<6 * 4 * 6, 7> head;  // reads what Flatten makes of (channels, rows, columns)
  ESPALIER_MODULE(Images, conv1, norm1, pool, conv2, norm2, up, head)

  constexpr auto forward(auto x) const {
    auto const smaller = pool(relu(norm1(conv1(x))));
    return head(nn::Flatten{}(up(relu(norm2(conv2(smaller))))));
  }
};
// [/images]

// Channels last, with the same file: what a module does after Flatten would read its weights in another order, what
// pools globally does not.
struct LastImages {
  nn::Conv<3, 8, 3, nn::conv{.padding = 1, .layout = espalier::nhwc}> conv1;
  nn::BatchNorm<8, -1> norm1;
  nn::Linear<8, 4, nn::no_bias> head;
  ESPALIER_MODULE(LastImages, conv1, norm1, head)

  constexpr auto forward(auto x) const {
    auto const last = espalier::permute<0, 2, 3, 1>(x);
    return head(nn::GlobalAvgPool<espalier::nhwc>{}(relu(norm1(conv1(last)))));
  }
};

struct Words {
  nn::Embedding<11, 6> embedding;
  nn::Conv1d<6, 8, 3, nn::conv{.padding = 0, .groups = 2}> conv;
  nn::InstanceNorm<8> norm;
  nn::WeightNorm<nn::Linear<8 * 9, 3>> head;
  ESPALIER_MODULE(Words, embedding, conv, norm, head)

  constexpr auto forward(auto x) const {
    return head(nn::Flatten{}(tanh(norm(conv(espalier::transpose(embedding(x)))))));
  }
};

struct Sequences {
  nn::TransformerEncoderLayer<8, 2, 12, {.norm_first = true, .dropout = 0.1}, nn::GELU> layer;
  nn::MultiheadAttention<8, 4, {.bias = false}> attention;
  ESPALIER_MODULE(Sequences, layer, attention)

  constexpr auto forward(auto x) const { return attention(layer(x), x); }
};

// [recurrent]
struct Recurrent {
  nn::Outputs<nn::LSTM<3, 5, nn::lstm{.layers = 2, .bidirectional = true, .batch_first = true}>> lstm;
  nn::LastOutput<nn::GRU<10, 4, nn::gru{.batch_first = true}>> gru;
  nn::LastOutput<nn::RNN<10, 4, nn::rnn{.batch_first = true, .nonlinearity = nn::nonlinearity::relu}>> rnn;
  nn::Linear<8, 2> head;
  ESPALIER_MODULE(Recurrent, lstm, gru, rnn, head)

  constexpr auto forward(auto x) const {
    auto const y = lstm(x);
    return head(espalier::concatenate<1>(gru(y), rnn(y)));
  }
};
// [/recurrent]

}  // namespace nets
