// SPDX-License-Identifier: BSL-1.0
// Attention and Transformer layers in libtorch: at::scaled_dot_product_attention, without gradients or with autograd.
#include <torch/torch.h>

#include <cstring>
#include <memory>

#include "attention.hpp"
#include "harness.hpp"
#include "torch_side.hpp"

namespace {

using namespace bench;

struct state {
  std::vector<at::Tensor> by, results;
  at::Tensor dy;
  std::vector<float*> out;
  std::vector<bool> transposed;
  void write() const {
    for (std::size_t k = 0; k < results.size(); ++k) {
      auto const plain = (transposed[k] ? results[k].t() : results[k]).detach().contiguous();
      std::memcpy(out[k], plain.data_ptr<float>(), sizeof(float) * static_cast<std::size_t>(plain.numel()));
    }
  }
};
/// function(operands) -> result; backward: the gradients of all operands.
template <class F>
work timed(std::shared_ptr<state> const& s, F function, bool backward) {
  if (!backward)
    return {repeated([=] {
              c10::InferenceMode const no_gradients;
              s->results = {function(s->by)};
            }),
            [=] { s->write(); }};
  return {repeated([=] { s->results = torch::autograd::grad({function(s->by)}, s->by, {s->dy}); }),
          [=] { s->write(); }};
}

work attention(attention_shape shape, operands o, bool backward) {
  one_thread();
  auto const s = std::make_shared<state>();
  for (int k = 0; k < 3; ++k)
    s->by.push_back(wrap(o.in[k], {shape.b, shape.h, shape.t, shape.d}).requires_grad_(backward));
  s->dy = wrap(o.in[3], {shape.b, shape.h, shape.t, shape.d});
  for (int k = 0; k < (backward ? 3 : 1); ++k) s->out.push_back(o.out[k]);
  s->transposed.assign(3, false);
  bool const causal = shape.causal;
  return timed(
      s,
      [causal](std::vector<at::Tensor> const& x) {
        return at::scaled_dot_product_attention(x[0], x[1], x[2], {}, 0., causal);
      },
      backward);
}

work encoder(encoder_shape shape, operands o, bool backward) {
  one_thread();
  auto const s = std::make_shared<state>();
  s->by.push_back(wrap(o.in[0], {shape.b, shape.t, shape.e}).requires_grad_(backward));
  s->dy = wrap(o.in[1], {shape.b, shape.t, shape.e});
  s->out.push_back(o.out[0]);
  s->transposed.push_back(false);
  int number = 2;
  for (auto const& p : shape.parameters()) {
    bool const matrix = p.size() == 2;  // a weight is (out, in) here
    at::Tensor const all = wrap(o.in[number], {p.begin(), p.end()});
    s->by.push_back((matrix ? all.t().contiguous() : all.clone()).requires_grad_(backward));
    s->transposed.push_back(matrix);
    if (backward) s->out.push_back(o.out[number - 1]);
    ++number;
  }
  return timed(
      s,
      [shape](std::vector<at::Tensor> const& a) {
        auto const [b, t, e, heads, hidden] = shape;
        auto const norm = [&](at::Tensor const& x, int weight) {
          return at::layer_norm(x, {e}, a[weight], a[weight + 1]);
        };
        auto const split =
            at::linear(norm(a[0], 9), a[1], a[2]).view({b, t, 3, heads, e / heads}).permute({2, 0, 3, 1, 4});
        auto const mixed = at::scaled_dot_product_attention(split[0], split[1], split[2], {}, 0., true);
        auto const x = a[0] + at::linear(mixed.transpose(1, 2).reshape({b, t, e}), a[3], a[4]);
        return x + at::linear(at::gelu(at::linear(norm(x, 11), a[5], a[6])), a[7], a[8]);
      },
      backward);
}

template <class Shape>
struct rows {
  implementation own[2];
  template <class F>
  rows(Shape s, F f)
      : own{{s.name(false), "torch", [=](operands o) { return f(s, o, false); }, library},
            {s.name(true), "torch", [=](operands o) { return f(s, o, true); }, library}} {}
};

#define ATTENTION(...) rows{attention_shape{__VA_ARGS__}, attention},
rows<attention_shape> const attention_rows[] = {BENCH_ATTENTION_SHAPES(ATTENTION)};
#define ENCODER(...) rows{encoder_shape{__VA_ARGS__}, encoder},
rows<encoder_shape> const encoder_rows[] = {BENCH_ENCODER_SHAPES(ENCODER)};

}  // namespace
