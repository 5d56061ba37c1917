// SPDX-License-Identifier: BSL-1.0
// The expression rows in Eigen.
#include <Eigen/Core>

#include <algorithm>
#include <limits>

#include "expressions.hpp"
#include "harness.hpp"

namespace {

using vector = Eigen::Map<Eigen::ArrayXf const, Eigen::Aligned64>;
using written = Eigen::Map<Eigen::ArrayXf, Eigen::Aligned64>;

template <int N>
void gradient(bench::operands o) {
  // In pieces that stay in the first cache level between the formulas.
  constexpr int piece = 1024;
  float total = 0;
  for (int i = 0; i < N; i += piece) {
    int const count = std::min(piece, N - i);
    vector const a(o.in[0] + i, count), b(o.in[1] + i, count), c(o.in[2] + i, count);
    written da(o.out[1] + i, count), db(o.out[2] + i, count), dc(o.out[3] + i, count);
    dc = c.exp();
    total += (a * b + dc).sum();
    da = b;
    db = a;
  }
  *o.out[0] = total;
}

void logsumexp(bench::operands o) {
  constexpr int piece = 4096;
  float most = -std::numeric_limits<float>::infinity(), sum = 0;
  for (int i = 0; i < bench::million; i += piece) {
    vector const x(o.in[0] + i, piece);
    float const chunk_maximum = x.maxCoeff();
    if (chunk_maximum > most) sum *= std::exp(most - chunk_maximum), most = chunk_maximum;
    sum += (x - most).exp().sum();
  }
  *o.out[0] = most + std::log(sum);
}

bench::work always(void (*f)(bench::operands), bench::operands o) {
  return {bench::repeated([=] { f(o); })};
}

using bench::million, bench::operands;
bench::implementation const all[] = {
    {"sum_ab_exp_c/1M", "eigen",
     [](operands o) {
       return always(
           [](operands p) {
             *p.out[0] = (vector(p.in[0], million) * vector(p.in[1], million) + vector(p.in[2], million).exp()).sum();
           },
           o);
     }},
    {"sum_ab_exp_c_gradient/1M", "eigen", [](operands o) { return always(gradient<million>, o); }},
    {"sum_ab_exp_c_gradient/1000", "eigen", [](operands o) { return always(gradient<bench::thousand>, o); }},
    {"sum/1M", "eigen",
     [](operands o) { return always([](operands p) { *p.out[0] = vector(p.in[0], million).sum(); }, o); }},
    {"logsumexp/1M", "eigen", [](operands o) { return always(logsumexp, o); }},
};

}  // namespace
