// SPDX-License-Identifier: BSL-1.0
// Llamas word by word, as esp::stream derives the step from the net over whole texts. With weights of 16 bits, only
// these are rounded: everything is computed in float.
#include "decoding.hpp"

#include <espalier/io/llama2c.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/stream.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

using namespace bench;

template <class Net, int Words, class Stored>
work prepare(operands o, llama_shape const& s) {
  using word = esp::batch<1, 1>;
  using scores = esp::shape<1, 1, Words>;
  std::int32_t const header[]{s.dim, s.hidden, s.layers, s.heads, s.key_heads, s.words, decoded_words};
  esp::io::file_bytes bytes{static_cast<std::int64_t>(sizeof header + s.numbers() * sizeof(float))};
  std::memcpy(bytes.data(), header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, o.in[1], s.numbers() * sizeof(float));
  using Model = esp::model<Net, esp::cpu, Stored>;
  auto const model = std::make_shared<Model>(esp::seed{0});
  esp::io::load_llama2c(esp::io::parse_llama2c("operands", std::move(bytes)), *model,
                        esp::io::load_options{}.convert(!std::is_same_v<Stored, float>));
  using stream_type = esp::stream<Model, word, 1, decoded_words>;
  auto const stream = std::make_shared<stream_type>(*model, word{}, esp::context<decoded_words>{});
  auto const text = std::make_shared<std::vector<std::int32_t>>(o.in[0], o.in[0] + decoded_words);
  return {repeated([=] {
    (void)model;  // kept while the stream is
    stream->reset();
    for (std::int32_t const& each : *text)
      (*stream)(esp::view<std::int32_t const, word>(&each), esp::view<float, scores>(o.out[0]));
  })};
}

struct decoding_row {
  row what;
  implementation own;
  template <class Net, int Words, class Stored>
  decoding_row(std::string const& name, llama_shape const& s, std::type_identity<Net>,
               std::integral_constant<int, Words>, std::type_identity<Stored>)
      : what{name, s.in(), s.out(std::is_same_v<Stored, float> ? 1e-3 : 3e-2), 0, s.flops()},
        own{name, "espalier", [s](operands o) { return prepare<Net, Words, Stored>(o, s); }} {}
};

using esp::bfloat16;
#define ROW(name, stored, words, dim, layers, heads, key_heads, hidden)           \
  {"decode/" name, llama_shape{words, dim, layers, heads, key_heads, hidden},     \
   std::type_identity<nn::Llama<words, dim, layers, heads, key_heads, hidden>>{}, \
   std::integral_constant<int, words>{}, std::type_identity<stored>{}},
decoding_row const rows[] = {BENCH_DECODING(ROW)};

}  // namespace
