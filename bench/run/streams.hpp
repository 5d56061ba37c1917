// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "harness.hpp"
/// Nets over a signal, one sample after the other: EACH(H) for each width. A run is that of `stream_samples` samples
/// from rest. Operands: the samples, then the parameters in PyTorch's order, matrices as (in, out) -> the results.
#define BENCH_STREAM_LSTM(EACH) EACH(8) EACH(16) EACH(32) EACH(40) EACH(64)
#define BENCH_STREAM_GRU(EACH) EACH(8) EACH(16) EACH(32) EACH(64)
#define BENCH_STREAM_CONV(EACH) EACH(8) EACH(16) EACH(32)
namespace bench {

inline constexpr int stream_samples = 256;
/// The causal stack: convolutions of three taps with dilations 1, 2, ... 32, each with tanh behind it.
inline constexpr int stack_layers = 6, stack_taps = 3;

/// 1 -> cell of `hidden` -> Linear -> 1.
inline std::vector<input> cell_stream_operands(int gates, int hidden) {
  auto const h = static_cast<std::size_t>(hidden), g = static_cast<std::size_t>(gates);
  return {
      {stream_samples}, {g * h, -.3f, .3f}, {h * g * h, -.3f, .3f}, {g * h, -.3f, .3f}, {g * h, -.3f, .3f}, {h}, {1}};
}
inline std::vector<input> stack_stream_operands(int channels) {
  auto const c = static_cast<std::size_t>(channels);
  std::vector<input> all{{stream_samples}};
  for (int layer = 0; layer < stack_layers; ++layer) {
    all.push_back({stack_taps * (layer == 0 ? 1 : c) * c, -.2f, .2f});  // (taps, in, out)
    all.push_back({c, -.2f, .2f});
  }
  all.push_back({c});
  all.push_back({1});
  return all;
}
inline std::string stream_name(char const* kind, int width) {
  return std::string("stream/") + kind + '_' + std::to_string(width);
}

}  // namespace bench
