// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "harness.hpp"
/// Llamas that read a text word by word: EACH(name, stored, words, features, layers, heads, key heads, hidden). A run
/// is that of `decoded_words` words from the beginning. Operands: the words, as numbers below `words`, and the numbers
/// of a checkpoint of llama2.c behind its header -> the scores behind the last word. stored: what espalier stores the
/// weights as, float or bfloat16; llama2.c has floats.
#define BENCH_DECODING(EACH)                   \
  EACH("260k", float, 512, 64, 5, 8, 4, 172)   \
  EACH("15m", float, 32000, 288, 6, 6, 6, 768) \
  EACH("15m_bfloat16", bfloat16, 32000, 288, 6, 6, 6, 768)
namespace bench {

inline constexpr int decoded_words = 256;

struct llama_shape {
  int words, dim, layers, heads, key_heads, hidden;

  std::size_t numbers() const {
    auto const n = [](int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };
    int const key_dim = dim / heads * key_heads;
    std::size_t const layer = n(dim, 2) + n(dim, 2 * dim) + n(dim, 2 * key_dim) + n(dim, 3 * hidden);
    return n(words, dim) + static_cast<std::size_t>(layers) * layer + static_cast<std::size_t>(dim) +
           n(decoded_words, dim / heads);
  }
  std::vector<input> in() const { return {{decoded_words, 0, static_cast<float>(words) - 1}, {numbers(), -.1f, .1f}}; }
  std::vector<output> out(double tolerance) const { return {{static_cast<std::size_t>(words), tolerance}}; }
  /// Of the products with weights, for all words.
  double flops() const {
    double const key_dim = dim / heads * key_heads;
    return 2. * decoded_words * (layers * (2. * dim * (dim + key_dim) + 3. * dim * hidden) + double(words) * dim);
  }
};

}  // namespace bench
