// SPDX-License-Identifier: BSL-1.0
// The norm rows in Eigen: extents that the compiler knows, a loop over rows, everything of a row while it is in the
// first cache level.
#include <Eigen/Core>

#include "harness.hpp"
#include "normalization.hpp"

namespace {

template <int D>
using row_of = Eigen::Array<float, D, 1>;
template <int D>
using row_at = Eigen::Map<row_of<D>, Eigen::Aligned64>;
template <int D>
using const_row_at = Eigen::Map<row_of<D> const, Eigen::Aligned64>;
constexpr float eps = bench::norm_eps;

template <int N, int D>
void layer_norm_forward(float const* x, float const* w, float const* b, float* y) {
  const_row_at<D> const weight(w), bias(b);
  for (long i = 0; i < N; ++i, x += D, y += D) {
    const_row_at<D> const r(x);
    float const mean = r.mean();
    float const inverse = 1 / std::sqrt((r - mean).square().mean() + eps);
    row_at<D>{y} = (r - mean) * inverse * weight + bias;
  }
}

template <int N, int D>
void layer_norm_forward_backward(float const* x, float const* w, float const* b, float const* dy, float* y, float* dx,
                                 float* dw, float* db) {
  const_row_at<D> const weight(w), bias(b);
  row_at<D> dweight(dw), dbias(db);
  dweight.setZero();
  dbias.setZero();
  row_of<D> h, g;
  for (long i = 0; i < N; ++i, x += D, dy += D, y += D, dx += D) {
    const_row_at<D> const r(x), gradient(dy);
    float const mean = r.mean();
    float const inverse = 1 / std::sqrt((r - mean).square().mean() + eps);
    h = (r - mean) * inverse;
    row_at<D>{y} = h * weight + bias;
    dweight += gradient * h;
    dbias += gradient;
    g = gradient * weight;
    float const mean_g = g.mean(), mean_gh = (g * h).mean();
    row_at<D>{dx} = (g - mean_g - h * mean_gh) * inverse;
  }
}

/// Mean and 1 / sqrt(variance + eps) of each column; four rows in a sweep.
template <int N, int D>
void column_statistics(float const* x, row_of<D>& mean, row_of<D>& inverse) {
  static_assert(N % 4 == 0);
  mean.setZero();
  for (float const* r = x; r != x + N * D; r += 4 * D)
    mean += (const_row_at<D>(r) + const_row_at<D>(r + D)) + (const_row_at<D>(r + 2 * D) + const_row_at<D>(r + 3 * D));
  mean /= N;
  inverse.setZero();
  for (float const* r = x; r != x + N * D; r += 4 * D)
    inverse += ((const_row_at<D>(r) - mean).square() + (const_row_at<D>(r + D) - mean).square()) +
               ((const_row_at<D>(r + 2 * D) - mean).square() + (const_row_at<D>(r + 3 * D) - mean).square());
  inverse = 1 / (inverse / N + eps).sqrt();
}

template <int N, int D>
void scale_rows(float const* x, row_of<D> const& scale, row_of<D> const& shift, float* y) {
  for (long i = 0; i < N; ++i, x += D, y += D) row_at<D>{y} = const_row_at<D>(x) * scale + shift;
}

template <int N, int D>
void batch_norm_forward(float const* x, float const* w, float const* b, float* y) {
  row_of<D> mean, inverse;
  column_statistics<N, D>(x, mean, inverse);
  row_of<D> const scale = inverse * const_row_at<D>(w), shift = const_row_at<D>(b) - mean * scale;
  scale_rows<N, D>(x, scale, shift, y);
}

template <int N, int D>
void batch_norm_evaluation(float const* x, float const* w, float const* b, float const* mean, float const* variance,
                           float* y) {
  row_of<D> const scale = const_row_at<D>(w) / (const_row_at<D>(variance) + eps).sqrt(),
                  shift = const_row_at<D>(b) - const_row_at<D>(mean) * scale;
  scale_rows<N, D>(x, scale, shift, y);
}

template <int N, int D>
void batch_norm_forward_backward(float const* x, float const* w, float const* b, float const* dy, float* y, float* dx,
                                 float* dw, float* db) {
  row_of<D> mean, inverse;
  column_statistics<N, D>(x, mean, inverse);
  row_of<D> scale = inverse * const_row_at<D>(w), shift = const_row_at<D>(b) - mean * scale;
  row_at<D> dweight(dw), dbias(db);
  dweight.setZero();
  dbias.setZero();
  for (long i = 0; i < N; i += 2) {
    const_row_at<D> const x0(x + i * D), x1(x + i * D + D), d0(dy + i * D), d1(dy + i * D + D);
    row_at<D>{y + i* D} = x0 * scale + shift;
    row_at<D>{y + i* D + D} = x1 * scale + shift;
    dbias += d0 + d1;
    dweight += d0 * (x0 - mean) + d1 * (x1 - mean);
  }
  dweight *= inverse;
  row_of<D> const of_x = -scale * inverse * dweight / N;
  shift = -scale * dbias / N - mean * of_x;
  for (long i = 0; i < N; ++i)
    row_at<D>{dx + i* D} = const_row_at<D>(dy + i * D) * scale + const_row_at<D>(x + i * D) * of_x + shift;
}

template <int N, int C, int P>
struct images {
  template <class F>
  static void of_channel(int c, F&& f) {
    for (long n = 0; n < N; ++n) f((n * C + c) * P);
  }
  struct statistics {
    float mean, inverse;
  };
  static statistics channel_statistics(float const* x, int c) {
    float sum = 0, squares = 0;
    of_channel(c, [&](long at) { sum += const_row_at<P>(x + at).sum(); });
    float const mean = sum / (N * P);
    of_channel(c, [&](long at) { squares += (const_row_at<P>(x + at) - mean).square().sum(); });
    return {mean, 1 / std::sqrt(squares / (N * P) + eps)};
  }
  static void forward(float const* x, float const* w, float const* b, float* y) {
    for (int c = 0; c < C; ++c) {
      auto const [mean, inverse] = channel_statistics(x, c);
      float const scale = inverse * w[c], shift = b[c] - mean * scale;
      of_channel(c, [&, s = scale](long at) { row_at<P>(y + at) = const_row_at<P>(x + at) * s + shift; });
    }
  }
  static void forward_backward(float const* x, float const* w, float const* b, float const* dy, float* y, float* dx,
                               float* dw, float* db) {
    for (int c = 0; c < C; ++c) {
      auto const found = channel_statistics(x, c);
      float const mean = found.mean, inverse = found.inverse, scale = inverse * w[c], shift = b[c] - mean * scale;
      float sum = 0, products = 0;
      of_channel(c, [&](long at) {
        row_at<P>(y + at) = const_row_at<P>(x + at) * scale + shift;
        sum += const_row_at<P>(dy + at).sum();
        products += (const_row_at<P>(dy + at) * (const_row_at<P>(x + at) - mean)).sum();
      });
      db[c] = sum;
      dw[c] = products * inverse;
      float const of_x = -scale * inverse * dw[c] / (N * P), constant = -scale * sum / (N * P) - mean * of_x;
      of_channel(c, [&](long at) {
        row_at<P>(dx + at) = const_row_at<P>(dy + at) * scale + const_row_at<P>(x + at) * of_x + constant;
      });
    }
  }
};

#define FORWARD(NAME, SHAPE, F)                                                  \
  {                                                                              \
    NAME SHAPE, "eigen", [](bench::operands o) -> bench::work {                  \
      return {bench::repeated([=] { F(o.in[0], o.in[1], o.in[2], o.out[0]); })}; \
    }                                                                            \
  }
#define BACKWARD(NAME, SHAPE, F)                                                                                    \
  {                                                                                                                 \
    NAME SHAPE, "eigen", [](bench::operands o) -> bench::work {                                                     \
      return {                                                                                                      \
          bench::repeated([=] { F(o.in[0], o.in[1], o.in[2], o.in[3], o.out[0], o.out[1], o.out[2], o.out[3]); })}; \
    }                                                                                                               \
  }
#define LAYER_NORM(N, D)                                                 \
  FORWARD("layer_norm_forward/", #N "x" #D, (layer_norm_forward<N, D>)), \
      BACKWARD("layer_norm_forward_backward/", #N "x" #D, (layer_norm_forward_backward<N, D>)),
#define BATCH_NORM(N, D)                                                                                    \
  FORWARD("batch_norm1d_forward/", #N "x" #D, (batch_norm_forward<N, D>)),                                  \
      BACKWARD("batch_norm1d_forward_backward/", #N "x" #D, (batch_norm_forward_backward<N, D>)),           \
      {"batch_norm1d_evaluation/" #N "x" #D, "eigen", [](bench::operands o) -> bench::work {                \
         return {bench::repeated(                                                                           \
             [=] { batch_norm_evaluation<N, D>(o.in[0], o.in[1], o.in[2], o.in[3], o.in[4], o.out[0]); })}; \
       }},
#define BATCH_NORM2D(N, C, H, W)                                                             \
  FORWARD("batch_norm2d_forward/", #N "x" #C "x" #H "x" #W, (images<N, C, H * W>::forward)), \
      BACKWARD("batch_norm2d_forward_backward/", #N "x" #C "x" #H "x" #W, (images<N, C, H * W>::forward_backward)),

bench::implementation const all[] = {BENCH_LAYER_NORM_SHAPES(LAYER_NORM) BENCH_BATCH_NORM_SHAPES(BATCH_NORM)
                                         BENCH_BATCH_NORM2D_SHAPES(BATCH_NORM2D)};

}  // namespace
