// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/io/file_bytes.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace examples {

/// The printable characters of ASCII and the end of a line, as numbers.
inline constexpr int characters = 96;
inline std::int32_t number_of(char c) { return c < ' ' || c > '~' ? 0 : c - ' ' + 1; }
inline char character_of(int number) { return number == 0 ? '\n' : static_cast<char>(number - 1 + ' '); }

/// The characters of a file as numbers.
inline std::vector<std::int32_t> read_text(char const* path) {
  espalier::io::file_bytes const file = espalier::io::read_bytes(path);
  std::vector<std::int32_t> text;
  for (std::int64_t i = 0; i < file.size(); ++i) text.push_back(number_of(static_cast<char>(file.data()[i])));
  return text;
}

/// One of `count` numbers at random, with probabilities softmax(scores / temperature).
inline int sample(float const* scores, int count, float temperature, std::mt19937& random) {
  float largest = scores[0], total = 0;
  for (int i = 1; i < count; ++i) largest = scores[i] > largest ? scores[i] : largest;
  auto const weight = [&](int i) { return std::exp((scores[i] - largest) / temperature); };
  for (int i = 0; i < count; ++i) total += weight(i);
  float left = total * static_cast<float>(random() >> 8) / static_cast<float>(1 << 24);
  for (int i = 0; i < count; ++i)
    if ((left -= weight(i)) < 0) return i;
  return count - 1;
}

/// A line that shows how far a training is: on a terminal it replaces itself, elsewhere it appears every `each` steps.
class progress {
 public:
  progress(int steps, int each) : steps_{steps}, each_{each} {}
  void report(int step, double loss) {
    mean_ = step == 0 ? loss : 0.95 * mean_ + 0.05 * loss;
    int const done = step + 1;
    if (done % each_ != 0 && done != steps_) return;
    std::printf("step %4d of %d [%-20.*s] loss %.3f\n", done, steps_, 20 * done / steps_, "####################",
                mean_);
    std::fflush(stdout);
  }
  /// A mean of the last losses.
  [[nodiscard]] double loss() const { return mean_; }

 private:
  int steps_, each_;
  double mean_ = 0;
};

}  // namespace examples
