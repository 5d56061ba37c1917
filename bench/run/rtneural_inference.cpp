// SPDX-License-Identifier: BSL-1.0
// The inference rows in RTNeural, with its backend on xsimd: needs -Drtneural_dir=FOLDER, the folder of a checkout.
#define RTNEURAL_USE_XSIMD 1
#define RTNEURAL_DEFAULT_ALIGNMENT 64
#include <RTNeural/RTNeural.h>

#include <memory>
#include <vector>

#include "harness.hpp"
#include "inference.hpp"

namespace {

template <int In, int A, int B, int Out>
using net = RTNeural::ModelT<float, In, Out, RTNeural::DenseT<float, In, A>, RTNeural::ReLuActivationT<float, A>,
                             RTNeural::DenseT<float, A, B>, RTNeural::ReLuActivationT<float, B>,
                             RTNeural::DenseT<float, B, Out>>;

/// RTNeural has weights by output.
template <int In, int Out, class Layer>
void set(Layer& layer, float const* w, float const* b) {
  std::vector<std::vector<float>> weights(Out, std::vector<float>(In));
  for (std::size_t i = 0; i < In; ++i)
    for (std::size_t j = 0; j < Out; ++j) weights[j][i] = w[i * Out + j];
  layer.setWeights(weights);
  layer.setBias(b);
}

#define NET(IN, A, B, OUT)                                                                     \
  {"inference/" #IN "-" #A "-" #B "-" #OUT, "rtneural", [](bench::operands o) -> bench::work { \
     auto const n = std::make_shared<net<IN, A, B, OUT>>();                                    \
     set<IN, A>(n->get<0>(), o.in[1], o.in[2]);                                                \
     set<A, B>(n->get<2>(), o.in[3], o.in[4]);                                                 \
     set<B, OUT>(n->get<4>(), o.in[5], o.in[6]);                                               \
     return {bench::repeated([=] {                                                             \
       n->forward(o.in[0]);                                                                    \
       for (int i = 0; i < OUT; ++i) o.out[0][i] = n->getOutputs()[i];                         \
     })};                                                                                      \
   }},
bench::implementation const all[] = {BENCH_INFERENCE_NETS(NET)};

}  // namespace
