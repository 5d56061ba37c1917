// SPDX-License-Identifier: BSL-1.0
// A guitar pedal: models of a TS-9 that GuitarML trained with PyTorch, and an amplifier of Neural Amp Modeler, block by
// block as a plug-in runs them.
//   guitar_pedal                           plays a chord through the models
//   guitar_pedal FILE                      compares what it prints with that file
//   guitar_pedal IN.wav OUT.wav [AMP.nam]  plays a wav file through the LSTM, or an amplifier of the standard architecture
#include <espalier.hpp>
#include <espalier/io/nam.hpp>
#include <espalier/io/rtneural.hpp>
#include <espalier/nn/nam.hpp>
#include <espalier/stream.hpp>

#include <algorithm>

#include "support/recorded.hpp"
#include "support/wav.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace io = espalier::io;

// [net]
/// The pedal's net, with the names that GuitarML's files have. It adds its input to the result ("skip": 1).
template <class Recurrent>
struct Pedal {
  Recurrent rec;  // signals are (batch, steps, channels)
  nn::Linear<Recurrent::output_features, 1> lin;
  ESPALIER_MODULE(Pedal, rec, lin)

  constexpr auto forward(auto x) const { return x + lin(std::get<0>(rec(x))); }
};
using LstmPedal = Pedal<nn::LSTM<1, 8, nn::lstm{.batch_first = true}>>;
using GruPedal = Pedal<nn::GRU<1, 8, nn::gru{.batch_first = true}>>;
// [/net]

// [play]
/// Plays a sound through a model in blocks, as an audio driver calls a plug-in.
template <class Net>
examples::sound played(esp::model<Net> const& model, examples::sound const& in) {
  constexpr std::size_t steps = 64;
  using block = esp::batch<1, steps, 1>;
  esp::stream effect{model, block{}};  // all memory that it needs
  examples::sound out = in;
  out.samples.resize((in.samples.size() + steps - 1) / steps * steps);  // whole blocks, behind them silence
  for (std::size_t t = 0; t < out.samples.size(); t += steps) {
    float* const now = out.samples.data() + t;
    effect(esp::view<float const, block>{now}, esp::view<float, block>{now});  // in place
  }
  out.samples.resize(in.samples.size());
  return out;
}
// [/play]

/// Four strings, plucked one after the other.
constexpr int length = 24000;
examples::sound chord() {
  examples::sound s;
  s.samples.resize(length);
  double const strings[] = {110, 164.81, 220, 277.18};
  for (int k = 0; k < 4; ++k)
    for (int t = 1200 * k; t < length; ++t) {
      double const seconds = (t - 1200 * k) / 48000.0, phase = 2 * 3.14159265358979 * strings[k] * seconds;
      s.samples[static_cast<std::size_t>(t)] +=
          static_cast<float>(0.12 * std::exp(-5 * seconds) * (std::sin(phase) + 0.4 * std::sin(2 * phase)));
    }
  return s;
}

template <class Net>
void report(examples::recorded& out, char const* name, esp::model<Net> const& model, examples::sound const& in) {
  examples::sound const blocks = played(model, in);
  using signal = esp::batch<1, length, 1>;
  esp::predictor at_once{model, signal{}};
  std::vector<float> whole(in.samples.size());
  at_once(esp::view<float const, signal>{in.samples.data()}, esp::view<float, signal>{whole.data()});
  float difference = 0, peak = 0;
  for (std::size_t t = 0; t < whole.size(); ++t) {
    difference = std::max(difference, std::fabs(blocks.samples[t] - whole[t]));
    peak = std::max(peak, std::fabs(whole[t]));
  }
  using stream = esp::stream<esp::model<Net>, esp::batch<1, 64, 1>>;
  out.print(
      "%-8s a state of %4zu bytes; peak %.3f; samples 1000 and 20000: %.3f, %.3f; blocks are the whole to 1e-5: %s\n",
      name, stream::state_bytes, static_cast<double>(peak), static_cast<double>(whole[1000]),
      static_cast<double>(whole[20000]), difference < 1e-5f ? "yes" : "no");
}

int main(int count, char** words) try {
  // [load]
  esp::model<LstmPedal> lstm{esp::seed{0}};
  io::load_json_state_dict(ESPALIER_DATA "/amps/lstm8_ts9_pytorch.json", lstm);
  esp::model<GruPedal> gru{esp::seed{0}};
  io::load_json_state_dict(ESPALIER_DATA "/amps/gru8_ts9_pytorch.json", gru);
  // [/load]
  // [nam]
  namespace nam = nn::nam;
  using Amp =
      nam::WaveNet<nam::Stack<nam::stack{.channels = 3, .head = 2}, nn::Tanh, 1, 2>,
                   nam::Stack<nam::stack{.inputs = 3, .channels = 2, .head = 1, .head_bias = true}, nn::Tanh, 8>>;
  esp::model<Amp> amp{esp::seed{0}};
  io::load_nam(ESPALIER_DATA "/amps/wavenet.nam", amp);
  // [/nam]
  if (count == 4) {
    esp::model<nam::Standard> standard{esp::seed{0}};
    io::load_nam(words[3], standard);
    examples::write_wav(words[2], played(standard, examples::read_wav(words[1])));
    return 0;
  }
  if (count == 3) {
    examples::write_wav(words[2], played(lstm, examples::read_wav(words[1])));
    return 0;
  }

  examples::recorded out;
  examples::write_wav("guitar_pedal_in.wav", chord());
  examples::sound const in = examples::read_wav("guitar_pedal_in.wav");  // rounded to 16 bits
  out.print("a chord of %zu samples at %d Hz\n", in.samples.size(), in.rate);
  report(out, "LSTM", lstm, in);
  report(out, "GRU", gru, in);
  report(out, "WaveNet", amp, in);
  out.print("an amplifier of the standard architecture: skipped, because no file is given\n");
  examples::write_wav("guitar_pedal_out.wav", played(lstm, in));
  // [errors]
  try {
    io::load_json_state_dict(ESPALIER_DATA "/amps/gru8_ts9_pytorch.json", lstm);  // another kind of layer
  } catch (io::mismatch_error const& error) {
    for (auto const& d : error.disagreements()) out.print("%s\n", io::mismatch_error::line_of(d).c_str());
  }
  // [/errors]
  return out.finish(count, words);
} catch (std::exception const& error) {
  std::puts(error.what());
  return 1;
}
