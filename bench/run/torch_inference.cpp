// SPDX-License-Identifier: BSL-1.0
// The inference rows in libtorch: its operators on tensors that are there, without autograd.
#include <ATen/ATen.h>

#include <array>

#include "harness.hpp"
#include "inference.hpp"
#include "torch_side.hpp"

namespace {

using namespace bench;

work net(operands o, std::int64_t in, std::int64_t a, std::int64_t b, std::int64_t out) {
  one_thread();
  auto const x = wrap(o.in[0], {1, in});
  auto const parameters = std::array{wrap(o.in[1], {in, a}), wrap(o.in[2], {a}),      wrap(o.in[3], {a, b}),
                                     wrap(o.in[4], {b}),     wrap(o.in[5], {b, out}), wrap(o.in[6], {out})};
  auto const hidden = std::array{at::empty({1, a}), at::empty({1, b})};
  auto const y = wrap(o.out[0], {1, out});
  return {[=](long times) {
    c10::InferenceMode const no_gradients;
    auto p = parameters;
    auto first = hidden[0], second = hidden[1], last = y;
    repeated([&] {
      at::addmm_out(first, p[1], x, p[0]).relu_();
      at::addmm_out(second, p[3], first, p[2]).relu_();
      at::addmm_out(last, p[5], second, p[4]);
    })(times);
  }};
}

#define NET(IN, A, B, OUT) \
  {"inference/" #IN "-" #A "-" #B "-" #OUT, "torch", [](operands o) { return net(o, IN, A, B, OUT); }, library},
implementation const all[] = {BENCH_INFERENCE_NETS(NET)};

}  // namespace
