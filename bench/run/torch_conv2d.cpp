// SPDX-License-Identifier: BSL-1.0
// The convolution rows in libtorch: its own operators, without autograd, on operands with channels last or second,
// whichever is faster. Results are new tensors, as always there; they are copied for the comparison only.
#include <ATen/ATen.h>

#include <array>
#include <cstring>
#include <memory>

#include "conv2d.hpp"
#include "harness.hpp"
#include "torch_side.hpp"

namespace {

using namespace bench;

work convolution(operands o, conv2d_shape const& s, int which, at::MemoryFormat layout) {
  one_thread();
  // (N, C, H, W) and (O, C / groups, K, K), as torch says them.
  auto const x = wrap(o.in[0], {s.n, s.h, s.w, s.c}).permute({0, 3, 1, 2}).contiguous(layout);
  auto const w = wrap(o.in[1], {s.k, s.k, s.inputs(), s.o}).permute({3, 2, 0, 1}).contiguous(layout);
  auto const last = std::make_shared<at::Tensor>();
  std::vector<std::int64_t> const strides{s.stride, s.stride}, padding{s.padding, s.padding}, one{1, 1}, zero{0, 0};
  std::int64_t const groups = s.groups;
  auto const collect = [=] {
    auto const plain = (which == 2 ? last->permute({2, 3, 1, 0}) : last->permute({0, 2, 3, 1})).contiguous();
    std::memcpy(o.out[0], plain.data_ptr<float>(), sizeof(float) * static_cast<std::size_t>(plain.numel()));
  };
  if (which == 0)
    return {repeated([=] {
              at::NoGradGuard const no_gradients;
              *last = at::conv2d(x, w, {}, strides, padding, one, groups);
            }),
            collect};
  auto const dy = wrap(o.in[2], {s.n, s.rows(), s.columns(), s.o}).permute({0, 3, 1, 2}).contiguous(layout);
  std::array<bool, 3> const gradient_mask{which == 1, which == 2, false};
  return {repeated([=] {
            at::NoGradGuard const no_gradients;
            auto const [dx, dw, db] = at::convolution_backward(dy, x, w, at::OptionalIntArrayRef{}, strides, padding,
                                                               one, false, zero, groups, gradient_mask);
            *last = which == 1 ? dx : dw;
          }),
          collect};
}

work fastest_convolution(operands o, conv2d_shape const& s, int which) {
  return fastest({convolution(o, s, which, at::MemoryFormat::ChannelsLast),
                  convolution(o, s, which, at::MemoryFormat::Contiguous)});
}

struct rows {
  implementation own[3];
  explicit rows(conv2d_shape s)
      : own{{conv2d_works[0] + s.name(), "torch", [s](operands o) { return fastest_convolution(o, s, 0); }, library},
            {conv2d_works[1] + s.name(), "torch", [s](operands o) { return fastest_convolution(o, s, 1); }, library},
            {conv2d_works[2] + s.name(), "torch", [s](operands o) { return fastest_convolution(o, s, 2); }, library}} {}
};

#define ROWS(...) rows{conv2d_shape{__VA_ARGS__}},
rows const all_rows[] = {BENCH_CONV2D_SHAPES(ROWS)};

}  // namespace
