// SPDX-License-Identifier: BSL-1.0
// Softmax with cross-entropy by hand. Short rows: sixteen at a time, transposed. Long rows: largest, exponentials with
// their sum, scaling; the row and its gradient stay in the second cache level.
#include <cmath>

#include "by_hand.hpp"
#include "softmax.hpp"

namespace {

/// Which elements of the last vector of a row belong to it.
template <long C>
BY_HAND vec only_inside(vec v, float otherwise) {
  constexpr int count = C % width == 0 ? static_cast<int>(width) : static_cast<int>(C % width);
  ivec const index = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return index < count ? v : all(otherwise);
}
template <long C>
BY_HAND vec load_tail(float const* p) {
  alignas(64) float part[width] = {};
  std::memcpy(part, p, sizeof(float) * (C % width));
  return load(part);
}

/// Rows shorter than a vector, sixteen at a time, as columns: each is loaded and stored as a whole vector, which the
/// next row overwrites.
template <long N, long C, std::size_t... J>
[[gnu::noinline]] void short_rows(float const* __restrict z, std::int32_t const* __restrict labels,
                                  float* __restrict loss, float* __restrict gradient, std::index_sequence<J...>) {
  static_assert(C < width && (N - 1) * C >= width && N % width == 0 && N <= 128);
  vec product_of_sums = all(1);
  float picked = 0;
  for (long i = 0; i < N; i += width) {
    vec columns[width];
    auto const row = [=](long k) __attribute__((always_inline)) {
      long const at = (i + k) * C;  // the last rows are not followed by enough
      return k < width - 2 || at + width <= N * C ? load(z + at) : load_tail<C>(z + at);
    };
    transpose(
        row, [&](long k, vec v) __attribute__((always_inline)) { columns[k] = v; });
    vec most = columns[0], sum{};
    ((most = larger(most, columns[J])), ...);
    ((columns[J] = exp_of(columns[J] - most), sum += columns[J]), ...);
    vec const scale = (1.f / N) / sum;
    product_of_sums *= sum;
    transpose(
        [&](long k) __attribute__((always_inline)) { return k < C ? columns[k] * scale : vec{}; },
        [=](long k, vec v) __attribute__((always_inline)) {
          long const at = (i + k) * C;
          if (k < width - 2 || at + width <= N * C) store(gradient + at, v);
          else std::memcpy(gradient + at, &v, sizeof(float) * static_cast<std::size_t>(C));
        });
    for (long k = 0; k < width; ++k) picked += z[(i + k) * C + labels[i + k]] - most[k];
  }
  for (long i = 0; i < N; ++i) gradient[i * C + labels[i]] -= 1.f / N;
  float sum_of_logs = 0;
  for (int k = 0; k < 4; ++k)
    sum_of_logs +=
        std::log(product_of_sums[k] * product_of_sums[k + 4] * product_of_sums[k + 8] * product_of_sums[k + 12]);
  *loss = (sum_of_logs - picked) / N;
}

template <long N, long C>
[[gnu::noinline]] void long_rows(float const* __restrict z, std::int32_t const* __restrict labels,
                                 float* __restrict loss, float* __restrict gradient) {
  constexpr long full = C / width * width, four = C / (4 * width) * (4 * width), tail = C - full;
  float total = 0;
  for (long i = 0; i < N; ++i, z += C, gradient += C) {
    vec m0 = load(z), m1 = m0, m2 = m0, m3 = m0;
    for (long j = 0; j < four; j += 4 * width) {
      m0 = larger(m0, load(z + j)), m1 = larger(m1, load(z + j + width)), m2 = larger(m2, load(z + j + 2 * width)),
      m3 = larger(m3, load(z + j + 3 * width));
    }
    for (long j = four; j < full; j += width) m0 = larger(m0, load(z + j));
    if (tail > 0) m0 = larger(m0, load(z + C - width));
    vec const most = largest_everywhere(larger(larger(m0, m1), larger(m2, m3)));
    vec s0{}, s1{};
    long j = 0;
    for (; j < C / (2 * width) * (2 * width); j += 2 * width) {
      soon_written(gradient + j + 1024);
      soon_written(gradient + j + 1024 + width);
      vec const e0 = exp_of(load(z + j) - most), e1 = exp_of(load(z + j + width) - most);
      store(gradient + j, e0);
      store(gradient + j + width, e1);
      s0 += e0, s1 += e1;
    }
    for (; j < full; j += width) {
      vec const e = exp_of(load(z + j) - most);
      store(gradient + j, e);
      s0 += e;
    }
    if (tail > 0) {
      vec const e = only_inside<C>(exp_of(load_tail<C>(z + full) - most), 0);
      std::memcpy(gradient + full, &e, sizeof(float) * tail);
      s1 += e;
    }
    float const sum = sum_of(s0 + s1), scale = 1 / (sum * N);
    total += std::log(sum) - (z[labels[i]] - most[0]);
    for (long k = 0; k < full; k += width) store(gradient + k, load(gradient + k) * scale);
    for (long k = full; k < C; ++k) gradient[k] *= scale;
    gradient[labels[i]] -= 1.f / N;
  }
  *loss = total / N;
}

template <long N, long C>
void forward_backward(float const* z, std::int32_t const* labels, float* loss, float* gradient) {
  if constexpr (C < width)
    short_rows<N, C>(z, labels, loss, gradient, std::make_index_sequence<static_cast<std::size_t>(C)>{});
  else long_rows<N, C>(z, labels, loss, gradient);
}

#define ROW(N, C)                                                                                         \
  {"softmax_cross_entropy_forward_backward/" #N "x" #C, "by_hand", [](bench::operands o) -> bench::work { \
     return {bench::repeated([=] { forward_backward<N, C>(o.in[0], o.labels(1), o.out[0], o.out[1]); })}; \
   }},
bench::implementation const all_rows[] = {BENCH_SOFTMAX_SHAPES(ROW)};

}  // namespace
