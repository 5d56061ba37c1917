// SPDX-License-Identifier: BSL-1.0
// Layers for sequences, written as modules for one known length: a recurrent cell, repeated, and attention to the
// past.
//   sequences [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>

#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

// [cell]
/// h' = tanh(x W + b + h U), from the first sample of a sequence to its last: (N, T, In) -> (N, Hidden).
template <int In, int Hidden>
struct Recurrent {
  nn::Linear<In, Hidden> input;
  nn::Linear<Hidden, Hidden, nn::no_bias> state;
  ESPALIER_MODULE(Recurrent, input, state)

  constexpr auto forward(auto x) const {
    return std::apply([&](auto first, auto... rest) { return steps(tanh(input(first)), rest...); }, esp::split<1>(x));
  }
  constexpr auto steps(auto h, auto x, auto... rest) const { return steps(tanh(input(x) + state(h)), rest...); }
  constexpr auto steps(auto h) const { return h; }
};
// [/cell]

// [attention]
/// 1 where position j is not behind position i, else 0.
struct past {
  static constexpr nn::init::distribution needs = nn::init::distribution::none;
  int length = 0;
  template <class T>
  constexpr T from_random(T) const {
    return T(0);
  }
  template <class T>
  constexpr void fill(esp::span<T> to, nn::init::stream) const {
    for (int i = 0; i < length; ++i)
      for (int j = 0; j <= i; ++j) to[i * length + j] = T(1);
  }
};

/// softmax(q k^T / sqrt(Features)) v, where each position sees itself and what was before it: (N, Length, Features) ->
/// the same.
template <int Length, int Features>
struct CausalAttention {
  nn::Linear<Features, Features, nn::no_bias> query, key, value;
  esp::buffer<esp::shape<Length, Length>, nn::init::initialized_by<past{Length}>> seen{};
  ESPALIER_MODULE(CausalAttention, query, key, value, seen)

  constexpr auto forward(auto x) const {
    auto const scores = matmul(query(x), transpose(key(x))) / esp::math::sqrt(double{Features});
    return matmul(softmax(where(seen, scores, -1e30)), value(x));
  }
};
// [/attention]

int main(int count, char** words) {
  examples::recorded out;
  // What comes later does not reach what was before.
  esp::model<CausalAttention<6, 4>> attention{esp::seed{0}};
  esp::tensor<float, esp::shape<1, 6, 4>> x;
  nn::init::fill(nn::init::normal{}, x.span(), {.seed = 1});
  esp::tensor<float, esp::shape<1, 6, 4>> const before = attention(x);
  x(0, 3, 0) += 1;
  esp::tensor<float, esp::shape<1, 6, 4>> const after = attention(x);
  for (int i = 0; i < 6; ++i) out.print("position %d %s\n", i, before(0, i, 0) == after(0, i, 0) ? "stays" : "moves");

  // A net that has to remember: was the first of eight numbers positive?
  using Net = nn::Sequential<Recurrent<1, 12>, nn::Linear<12, 2>>;
  static_assert(esp::output_shape<Net, esp::batch<32, 8, 1>> == esp::shape<32, 2>{});
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 0.01}, esp::batch<32, 8, 1>{}};
  esp::tensor<float, esp::shape<32, 8, 1>> sequences;
  esp::tensor<std::int32_t, esp::shape<32>> labels;
  float loss = 0;
  for (unsigned step = 0; step < 600; ++step) {
    nn::init::fill(nn::init::uniform{-1, 1}, sequences.span(), {.seed = 2, .number = step});
    for (int i = 0; i < 32; ++i) labels[i] = sequences(i, 0, 0) > 0;
    loss = trainer.step(sequences, labels);
  }
  out.print("remembered after %lld steps: %s\n", static_cast<long long>(trainer.steps()), loss < 0.2f ? "yes" : "no");
  return out.finish(count, words);
}
