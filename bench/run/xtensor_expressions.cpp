// SPDX-License-Identifier: BSL-1.0
// The expression rows in xtensor: in pieces that are added to partial sums in the nearest cache.
#include "xtensor_side.hpp"

#include <algorithm>
#include <cmath>

#include "expressions.hpp"
#include "harness.hpp"

namespace {

using namespace bench;
constexpr int piece = 1024;

struct partial_sums {
  alignas(64) float at[piece] = {};
  auto view() { return wrap(at, piece); }
  float total() { return sum_destroying(at, piece); }
};

void energy(operands o) {
  partial_sums sums;
  auto s = sums.view();
  for (int i = 0; i < million; i += piece) {
    auto const a = wrap(o.in[0] + i, piece), b = wrap(o.in[1] + i, piece), c = wrap(o.in[2] + i, piece);
    xt::noalias(s) += a * b + xt::exp(c);
  }
  *o.out[0] = sums.total();
}
template <int N>
void gradient(operands o) {
  partial_sums sums;
  for (int i = 0; i < N; i += piece) {
    auto const count = static_cast<std::size_t>(std::min(piece, N - i));
    auto const a = wrap(o.in[0] + i, count), b = wrap(o.in[1] + i, count), c = wrap(o.in[2] + i, count);
    auto da = wrap(o.out[1] + i, count), db = wrap(o.out[2] + i, count), dc = wrap(o.out[3] + i, count),
         s = wrap(sums.at, count);
    xt::noalias(dc) = xt::exp(c);
    xt::noalias(s) += a * b + dc;
    xt::noalias(da) = b;
    xt::noalias(db) = a;
  }
  *o.out[0] = sums.total();
}
void sum(operands o) {
  partial_sums sums;
  auto s = sums.view();
  for (int i = 0; i < million; i += piece) xt::noalias(s) += wrap(o.in[0] + i, piece);
  *o.out[0] = sums.total();
}
void logsumexp(operands o) {
  partial_sums sums, largest;
  auto s = sums.view(), m = largest.view();
  xt::noalias(m) = wrap(o.in[0], piece);
  for (int i = piece; i < million; i += piece) xt::noalias(m) = xt::maximum(m, wrap(o.in[0] + i, piece));
  float const most = *std::max_element(largest.at, largest.at + piece);
  for (int i = 0; i < million; i += piece) xt::noalias(s) += xt::exp(wrap(o.in[0] + i, piece) - most);
  *o.out[0] = most + std::log(sums.total());
}

work always(void (*f)(operands), operands o) {
  return {repeated([=] { f(o); })};
}
implementation const all[] = {
    {"sum_ab_exp_c/1M", "xtensor", [](operands o) { return always(energy, o); }},
    {"sum_ab_exp_c_gradient/1M", "xtensor", [](operands o) { return always(gradient<million>, o); }},
    {"sum_ab_exp_c_gradient/1000", "xtensor", [](operands o) { return always(gradient<thousand>, o); }},
    {"sum/1M", "xtensor", [](operands o) { return always(sum, o); }},
    {"logsumexp/1M", "xtensor", [](operands o) { return always(logsumexp, o); }},
};

}  // namespace
