// SPDX-License-Identifier: BSL-1.0
// The norm rows in oneDNN. Images are in its own blocked layout, because plain ones take its reference path; what
// rearranging costs is not counted. Layer normalization: scale and shift are given and both gradients wanted, as
// everywhere.
#include <dnnl.hpp>

#include <memory>
#include <unordered_map>

#include "harness.hpp"
#include "normalization.hpp"

namespace {

using namespace bench;
using dnnl::memory;
auto const flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;

struct state {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::unordered_map<int, memory> at;
  std::vector<std::pair<dnnl::primitive, std::unordered_map<int, memory>>> steps;
  /// What goes back to plain layouts for the comparison.
  std::vector<std::pair<memory, memory>> results;
  memory plain(float* p, memory::dims d, memory::format_tag tag) {
    return memory({d, memory::data_type::f32, tag}, engine, p);
  }
  memory same_as(memory::desc const& d, memory from) {
    memory m(d, engine);
    dnnl::reorder(from, m).execute(stream, from, m);
    stream.wait();
    return m;
  }
};

work run(std::shared_ptr<state> s) {
  return {repeated([s] {
            for (auto& [what, with] : s->steps) what.execute(s->stream, with);
            s->stream.wait();
          }),
          [s] {
            for (auto& [from, to] : s->results) dnnl::reorder(from, to).execute(s->stream, from, to);
            s->stream.wait();
          }};
}

work layer_norm(operands o, memory::dim n, memory::dim d, bool backward) {
  auto const s = std::make_shared<state>();
  auto const of_rows = [&](float* p) { return s->plain(p, {n, d}, memory::format_tag::ab); };
  auto const of_columns = [&](float* p) { return s->plain(p, {d}, memory::format_tag::a); };
  memory const x = of_rows(o.in[0]), w = of_columns(o.in[1]), b = of_columns(o.in[2]), y = of_rows(o.out[0]);
  dnnl::layer_normalization_forward::primitive_desc const forward(
      {backward ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference, x.get_desc(), norm_eps,
       flags},
      s->engine);
  std::unordered_map<int, memory> with{{DNNL_ARG_SRC, x}, {DNNL_ARG_SCALE, w}, {DNNL_ARG_SHIFT, b}, {DNNL_ARG_DST, y}};
  if (backward)
    with[DNNL_ARG_MEAN] = memory(forward.mean_desc(), s->engine),
    with[DNNL_ARG_VARIANCE] = memory(forward.variance_desc(), s->engine);
  s->steps.emplace_back(dnnl::layer_normalization_forward(forward), with);
  if (backward) {
    memory const dy = of_rows(o.in[3]), dx = of_rows(o.out[1]), dw = of_columns(o.out[2]), db = of_columns(o.out[3]);
    dnnl::layer_normalization_backward::primitive_desc const back(
        {dnnl::prop_kind::backward, dy.get_desc(), x.get_desc(), norm_eps, flags}, s->engine, forward);
    s->steps.emplace_back(dnnl::layer_normalization_backward(back),
                          std::unordered_map<int, memory>{{DNNL_ARG_SRC, x},
                                                          {DNNL_ARG_DIFF_DST, dy},
                                                          {DNNL_ARG_SCALE, w},
                                                          {DNNL_ARG_SHIFT, b},
                                                          {DNNL_ARG_MEAN, with[DNNL_ARG_MEAN]},
                                                          {DNNL_ARG_VARIANCE, with[DNNL_ARG_VARIANCE]},
                                                          {DNNL_ARG_DIFF_SRC, dx},
                                                          {DNNL_ARG_DIFF_SCALE, dw},
                                                          {DNNL_ARG_DIFF_SHIFT, db}});
  }
  return run(s);
}

work batch_norm2d(operands o, memory::dims d, bool backward) {
  auto const s = std::make_shared<state>();
  auto const images = [&](float* p) { return s->plain(p, d, memory::format_tag::nchw); };
  auto const channels = [&](float* p) { return s->plain(p, {d[1]}, memory::format_tag::a); };
  memory::desc const blocked(d, memory::data_type::f32, memory::format_tag::nChw16c);
  memory const x = s->same_as(blocked, images(o.in[0])), w = channels(o.in[1]), b = channels(o.in[2]),
               y(blocked, s->engine);
  dnnl::batch_normalization_forward::primitive_desc const forward(
      {dnnl::prop_kind::forward_training, blocked, norm_eps, flags}, s->engine);
  memory const mean(forward.mean_desc(), s->engine), variance(forward.variance_desc(), s->engine);
  s->steps.emplace_back(dnnl::batch_normalization_forward(forward),
                        std::unordered_map<int, memory>{{DNNL_ARG_SRC, x},
                                                        {DNNL_ARG_SCALE, w},
                                                        {DNNL_ARG_SHIFT, b},
                                                        {DNNL_ARG_DST, y},
                                                        {DNNL_ARG_MEAN, mean},
                                                        {DNNL_ARG_VARIANCE, variance}});
  s->results.emplace_back(y, images(o.out[0]));
  if (backward) {
    memory const dy = s->same_as(blocked, images(o.in[3])), dx(blocked, s->engine);
    dnnl::batch_normalization_backward::primitive_desc const back(
        {dnnl::prop_kind::backward, blocked, blocked, norm_eps, flags}, s->engine, forward);
    s->steps.emplace_back(dnnl::batch_normalization_backward(back),
                          std::unordered_map<int, memory>{{DNNL_ARG_SRC, x},
                                                          {DNNL_ARG_DIFF_DST, dy},
                                                          {DNNL_ARG_SCALE, w},
                                                          {DNNL_ARG_SHIFT, b},
                                                          {DNNL_ARG_MEAN, mean},
                                                          {DNNL_ARG_VARIANCE, variance},
                                                          {DNNL_ARG_DIFF_SRC, dx},
                                                          {DNNL_ARG_DIFF_SCALE, channels(o.out[2])},
                                                          {DNNL_ARG_DIFF_SHIFT, channels(o.out[3])}});
    s->results.emplace_back(dx, images(o.out[1]));
  }
  return run(s);
}

#define LAYER_NORM(N, D)                                                                                         \
  {"layer_norm_forward/" #N "x" #D, "onednn", [](operands o) { return layer_norm(o, N, D, false); }, library},   \
      {"layer_norm_forward_backward/" #N "x" #D, "onednn", [](operands o) { return layer_norm(o, N, D, true); }, \
       library},
#define BATCH_NORM2D(N, C, H, W)                                           \
  {"batch_norm2d_forward/" #N "x" #C "x" #H "x" #W, "onednn",              \
   [](operands o) {                                                        \
     return batch_norm2d(o, {N, C, H, W}, false);                          \
   },                                                                      \
   library},                                                               \
      {"batch_norm2d_forward_backward/" #N "x" #C "x" #H "x" #W, "onednn", \
       [](operands o) {                                                    \
         return batch_norm2d(o, {N, C, H, W}, true);                       \
       },                                                                  \
       library},

implementation const all[] = {BENCH_LAYER_NORM_SHAPES(LAYER_NORM) BENCH_BATCH_NORM2D_SHAPES(BATCH_NORM2D)};

}  // namespace
