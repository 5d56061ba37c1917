// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>

/// Changes of files of words of 32 bits, as FlatBuffers are: a small number becomes another one, or that of another
/// word. Such words are shapes, operands, kinds of operators and distances; most changes leave a whole file.
namespace fuzz {

inline void change_words(std::uint8_t* data, std::size_t size, unsigned seed) {
  std::minstd_rand random{seed};
  std::size_t const words = size / 4;
  if (words == 0) return;
  auto const word_at = [&](std::size_t i) {
    std::int32_t r;
    std::memcpy(&r, data + 4 * i, 4);
    return r;
  };
  auto const is_small = [](std::int32_t x) { return x >= -2 && x <= 300; };
  /// A word with a small number, or any.
  auto const one = [&] {
    std::size_t at = random() % words;
    for (int tries = 0; tries < 50 && !is_small(word_at(at)); ++tries) at = random() % words;
    return at;
  };
  static constexpr std::int32_t numbers[] = {0,  1,   2,   3,   4,   5,  7,  8,       9,
                                             16, 127, 128, 255, 256, -1, -2, 1 << 30, INT32_MIN};
  for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
    std::size_t const at = one();
    std::int32_t value = 0;
    switch (random() % 4) {
      case 0:
        value = numbers[random() % std::size(numbers)];
        break;
      case 1:
        value = word_at(at) ^ static_cast<std::int32_t>(1 + random() % 3);
        break;
      default:
        value = word_at(one());
    }
    std::memcpy(data + 4 * at, &value, 4);
  }
}

}  // namespace fuzz
