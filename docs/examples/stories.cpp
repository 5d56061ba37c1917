// SPDX-License-Identifier: BSL-1.0
// A language model tells a story: a Llama of 260,000 parameters, whose step from one word to the next is one compiled
// program. It allocates nothing, and the weights are part of the executable.
//   stories [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>
#include <espalier/io/llama2c.hpp>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "../../test/support/allocation_counter.hpp"
#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;

// [net]
constexpr int words = 512, length = 256;         // length: the positions for which the caches have room
using Net = nn::Llama<words, 64, 5, 8, 4, 172>;  // 64 features, 5 layers, 8 heads of queries, 4 of keys, 172 hidden
using Caches = std::array<tensor<float, Net::cache_shape<length>>, 5>;

/// One word of one text at a position known at run time.
inline constexpr auto decode = [](auto net, auto word, auto position, auto keys, auto values) {
  return net(word, position, keys, values);
};
// [/net]

// [weights]
/// The bytes of two files, which the assembler puts into the program: it reads nothing when it runs.
asm(".pushsection .rodata\n"
    "story_weights: .incbin \"" ESPALIER_DATA
    "/stories260K.bin\"\n"
    "story_weights_end:\n"
    "story_words: .incbin \"" ESPALIER_DATA
    "/tok512.bin\"\n"
    "story_words_end:\n"
    ".popsection\n"
    ".globl story_weights, story_weights_end, story_words, story_words_end");
extern "C" unsigned char const story_weights[], story_weights_end[], story_words[], story_words_end[];
// [/weights]

/// The text of each word, from a vocabulary of llama2.c: the length of the longest, then for each word a score that
/// decoding does not need, its length, and its characters. <0x0A> is a byte.
static std::vector<std::string> read_vocabulary(unsigned char const* at, unsigned char const* end) {
  at += 4;
  std::vector<std::string> vocabulary;
  while (end - at >= 8) {
    std::int32_t size = 0;
    std::memcpy(&size, at + 4, 4);
    at += 8;
    if (size < 0 || size > end - at) break;
    std::string text(reinterpret_cast<char const*>(at), static_cast<std::size_t>(size));
    at += size;
    unsigned byte = 0;
    if (std::sscanf(text.c_str(), "<0x%02X>", &byte) == 1) text = std::string(1, static_cast<char>(byte));
    vocabulary.push_back(text);
  }
  if (vocabulary.size() != words || at != end)
    esp::io::throw_error<esp::io::format_error>("tok512.bin: expected a vocabulary of %d words", words);
  return vocabulary;
}

int main(int count, char** arguments) try {
  std::vector<std::string> const vocabulary = read_vocabulary(story_words, story_words_end);
  // [load]
  esp::model<Net> model{esp::seed{0}};
  esp::io::file_bytes weights{story_weights_end - story_weights};
  std::memcpy(weights.data(), story_weights, static_cast<std::size_t>(weights.size()));
  esp::io::load_llama2c(esp::io::parse_llama2c("stories260K.bin", std::move(weights)), model);
  // [/load]

  // [decode]
  static Caches keys, values;
  tensor<std::int32_t, shape<1, 1>> word{{1}};  // 1 begins a text
  tensor<std::int32_t, shape<1>> position{0};
  tensor<float, shape<1, 1, words>> scores;
  esp::compiled step{decode, model, word, position, keys, values};

  std::array<int, length> story;
  long const before = espalier_test::allocations();
  for (int& next : story) {
    step(word, position, keys, values, scores, keys, values);  // the caches are updated where they are
    word[0] = next = static_cast<int>(esp::argmax(scores));
    ++position[0];
  }
  long const made = espalier_test::allocations() - before;
  // [/decode]

  examples::recorded out;
  for (std::size_t i = 0; i < story.size(); ++i) {
    std::string const& text = vocabulary[static_cast<std::size_t>(story[i])];
    out.print("%s", text.c_str() + (i == 0 && text[0] == ' ' ? 1 : 0));  // no space in front of the first word
  }
  out.print("\n\nallocations: %ld\nwords:", made);
  for (int const next : story) out.print(" %d", next);
  out.print("\n");
  return out.finish(count, arguments);
} catch (std::exception const& error) {
  std::fprintf(stderr, "stories: %s\n", error.what());
  return 1;
}
