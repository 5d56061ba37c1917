// SPDX-License-Identifier: BSL-1.0
// The convolution rows in oneDNN: each operand in the layout that it asks for, what rearranging costs is not counted.
// onednn_winograd multiplies less: another method, for kernels of 3x3 without steps, with larger errors.
#include <dnnl.hpp>

#include <memory>
#include <unordered_map>

#include "conv2d.hpp"
#include "harness.hpp"

namespace {

using namespace bench;
using dnnl::memory, dnnl::algorithm;

struct state {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::primitive what;
  std::unordered_map<int, memory> with;
  memory result, plain_result;

  void move(memory from, memory to) {
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  }
  memory moved(memory from, memory::desc const& d) {
    memory m(d, engine);
    move(from, m);
    return m;
  }
};

/// which: as conv2d_works.
work convolution(operands o, conv2d_shape const& s, int which, algorithm how) {
  using namespace dnnl;
  auto const all = std::make_shared<state>();
  memory::dims const x_dims{s.n, s.c, s.h, s.w}, y_dims{s.n, s.o, s.rows(), s.columns()},
      w_dims = s.groups == 1 ? memory::dims{s.o, s.c, s.k, s.k}
                             : memory::dims{s.groups, s.o / s.groups, s.inputs(), s.k, s.k};
  auto const plain = [&](float* p, memory::dims const& d, memory::format_tag tag) {
    return memory({d, memory::data_type::f32, tag}, all->engine, p);
  };
  auto const any = [](memory::dims const& d) {
    return memory::desc(d, memory::data_type::f32, memory::format_tag::any);
  };
  auto const images = [&](float* p) { return plain(p, x_dims, memory::format_tag::nhwc); };
  auto const kernels = [&](float* p) {
    return plain(p, w_dims, s.groups == 1 ? memory::format_tag::hwio : memory::format_tag::hwigo);
  };
  auto const results = [&](float* p) { return plain(p, y_dims, memory::format_tag::nhwc); };
  memory::desc const x = any(x_dims), w = any(w_dims), y = any(y_dims);
  memory::dims const strides{s.stride, s.stride}, before{s.padding, s.padding};
  memory::dims const after{(s.rows() - 1) * s.stride + s.k - s.h - s.padding,
                           (s.columns() - 1) * s.stride + s.k - s.w - s.padding};
  auto const kind = which == 0 ? prop_kind::forward_inference : prop_kind::forward_training;
  convolution_forward::primitive_desc const forward(
      {kind, which == 0 ? how : algorithm::convolution_auto, x, w, y, strides, before, after}, all->engine);
  if (which == 0) {
    all->what = convolution_forward(forward);
    all->result = memory(forward.dst_desc(), all->engine), all->plain_result = results(o.out[0]);
    all->with = {{DNNL_ARG_SRC, all->moved(images(o.in[0]), forward.src_desc())},
                 {DNNL_ARG_WEIGHTS, all->moved(kernels(o.in[1]), forward.weights_desc())},
                 {DNNL_ARG_DST, all->result}};
  } else if (which == 1) {
    convolution_backward_data::primitive_desc const d({how, x, w, y, strides, before, after}, all->engine, forward);
    all->what = convolution_backward_data(d);
    all->result = memory(d.diff_src_desc(), all->engine), all->plain_result = images(o.out[0]);
    all->with = {{DNNL_ARG_DIFF_DST, all->moved(results(o.in[2]), d.diff_dst_desc())},
                 {DNNL_ARG_WEIGHTS, all->moved(kernels(o.in[1]), d.weights_desc())},
                 {DNNL_ARG_DIFF_SRC, all->result}};
  } else {
    convolution_backward_weights::primitive_desc const d({how, x, w, y, strides, before, after}, all->engine, forward);
    all->what = convolution_backward_weights(d);
    all->result = memory(d.diff_weights_desc(), all->engine), all->plain_result = kernels(o.out[0]);
    all->with = {{DNNL_ARG_DIFF_DST, all->moved(results(o.in[2]), d.diff_dst_desc())},
                 {DNNL_ARG_SRC, all->moved(images(o.in[0]), d.src_desc())},
                 {DNNL_ARG_DIFF_WEIGHTS, all->result}};
  }
  return {repeated([=] {
            all->what.execute(all->stream, all->with);
            all->stream.wait();
          }),
          [=] { all->move(all->result, all->plain_result); }};
}

struct rows {
  implementation own[3];
  explicit rows(conv2d_shape s)
      : own{{conv2d_works[0] + s.name(), "onednn",
             [s](operands o) { return convolution(o, s, 0, algorithm::convolution_direct); }, library},
            {conv2d_works[1] + s.name(), "onednn",
             [s](operands o) { return convolution(o, s, 1, algorithm::convolution_direct); }, library},
            {conv2d_works[2] + s.name(), "onednn",
             [s](operands o) { return convolution(o, s, 2, algorithm::convolution_direct); }, library}} {
    for (int which = 0; which < 3 && s.k == 3 && s.stride == 1 && s.groups == 1; ++which)
      implementation(
          conv2d_works[which] + s.name(), "onednn_winograd",
          [s, which](operands o) -> work {
            try {
              return convolution(o, s, which, algorithm::convolution_winograd);
            } catch (dnnl::error const&) {
              return {};
            }
          },
          library);
  }
};

#define ROWS(...) rows{conv2d_shape{__VA_ARGS__}},
rows const all_rows[] = {BENCH_CONV2D_SHAPES(ROWS)};

}  // namespace
