// SPDX-License-Identifier: BSL-1.0
// Softmax with cross-entropy in libtorch: its own operators, without autograd.
#include <ATen/ATen.h>

#include <cstring>
#include <memory>

#include "harness.hpp"
#include "softmax.hpp"
#include "torch_side.hpp"

namespace {

using namespace bench;

work forward_backward(operands o, std::int64_t n, std::int64_t c) {
  one_thread();
  struct results {
    at::Tensor loss, gradient;
  };
  auto const last = std::make_shared<results>();
  auto const z = wrap(o.in[0], {n, c}), one = at::ones({});
  auto const labels = torch::from_blob(o.in[1], {n}, torch::kInt32).to(torch::kInt64);
  return {repeated([=] {
            at::NoGradGuard const no_gradients;
            auto const p = at::_log_softmax(z, 1, false);
            auto const [loss, weight] = at::nll_loss_forward(p, labels, {}, at::Reduction::Mean, -100);
            auto const dp = at::nll_loss_backward(one, p, labels, {}, at::Reduction::Mean, -100, weight);
            *last = {loss, at::_log_softmax_backward_data(dp, p, 1, at::kFloat)};
          }),
          [=] {
            *o.out[0] = last->loss.item<float>();
            std::memcpy(o.out[1], last->gradient.data_ptr<float>(), sizeof(float) * static_cast<std::size_t>(n * c));
          }};
}

#define ROW(N, C)                                                                                                      \
  {"softmax_cross_entropy_forward_backward/" #N "x" #C, "torch", [](operands o) { return forward_backward(o, N, C); }, \
   library},
implementation const all[] = {BENCH_SOFTMAX_SHAPES(ROW)};

}  // namespace
