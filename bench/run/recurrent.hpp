// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>
#include <vector>

#include "harness.hpp"
/// Recurrent layers over whole sequences: EACH(T, B, I, H) for the steps, batch, input and hidden features.
/// Forward: x, weight_ih (I, gates H), weight_hh (H, gates H), bias_ih, bias_hh -> outputs (T, B, H).
/// Forward and backward: the same and the gradient of the outputs -> the gradients of x and of the four parameters.
/// Gates are in PyTorch's order.
#define BENCH_RECURRENT_SHAPES(EACH) \
  EACH(64, 32, 64, 128) EACH(100, 16, 32, 64) EACH(128, 1, 40, 40) EACH(35, 20, 200, 200)
namespace bench {

struct recurrent_shape {
  int gates, t, b, i, h;
  std::string name(bool backward) const {
    return std::string(gates == 4 ? "lstm" : "gru") + (backward ? "_fwd_bwd/" : "_fwd/") + extents(t, b, i, h);
  }
  std::vector<input> in() const {
    auto const n = [](int first, int second, int third = 1) {
      return static_cast<std::size_t>(first) * static_cast<std::size_t>(second * third);
    };
    return {{n(t, b, i)},
            {n(i, gates, h), -.1f, .1f},
            {n(h, gates, h), -.1f, .1f},
            {n(gates, h), -.1f, .1f},
            {n(gates, h), -.1f, .1f},
            {n(t, b, h)}};
  }
  std::vector<output> out(bool backward) const {
    auto const operands = in();
    if (!backward) return {{operands[5].count}};
    std::vector<output> all;
    for (std::size_t k = 0; k < 5; ++k) all.push_back({operands[k].count, 1e-3});
    return all;
  }
  /// Of the matrix products.
  double flops(bool backward) const { return (backward ? 3. : 1.) * 2 * t * b * gates * h * (i + h); }
};

}  // namespace bench
