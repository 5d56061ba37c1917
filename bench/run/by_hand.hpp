// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Vectors for the hand-written kernels, on the compilers' own vector types. Everything is in an unnamed namespace:
/// these kernels are compiled by two compilers and linked together.
#include <cstdint>
#include <cstring>
#include <utility>

#include "harness.hpp"

namespace {

inline constexpr long width = 16;
typedef float vec __attribute__((vector_size(64)));
typedef std::int32_t ivec __attribute__((vector_size(64)));
typedef float vec_unaligned __attribute__((vector_size(64), aligned(4), may_alias));
typedef float vec8 __attribute__((vector_size(32)));
typedef float vec4 __attribute__((vector_size(16)));

#define BY_HAND [[gnu::always_inline]] static inline
BY_HAND vec load(float const* p) { return *reinterpret_cast<vec_unaligned const*>(p); }
BY_HAND void store(float* p, vec v) { *reinterpret_cast<vec_unaligned*>(p) = v; }
BY_HAND vec all(float x) { return x - vec{}; }
/// Asks for the line of an address that is written soon.
BY_HAND void soon_written(float* p) { __builtin_prefetch(p, 1, 3); }
BY_HAND void soon_read(float const* p) { __builtin_prefetch(p, 0, 3); }

#if defined(__clang__)
#define BY_HAND_SHUFFLE(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define BY_HAND_SHUFFLE(v, ...) __builtin_shuffle(v, ivec{__VA_ARGS__})
#endif
/// The sum of all elements, in every element.
BY_HAND vec sum_everywhere(vec v) {
  v += BY_HAND_SHUFFLE(v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  v += BY_HAND_SHUFFLE(v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
  v += BY_HAND_SHUFFLE(v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  v += BY_HAND_SHUFFLE(v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
  return v;
}
BY_HAND vec larger(vec a, vec b) { return a > b ? a : b; }
BY_HAND vec largest_everywhere(vec v) {
  v = larger(v, BY_HAND_SHUFFLE(v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  v = larger(v, BY_HAND_SHUFFLE(v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  v = larger(v, BY_HAND_SHUFFLE(v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  v = larger(v, BY_HAND_SHUFFLE(v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  return v;
}
BY_HAND float sum_of(vec v) { return sum_everywhere(v)[0]; }
/// a b + c in one rounding where there is such an instruction: both compilers contract this.
BY_HAND vec fma(vec a, vec b, vec c) {
#if defined(__AVX512F__) && defined(__clang__)
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// exp for x <= 88: 2^n e^r with a polynomial of degree 5 for e^r; about 1.5 ulp. Below -87 it is 2^-126 or so, not 0.
BY_HAND vec exp_of(vec x) {
  x = larger(x, all(-87.f));
  vec const shifted = fma(x, all(1.44269504f), all(12582912.f));
  vec const n = shifted - 12582912.f;
  vec const r = fma(n, all(-1.42860677e-6f), fma(n, all(-0.693145752f), x));
  vec const r2 = r * r;
  vec const high = fma(fma(r, all(8.3683e-3f), all(4.16689e-2f)), r2, fma(r, all(1.6666553e-1f), all(0.49999991f)));
  vec const p = fma(high, r2, r + 1.f);
  ivec bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  ivec result;
  std::memcpy(&result, &p, sizeof result);
  result += bits << 23;
  vec y;
  std::memcpy(&y, &result, sizeof y);
  return y;
}

#if defined(__clang__)
#define BY_HAND_SHUFFLE_TWO(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define BY_HAND_SHUFFLE_TWO(a, b, ...) __builtin_shuffle(a, b, ivec{__VA_ARGS__})
#endif
/// Puts the elements of a and b in turn.
BY_HAND void zip(vec& a, vec& b) {
  vec const low = BY_HAND_SHUFFLE_TWO(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  b = BY_HAND_SHUFFLE_TWO(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  a = low;
}
/// to(i, column i) of sixteen vectors from(i): zipped with those half the number away, four times.
template <class From, class To, std::size_t... I, std::size_t... Half>
BY_HAND void transpose(From const& from, To const& to, std::index_sequence<I...>, std::index_sequence<Half...>) {
  vec a[] = {from(static_cast<long>(I))...};
  (zip(a[Half], a[Half + 8]), ...);  // a[2 i], a[2 i + 1] of the next round are a[i], a[i + 8] of this
  vec b[] = {a[I / 2 + I % 2 * 8]...};
  (zip(b[Half], b[Half + 8]), ...);
  vec c[] = {b[I / 2 + I % 2 * 8]...};
  (zip(c[Half], c[Half + 8]), ...);
  vec d[] = {c[I / 2 + I % 2 * 8]...};
  (zip(d[Half], d[Half + 8]), ...);
  (to(static_cast<long>(I), d[I / 2 + I % 2 * 8]), ...);
}
template <class From, class To>
BY_HAND void transpose(From const& from, To const& to) {
  transpose(from, to, std::make_index_sequence<16>{}, std::make_index_sequence<8>{});
}

}  // namespace
