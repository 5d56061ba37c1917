// SPDX-License-Identifier: BSL-1.0
// Nets over a signal, one sample after the other, as esp::stream runs them.
#include "streams.hpp"

#include <espalier/nn/nn.hpp>
#include <espalier/stream.hpp>

#include <algorithm>
#include <memory>

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

using namespace bench;

template <class Net>
work prepare(operands o) {
  using sample = esp::batch<1, 1, 1>;
  auto const model = std::make_shared<esp::model<Net>>(esp::seed{0});
  int number = 1;
  model->for_each_parameter([&](char const*, esp::extents const&, esp::span<float> elements) {
    std::copy_n(o.in[number++], elements.size(), elements.begin());
  });
  auto const stream = std::make_shared<esp::stream<esp::model<Net>, sample>>(*model, sample{});
  return {repeated([=] {
    (void)model;  // kept while the stream is
    stream->reset();
    esp::flush_subnormals const flushing;  // as in an audio callback: else each call sets the bits and waits
    for (int i = 0; i < stream_samples; ++i)
      (*stream)(esp::view<float const, sample>(o.in[0] + i), esp::view<float, sample>(o.out[0] + i));
  })};
}

struct stream_row {
  row what;
  implementation own;
  template <class Net>
  stream_row(std::string const& name, std::vector<input> in, double products, std::type_identity<Net>)
      : what{name, std::move(in), {{stream_samples}}, 0, 2 * products * stream_samples},
        own{name, "espalier", prepare<Net>} {}
};

template <class Layer, int Hidden>
using cell_net = std::type_identity<nn::Sequential<nn::Outputs<Layer>, nn::Linear<Hidden, 1>>>;
template <int In, int C, int Dilation>
using causal =
    nn::Conv1d<In, C, stack_taps,
               nn::conv{.padding = {0, Dilation*(stack_taps - 1), 0, 0}, .dilation = Dilation, .layout = esp::nhwc}>;
template <int C>
using stack_net = std::type_identity<
    nn::Sequential<causal<1, C, 1>, nn::Tanh, causal<C, C, 2>, nn::Tanh, causal<C, C, 4>, nn::Tanh, causal<C, C, 8>,
                   nn::Tanh, causal<C, C, 16>, nn::Tanh, causal<C, C, 32>, nn::Tanh, nn::Linear<C, 1>>>;

#define LSTM(H)                                                           \
  {stream_name("lstm", H), cell_stream_operands(4, H), 4.0 * H * (H + 1), \
   cell_net<nn::LSTM<1, H, nn::lstm{.batch_first = true}>, H>{}},
#define GRU(H)                                                           \
  {stream_name("gru", H), cell_stream_operands(3, H), 3.0 * H * (H + 1), \
   cell_net<nn::GRU<1, H, nn::gru{.batch_first = true}>, H>{}},
#define STACK(C) {stream_name("causal_stack", C), stack_stream_operands(C), 3.0 * C * (5 * C + 1), stack_net<C>{}},
stream_row const rows[] = {BENCH_STREAM_LSTM(LSTM) BENCH_STREAM_GRU(GRU) BENCH_STREAM_CONV(STACK)};

}  // namespace
