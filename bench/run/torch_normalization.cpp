// SPDX-License-Identifier: BSL-1.0
// The norm rows in libtorch: its own operators, without autograd. Results are new tensors, as always there; they are
// copied for the comparison only.
#include <ATen/ATen.h>

#include <array>
#include <memory>
#include <type_traits>

#include "harness.hpp"
#include "normalization.hpp"
#include "torch_side.hpp"

namespace {

using namespace bench;
constexpr double eps = norm_eps;

/// f gives the results in the order of the row's outputs.
template <class F>
work results_of(operands o, F f) {
  using results = std::invoke_result_t<F>;
  auto const last = std::make_shared<results>();
  return {repeated([=] {
            at::NoGradGuard const no_gradients;
            *last = f();
          }),
          [=] {
            for (std::size_t i = 0; i < last->size(); ++i)
              std::memcpy(o.out[i], (*last)[i].contiguous().template data_ptr<float>(),
                          sizeof(float) * static_cast<std::size_t>((*last)[i].numel()));
          }};
}

work layer_norm(operands o, std::int64_t n, std::int64_t d, bool backward) {
  one_thread();
  auto const x = wrap(o.in[0], {n, d}), w = wrap(o.in[1], {d}), b = wrap(o.in[2], {d});
  if (!backward)
    return results_of(o, [=] { return std::array{std::get<0>(at::native_layer_norm(x, {d}, w, b, eps))}; });
  auto const dy = wrap(o.in[3], {n, d});
  return results_of(o, [=] {
    auto const [y, mean, inverse] = at::native_layer_norm(x, {d}, w, b, eps);
    auto const [dx, dw, db] = at::native_layer_norm_backward(dy, x, {d}, mean, inverse, w, b, {true, true, true});
    return std::array{y, dx, dw, db};
  });
}
work batch_norm(operands o, std::vector<std::int64_t> const& shape, bool backward) {
  one_thread();
  auto const x = wrap(o.in[0], shape), w = wrap(o.in[1], {shape[1]}), b = wrap(o.in[2], {shape[1]});
  if (!backward)
    return results_of(o,
                      [=] { return std::array{std::get<0>(at::native_batch_norm(x, w, b, {}, {}, true, 0.1, eps))}; });
  auto const dy = wrap(o.in[3], shape);
  return results_of(o, [=] {
    auto const [y, mean, inverse] = at::native_batch_norm(x, w, b, {}, {}, true, 0.1, eps);
    auto const [dx, dw, db] =
        at::native_batch_norm_backward(dy, x, w, {}, {}, mean, inverse, true, eps, {true, true, true});
    return std::array{y, dx, dw, db};
  });
}
work batch_norm_evaluation(operands o, std::int64_t n, std::int64_t d) {
  one_thread();
  auto const x = wrap(o.in[0], {n, d}), w = wrap(o.in[1], {d}), b = wrap(o.in[2], {d}), mean = wrap(o.in[3], {d}),
             variance = wrap(o.in[4], {d});
  return results_of(
      o, [=] { return std::array{std::get<0>(at::native_batch_norm(x, w, b, mean, variance, false, 0.1, eps))}; });
}

#define LAYER_NORM(N, D)                                                                                        \
  {"layer_norm_forward/" #N "x" #D, "torch", [](operands o) { return layer_norm(o, N, D, false); }, library},   \
      {"layer_norm_forward_backward/" #N "x" #D, "torch", [](operands o) { return layer_norm(o, N, D, true); }, \
       library},
#define BATCH_NORM(N, D)                                                                                         \
  {"batch_norm1d_forward/" #N "x" #D, "torch",                                                                   \
   [](operands o) {                                                                                              \
     return batch_norm(o, {N, D}, false);                                                                        \
   },                                                                                                            \
   library},                                                                                                     \
      {"batch_norm1d_forward_backward/" #N "x" #D, "torch",                                                      \
       [](operands o) {                                                                                          \
         return batch_norm(o, {N, D}, true);                                                                     \
       },                                                                                                        \
       library},                                                                                                 \
      {"batch_norm1d_evaluation/" #N "x" #D, "torch", [](operands o) { return batch_norm_evaluation(o, N, D); }, \
       library},
#define BATCH_NORM2D(N, C, H, W)                                          \
  {"batch_norm2d_forward/" #N "x" #C "x" #H "x" #W, "torch",              \
   [](operands o) {                                                       \
     return batch_norm(o, {N, C, H, W}, false);                           \
   },                                                                     \
   library},                                                              \
      {"batch_norm2d_forward_backward/" #N "x" #C "x" #H "x" #W, "torch", \
       [](operands o) {                                                   \
         return batch_norm(o, {N, C, H, W}, true);                        \
       },                                                                 \
       library},

implementation const all[] = {BENCH_LAYER_NORM_SHAPES(LAYER_NORM) BENCH_BATCH_NORM_SHAPES(BATCH_NORM)
                                  BENCH_BATCH_NORM2D_SHAPES(BATCH_NORM2D)};

}  // namespace
