// SPDX-License-Identifier: BSL-1.0
#pragma once
/// The streams in RTNeural, with the backend that the file which includes this has chosen.
#include <algorithm>
#include <memory>
#include <vector>

#include "streams.hpp"

namespace {

using namespace bench;
using matrix = std::vector<std::vector<float>>;

/// Rows of (in, out), of which RTNeural has the gates of a GRU in the order z, r, n.
matrix rows_of(float const* w, int rows, int columns, int hidden_of_gru = 0) {
  matrix all(static_cast<std::size_t>(rows));
  for (auto& each : all) {
    each.assign(w, w + columns);
    std::swap_ranges(each.begin(), each.begin() + hidden_of_gru, each.begin() + hidden_of_gru);
    w += columns;
  }
  return all;
}
template <class Layer>
void set_dense(Layer& layer, float const* w, float const* b, int in) {
  layer.setWeights(matrix{std::vector<float>(w, w + in)});
  layer.setBias(b);
}
/// RTNeural reads a sample as a whole register.
template <class Net>
work run_samples(std::shared_ptr<Net> net, operands o) {
  return {repeated([=] {
    net->reset();
    for (int i = 0; i < stream_samples; ++i) {
      alignas(64) float sample[16] = {o.in[0][i]};
      o.out[0][i] = net->forward(sample);
    }
  })};
}

template <int H>
work lstm(operands o) {
  auto const net = std::make_shared<
      RTNeural::ModelT<float, 1, 1, RTNeural::LSTMLayerT<float, 1, H>, RTNeural::DenseT<float, H, 1>>>();
  auto& cell = net->template get<0>();
  cell.setWVals(rows_of(o.in[1], 1, 4 * H));
  cell.setUVals(rows_of(o.in[2], H, 4 * H));
  std::vector<float> bias(o.in[3], o.in[3] + 4 * H);
  for (std::size_t i = 0; i < bias.size(); ++i) bias[i] += o.in[4][i];
  cell.setBVals(bias);
  set_dense(net->template get<1>(), o.in[5], o.in[6], H);
  return run_samples(net, o);
}
template <int H>
work gru(operands o) {
  auto const net = std::make_shared<
      RTNeural::ModelT<float, 1, 1, RTNeural::GRULayerT<float, 1, H>, RTNeural::DenseT<float, H, 1>>>();
  auto& cell = net->template get<0>();
  cell.setWVals(rows_of(o.in[1], 1, 3 * H, H));
  cell.setUVals(rows_of(o.in[2], H, 3 * H, H));
  auto bias = rows_of(o.in[3], 1, 3 * H, H);
  bias.push_back(rows_of(o.in[4], 1, 3 * H, H)[0]);
  cell.setBVals(bias);
  set_dense(net->template get<1>(), o.in[5], o.in[6], H);
  return run_samples(net, o);
}

template <int In, int C, int Dilation>
using causal = RTNeural::Conv1DT<float, In, C, stack_taps, Dilation>;
template <int C>
using activation = RTNeural::TanhActivationT<float, C>;
template <int In, int C, class Layer>
void set_conv(Layer& layer, float const* w, float const* b) {
  std::vector<matrix> weights(C, matrix(In, std::vector<float>(stack_taps)));  // (out, in, taps), the latest tap first
  for (int tap = 0; tap < stack_taps; ++tap)
    for (int i = 0; i < In; ++i)
      for (int j = 0; j < C; ++j) weights[j][i][stack_taps - 1 - tap] = w[(tap * In + i) * C + j];
  layer.setWeights(weights);
  layer.setBias(std::vector<float>(b, b + C));
}
template <int C>
work stack(operands o) {
  auto const net = std::make_shared<
      RTNeural::ModelT<float, 1, 1, causal<1, C, 1>, activation<C>, causal<C, C, 2>, activation<C>, causal<C, C, 4>,
                       activation<C>, causal<C, C, 8>, activation<C>, causal<C, C, 16>, activation<C>, causal<C, C, 32>,
                       activation<C>, RTNeural::DenseT<float, C, 1>>>();
  set_conv<1, C>(net->template get<0>(), o.in[1], o.in[2]);
  set_conv<C, C>(net->template get<2>(), o.in[3], o.in[4]);
  set_conv<C, C>(net->template get<4>(), o.in[5], o.in[6]);
  set_conv<C, C>(net->template get<6>(), o.in[7], o.in[8]);
  set_conv<C, C>(net->template get<8>(), o.in[9], o.in[10]);
  set_conv<C, C>(net->template get<10>(), o.in[11], o.in[12]);
  set_dense(net->template get<12>(), o.in[13], o.in[14], C);
  return run_samples(net, o);
}

#define LSTM(H) {stream_name("lstm", H), BENCH_RTNEURAL, lstm<H>},
#define GRU(H) {stream_name("gru", H), BENCH_RTNEURAL, gru<H>},
#define STACK(C) {stream_name("causal_stack", C), BENCH_RTNEURAL, stack<C>},
implementation const all[] = {BENCH_STREAM_LSTM(LSTM) BENCH_STREAM_GRU(GRU) BENCH_STREAM_CONV(STACK)};

}  // namespace
