// SPDX-License-Identifier: BSL-1.0
// Softmax with cross-entropy in oneDNN: its softmax, and a loop over rows for the loss and the labels' gradients.
#include <dnnl.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "harness.hpp"
#include "softmax.hpp"

namespace {

using namespace bench;
using dnnl::memory;

struct state {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::softmax_forward softmax;
  std::unordered_map<int, memory> operands;
};

template <int N, int C>
work forward_backward(operands o) {
  auto const s = std::make_shared<state>();
  memory::desc const rows({N, C}, memory::data_type::f32, memory::format_tag::ab);
  s->softmax = dnnl::softmax_forward({{dnnl::prop_kind::forward_inference, rows, 1}, s->engine});
  s->operands = {{DNNL_ARG_SRC, memory(rows, s->engine, o.in[0])}, {DNNL_ARG_DST, memory(rows, s->engine, o.out[1])}};
  return {repeated([=] {
    s->softmax.execute(s->stream, s->operands);
    s->stream.wait();
    float loss = 0, *gradient = o.out[1];
    for (int i = 0; i < N; ++i, gradient += C) {
      int const label = o.labels(1)[i];
      loss -= std::log(gradient[label]);
      gradient[label] -= 1;
      for (int j = 0; j < C; ++j) gradient[j] *= 1.f / N;
    }
    *o.out[0] = loss / N;
  })};
}

#define ROW(N, C) {"softmax_cross_entropy_forward_backward/" #N "x" #C, "onednn", forward_backward<N, C>, library},
implementation const all[] = {BENCH_SOFTMAX_SHAPES(ROW)};

}  // namespace
