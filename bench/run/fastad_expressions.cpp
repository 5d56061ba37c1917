// SPDX-License-Identifier: BSL-1.0
// The rows of sum(a b + exp(c)), with and without its gradient, in FastAD: needs -Dfastad_dir=FOLDER, the folder of a
// checkout, and Eigen.
#include <fastad>

#include <memory>

#include "expressions.hpp"
#include "harness.hpp"

namespace {

using namespace bench;

/// value and gradients of sum(a b + exp(c)), by one bound expression over the row's memory.
template <int N>
work gradient(operands o) {
  using view = ad::VarView<float, ad::vec>;
  auto const zero = [o] {
    for (int k = 1; k <= 3; ++k) std::fill_n(o.out[k], N, 0.f);
  };
  view a(o.in[0], o.out[1], N), b(o.in[1], o.out[2], N), c(o.in[2], o.out[3], N);
  auto expression = ad::bind(ad::sum(a * b + ad::exp(c)));
  auto const bound = std::make_shared<decltype(expression)>(std::move(expression));
  return {repeated([=] {
    zero();
    *o.out[0] = ad::autodiff(*bound);
  })};
}

/// The value alone.
work energy(operands o) {
  using view = ad::VarView<float, ad::vec>;
  view a(o.in[0], nullptr, million), b(o.in[1], nullptr, million), c(o.in[2], nullptr, million);
  auto expression = ad::bind(ad::sum(a * b + ad::exp(c)));
  auto const bound = std::make_shared<decltype(expression)>(std::move(expression));
  return {repeated([=] { *o.out[0] = ad::evaluate(*bound); })};
}

implementation const all[] = {{"sum_ab_exp_c/1M", "fastad", energy},
                              {"sum_ab_exp_c_gradient/1M", "fastad", gradient<million>},
                              {"sum_ab_exp_c_gradient/1000", "fastad", gradient<thousand>}};

}  // namespace
