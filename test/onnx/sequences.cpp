// SPDX-License-Identifier: BSL-1.0
// Loops, recurrent layers, attention and layers of Transformers as ONNX files.
#include "exported.hpp"

using test::by;

namespace {

/// Backwards, with two states: one of them passes through, and both are read from behind the loop.
struct Backwards {
  nn::Linear<3, 3> layer;
  ESPALIER_MODULE(Backwards, layer)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto state, auto now) {
      auto const [sum, kept] = state;
      auto const next = tanh(layer(now) + sum * kept);
      return std::tuple{std::tuple{next, kept}, next * 2 + esp::reshape<2, 3>(esp::slice<0, 1, 2>(x))};
    };
    auto const [last, values] =
        esp::scan<esp::direction::backwards>(step, std::tuple{esp::mean<0>(x), esp::sum<0>(x)}, x);
    return std::tuple{values, std::get<0>(last), std::get<1>(last) + 1};
  }
};

/// Loops inside a loop: one reads the state of that around it, one has no sequence, one neither a state nor anything of
/// the loop around it.
struct Nested {
  nn::Linear<4, 4> layer;
  ESPALIER_MODULE(Nested, layer)
  constexpr auto forward(auto x) const {
    auto const outer = [&](auto h, auto now) {
      auto const inner = [&](auto s, auto row) { return std::tuple{s + tanh(row * h), s}; };
      auto const [sum, rows] = esp::scan(inner, now, x);
      auto const times = esp::repeat<3>([](auto s) { return s * 0.5 + sin(s); }, sum);
      auto const [none, squares] = esp::scan(
          [&](auto, auto row) {
            return std::tuple{std::tuple{}, row * row};
          },
          std::tuple{}, layer(x));
      return std::tuple{tanh(layer(times) + esp::mean<0>(rows)), esp::sum<0>(squares) * h};
    };
    auto const [last, ys] = esp::scan(outer, esp::sum<0>(x), x);
    return ys + last;
  }
};

/// A decoder step reads all that an encoder's loop has given: that loop stays outside.
struct Encoded {
  nn::Outputs<nn::GRU<3, 4>> encoder;
  nn::Linear<4, 4> layer;
  ESPALIER_MODULE(Encoded, encoder, layer)
  constexpr auto forward(auto x) const {
    auto const memory = encoder(x);
    auto const step = [&](auto h) { return tanh(layer(h) + esp::mean<0>(memory * h)); };
    return esp::repeat<4>(step, esp::max<0>(memory));
  }
};

/// The first state is a parameter, the same for all samples; it is read behind the loop, too.
struct Learned {
  nn::RNNCell<3, 4> cell;
  esp::parameter<esp::shape<1, 4>, nn::init::initialized_by<nn::init::normal{}>> first;
  ESPALIER_MODULE(Learned, cell, first)
  constexpr auto forward(auto x) const {
    constexpr int samples = esp::shape_of<decltype(x)>::value.at[0];
    auto const step = [&](auto h, auto now) {
      auto const next = cell(now, h);
      return std::tuple{next, next};
    };
    auto const [last, all] = esp::scan(step, esp::broadcast_to<esp::shape<samples, 4>>(first), esp::transpose<0, 1>(x));
    return esp::transpose<0, 1>(all) + esp::reshape<1, 1, 4>(first) + esp::unsqueeze<1>(last);
  }
};

inline constexpr nn::lstm two_both_ways{.layers = 2, .bidirectional = true};
using Gru = nn::Outputs<nn::GRU<3, 4, nn::gru{.batch_first = true}>>;
using Rnn = nn::Sequential<nn::Outputs<nn::RNN<3, 4, nn::rnn{.batch_first = true}>>, nn::Linear<4, 2>>;
using Words = nn::Sequential<nn::Embedding<7, 4>, nn::Outputs<nn::LSTM<4, 5>>, nn::Linear<5, 7>>;

}  // namespace

ESPALIER_EXPORTED_MAIN(
    test::put_several<Backwards, esp::batch<4, 2, 3>>("backwards", "Scan 1\n");
    test::put<Nested, esp::batch<3, 2, 4>, by::interpreter, esp::batch<3, 2, 4>, double>("nested", "Scan 1\n");
    test::put<Encoded, esp::batch<5, 2, 3>, by::interpreter>("encoded", "GRU 1\nScan 1\n");
    test::put<Learned, esp::batch<2, 5, 3>, by::interpreter, esp::io::any_batch<5, 3>>("learned", "RNN 1\nScan 0\n");
    test::put<nn::Outputs<nn::LSTM<3, 4>>, esp::batch<5, 2, 3>, by::interpreter>("lstm", "LSTM 1\nScan 0\n");
    test::put<nn::Outputs<nn::LSTM<3, 4, two_both_ways>>, esp::batch<5, 2, 3>, by::interpreter>("lstm_both",
                                                                                                "LSTM 4\n");
    test::put<Gru, esp::batch<2, 5, 3>, by::interpreter, esp::io::any_batch<5, 3>>("gru_open", "GRU 1\nScan 0\n");
    test::put<Rnn, esp::batch<2, 5, 3>, by::interpreter, esp::io::any_batch<5, 3>, double>("rnn_open", "Scan 1\n");
    test::put<Words, esp::batch<3, 2>, by::interpreter>("words", "LSTM 1\nGather 1\n",
                                                        {.low = 0, .high = 7, .whole = true});
    test::put<nn::MultiheadAttention<8, 2>, esp::batch<2, 5, 8>, by::interpreter, esp::io::any_batch<5, 8>>(
        "multihead_attention", "23:Attention 1\nScan 0\n");
    test::put<nn::TransformerEncoderLayer<8, 2, 16>, esp::batch<2, 5, 8>, by::interpreter, esp::io::any_batch<5, 8>>(
        "encoder_layer", "23:Attention 1\nScan 0\n");
    test::put<nn::LlamaBlock<8, 4, 2, 12>, esp::batch<2, 5, 8>, by::interpreter>("llama_block",
                                                                                 "23:Attention 1\nScan 0\n");)
