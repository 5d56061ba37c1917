// SPDX-License-Identifier: BSL-1.0
// The expression rows by hand.
#include <cmath>

#include "by_hand.hpp"
#include "expressions.hpp"

namespace {

using bench::million, bench::operands, bench::thousand;

[[gnu::noinline]] void energy(operands o) {
  float const *const a = o.in[0], *const b = o.in[1], *const c = o.in[2];
  vec s0{}, s1{}, s2{}, s3{};
  for (long j = 0; j < million; j += 4 * width) {
    s0 += fma(load(a + j), load(b + j), exp_of(load(c + j)));
    s1 += fma(load(a + j + width), load(b + j + width), exp_of(load(c + j + width)));
    s2 += fma(load(a + j + 2 * width), load(b + j + 2 * width), exp_of(load(c + j + 2 * width)));
    s3 += fma(load(a + j + 3 * width), load(b + j + 3 * width), exp_of(load(c + j + 3 * width)));
  }
  *o.out[0] = sum_of((s0 + s1) + (s2 + s3));
}

template <long N>
[[gnu::noinline]] void energy_and_gradient(operands o) {
  float const* const __restrict a = o.in[0];
  float const* const __restrict b = o.in[1];
  float const* const __restrict c = o.in[2];
  float* const __restrict da = o.out[1];
  float* const __restrict db = o.out[2];
  float* const __restrict dc = o.out[3];
  constexpr long two = N / (2 * width) * (2 * width);
  constexpr bool far = N > (1 << 16);
  vec s0{}, s1{};
  for (long j = 0; j < two; j += 2 * width) {
    if constexpr (far) {
      soon_written(da + j + 1024), soon_written(db + j + 1024), soon_written(dc + j + 1024);
      soon_written(da + j + 1024 + width), soon_written(db + j + 1024 + width), soon_written(dc + j + 1024 + width);
    }
    vec const a0 = load(a + j), a1 = load(a + j + width), b0 = load(b + j), b1 = load(b + j + width);
    vec const e0 = exp_of(load(c + j)), e1 = exp_of(load(c + j + width));
    s0 += fma(a0, b0, e0);
    s1 += fma(a1, b1, e1);
    store(da + j, b0), store(da + j + width, b1);
    store(db + j, a0), store(db + j + width, a1);
    store(dc + j, e0), store(dc + j + width, e1);
  }
  float total = sum_of(s0 + s1);
  for (long j = two; j < N; ++j) {
    float const e = std::exp(c[j]);
    total += a[j] * b[j] + e;
    da[j] = b[j], db[j] = a[j], dc[j] = e;
  }
  *o.out[0] = total;
}

[[gnu::noinline]] void sum(operands o) {
  float const* const x = o.in[0];
  vec a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{};
  for (long j = 0; j < million; j += 8 * width) {
    a += load(x + j), b += load(x + j + width), c += load(x + j + 2 * width), d += load(x + j + 3 * width);
    e += load(x + j + 4 * width), f += load(x + j + 5 * width), g += load(x + j + 6 * width),
        h += load(x + j + 7 * width);
  }
  *o.out[0] = sum_of(((a + b) + (c + d)) + ((e + f) + (g + h)));
}

/// Pieces of 4096: the largest of a piece while it comes, its exponentials while it is in the first cache level.
[[gnu::noinline]] void logsumexp(operands o) {
  float const* const x = o.in[0];
  constexpr long piece = 4096;
  vec most = all(-3e38f), s0{}, s1{}, s2{}, s3{};
  for (long i = 0; i < million; i += piece) {
    float const* const p = x + i;
    vec m0 = load(p), m1 = m0, m2 = m0, m3 = m0;
    for (long j = 0; j < piece; j += 4 * width)
      m0 = larger(m0, load(p + j)), m1 = larger(m1, load(p + j + width)), m2 = larger(m2, load(p + j + 2 * width)),
      m3 = larger(m3, load(p + j + 3 * width));
    vec const chunk_maximum = largest_everywhere(larger(larger(m0, m1), larger(m2, m3)));
    if (chunk_maximum[0] > most[0]) {
      float const factor = std::exp(most[0] - chunk_maximum[0]);
      s0 *= factor, s1 *= factor, s2 *= factor, s3 *= factor;
      most = chunk_maximum;
    }
    for (long j = 0; j < piece; j += 4 * width) {
      soon_read(p + piece + j), soon_read(p + piece + j + width), soon_read(p + piece + j + 2 * width),
          soon_read(p + piece + j + 3 * width);
      s0 += exp_of(load(p + j) - most), s1 += exp_of(load(p + j + width) - most);
      s2 += exp_of(load(p + j + 2 * width) - most), s3 += exp_of(load(p + j + 3 * width) - most);
    }
  }
  *o.out[0] = most[0] + std::log(sum_of((s0 + s1) + (s2 + s3)));
}

bench::work always(void (*f)(operands), operands o) {
  return {bench::repeated([=] { f(o); })};
}
bench::implementation const all_rows[] = {
    {"sum_ab_exp_c/1M", "by_hand", [](operands o) { return always(energy, o); }},
    {"sum_ab_exp_c_gradient/1M", "by_hand", [](operands o) { return always(energy_and_gradient<million>, o); }},
    {"sum_ab_exp_c_gradient/1000", "by_hand", [](operands o) { return always(energy_and_gradient<thousand>, o); }},
    {"sum/1M", "by_hand", [](operands o) { return always(sum, o); }},
    {"logsumexp/1M", "by_hand", [](operands o) { return always(logsumexp, o); }},
};

}  // namespace
