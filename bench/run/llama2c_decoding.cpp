// SPDX-License-Identifier: BSL-1.0
// The same Llamas in llama2.c, of a checkout, built as its makefile's runfast does.
#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "decoding.hpp"

namespace llama2c {
#define TESTING
#include <run.c>
}  // namespace llama2c

namespace {

using namespace bench;

work prepare(operands o, llama_shape const& s) {
  auto const net = std::make_shared<llama2c::Transformer>();
  net->config = {s.dim, s.hidden, s.layers, s.heads, s.key_heads, s.words, decoded_words};
  llama2c::memory_map_weights(&net->weights, &net->config, o.in[1], 1);
  llama2c::malloc_run_state(&net->state, &net->config);
  return {repeated([=] {
    float const* scores = nullptr;
    for (int i = 0; i < decoded_words; ++i) scores = llama2c::forward(net.get(), static_cast<int>(o.in[0][i]), i);
    memcpy(o.out[0], scores, static_cast<std::size_t>(s.words) * sizeof(float));
  })};
}

#define ROW(name, stored, words, dim, layers, heads, key_heads, hidden) \
  {"decode/" name, "llama2.c", [](operands o) { return prepare(o, {words, dim, layers, heads, key_heads, hidden}); }},
implementation const all[] = {BENCH_DECODING(ROW)};

}  // namespace
