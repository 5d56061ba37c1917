// SPDX-License-Identifier: BSL-1.0
// An audio effect that runs block by block: causal convolutions with growing dilations, whose program for one block the
// compiler derives from the net over a whole signal.
#include <espalier.hpp>
#include <espalier/stream.hpp>

#include <cmath>
#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::tensor, esp::shape;

// [net]
/// A convolution that reads the present step and earlier ones: all of its padding is in front.
template <int In, int Out, int Kernel, int Dilation>
using Causal = nn::Conv1d<In, Out, Kernel,
                          nn::conv{.padding = {0, Dilation*(Kernel - 1), 0, 0},  // above, left, below, right
                                   .dilation = Dilation,
                                   .layout = esp::nhwc}>;  // (signals, steps, channels)
template <int Dilation>
using Block = nn::Residual<nn::Sequential<Causal<16, 16, 3, Dilation>, nn::Tanh>>;

using Pedal = nn::Sequential<nn::Linear<1, 16>, Block<1>, Block<2>, Block<4>, Block<8>, nn::Linear<16, 1>>;
// [/net]

// [window]
/// Attention to the last 64 steps.
struct Near {
  nn::Linear<16, 48> projected;
  ESPALIER_MODULE(Near, projected)

  constexpr auto forward(auto x) const {
    constexpr int steps = esp::shape_of<decltype(x)>::template extent<1>();
    auto const [q, k, v] = esp::split<3, 16, 16, 16>(esp::unsqueeze<1>(projected(x)));
    auto const key = esp::column_index<shape<steps, steps>>{};
    auto const query = esp::reshape<steps, 1>(esp::column_index<shape<steps>>{});
    auto const near = (key <= query) * (key > query - 64);
    return esp::squeeze<1>(esp::scaled_dot_product_attention(q, k, v, near));
  }
};
using NearStream = esp::stream<esp::model<Near>, esp::batch<1, 8, 16>>;
static_assert(NearStream::receptive_field == 64);
// [/window]

// [callback]
class effect {
 public:
  explicit effect(esp::model<Pedal> const& model) : stream_{model, block{}} {}
  /// Called by the audio driver, 64 samples at a time.
  void process(float const* in, float* out) noexcept {
    stream_(esp::view<float const, block>{in}, esp::view<float, block>{out});
  }
  void silence() noexcept { stream_.reset(); }

 private:
  using block = esp::batch<1, 64, 1>;  // one signal, 64 steps, one channel
  esp::stream<esp::model<Pedal>, block> stream_;
};
// [/callback]

// [begun]
struct Begun {
  nn::GRU<1, 8, nn::gru{.batch_first = true}> gru;
  nn::Linear<8, 1> last;
  esp::parameter<shape<8>, nn::init::initialized_by<nn::init::normal{}>> first;
  ESPALIER_MODULE(Begun, gru, last, first)

  constexpr auto forward(auto x) const {
    constexpr int signals = esp::shape_of<decltype(x)>::value.at[0];
    auto const state = esp::broadcast_to<1, signals, 8>(tanh(first));  // (layers, signals, hidden)
    return last(std::get<0>(gru(x, state)));
  }
};
// [/begun]

int main() {
  esp::model<Pedal> model{esp::seed{0}};  // a trained model, in a real program
  constexpr int steps = 4 * 64;
  static tensor<float, shape<1, steps, 1>> signal, whole, in_blocks;
  for (int t = 0; t < steps; ++t) signal[t] = std::sin(0.05f * static_cast<float>(t));

  effect pedal{model};
  for (int t = 0; t < steps; t += 64) pedal.process(signal.data() + t, in_blocks.data() + t);

  esp::predictor at_once{model, esp::batch<1, steps, 1>{}};
  at_once(signal, whole);
  std::printf("blocks are the whole signal: %s\n", esp::all_close(in_blocks, whole, 1e-5) ? "yes" : "no");

  // [facts]
  using stream = esp::stream<esp::model<Pedal>, esp::batch<1, 64, 1>>;
  static_assert(stream::receptive_field == 1 + 2 * (1 + 2 + 4 + 8));
  static_assert(stream::latency_steps == 0);
  static_assert(stream::state_bytes == 4 * 16 * 2 * (1 + 2 + 4 + 8));  // two taps of 16 channels for each convolution
  // [/facts]
  std::printf("a result depends on %d steps; the state has %zu bytes\n", stream::receptive_field, stream::state_bytes);

  // [many]
  esp::stream voices{model, esp::batch<8, 64, 1>{}};  // eight signals, each with a state of its own
  esp::stream step{model, esp::batch<1, 1, 1>{}};     // one step at a time
  // [/many]
  std::printf("eight states: %zu bytes\n", voices.state_bytes);

  // [state]
  esp::stream first{model, esp::batch<1, 64, 1>{}};
  first(esp::view<float const, shape<1, 64, 1>>{signal.data()}, esp::view<float, shape<1, 64, 1>>{in_blocks.data()});
  auto const saved = first.save();  // a std::array of numbers
  step.restore(saved);              // continues behind the first block
  // [/state]
  tensor<float, shape<1, 1, 1>> x, y;
  x[0] = signal[64];
  step(x, y);
  std::printf("a step behind it: %s\n", std::fabs(y[0] - whole[64]) < 1e-5f ? "equal" : "different");

  // [loaded]
  esp::model<Begun> begun{esp::seed{0}};
  esp::stream voice{begun, esp::batch<1, 64, 1>{}};
  begun.parameter("first").span()[0] = 0.5f;  // or load a file
  voice.reset();                              // begins with the new first state
  // [/loaded]
  std::printf("the first state: %.4f\n", static_cast<double>(voice.save()[0]));
}
