// SPDX-License-Identifier: BSL-1.0
// The inference rows in Eigen, with extents that the compiler knows.
#include <Eigen/Core>

#include <memory>

#include "harness.hpp"
#include "inference.hpp"

namespace {

template <int In, int Out>
struct layer {
  Eigen::Matrix<float, Out, In> weight;
  Eigen::Matrix<float, Out, 1> bias;
  layer(float const* w, float const* b) : weight(w), bias(b) {}
  template <class X>
  auto operator()(X const& x) const {
    return Eigen::Matrix<float, Out, 1>(bias + weight.lazyProduct(x));
  }
};
template <int In, int A, int B, int Out>
struct net {
  layer<In, A> first;
  layer<A, B> second;
  layer<B, Out> third;
};

#define NET(IN, A, B, OUT)                                                                  \
  {"inference/" #IN "-" #A "-" #B "-" #OUT, "eigen", [](bench::operands o) -> bench::work { \
     auto const n = std::make_shared<net<IN, A, B, OUT>>(                                   \
         net<IN, A, B, OUT>{{o.in[1], o.in[2]}, {o.in[3], o.in[4]}, {o.in[5], o.in[6]}});   \
     return {bench::repeated([=] {                                                          \
       Eigen::Map<Eigen::Matrix<float, IN, 1> const, Eigen::Aligned64> const x(o.in[0]);    \
       Eigen::Matrix<float, A, 1> const a = n->first(x).cwiseMax(0);                        \
       Eigen::Matrix<float, B, 1> const b = n->second(a).cwiseMax(0);                       \
       Eigen::Map<Eigen::Matrix<float, OUT, 1>>{o.out[0]} = n->third(b);                    \
     })};                                                                                   \
   }},
bench::implementation const all[] = {BENCH_INFERENCE_NETS(NET)};

}  // namespace
