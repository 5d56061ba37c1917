// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>
#include <vector>

#include "harness.hpp"
/// Attention: EACH(batch, heads, length, features, causal).
/// Forward: q, k, v (batch, heads, length, features) -> the same shape.
/// Forward and backward: the same and the gradient of the result -> the gradients of q, k and v.
#define BENCH_ATTENTION_SHAPES(EACH) \
  EACH(1, 8, 256, 64, true) EACH(4, 4, 128, 32, true) EACH(1, 6, 1024, 48, true) EACH(2, 8, 64, 16, false)
/// Layers of a Transformer's encoder, pre-norm, gelu, causal, without dropout: EACH(batch, length, features, heads,
/// hidden features).
/// x (batch, length, features), the gradient of the result, and the parameters in PyTorch's order, each weight (in,
/// out) -> the result; forward and backward: the gradients of x and of the parameters.
#define BENCH_ENCODER_SHAPES(EACH) \
  EACH(8, 64, 64, 4, 256) EACH(4, 128, 128, 8, 512) EACH(1, 256, 288, 6, 768) EACH(16, 32, 32, 2, 64)
namespace bench {

struct attention_shape {
  int b, h, t, d;
  bool causal;
  std::string name(bool backward) const {
    return std::string("attention") + (causal ? "_causal" : "") + (backward ? "_fwd_bwd/" : "_fwd/") +
           extents(b, h, t, d);
  }
  std::size_t elements() const { return static_cast<std::size_t>(b * h * t) * static_cast<std::size_t>(d); }
  std::vector<input> in() const {
    return {{elements(), -1.f, 1.f}, {elements(), -1.f, 1.f}, {elements(), -1.f, 1.f}, {elements()}};
  }
  std::vector<output> out(bool backward) const {
    if (!backward) return {{elements(), 1e-4}};
    return {{elements(), 1e-3}, {elements(), 1e-3}, {elements(), 1e-3}};
  }
  /// Of the matrix products, without what a causal mask hides.
  double flops(bool backward) const { return (backward ? 3. : 1.) * (causal ? 2. : 4.) * b * h * t * t * d; }
};

struct encoder_shape {
  int b, t, e, heads, hidden;
  std::string name(bool backward) const {
    return std::string("encoder") + (backward ? "_fwd_bwd/" : "_fwd/") + extents(b, t, e, heads) + "x" +
           std::to_string(hidden);
  }
  std::vector<std::vector<int>> parameters() const {
    return {{e, 3 * e}, {3 * e}, {e, e}, {e}, {e, hidden}, {hidden}, {hidden, e}, {e}, {e}, {e}, {e}, {e}};
  }
  static std::size_t size_of(std::vector<int> const& s) {
    std::size_t n = 1;
    for (int const k : s) n *= static_cast<std::size_t>(k);
    return n;
  }
  std::vector<input> in() const {
    std::vector<input> all{{size_of({b, t, e})}, {size_of({b, t, e})}};
    for (auto const& p : parameters()) all.push_back({size_of(p), -.1f, .1f});
    return all;
  }
  std::vector<output> out(bool backward) const {
    std::vector<output> all{{size_of({b, t, e}), 1e-3}};
    if (backward)
      for (auto const& p : parameters()) all.push_back({size_of(p), 2e-3});
    return all;
  }
  double flops(bool backward) const {
    return (backward ? 3. : 1.) * 2 * b * t * (4. * e * e + 2. * e * hidden + 1. * t * e);
  }
};

}  // namespace bench
