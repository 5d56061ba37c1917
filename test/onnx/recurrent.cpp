// SPDX-License-Identifier: BSL-1.0
// Loops that ONNX has an operation for, LSTM, GRU and RNN, and such that are almost one.
#include "exported.hpp"

using test::by;

namespace {

inline constexpr nn::lstm lstm_of_all{.layers = 2, .bidirectional = true, .batch_first = true, .dropout = 0.5};
inline constexpr nn::gru gru_of_all{.layers = 2, .bidirectional = true, .dropout = 0.5, .reset_after = false};
inline constexpr nn::rnn rnn_of_all{
    .layers = 2, .bidirectional = true, .bias = false, .nonlinearity = nn::nonlinearity::relu};

/// A formula of a user's: other orders of operands, one weight for all gates, a state given by name.
struct OwnLstm {
  esp::parameter<esp::shape<16, 3>, nn::init::initialized_by<nn::init::normal{}>> input;  // rows are outputs
  esp::parameter<esp::shape<4, 16>, nn::init::initialized_by<nn::init::normal{}>> state;
  esp::parameter<esp::shape<16>, nn::init::initialized_by<nn::init::normal{}>> bias;
  ESPALIER_MODULE(OwnLstm, input, state, bias)
  constexpr auto forward(auto x, auto h, auto c) const {
    auto const step = [&](auto const& before, auto const& now) {
      auto const& [cell, hidden] = before;
      auto const all = 0.25 + (matmul(hidden, state) + (bias + matmul(now, esp::transpose(input))));
      auto const next_c = tanh(esp::slice<1, 0, 4>(all)) * sigmoid(esp::slice<1, 12, 16>(all)) +
                          cell * sigmoid(esp::slice<1, 8, 12>(all));
      auto const next_h = tanh(next_c) * sigmoid(esp::slice<1, 4, 8>(all));
      return std::tuple{std::tuple{next_c, next_h}, next_h};
    };
    auto const [last, ys] = esp::scan(step, std::tuple{c, h}, x);
    return std::tuple{std::get<0>(last), ys, std::get<1>(last)};
  }
};

/// The same with one thing changed: each is a Scan. Change 0 changes nothing.
template <int Change>
struct Almost {
  nn::LSTMCell<3, 4> cell;
  ESPALIER_MODULE(Almost, cell)
  constexpr auto forward(auto x, auto mask) const {
    auto const step = [&](auto const& before, auto const& now) {
      auto const& [h, c] = before;
      auto const& [row, taken] = now;
      auto const next = cell(row, before);
      auto const& [next_h, next_c] = next;
      if constexpr (Change == 0) return std::tuple{next, next_h};
      // A step that a mask skips keeps the state.
      else if constexpr (Change == 1)
        return std::tuple{std::tuple{esp::where(taken, next_h, h), esp::where(taken, next_c, c)}, next_h};
      else if constexpr (Change == 2) return std::tuple{next, next_c};  // Y is h only
      else if constexpr (Change == 3) return std::tuple{next, h};       // the state before the step
      else if constexpr (Change == 4) return std::tuple{next, next_h * taken};
      else return std::tuple{std::tuple{next_h * 0.5, next_c}, next_h};
    };
    auto const zeros = esp::zeros<esp::shape<2, 4>>(x);
    auto const [last, ys] = esp::scan(step, std::tuple{zeros, zeros}, std::tuple{x, mask});
    return std::tuple{ys, std::get<0>(last), std::get<1>(last)};
  }
};
/// A GRU's formula with one thing changed.
template <int Change>
struct AlmostGru {
  nn::GRUCell<4, 4> cell;
  ESPALIER_MODULE(AlmostGru, cell)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto const& h, auto const& now) {
      auto const gate = [&]<int G>(std::integral_constant<int, G>, auto const& from, auto const& of) {
        return matmul(from, esp::slice<1, 4 * G, 4 * G + 4>(cell.weight_ih)) +
               matmul(of, esp::slice<1, 4 * G, 4 * G + 4>(cell.weight_hh));
      };
      std::integral_constant<int, 0> const first{};
      std::integral_constant<int, 1> const second{};
      std::integral_constant<int, 2> const third{};
      auto const r = sigmoid(gate(first, now, h));
      auto const z = sigmoid(gate(second, now, h));
      auto const n = [&] {
        if constexpr (Change == 1) return tanh(gate(third, now, h));         // without a reset gate
        else if constexpr (Change == 2) return tanh(gate(third, h, r * h));  // nothing of the sequence
        else return tanh(gate(third, now, r * h));
      }();
      auto const next = [&] {
        if constexpr (Change == 3) return z * n + (1 - z) * h;  // Cho's form: z and 1 - z are exchanged
        else if constexpr (Change == 4) return (2 - z) * n + z * h;
        else if constexpr (Change == 5) return (1 - r) * n + z * h;
        else return h * z + n * (1 - z);
      }();
      return std::tuple{next, next};
    };
    auto const [last, ys] = esp::scan(step, esp::mean<0>(x), x);
    return std::tuple{ys, last};
  }
};
/// Rows that are different biases, and a weight that is computed: none of the operations.
struct OtherRnn {
  esp::parameter<esp::shape<2, 4>, nn::init::initialized_by<nn::init::normal{}>> rows;
  esp::parameter<esp::shape<3, 4>, nn::init::initialized_by<nn::init::normal{}>> input;
  esp::parameter<esp::shape<4, 4>, nn::init::initialized_by<nn::init::normal{}>> state;
  ESPALIER_MODULE(OtherRnn, rows, input, state)
  constexpr auto forward(auto x) const {
    auto const run = [&](auto const& weight, auto const& bias) {
      auto const step = [&](auto const& h, auto const& now) {
        auto const next = tanh(matmul(now, input) + bias + matmul(h, weight));
        return std::tuple{next, next};
      };
      return std::get<1>(esp::scan(step, rows * 1, x));
    };
    return std::tuple{run(state, rows), run(state * 2, esp::reshape<1, 4>(esp::slice<0, 0, 1>(rows)))};
  }
};
/// A layer in each step of a loop: it reads the state of that loop.
struct Inner {
  nn::GRU<3, 4> layer;
  ESPALIER_MODULE(Inner, layer)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto h) { return std::get<1>(layer(x, h)); };
    return esp::repeat<3>(step, esp::zeros<esp::shape<1, 2, 4>>(x));
  }
};

/// Layers of layers: an LSTM along the positions of each step of a GRU, one of whose operands it makes.
struct Hierarchy {
  nn::LSTM<3, 4> words;
  nn::GRUCell<4, 4> sentences;
  ESPALIER_MODULE(Hierarchy, words, sentences)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto const& h, auto const& now) {
      auto const next = sentences(esp::mean<0>(std::get<0>(words(now * esp::mean<-1>(h, esp::keepdims)))), h);
      return std::tuple{next, next};
    };
    return std::get<1>(esp::scan(step, esp::zeros<esp::shape<2, 4>>(x), x));
  }
};
/// Gates of two sequences.
struct TwoSequences {
  nn::LSTMCell<3, 4> cell;
  ESPALIER_MODULE(TwoSequences, cell)
  constexpr auto forward(auto x, auto other) const {
    auto const step = [&](auto const& h, auto const& now) {
      auto const& [a, b] = now;
      auto const next =
          tanh(matmul(a, esp::slice<1, 0, 4>(cell.weight_ih)) + matmul(h, esp::slice<1, 0, 4>(cell.weight_hh)) +
               matmul(b, esp::slice<1, 4, 8>(cell.weight_ih)));
      return std::tuple{next, next};
    };
    return std::get<1>(esp::scan(step, esp::zeros<esp::shape<2, 4>>(x), std::tuple{x, other}));
  }
};

using Own = esp::shapes<esp::batch<5, 2, 3>, esp::batch<2, 4>, esp::batch<2, 4>>;
using Masked = esp::shapes<esp::batch<5, 2, 3>, esp::batch<5, 2, 1>>;
template <class Net, class Batch, class Exported = Batch, class T = float>
void put(char const* name, char const* nodes) {
  test::put_several<Net, esp::shapes<Batch>, esp::shapes<Exported>, T, by::interpreter>(name, nodes);
}
template <int Change>
void almost(char const* name, char const* nodes) {
  test::put_several<Almost<Change>, Masked, Masked, float, by::interpreter>(name, nodes);
}

}  // namespace

ESPALIER_EXPORTED_MAIN(
    put<nn::LSTM<3, 4>, esp::batch<5, 1, 3>>("lstm_one", "LSTM 1\nScan 0\nMatMul 0\n");
    put<nn::Outputs<nn::LSTM<3, 4, nn::lstm{.bias = false}>>, esp::batch<5, 2, 3>>("lstm_plain", "LSTM 1\nScan 0\n");
    test::put_several<nn::LSTM<3, 4, nn::lstm{.layers = 2}>,
                      esp::shapes<esp::batch<5, 2, 3>, esp::batch<2, 2, 4>, esp::batch<2, 2, 4>>,
                      esp::shapes<esp::batch<5, 2, 3>, esp::batch<2, 2, 4>, esp::batch<2, 2, 4>>, float,
                      by::interpreter>("lstm_states", "LSTM 2\nScan 0\n");
    put<nn::Outputs<nn::LSTM<3, 4, lstm_of_all>>, esp::batch<2, 5, 3>, esp::io::any_batch<5, 3>>("lstm_all_open",
                                                                                                 "LSTM 4\nScan 0\n");
    put<nn::LSTM<3, 4>, esp::batch<1, 2, 3>>("lstm_one_step", "LSTM 1\nScan 0\n");
    put<nn::Outputs<nn::LSTM<3, 1>>, esp::batch<3, 2, 3>>("lstm_narrow", "LSTM 1\nScan 0\n");
    put<nn::Outputs<nn::LSTM<3, 4>>, esp::batch<5, 2, 3>, esp::batch<5, 2, 3>, double>("lstm_double", "Scan 1\n");
    put<nn::GRU<3, 4, gru_of_all>, esp::batch<5, 2, 3>>("gru_all", "GRU 4\nScan 0\n");
    put<nn::GRU<3, 4>, esp::batch<5, 1, 3>>("gru_one", "GRU 1\nScan 0\n");
    put<nn::GRU<3, 4, nn::gru{.bias = false}>, esp::batch<5, 2, 3>>("gru_plain", "GRU 1\nScan 0\n");
    put<nn::Outputs<nn::GRU<3, 4, nn::gru{.batch_first = true, .bias = false, .reset_after = false}>>,
        esp::batch<2, 5, 3>, esp::io::any_batch<5, 3>>("gru_open", "GRU 1\nScan 0\n");
    test::put_several<nn::GRU<3, 4, nn::gru{.bidirectional = true}>,
                      esp::shapes<esp::batch<5, 2, 3>, esp::batch<2, 2, 4>>,
                      esp::shapes<esp::batch<5, 2, 3>, esp::batch<2, 2, 4>>, float, by::interpreter>("gru_states",
                                                                                                     "GRU 2\nScan 0\n");
    put<nn::RNN<3, 4, rnn_of_all>, esp::batch<5, 2, 3>>("rnn_all", "RNN 4\nScan 0\n");
    put<nn::LastOutput<nn::RNN<3, 4, nn::rnn{.batch_first = true}>>, esp::batch<2, 5, 3>, esp::io::any_batch<5, 3>>(
        "rnn_open", "RNN 1\nScan 0\n");
    test::put_several<OwnLstm, Own, Own, float, by::interpreter>("own_lstm", "LSTM 1\nScan 0\n");
    almost<0>("almost_0", "LSTM 1\nScan 0\n"); almost<1>("almost_1", "LSTM 0\nScan 1\n");
    almost<2>("almost_2", "LSTM 0\nScan 1\n"); almost<3>("almost_3", "LSTM 0\nScan 1\n");
    almost<4>("almost_4", "LSTM 0\nScan 1\n"); almost<5>("almost_5", "LSTM 0\nScan 1\n");
    put<AlmostGru<0>, esp::batch<5, 2, 4>>("almost_gru_0", "GRU 1\nScan 0\n");
    put<AlmostGru<1>, esp::batch<5, 2, 4>>("almost_gru_1", "GRU 0\nScan 1\n");
    put<AlmostGru<2>, esp::batch<5, 2, 4>>("almost_gru_2", "GRU 0\nScan 1\n");
    put<AlmostGru<3>, esp::batch<5, 2, 4>>("almost_gru_3", "GRU 0\nScan 1\n");
    put<AlmostGru<4>, esp::batch<5, 2, 4>>("almost_gru_4", "GRU 0\nScan 1\n");
    put<AlmostGru<5>, esp::batch<5, 2, 4>>("almost_gru_5", "GRU 0\nScan 1\n");
    put<OtherRnn, esp::batch<5, 2, 3>>("other_rnn", "RNN 0\nScan 2\n");
    put<Hierarchy, esp::batch<3, 5, 2, 3>>("hierarchy", "Scan 1\nAdd 0\n");
    test::put_several<TwoSequences, esp::shapes<esp::batch<5, 2, 3>, esp::batch<5, 2, 3>>,
                      esp::shapes<esp::batch<5, 2, 3>, esp::batch<5, 2, 3>>, float, by::interpreter>("two_sequences",
                                                                                                     "Scan 1\nRNN 0\n");
    put<Inner, esp::batch<5, 2, 3>>("inner", "Scan 1\nGRU 0\n");)
