// SPDX-License-Identifier: BSL-1.0
// Recurrent layers in libtorch: at::lstm and at::gru, without gradients or with autograd.
#include <torch/torch.h>

#include <array>
#include <cstring>
#include <memory>

#include "harness.hpp"
#include "recurrent.hpp"
#include "torch_side.hpp"

namespace {

using namespace bench;

struct state {
  recurrent_shape s;
  operands o;
  at::Tensor x, h, dy, y;
  std::vector<at::Tensor> parameters, gradients;
  state(recurrent_shape shape, operands in, bool backward) : s{shape}, o{in} {
    one_thread();
    int const g = s.gates * s.h;
    x = wrap(o.in[0], {s.t, s.b, s.i}).requires_grad_(backward);
    h = at::zeros({1, s.b, s.h});
    dy = wrap(o.in[5], {s.t, s.b, s.h});
    parameters = {wrap(o.in[1], {s.i, g}).t().contiguous(), wrap(o.in[2], {s.h, g}).t().contiguous(),
                  wrap(o.in[3], {g}).clone(), wrap(o.in[4], {g}).clone()};  // a weight is (out, in) here
    for (auto& p : parameters) p.requires_grad_(backward);
  }
  at::Tensor outputs(bool backward) const {
    if (s.gates == 4) return std::get<0>(at::lstm(x, {h, h}, parameters, true, 1, 0., backward, false, false));
    return std::get<0>(at::gru(x, h, parameters, true, 1, 0., backward, false, false));
  }
  void forward() {
    c10::InferenceMode const no_gradients;
    y = outputs(false);
  }
  void forward_backward() {
    std::vector<at::Tensor> by{x};
    by.insert(by.end(), parameters.begin(), parameters.end());
    gradients = torch::autograd::grad({outputs(true)}, by, {dy});
  }
  void write(at::Tensor const& from, int number) const {
    auto const plain = from.detach().contiguous();
    std::memcpy(o.out[number], plain.data_ptr<float>(), sizeof(float) * static_cast<std::size_t>(plain.numel()));
  }
  void write_gradients() const {
    for (int k = 0; k < 5; ++k) write(k == 1 || k == 2 ? gradients[k].t() : gradients[k], k);
  }
};

work layer(recurrent_shape shape, operands o, bool backward) {
  auto const s = std::make_shared<state>(shape, o, backward);
  if (backward) return {repeated([=] { s->forward_backward(); }), [=] { s->write_gradients(); }};
  return {repeated([=] { s->forward(); }), [=] { s->write(s->y, 0); }};
}
struct rows {
  implementation own[2];
  explicit rows(recurrent_shape s)
      : own{{s.name(false), "torch", [s](operands o) { return layer(s, o, false); }, library},
            {s.name(true), "torch", [s](operands o) { return layer(s, o, true); }, library}} {}
};

#define LAYERS(...) rows{recurrent_shape{4, __VA_ARGS__}}, rows{recurrent_shape{3, __VA_ARGS__}},
rows const all_rows[] = {BENCH_RECURRENT_SHAPES(LAYERS)};

}  // namespace
