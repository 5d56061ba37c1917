// SPDX-License-Identifier: BSL-1.0
// Layer and batch normalization by hand. Operands beyond the second cache level: the lines of the outputs are asked for
// ahead of the stores.
#include <cmath>
#include <utility>

#include "by_hand.hpp"
#include "normalization.hpp"

namespace {

constexpr float eps = bench::norm_eps;
/// More than the second cache level holds.
template <long Elements>
constexpr bool far = Elements > (1 << 17);
constexpr long ahead = 1024;
template <long D>
constexpr std::size_t columns = D;

template <std::size_t Count>
using up_to = std::make_index_sequence<Count>;

/// Sum over a row of f(j) for j = 0, width, ...; as many accumulators as the sequence has numbers.
template <long D, class F, std::size_t... U>
[[gnu::always_inline]] inline vec swept(F f, std::index_sequence<U...>) {
  vec a[] = {f(static_cast<long>(U) * width)...};
  constexpr long step = static_cast<long>(sizeof...(U)) * width;
  static_assert(D % step == 0);
  for (long j = step; j < D; j += step) ((a[U] += f(j + static_cast<long>(U) * width)), ...);
  vec s = a[0];
  ((s += U > 0 ? a[U] : vec{}), ...);
  return s;
}
/// A row of 256 in registers: sums are trees.
BY_HAND vec tree(vec const (&a)[16]) {
  return (((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]))) +
         (((a[8] + a[9]) + (a[10] + a[11])) + ((a[12] + a[13]) + (a[14] + a[15])));
}

template <std::size_t... U>
[[gnu::always_inline]] inline void layer_norm_of_256(float const* x, float const* w, float const* b, float* y,
                                                     std::index_sequence<U...>) {
  vec r[] = {load(x + U * width)...};
  vec const mean = sum_everywhere(tree(r)) * (1.f / 256);
  ((r[U] -= mean), ...);
  vec const squares[] = {r[U] * r[U]...};
  vec const inverse = all(1 / std::sqrt(sum_everywhere(tree(squares))[0] * (1.f / 256) + eps));
  (store(y + U * width, fma(r[U] * inverse, load(w + U * width), load(b + U * width))), ...);
}

template <long N, long D>
[[gnu::noinline]] void layer_norm_forward(float const* __restrict x, float const* __restrict w,
                                          float const* __restrict b, float* __restrict y) {
  for (long i = 0; i < N; ++i, x += D, y += D) {
    if constexpr (D == 256) {
      layer_norm_of_256(x, w, b, y, up_to<16>{});
    } else {
      vec const mean = sum_everywhere(swept<D>([=](long j) { return load(x + j); }, up_to<8>{})) * (1.f / D);
      vec const variance = sum_everywhere(swept<D>(
                               [=](long j) {
                                 if constexpr (far<N * D>) soon_read(x + j + D);
                                 vec const c = load(x + j) - mean;
                                 return c * c;
                               },
                               up_to<8>{})) *
                           (1.f / D);
      vec const inverse = all(1 / std::sqrt(variance[0] + eps)), shift = -mean * inverse;
      for (long j = 0; j < D; j += width) {
        if constexpr (far<N * D>) soon_written(y + j + D);
        store(y + j, fma(fma(load(x + j), inverse, shift), load(w + j), load(b + j)));
      }
    }
  }
}
/// One pass for both statistics, of x minus the row's first element: at most n roundings of the variance are lost,
/// whatever the row.
template <long N, long D>
[[gnu::noinline]] void layer_norm_forward_shifted(float const* __restrict x, float const* __restrict w,
                                                  float const* __restrict b, float* __restrict y) {
  for (long i = 0; i < N; ++i, x += D, y += D) {
    vec const first = all(x[0]);
    vec a0{}, a1{}, a2{}, a3{}, q0{}, q1{}, q2{}, q3{};
    for (long j = 0; j < D; j += 4 * width) {
      vec const c0 = load(x + j) - first, c1 = load(x + j + width) - first, c2 = load(x + j + 2 * width) - first,
                c3 = load(x + j + 3 * width) - first;
      a0 += c0, a1 += c1, a2 += c2, a3 += c3;
      q0 = fma(c0, c0, q0), q1 = fma(c1, c1, q1), q2 = fma(c2, c2, q2), q3 = fma(c3, c3, q3);
    }
    vec const mean = sum_everywhere((a0 + a1) + (a2 + a3)) * (1.f / D),
              square = sum_everywhere((q0 + q1) + (q2 + q3)) * (1.f / D);
    vec const inverse = all(1 / std::sqrt((square - mean * mean)[0] + eps)), shift = -(mean + first) * inverse;
    for (long j = 0; j < D; j += width) {
      if constexpr (far<N * D>) soon_written(y + j + D);
      store(y + j, fma(fma(load(x + j), inverse, shift), load(w + j), load(b + j)));
    }
  }
}

/// Two rows share the sweep that adds to dweight and dbias.
template <long N, long D>
[[gnu::noinline]] void layer_norm_forward_backward(float const* __restrict x, float const* __restrict w,
                                                   float const* __restrict b, float const* __restrict dy,
                                                   float* __restrict y, float* __restrict dx, float* __restrict dw,
                                                   float* __restrict db) {
  constexpr long rows = N % 2 == 0 ? 2 : 1;
  for (long j = 0; j < D; j += width) store(dw + j, vec{}), store(db + j, vec{});
  for (long i = 0; i < N; i += rows, x += rows * D, dy += rows * D, y += rows * D, dx += rows * D) {
    vec inverse[2], shift[2];
    for (long k = 0; k < rows; ++k) {
      float const* const r = x + k * D;
      vec const mean = sum_everywhere(swept<D>([=](long j) { return load(r + j); }, up_to<8>{})) * (1.f / D);
      vec const variance = sum_everywhere(swept<D>(
                               [=](long j) {
                                 if constexpr (far<N * D>) soon_read(dy + k * D + j);
                                 vec const c = load(r + j) - mean;
                                 return c * c;
                               },
                               up_to<8>{})) *
                           (1.f / D);
      inverse[k] = all(1 / std::sqrt(variance[0] + eps));
      shift[k] = -mean * inverse[k];
    }
    vec const i0 = inverse[0], s0 = shift[0], i1 = inverse[rows - 1], s1 = shift[rows - 1];
    vec g0{}, g1{}, p0{}, p1{};
    for (long j = 0; j < D; j += width) {
      vec const gain = load(w + j), offset = load(b + j);
      vec const h = fma(load(x + j), i0, s0), d = load(dy + j), g = d * gain;
      if constexpr (far<N * D>) soon_written(y + j + rows * D);
      store(y + j, fma(h, gain, offset));
      g0 += g;
      p0 = fma(g, h, p0);
      if constexpr (rows == 2) {
        vec const h1 = fma(load(x + D + j), i1, s1), d1 = load(dy + D + j), gg = d1 * gain;
        if constexpr (far<N * D>) soon_written(y + D + j + rows * D);
        store(y + D + j, fma(h1, gain, offset));
        g1 += gg;
        p1 = fma(gg, h1, p1);
        store(dw + j, fma(d, h, fma(d1, h1, load(dw + j))));
        store(db + j, load(db + j) + (d + d1));
      } else {
        store(dw + j, fma(d, h, load(dw + j)));
        store(db + j, load(db + j) + d);
      }
    }
    for (long k = 0; k < rows; ++k) {
      vec const inv = k == 0 ? i0 : i1, s = k == 0 ? s0 : s1;
      vec const mean_g = sum_everywhere(k == 0 ? g0 : g1) * (1.f / D),
                mean_p = sum_everywhere(k == 0 ? p0 : p1) * (1.f / D);
      // dx = inverse (g - mean g - h mean(g h)), h = inverse x + s
      vec const of_x = -inv * inv * mean_p, constant = -inv * fma(s, mean_p, mean_g);
      for (long j = 0; j < D; j += width) {
        if constexpr (far<N * D>) soon_written(dx + k * D + j + rows * D);
        store(dx + k * D + j, fma(load(dy + k * D + j) * load(w + j), inv, fma(load(x + k * D + j), of_x, constant)));
      }
    }
  }
}

/// Columns' means and sums of squared deviations, eight rows at a time: exact for the eight, then merged with the rows
/// before (Chan, Golub, LeVeque).
template <long N, long D, std::size_t... R>
[[gnu::always_inline]] inline void column_statistics(float const* __restrict x, float* __restrict mean,
                                                     float* __restrict squares, std::index_sequence<R...>) {
  constexpr float rows = sizeof...(R);
  for (long i = 0; i < N; i += static_cast<long>(sizeof...(R)), x += static_cast<long>(sizeof...(R)) * D) {
    float const before = static_cast<float>(i), share = rows / (before + rows), weight = before * share;
    for (long j = 0; j < D; j += width) {
      vec r[] = {load(x + static_cast<long>(R) * D + j)...};
      vec const m = (((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))) * (1 / rows);
      ((r[R] -= m), ...);
      vec q = r[0] * r[0], q1 = r[1] * r[1];
      q = fma(r[2], r[2], q), q1 = fma(r[3], r[3], q1), q = fma(r[4], r[4], q), q1 = fma(r[5], r[5], q1),
      q = fma(r[6], r[6], q), q1 = fma(r[7], r[7], q1);
      vec const old = i == 0 ? vec{} : load(mean + j), d = m - old;
      store(mean + j, fma(d, all(share), old));
      store(squares + j, fma(d * d, all(weight), (q + q1) + (i == 0 ? vec{} : load(squares + j))));
    }
  }
}

template <long N, long D>
BY_HAND void scale_rows(float const* __restrict x, float const* __restrict scale, float const* __restrict shift,
                        float* __restrict y) {
  for (long i = 0; i < N; ++i)
    for (long j = 0; j < D; j += width) {
      if constexpr (far<N * D>) soon_written(y + i * D + j + ahead);
      store(y + i * D + j, fma(load(x + i * D + j), load(scale + j), load(shift + j)));
    }
}

template <long N, long D>
[[gnu::noinline]] void batch_norm_forward(float const* __restrict x, float const* __restrict w,
                                          float const* __restrict b, float* __restrict y) {
  alignas(64) float scale[columns<D>], shift[columns<D>];
  column_statistics<N, D>(x, shift, scale, up_to<8>{});
  for (long j = 0; j < D; ++j) {
    scale[j] = w[j] / std::sqrt(scale[j] * (1.f / N) + eps);
    shift[j] = b[j] - shift[j] * scale[j];
  }
  scale_rows<N, D>(x, scale, shift, y);
}

template <long N, long D>
[[gnu::noinline]] void batch_norm_evaluation(float const* __restrict x, float const* __restrict w,
                                             float const* __restrict b, float const* __restrict mean,
                                             float const* __restrict variance, float* __restrict y) {
  alignas(64) float scale[columns<D>], shift[columns<D>];
  for (long j = 0; j < D; ++j) {
    scale[j] = w[j] / std::sqrt(variance[j] + eps);
    shift[j] = b[j] - mean[j] * scale[j];
  }
  scale_rows<N, D>(x, scale, shift, y);
}

/// One sweep for the statistics of x, of dy and of both together, one for y and dx.
template <long N, long D>
[[gnu::noinline]] void batch_norm_forward_backward(float const* __restrict x, float const* __restrict w,
                                                   float const* __restrict b, float const* __restrict dy,
                                                   float* __restrict y, float* __restrict dx, float* __restrict dw,
                                                   float* __restrict db) {
  alignas(64) float mean[columns<D>], squares[columns<D>];
  constexpr long rows = 4;
  for (long i = 0; i < N; i += rows) {
    float const* const xi = x + i * D;
    float const* const di = dy + i * D;
    float const before = static_cast<float>(i), share = rows / (before + rows), weight = before * share;
    for (long j = 0; j < D; j += width) {
      vec x0 = load(xi + j), x1 = load(xi + D + j), x2 = load(xi + 2 * D + j), x3 = load(xi + 3 * D + j);
      vec const d0 = load(di + j), d1 = load(di + D + j), d2 = load(di + 2 * D + j), d3 = load(di + 3 * D + j);
      vec const m = ((x0 + x1) + (x2 + x3)) * (1.f / rows), sum = (d0 + d1) + (d2 + d3);
      x0 -= m, x1 -= m, x2 -= m, x3 -= m;
      vec const q = fma(x0, x0, x1 * x1) + fma(x2, x2, x3 * x3), p = fma(x0, d0, x1 * d1) + fma(x2, d2, x3 * d3);
      vec const old = i == 0 ? vec{} : load(mean + j), old_sum = i == 0 ? vec{} : load(db + j), d = m - old;
      store(mean + j, fma(d, all(share), old));
      store(squares + j, fma(d * d, all(weight), q + (i == 0 ? vec{} : load(squares + j))));
      // sum of dy (x - mean), merged: means of x differ by d, means of dy by sum / rows - old_sum / before
      vec const other = i == 0 ? vec{} : fma(sum, all(1.f / rows), old_sum * all(-1 / before));
      store(dw + j, fma(d * other, all(weight), p + (i == 0 ? vec{} : load(dw + j))));
      store(db + j, old_sum + sum);
    }
  }
  alignas(64) float scale[columns<D>], shift[columns<D>], of_x[columns<D>], constant[columns<D>];
  for (long j = 0; j < D; ++j) {
    float const inverse = 1 / std::sqrt(squares[j] * (1.f / N) + eps);
    scale[j] = w[j] * inverse;
    shift[j] = b[j] - mean[j] * scale[j];
    dw[j] *= inverse;
    of_x[j] = -scale[j] * inverse * dw[j] * (1.f / N);
    constant[j] = -scale[j] * db[j] * (1.f / N) - mean[j] * of_x[j];
  }
  for (long i = 0; i < N; ++i)
    for (long j = 0; j < D; j += width) {
      if constexpr (far<N * D>) soon_written(y + i * D + j + ahead), soon_written(dx + i * D + j + ahead);
      vec const r = load(x + i * D + j), s = load(scale + j);
      store(y + i * D + j, fma(r, s, load(shift + j)));
      store(dx + i * D + j, fma(load(dy + i * D + j), s, fma(r, load(of_x + j), load(constant + j))));
    }
}

/// Channels of images: P neighbours in each of N images. The first pass brings a channel into the second cache level,
/// the others find it there.
template <long N, long C, long P>
struct images {
  static constexpr float per_element = 1.f / static_cast<float>(N * P);
  template <class F>
  [[gnu::always_inline]] static inline vec over_channel(long c, F f) {
    static_assert(P % width == 0);
    vec a0{}, a1{}, a2{}, a3{};
    for (long n = 0; n < N; ++n) {
      long const at = (n * C + c) * P;
      long j = at;
      for (; j + 4 * width <= at + P; j += 4 * width)
        a0 += f(j), a1 += f(j + width), a2 += f(j + 2 * width), a3 += f(j + 3 * width);
      for (; j < at + P; j += width) a0 += f(j);
    }
    return (a0 + a1) + (a2 + a3);
  }
  template <class F>
  [[gnu::always_inline]] static inline void each(long c, F f) {
    for (long n = 0; n < N; ++n)
      for (long j = (n * C + c) * P; j < (n * C + c) * P + P; j += width) f(j);
  }
  [[gnu::noinline]] static void forward(float const* __restrict x, float const* __restrict w, float const* __restrict b,
                                        float* __restrict y) {
    for (long c = 0; c < C; ++c) {
      vec const mean = sum_everywhere(over_channel(c, [=](long j) { return load(x + j); })) * per_element;
      vec const squares = over_channel(c, [=](long j) {
        vec const d = load(x + j) - mean;
        return d * d;
      });
      float const s = w[c] / std::sqrt(sum_of(squares) * per_element + eps);
      vec const scale = all(s), shift = b[c] - mean * s;
      each(c, [=](long j) {
        soon_written(y + j + ahead / 4);
        store(y + j, fma(load(x + j), scale, shift));
      });
    }
  }
  [[gnu::noinline]] static void forward_backward(float const* __restrict x, float const* __restrict w,
                                                 float const* __restrict b, float const* __restrict dy,
                                                 float* __restrict y, float* __restrict dx, float* __restrict dw,
                                                 float* __restrict db) {
    for (long c = 0; c < C; ++c) {
      vec const mean = sum_everywhere(over_channel(c, [=](long j) { return load(x + j); })) * per_element;
      vec const squares = over_channel(c, [=](long j) {
        vec const d = load(x + j) - mean;
        return d * d;
      });
      float const inverse = 1 / std::sqrt(sum_of(squares) * per_element + eps), s = w[c] * inverse;
      vec const sums = over_channel(c, [=](long j) { return load(dy + j); });
      vec const products = over_channel(c, [=](long j) { return load(dy + j) * (load(x + j) - mean); });
      db[c] = sum_of(sums);
      dw[c] = sum_of(products) * inverse;
      vec const scale = all(s), shift = b[c] - mean * s, of_x = all(-s * inverse * dw[c] * per_element);
      vec const constant = -s * db[c] * per_element - mean * of_x;
      each(c, [=](long j) {
        soon_written(y + j + ahead / 4);
        soon_written(dx + j + ahead / 4);
        vec const r = load(x + j);
        store(y + j, fma(r, scale, shift));
        store(dx + j, fma(load(dy + j), scale, fma(r, of_x, constant)));
      });
    }
  }
};

#define FORWARD(NAME, SHAPE, WHO, F)                                             \
  {                                                                              \
    NAME SHAPE, WHO, [](bench::operands o) -> bench::work {                      \
      return {bench::repeated([=] { F(o.in[0], o.in[1], o.in[2], o.out[0]); })}; \
    }                                                                            \
  }
#define BACKWARD(NAME, SHAPE, F)                                                                                    \
  {                                                                                                                 \
    NAME SHAPE, "by_hand", [](bench::operands o) -> bench::work {                                                   \
      return {                                                                                                      \
          bench::repeated([=] { F(o.in[0], o.in[1], o.in[2], o.in[3], o.out[0], o.out[1], o.out[2], o.out[3]); })}; \
    }                                                                                                               \
  }
#define LAYER_NORM(N, D)                                                                                \
  FORWARD("layer_norm_forward/", #N "x" #D, "by_hand", (layer_norm_forward<N, D>)),                     \
      FORWARD("layer_norm_forward/", #N "x" #D, "by_hand_shifted", (layer_norm_forward_shifted<N, D>)), \
      BACKWARD("layer_norm_forward_backward/", #N "x" #D, (layer_norm_forward_backward<N, D>)),
#define BATCH_NORM(N, D)                                                                                    \
  FORWARD("batch_norm1d_forward/", #N "x" #D, "by_hand", (batch_norm_forward<N, D>)),                       \
      BACKWARD("batch_norm1d_forward_backward/", #N "x" #D, (batch_norm_forward_backward<N, D>)),           \
      {"batch_norm1d_evaluation/" #N "x" #D, "by_hand", [](bench::operands o) -> bench::work {              \
         return {bench::repeated(                                                                           \
             [=] { batch_norm_evaluation<N, D>(o.in[0], o.in[1], o.in[2], o.in[3], o.in[4], o.out[0]); })}; \
       }},
#define BATCH_NORM2D(N, C, H, W)                                                                        \
  FORWARD("batch_norm2d_forward/", #N "x" #C "x" #H "x" #W, "by_hand", (images<N, C, H * W>::forward)), \
      BACKWARD("batch_norm2d_forward_backward/", #N "x" #C "x" #H "x" #W, (images<N, C, H * W>::forward_backward)),

bench::implementation const all_rows[] = {BENCH_LAYER_NORM_SHAPES(LAYER_NORM) BENCH_BATCH_NORM_SHAPES(BATCH_NORM)
                                              BENCH_BATCH_NORM2D_SHAPES(BATCH_NORM2D)};

}  // namespace
