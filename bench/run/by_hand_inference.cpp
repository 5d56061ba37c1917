// SPDX-License-Identifier: BSL-1.0
// The inference rows by hand: outputs in vectors, each input in all elements of one; four partial sums for each vector
// of a short layer, so that no chain of sums is long. Few outputs: several inputs share a vector, whose parts are added
// at the end.
#include "by_hand.hpp"

#include <memory>
#include <utility>

#include "inference.hpp"

namespace {

BY_HAND vec positive(vec x) { return larger(x, vec{}); }

/// y = x W + b for Out = Vectors * 16; Chains partial sums for each vector.
template <std::size_t In, std::size_t Vectors, std::size_t Chains, bool Relu, std::size_t... V, std::size_t... C>
[[gnu::always_inline]] inline void dense(float const* x, float const* w, float const* b, float* y,
                                         std::index_sequence<V...>, std::index_sequence<C...>) {
  constexpr std::size_t wide = width, out = Vectors * wide;
  vec sums[] = {((void)C, C < Vectors ? load(b + (C % Vectors) * wide) : vec{})...};
#pragma GCC unroll 64
  for (std::size_t i = 0; i < In; i += Chains)
    ((sums[C] = fma(all(x[i + C / Vectors]), load(w + (i + C / Vectors) * out + C % Vectors * wide), sums[C])), ...);
  auto const total = [&](std::size_t v) __attribute__((always_inline)) {
    vec s = sums[v];
#pragma GCC unroll 4
    for (std::size_t c = 1; c < Chains; ++c) s += sums[c * Vectors + v];
    return Relu ? positive(s) : s;
  };
  (store(y + V * wide, total(V)), ...);
}

/// Out = 4: element e of a vector is the product of input 4 k + e / 4 and output e % 4.
template <std::size_t In>
BY_HAND void dense_to_4(float const* x, float const* w, float const* b, float* y) {
  vec s0{}, s1{};
#pragma GCC unroll 16
  for (std::size_t k = 0; k < In; k += 8) {
    vec const part = {x[k],     x[k],     x[k],     x[k],     x[k + 1], x[k + 1], x[k + 1], x[k + 1],
                      x[k + 2], x[k + 2], x[k + 2], x[k + 2], x[k + 3], x[k + 3], x[k + 3], x[k + 3]};
    vec const next = {x[k + 4], x[k + 4], x[k + 4], x[k + 4], x[k + 5], x[k + 5], x[k + 5], x[k + 5],
                      x[k + 6], x[k + 6], x[k + 6], x[k + 6], x[k + 7], x[k + 7], x[k + 7], x[k + 7]};
    s0 = fma(part, load(w + 4 * k), s0);
    s1 = fma(next, load(w + 4 * k + width), s1);
  }
  vec s = s0 + s1;
  s += BY_HAND_SHUFFLE(s, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  s += BY_HAND_SHUFFLE(s, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
  for (int i = 0; i < 4; ++i) y[i] = s[i] + b[i];
}
template <std::size_t In>
BY_HAND void dense_to_1(float const* x, float const* w, float const* b, float* y) {
  static_assert(In == 64);
  vec const s =
      fma(load(x), load(w), load(x + 16) * load(w + 16)) + fma(load(x + 32), load(w + 32), load(x + 48) * load(w + 48));
  *y = sum_of(s) + *b;
}

template <std::size_t In, std::size_t A, std::size_t B, std::size_t Out>
struct net {
  alignas(64) float w1[In * A], w2[A * B], w3[B * Out], b1[A], b2[B], b3[Out];
  explicit net(bench::operands o) {
    std::memcpy(w1, o.in[1], sizeof w1), std::memcpy(b1, o.in[2], sizeof b1);
    std::memcpy(w2, o.in[3], sizeof w2), std::memcpy(b2, o.in[4], sizeof b2);
    std::memcpy(w3, o.in[5], sizeof w3), std::memcpy(b3, o.in[6], sizeof b3);
  }
  [[gnu::noinline]] void operator()(float const* x, float* y) const {
    alignas(64) float a[A], b[B];
    constexpr std::size_t first = A / 16, second = B / 16, chains = A <= 32 ? 4 : 2;
    dense<In, first, chains, true>(x, w1, b1, a, std::make_index_sequence<first>{},
                                   std::make_index_sequence<first * chains>{});
    dense<A, second, chains, true>(a, w2, b2, b, std::make_index_sequence<second>{},
                                   std::make_index_sequence<second * chains>{});
    if constexpr (Out == 4) dense_to_4<B>(b, w3, b3, y);
    else dense_to_1<B>(b, w3, b3, y);
  }
};

#define NET(IN, A, B, OUT)                                                                    \
  {"inference/" #IN "-" #A "-" #B "-" #OUT, "by_hand", [](bench::operands o) -> bench::work { \
     auto const n = std::make_shared<net<IN, A, B, OUT>>(o);                                  \
     return {bench::repeated([=] { (*n)(o.in[0], o.out[0]); })};                              \
   }},
bench::implementation const all_rows[] = {BENCH_INFERENCE_NETS(NET)};

}  // namespace
