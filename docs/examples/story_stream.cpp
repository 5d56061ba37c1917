// SPDX-License-Identifier: BSL-1.0
// A language model told word by word: the compiler derives the step from the net over whole texts, with the keys and
// values that it keeps. The words are those of stories.cpp, whose step is written by hand.
//     story_stream [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>
#include <espalier/io/llama2c.hpp>
#include <espalier/stream.hpp>

#include <cstdio>
#include <exception>

#include "../../test/support/allocation_counter.hpp"
#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;

int main(int count, char** arguments) try {
  examples::recorded out;
  // [step]
  using Net = nn::Llama<512, 64, 5, 8, 4, 172>;
  esp::model<Net> model{esp::seed{0}};
  esp::io::load_llama2c(ESPALIER_DATA "/stories260K.bin", model);

  esp::stream step{model, esp::batch<1, 1>{}, esp::context<256>{}};  // one text, one word a call
  tensor<std::int32_t, shape<1, 1>> word{{1}};                       // 1 begins a text
  tensor<float, shape<1, 1, 512>> scores;
  long const before = espalier_test::allocations();
  for (int i = 0; i < 256; ++i) {
    step(word, scores);
    word[0] = static_cast<int>(esp::argmax(scores));
    out.print(" %d", word[0]);
  }
  // [/step]
  out.print("\nallocations: %ld\n", espalier_test::allocations() - before);
  // [facts]
  // In each layer, the keys and values of 255 words: 4 heads of 8 features. Two numbers count words.
  static_assert(step.state_bytes == sizeof(float) * (5 * 2 * 255 * 4 * 8 + 2));
  // [/facts]
  return out.finish(count, arguments);
} catch (std::exception const& error) {
  std::fprintf(stderr, "story_stream: %s\n", error.what());
  return 1;
}
