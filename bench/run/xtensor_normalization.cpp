// SPDX-License-Identifier: BSL-1.0
// Layer normalization forward and batch normalization in evaluation in xtensor, row by row.
#include "xtensor_side.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include "harness.hpp"
#include "normalization.hpp"

namespace {

using namespace bench;

template <std::size_t N, std::size_t D>
void layer_norm(operands o, float* scratch) {
  auto const w = wrap(o.in[1], D), b = wrap(o.in[2], D);
  auto halves = wrap(scratch, D / 2);
  for (std::size_t i = 0; i < N; ++i) {
    float *const at = o.in[0] + i * D, *const to = o.out[0] + i * D;
    auto const x = wrap(at, D), low = wrap(at, D / 2), high = wrap(at + D / 2, D / 2);
    auto y = wrap(to, D);
    xt::noalias(halves) = low + high;
    float const mean = sum_destroying(scratch, D / 2) / D;
    xt::noalias(halves) = (low - mean) * (low - mean) + (high - mean) * (high - mean);
    float const inverse = 1 / std::sqrt(sum_destroying(scratch, D / 2) / D + norm_eps);
    xt::noalias(y) = (x - mean) * inverse * w + b;
  }
}
template <std::size_t N, std::size_t D>
void evaluation(operands o, float* scratch) {
  auto gain = wrap(scratch, D), offset = wrap(scratch + D, D);
  auto const w = wrap(o.in[1], D), b = wrap(o.in[2], D), mean = wrap(o.in[3], D), variance = wrap(o.in[4], D);
  xt::noalias(gain) = w / xt::sqrt(variance + norm_eps);
  xt::noalias(offset) = b - mean * gain;
  for (std::size_t i = 0; i < N; ++i) {
    auto y = wrap(o.out[0] + i * D, D);
    xt::noalias(y) = wrap(o.in[0] + i * D, D) * gain + offset;
  }
}

work with_scratch(void (*f)(operands, float*), operands o, std::size_t count) {
  auto const scratch = std::make_shared<xt::uvector<float>>(count);
  return {repeated([=] { f(o, scratch->data()); })};
}

#define LAYER_NORM(N, D) \
  {"layer_norm_forward/" #N "x" #D, "xtensor", [](operands o) { return with_scratch(layer_norm<N, D>, o, D); }},
#define BATCH_NORM(N, D)                            \
  {"batch_norm1d_evaluation/" #N "x" #D, "xtensor", \
   [](operands o) { return with_scratch(evaluation<N, D>, o, 2 * D); }},
implementation const all[] = {BENCH_LAYER_NORM_SHAPES(LAYER_NORM) BENCH_BATCH_NORM_SHAPES(BATCH_NORM)};

}  // namespace
