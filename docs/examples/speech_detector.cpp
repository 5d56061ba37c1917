// SPDX-License-Identifier: BSL-1.0
// Silero's speech detector: from one window of 32 ms to the next, a net of convolutions and an LSTM cell says how
// probable speech is. One compiled step carries the state and allocates nothing.
//   speech_detector                       random weights, one step at a time and all windows at once
//   speech_detector FILE                  compares what it prints with that file
//   speech_detector WEIGHTS SPEECH.wav    the probability of each window; WEIGHTS is silero_vad_16k.safetensors of
//                                         github.com/snakers4/silero-vad, SPEECH.wav has 16000 samples a second
#include <espalier.hpp>
#include <espalier/io/safetensors.hpp>

#include <algorithm>
#include <vector>

#include "../../test/support/allocation_counter.hpp"
#include "support/recorded.hpp"
#include "support/wav.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace io = espalier::io;
using esp::shape, esp::tensor;

// [net]
constexpr int window = 512, context = 64, bins = 129;  // samples of a step, and those of the last one before them
constexpr nn::conv frames{.stride = 128, .padding = 0, .bias = false}, half{.stride = 2, .padding = 1};

/// The names are those of Silero's file.
struct Detector {
  nn::Conv1d<1, 2 * bins, 256, frames> stft_conv;  // cosines and sines
  nn::Conv1d<bins, 128, 3> conv1;
  nn::Conv1d<128, 64, 3, half> conv2;
  nn::Conv1d<64, 64, 3, half> conv3;
  nn::Conv1d<64, 128, 3> conv4;
  nn::LSTMCell<128, 128> lstm_cell;
  nn::Conv1d<128, 1, 1> final_conv;
  ESPALIER_MODULE(Detector, stft_conv, conv1, conv2, conv3, conv4, lstm_cell, final_conv)

  /// Samples (N, context + window) -> features (N, 128).
  constexpr auto features(auto x) const {
    constexpr int samples = context + window, last = samples - 2;
    auto const mirrored = esp::slice<1, last, last - 64, -1>(x);
    auto const waves = stft_conv(esp::unsqueeze<1>(esp::concatenate<1>(x, mirrored)));
    auto const [cosines, sines] = esp::split<1, bins, bins>(waves);
    auto const strengths = sqrt(cosines * cosines + sines * sines);
    return esp::squeeze<2>(relu(conv4(relu(conv3(relu(conv2(relu(conv1(strengths)))))))));
  }
  /// The state of the cell (N, 128) -> a probability (N).
  constexpr auto probability(auto h) const { return esp::reshape<-1>(sigmoid(final_conv(esp::unsqueeze<2>(relu(h))))); }
  constexpr auto forward(auto x, auto h, auto c) const {
    auto const [next_h, next_c] = lstm_cell(features(x), h, c);
    return std::tuple{probability(next_h), next_h, next_c};
  }
};

/// The same for all windows (T, context + window) of a recording: the convolutions run once, the cell along them.
inline constexpr auto all_windows = [](auto net, auto x) {
  auto const zero = esp::zeros<shape<1, 128>>(x);
  auto const step = [&](auto state, auto now) {
    auto const next = net.lstm_cell(esp::unsqueeze<0>(now), state);
    return std::tuple{next, esp::squeeze<0>(std::get<0>(next))};
  };
  return net.probability(std::get<1>(esp::scan(step, std::tuple{zero, zero}, net.features(x))));
};
// [/net]

// [step]
/// The probability of speech in each window of a sound; before it, there is silence.
static std::vector<float> probabilities(esp::model<Detector> const& model, std::vector<float> const& samples,
                                        long& allocations) {
  tensor<float, shape<1, context + window>> heard;
  tensor<float, shape<1, 128>> h, c;
  tensor<float, shape<1>> speech;
  auto const net = [](auto detector, auto x, auto before_h, auto before_c) { return detector(x, before_h, before_c); };
  esp::compiled step{net, model, heard, h, c};
  std::vector<float> all(samples.size() / window);
  long const before = espalier_test::allocations();
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::copy(heard.end() - context, heard.end(), heard.begin());
    std::copy_n(samples.begin() + static_cast<std::ptrdiff_t>(i * window), window, heard.begin() + context);
    step(heard, h, c, speech, h, c);  // the state is updated where it is
    all[i] = speech[0];
  }
  allocations = espalier_test::allocations() - before;
  return all;
}
// [/step]

/// A tone that comes and goes.
static std::vector<float> tone(std::size_t windows) {
  std::vector<float> samples(windows * window);
  for (std::size_t t = 0; t < samples.size(); ++t) {
    double const seconds = static_cast<double>(t) / 16000;
    samples[t] = static_cast<float>(0.3 * std::sin(7 * seconds) * std::sin(1382 * seconds));
  }
  return samples;
}

int main(int count, char** words) try {
  esp::model<Detector> model{esp::seed{0}};
  long allocations = 0;
  if (count == 3) {
    // [load]
    io::load_safetensors(words[1], model, io::load_options{}.from_pytorch());
    // [/load]
    examples::sound const in = examples::read_wav(words[2]);
    if (in.rate != 16000)
      io::throw_error<io::format_error>("%s: expected 16000 samples a second, got %d", words[2], in.rate);
    std::vector<float> const speech = probabilities(model, in.samples, allocations);
    for (std::size_t i = 0; i < speech.size(); ++i)
      std::printf("%7.3f s  %.4f\n", static_cast<double>(i * window) / 16000, static_cast<double>(speech[i]));
    return 0;
  }

  constexpr int windows = 20;
  std::vector<float> const samples = tone(windows);
  std::vector<float> const by_step = probabilities(model, samples, allocations);
  static tensor<float, shape<windows, context + window>> heard;
  for (int i = 0; i < windows; ++i)
    for (int k = 0; k < context + window; ++k) {
      int const t = i * window - context + k;
      heard(i, k) = t < 0 ? 0 : samples[static_cast<std::size_t>(t)];
    }
  tensor<float, shape<windows>> at_once;
  esp::compiled whole{all_windows, model, heard};
  whole(heard, at_once);
  float difference = 0;
  for (int i = 0; i < windows; ++i)
    difference = std::max(difference, std::fabs(at_once[i] - by_step[static_cast<std::size_t>(i)]));
  examples::recorded out;
  out.print("%d windows; steps are the whole to 1e-5: %s; allocations: %ld\n", windows,
            difference < 1e-5f ? "yes" : "no", allocations);
  return out.finish(count, words);
} catch (std::exception const& error) {
  std::fprintf(stderr, "speech_detector: %s\n", error.what());
  return 1;
}
