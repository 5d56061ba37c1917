// SPDX-License-Identifier: BSL-1.0
// sum and logsumexp in libtorch.
#include <ATen/ATen.h>

#include "expressions.hpp"
#include "harness.hpp"
#include "torch_side.hpp"

namespace {

using namespace bench;

template <class F>
work of_vector(operands o, F f) {
  one_thread();
  auto const x = seen(o.in[0], {million});
  auto y = seen(o.out[0], {});
  return {repeated([=]() mutable {
    at::NoGradGuard const no_slopes;
    f(y, x);
  })};
}
work energy(operands o) {
  one_thread();
  auto const a = seen(o.in[0], {million}), b = seen(o.in[1], {million}), c = seen(o.in[2], {million});
  auto y = seen(o.out[0], {});
  return {repeated([=]() mutable {
    at::NoGradGuard const no_slopes;
    auto e = c.exp();
    e.addcmul_(a, b);
    y.copy_(e.sum());
  })};
}

implementation const all[] = {
    {"sum_ab_exp_c/1M", "torch", energy, library},
    {"sum/1M", "torch", [](operands o) { return of_vector(o, [](at::Tensor& y, at::Tensor const& x) { y.copy_(x.sum()); }); }, library},
    {"logsumexp/1M", "torch", [](operands o) { return of_vector(o, [](at::Tensor& y, at::Tensor const& x) { y.copy_(at::logsumexp(x, {0})); }); }, library},
};

}  // namespace
