// SPDX-License-Identifier: BSL-1.0
// needle's language model of words, with its training: train_ptb, epoch_general_ptb and evaluate_ptb of the course.
//   word_model [TRAIN TEST]    texts of words between spaces, such as ptb.train.txt; without them, a part of
//                              Shakespeare's plays, of which the last tenth is for the test
#include <espalier.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "support/text.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

// [net]
constexpr int words = 1000, seq_len = 20, batch = 16, hidden = 100, layers = 2;
using Net = nn::LanguageModel<words, nn::LSTM<30, hidden, nn::lstm{.layers = layers}>>;
using State = tensor<float, shape<layers, batch, hidden>>;

/// The loss of a chunk (seq_len, batch), and the state behind it.
inline constexpr auto loss_of = [](auto net, auto x, auto y, auto h, auto c) {
  return nn::SoftmaxLoss{}(std::get<0>(net(x, std::tuple{h, c})), y);
};
inline constexpr auto evaluate_chunk = [](auto net, auto x, auto y, auto h, auto c) {
  auto const [scores, state] = net(x, std::tuple{h, c});
  return std::tuple{nn::SoftmaxLoss{}(scores, y), std::get<0>(state), std::get<1>(state)};
};
inline constexpr auto train_chunk = [](auto net, auto optimizer, auto x, auto y, auto h, auto c) {
  auto const [loss, gradients] = esp::value_and_grad<0>(loss_of)(net, x, y, h, c);
  auto const [scores, state] = net(x, std::tuple{h, c});
  optimizer.update(net, gradients);
  return std::tuple{loss, std::get<0>(state), std::get<1>(state)};
};
// [/net]

/// The words of a text, and <eos> at the end of each line.
static std::vector<std::string> split(std::string const& text) {
  std::vector<std::string> all;
  std::string word;
  for (char const c : text) {
    if (c != ' ' && c != '\n') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (!word.empty()) all.push_back(word);
    word.clear();
    if (c == '\n') all.push_back("<eos>");
  }
  return all;
}
static std::string content_of(char const* path) {
  esp::io::file_bytes const file = esp::io::read_bytes(path);
  return {reinterpret_cast<char const*>(file.data()), static_cast<std::size_t>(file.size())};
}
/// Numbers of the most frequent words; 0 is every other word.
static std::map<std::string, std::int32_t> dictionary_of(std::vector<std::string> const& text) {
  std::map<std::string, int> counts;
  for (auto const& word : text) ++counts[word];
  std::vector<std::pair<int, std::string>> order;
  for (auto const& [word, count] : counts) order.emplace_back(-count, word);
  std::sort(order.begin(), order.end());
  std::map<std::string, std::int32_t> numbers;
  for (std::int32_t i = 1; i < words && i <= static_cast<std::int32_t>(order.size()); ++i)
    numbers[order[static_cast<std::size_t>(i - 1)].second] = i;
  return numbers;
}

/// A text in `batch` columns, needle's batchify: column n has the n-th part of the text.
struct batches {
  std::vector<std::int32_t> numbers;
  int rows;
  batches(std::vector<std::string> const& text, std::map<std::string, std::int32_t> const& dictionary)
      : rows{static_cast<int>(text.size()) / batch} {
    for (auto const& word : text) {
      auto const at = dictionary.find(word);
      numbers.push_back(at == dictionary.end() ? 0 : at->second);
    }
  }
  [[nodiscard]] std::int32_t at(int row, int column) const {
    return numbers[static_cast<std::size_t>(column * rows + row)];
  }
};

// [epoch]
/// One pass over a text: run(x, y, h, c, loss, h, c) computes a chunk. The state is carried from chunk to chunk, and no
/// gradient passes between them. Returns the mean loss of a word. The last chunk is left out if it is shorter.
template <class Run>
double epoch(batches const& text, Run& run) {
  tensor<std::int32_t, shape<seq_len, batch>> x;
  tensor<std::int32_t, shape<seq_len * batch>> y;
  State h, c;  // zeros
  tensor<float, shape<>> loss;
  double sum = 0;
  int chunks = 0;
  for (int row = 0; row + seq_len < text.rows; row += seq_len, ++chunks) {
    for (int t = 0; t < seq_len; ++t)
      for (int n = 0; n < batch; ++n) {
        x(t, n) = text.at(row + t, n);
        y[t * batch + n] = text.at(row + t + 1, n);
      }
    run(x, y, h, c, loss, h, c);
    sum += static_cast<double>(loss[0]);
  }
  return sum / chunks;
}
// [/epoch]

int main(int count, char** arguments) try {
  std::vector<std::string> train = split(content_of(count > 2 ? arguments[1] : ESPALIER_DATA "/shakespeare.txt")), test;
  if (count > 2) {
    test = split(content_of(arguments[2]));
  } else {
    auto const from = train.begin() + static_cast<std::ptrdiff_t>(train.size() / 10 * 9);
    test.assign(from, train.end());
    train.erase(from, train.end());
  }
  auto const dictionary = dictionary_of(train);
  batches const of_training{train, dictionary}, of_test{test, dictionary};
  if (of_training.rows <= seq_len || of_test.rows <= seq_len) {
    std::fprintf(stderr, "word_model: expected texts of more than %d words\n", (seq_len + 1) * batch);
    return 1;
  }

  // [train]
  esp::model<Net> model{esp::seed{0}};
  optim::updater updater{model, optim::SGD{.learning_rate = 4.0f}};
  tensor<std::int32_t, shape<seq_len, batch>> const x{};
  tensor<std::int32_t, shape<seq_len * batch>> const y{};
  esp::compiled learn{train_chunk, model, updater, x, y, State{}, State{}};
  esp::compiled evaluate{evaluate_chunk, model, x, y, State{}, State{}};
  double first = epoch(of_test, evaluate), test_loss = first;
  std::printf("before training      test loss %.4f\n", first);
  for (int i = 1; i <= 8; ++i) {
    double const train_loss = epoch(of_training, learn);
    test_loss = epoch(of_test, evaluate);
    std::printf("epoch %d loss %.4f, test loss %.4f, perplexity %.0f\n", i, train_loss, test_loss, std::exp(test_loss));
  }
  // [/train]
  return first > 6.8 && test_loss < 4.5 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "word_model: %s\n", error.what());
  return 1;
}
