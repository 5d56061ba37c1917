// SPDX-License-Identifier: BSL-1.0
// The expression rows in libtorch; the gradient by its autograd.
#include <torch/torch.h>

#include <array>
#include <cstring>
#include <memory>

#include "expressions.hpp"
#include "harness.hpp"
#include "torch_side.hpp"

namespace {

using namespace bench;

template <class F>
work of_vector(operands o, F f) {
  one_thread();
  auto const x = wrap(o.in[0], {million});
  auto y = wrap(o.out[0], {});
  return {repeated([=]() mutable {
    at::NoGradGuard const no_gradients;
    f(y, x);
  })};
}
work energy(operands o) {
  one_thread();
  auto const a = wrap(o.in[0], {million}), b = wrap(o.in[1], {million}), c = wrap(o.in[2], {million});
  auto y = wrap(o.out[0], {});
  return {repeated([=]() mutable {
    at::NoGradGuard const no_gradients;
    auto e = c.exp();
    e.addcmul_(a, b);
    y.copy_(e.sum());
  })};
}
/// Gradients are new tensors, as always there; they are copied for the comparison only.
template <int N>
work gradient(operands o) {
  one_thread();
  struct state {
    std::array<torch::Tensor, 3> x;
    torch::Tensor value;
  };
  auto const s = std::make_shared<state>();
  for (std::size_t i = 0; i < 3; ++i) s->x[i] = wrap(o.in[i], {N}).requires_grad_();
  return {repeated([=] {
            for (auto& x : s->x) x.mutable_grad() = torch::Tensor();
            s->value = (s->x[0] * s->x[1] + s->x[2].exp()).sum();
            s->value.backward();
          }),
          [=] {
            *o.out[0] = s->value.template item<float>();
            for (std::size_t i = 0; i < 3; ++i)
              std::memcpy(o.out[i + 1], s->x[i].grad().contiguous().template data_ptr<float>(), sizeof(float) * N);
          }};
}

implementation const all[] = {
    {"sum_ab_exp_c/1M", "torch", energy, library},
    {"sum_ab_exp_c_gradient/1M", "torch", gradient<million>, library},
    {"sum_ab_exp_c_gradient/1000", "torch", gradient<thousand>, library},
    {"sum/1M", "torch",
     [](operands o) { return of_vector(o, [](at::Tensor& y, at::Tensor const& x) { y.copy_(x.sum()); }); }, library},
    {"logsumexp/1M", "torch",
     [](operands o) {
       return of_vector(o, [](at::Tensor& y, at::Tensor const& x) { y.copy_(at::logsumexp(x, {0})); });
     },
     library},
};

}  // namespace
