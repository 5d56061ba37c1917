// SPDX-License-Identifier: BSL-1.0
// The inference rows in RLtools: needs -Drl_tools_dir=FOLDER, the folder of a checkout. Its layers with their generic
// loops, between matrices on the stack: its model for such nets works through pointers, which compilers must take to
// alias (many times slower). With -ffast-math, as in its own build, and by g++, whose code for the smaller net is the
// faster.
#include <rl_tools/operations/cpu.h>

#include <rl_tools/nn/layers/dense/operations_generic.h>
#include <rl_tools/nn/operations_generic.h>

#include <algorithm>
#include <memory>

#include "harness.hpp"
#include "inference.hpp"

namespace {

namespace rlt = rl_tools;
using device_type = rlt::devices::DefaultCPU;
using index = device_type::index_t;
using types = rlt::numeric_types::Policy<float>;
namespace activation = rlt::nn::activation_functions;

template <int In, int Out, auto Activation>
using layer = rlt::nn::layers::dense::Layer<rlt::nn::layers::dense::Configuration<types, index, Out, Activation>,
                                            rlt::nn::capability::Forward<false>, rlt::tensor::Shape<index, 1, 1, In>>;

template <int In, int A, int B, int Out>
struct net {
  template <index Count>
  using row = rlt::Matrix<
      rlt::matrix::Specification<float, index, 1, Count, false, rlt::matrix::layouts::RowMajorAlignment<index, 1>>>;
  device_type device;
  device_type::SPEC::RANDOM::ENGINE<> random;
  rlt::nn::layers::dense::Buffer buffer;
  layer<In, A, activation::RELU> first;
  layer<A, B, activation::RELU> second;
  layer<B, Out, activation::IDENTITY> last;

  template <int Columns, int Rows, class Layer>
  void set_layer(Layer& l, float const* w, float const* b) {  // RLtools has weights by output
    for (int i = 0; i < Columns; ++i)
      for (int j = 0; j < Rows; ++j) rlt::set(device, l.weights.parameters, w[i * Rows + j], j, i);
    for (int j = 0; j < Rows; ++j) rlt::set(device, l.biases.parameters, b[j], j);
  }
  explicit net(bench::operands o) {
    set_layer<In, A>(first, o.in[1], o.in[2]);
    set_layer<A, B>(second, o.in[3], o.in[4]);
    set_layer<B, Out>(last, o.in[5], o.in[6]);
  }
  [[gnu::noinline]] void operator()(float const* x, float* y) {
    row<In> input;
    row<A> a;
    row<B> b;
    row<Out> output;
    std::copy_n(x, In, input._data);
    rlt::evaluate(device, first, input, a, buffer, random);
    rlt::evaluate(device, second, a, b, buffer, random);
    rlt::evaluate(device, last, b, output, buffer, random);
    std::copy_n(output._data, Out, y);
  }
};

#define NET(IN, A, B, OUT)                                                                     \
  {"inference/" #IN "-" #A "-" #B "-" #OUT, "rl_tools", [](bench::operands o) -> bench::work { \
     auto const n = std::make_shared<net<IN, A, B, OUT>>(o);                                   \
     return {bench::repeated([=] { (*n)(o.in[0], o.out[0]); })};                               \
   }},
bench::implementation const all[] = {BENCH_INFERENCE_NETS(NET)};

}  // namespace
