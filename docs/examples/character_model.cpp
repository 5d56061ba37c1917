// SPDX-License-Identifier: BSL-1.0
// Two language models of characters, an LSTM and a small GPT, learn to write like a text. Both print their loss and a
// sample.
//   character_model [lstm|gpt] [FILE] [STEPS]    FILE: a text; without it, a part of Shakespeare's plays
#include <espalier.hpp>

#include <cstdlib>
#include <cstring>

#include "support/text.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;
using text = std::vector<std::int32_t>;
constexpr int words = examples::characters;

// [lstm]
constexpr int rows = 32, streams = 16, hidden = 128;  // parts of 32 characters, 16 places of the text at once
using Recurrent = nn::LanguageModel<words, nn::LSTM<32, hidden>>;
using State = tensor<float, shape<1, streams, hidden>>;

inline constexpr auto loss_of = [](auto net, auto x, auto next, auto h, auto c) {
  return nn::CrossEntropyLoss<>{}(std::get<0>(net(x, std::tuple{h, c})), next);
};
/// One update. The last state is the first of the next part: no gradient passes from one part to the other.
inline constexpr auto learn = [](auto net, auto optimizer, auto x, auto next, auto h, auto c) {
  auto const [loss, gradients] = esp::value_and_grad<0>(loss_of)(net, x, next, h, c);
  auto const [scores, state] = net(x, std::tuple{h, c});
  optimizer.update(net, gradients);
  return std::tuple{loss, std::get<0>(state), std::get<1>(state)};
};
/// One character: the scores of the next one.
inline constexpr auto follow = [](auto net, auto x, auto h, auto c) {
  auto const [scores, state] = net(x, std::tuple{h, c});
  return std::tuple{scores, std::get<0>(state), std::get<1>(state)};
};
// [/lstm]

static double train_lstm(text const& all, int steps) {
  // [train_lstm]
  esp::model<Recurrent> model{esp::seed{0}};
  optim::updater updater{model, optim::clip_by_norm{optim::Adam{.learning_rate = 5e-3f}, 1.0}};
  tensor<std::int32_t, shape<rows, streams>> x;
  tensor<std::int32_t, shape<rows * streams>> next;
  State h, c;
  tensor<float, shape<>> loss;
  esp::compiled step{learn, model, updater, x, next, h, c};

  examples::progress progress{steps, 50};
  std::size_t const part = (all.size() - 1) / streams;  // each stream reads a part of the text
  std::size_t at = 0;
  for (int i = 0; i < steps; ++i, at += rows) {
    if (at + rows > part) {
      at = 0;
      h.fill(0);
      c.fill(0);
    }
    for (int t = 0; t < rows; ++t)
      for (int s = 0; s < streams; ++s) {
        std::size_t const from = static_cast<std::size_t>(s) * part + at + static_cast<std::size_t>(t);
        x(t, s) = all[from];
        next[t * streams + s] = all[from + 1];
      }
    step(x, next, h, c, loss, h, c);
    progress.report(i, static_cast<double>(loss[0]));
  }
  // [/train_lstm]
  // [write_lstm]
  tensor<std::int32_t, shape<1, 1>> one{{0}};
  tensor<float, shape<1, 1, hidden>> own_h, own_c;
  tensor<float, shape<1, words>> scores;
  esp::compiled write{follow, model, one, own_h, own_c};
  std::mt19937 random{1};
  for (int i = 0; i < 300; ++i) {
    write(one, own_h, own_c, scores, own_h, own_c);
    one[0] = examples::sample(scores.data(), words, 0.8f, random);
    std::putchar(examples::character_of(one[0]));
  }
  // [/write_lstm]
  return progress.loss();
}

// [gpt]
/// Scores of the next character at each position: indices (N, T) -> (N T, words).
template <int Length, int Features, int Layers>
struct Gpt {
  using input_element = std::int32_t;
  nn::Embedding<words, Features> tokens;
  nn::LearnedPositions<Length, Features> positions;
  nn::Repeat<Layers, nn::TransformerEncoderLayer<Features, 4, 4 * Features,
                                                 nn::encoder_layer{.norm_first = true, .causal = true}, nn::GELU>>
      layers;
  nn::LayerNorm<shape<Features>> norm;
  nn::Linear<Features, words> head;
  ESPALIER_MODULE(Gpt, tokens, positions, layers, norm, head)

  constexpr auto forward(auto indices) const {
    return esp::reshape<-1, words>(head(norm(layers(positions(tokens(indices))))));
  }
};
constexpr int length = 32, batch = 16;
using Net = Gpt<length, 64, 2>;
// [/gpt]

static double train_gpt(text const& all, int steps) {
  // [train_gpt]
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, optim::Adam{.learning_rate = 3e-3f},
                       esp::batch<batch, length>{}};
  tensor<std::int32_t, shape<batch, length>> x;
  tensor<std::int32_t, shape<batch * length>> next;
  std::mt19937 random{1};
  examples::progress progress{steps, 50};
  for (int i = 0; i < steps; ++i) {
    for (int n = 0; n < batch; ++n) {
      std::size_t const from = random() % (all.size() - length);
      for (int t = 0; t < length; ++t) {
        x(n, t) = all[from + static_cast<std::size_t>(t)];
        next[n * length + t] = all[from + static_cast<std::size_t>(t) + 1];
      }
    }
    progress.report(i, static_cast<double>(trainer.step(x, next)));
  }
  // [/train_gpt]
  // [write_gpt]
  esp::predictor predict{model, esp::batch<1, length>{}};
  tensor<std::int32_t, shape<1, length>> last{};  // the last characters; a text begins behind ends of lines
  tensor<float, shape<length, words>> scores;
  for (int i = 0; i < 300; ++i) {
    predict(last, scores);
    for (int t = 0; t + 1 < length; ++t) last[t] = last[t + 1];
    last[length - 1] = examples::sample(scores.data() + (length - 1) * words, words, 0.8f, random);
    std::putchar(examples::character_of(last[length - 1]));
  }
  // [/write_gpt]
  return progress.loss();
}

int main(int count, char** arguments) try {
  char const* const which = count > 1 ? arguments[1] : "both";
  text const all = examples::read_text(count > 2 ? arguments[2] : ESPALIER_DATA "/shakespeare.txt");
  int const steps = count > 3 ? std::atoi(arguments[3]) : 300;
  if (all.size() < 20'000) {
    std::fprintf(stderr, "character_model: expected a text of at least 20,000 characters\n");
    return 1;
  }
  bool good = true;
  if (std::strcmp(which, "gpt") != 0) good = train_lstm(all, steps) < 2.3;
  std::puts("\n");
  if (std::strcmp(which, "lstm") != 0) good = train_gpt(all, steps) < 2.5 && good;
  std::puts("");
  return good ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "character_model: %s\n", error.what());
  return 1;
}
