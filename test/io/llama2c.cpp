// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_llama2c
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <espalier.hpp>
#include <espalier/io/llama2c.hpp>

#include "support/written_file.hpp"

namespace esp = espalier;
namespace io = espalier::io;
namespace nn = espalier::nn;
using namespace test;

namespace {

using Shared = nn::Llama<5, 8, 2, 4, 2, 6>;
using Own = nn::Llama<5, 8, 2, 4, 2, 6, nn::llama{.shared_classifier = false}>;

/// Numbers of the shared net, and of its tables of angles for 7 positions.
constexpr int shared_elements = 5 * 8 + 2 * (8 + 64 + 32 + 32 + 64 + 8 + 3 * 48) + 8 + 2 * 7;

/// A file of these integers and of numbers that count up.
std::string file_of(std::vector<std::int32_t> const& header, int elements) {
  std::string made(4 * header.size() + 4 * static_cast<std::size_t>(elements), '\0');
  std::memcpy(made.data(), header.data(), 4 * header.size());
  for (int i = 0; i < elements; ++i) {
    float const number = static_cast<float>(i);
    std::memcpy(made.data() + 4 * header.size() + 4 * static_cast<std::size_t>(i), &number, 4);
  }
  return made;
}
std::string error_of(std::string const& content) {
  written const file{content, "io_llama2c_file"};
  return message<io::format_error>([&] { (void)io::read_llama2c(file.name.c_str()); });
}
std::vector<std::int32_t> const header{8, 6, 2, 4, 2, 5, 7};

}  // namespace

BOOST_AUTO_TEST_CASE(a_checkpoint_in_memory_loads_as_its_file_does) {
  std::string const content = file_of(header, shared_elements);
  io::file_bytes bytes{static_cast<std::int64_t>(content.size())};
  std::memcpy(bytes.data(), content.data(), content.size());
  written const file{content, "io_llama2c_file"};
  esp::model<Shared> from_memory{esp::seed{1}}, from_file{esp::seed{2}};
  io::load_llama2c(io::parse_llama2c("memory", std::move(bytes)), from_memory);
  io::load_llama2c(file.name.c_str(), from_file);
  for (char const* name : {"tok_embeddings.weight", "layers.1.attention.wk.weight", "norm.weight"}) {
    auto const a = from_memory.parameter(name).span(), b = from_file.parameter(name).span();
    BOOST_TEST(a.size() > 0);
    BOOST_TEST(std::equal(a.begin(), a.end(), b.begin(), b.end()), name);
  }
}

BOOST_AUTO_TEST_CASE(weights_are_transposed_by_name) {
  written const file{file_of(header, shared_elements), "io_llama2c_file"};
  esp::model<Shared> model{esp::seed{1}};
  io::load_llama2c(file.name.c_str(), model);
  auto const at = [&](char const* name, int i) { return static_cast<int>(model.parameter(name).span()[i]); };
  BOOST_TEST(at("tok_embeddings.weight", 9) == 9);
  BOOST_TEST(at("layers.0.attention_norm.weight", 1) == 41);
  BOOST_TEST(at("layers.1.attention_norm.weight", 1) == 49);
  // Behind the tables of words and of the norms of two layers: wq (outputs, inputs) of both layers.
  BOOST_TEST(at("layers.0.attention.wq.weight", 1) == 56 + 8);
  BOOST_TEST(at("layers.1.attention.wq.weight", 8) == 56 + 64 + 1);
  // wk has 4 outputs and 8 inputs: element (input 1, output 2).
  BOOST_TEST(at("layers.1.attention.wk.weight", 1 * 4 + 2) == 56 + 128 + 32 + 2 * 8 + 1);
  int const norms = 56 + 128 + 64 + 64 + 128;
  BOOST_TEST(at("layers.1.ffn_norm.weight", 3) == norms + 8 + 3);
  // w2 has 8 outputs and 6 inputs, behind w1 of both layers.
  BOOST_TEST(at("layers.0.feed_forward.w2.weight", 5 * 8 + 7) == norms + 16 + 96 + 7 * 6 + 5);
  BOOST_TEST(at("norm.weight", 7) == norms + 16 + 3 * 96 + 7);
}
BOOST_AUTO_TEST_CASE(a_classifier_of_its_own) {
  auto own = header;
  own[5] = -5;
  written const file{file_of(own, shared_elements + 40), "io_llama2c_file"};
  auto const all = io::read_llama2c(file.name.c_str());
  BOOST_TEST((!all.header.shared_classifier && all.header.vocab_size == 5 && all.header.seq_len == 7));
  esp::model<Own> model{esp::seed{1}};
  io::load_llama2c(file.name.c_str(), model);
  BOOST_TEST(model.parameter("output.weight").span()[3 * 5 + 2] == static_cast<float>(shared_elements + 2 * 8 + 3));
  esp::model<Shared> other{esp::seed{1}};
  std::string const text = message<io::mismatch_error>([&] { io::load_llama2c(file.name.c_str(), other); });
  BOOST_TEST(text.find("extra \"output.weight\": the file has") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(rejects_headers) {
  BOOST_TEST(error_of("") ==
             "io_llama2c_file: expected a checkpoint of llama2.c with a header of 28 bytes, got 0 bytes");
  char const* const names[] = {"dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size", "seq_len"};
  for (std::size_t i = 0; i < 7; ++i)
    for (int value : {0, -3}) {
      auto wrong = header;
      wrong[i] = value;
      if (i == 5 && value < 0) continue;
      BOOST_TEST(error_of(file_of(wrong, shared_elements)) == std::string{"io_llama2c_file: expected a positive "} +
                                                                  names[i] + " in the header, got " +
                                                                  std::to_string(value));
    }
  BOOST_TEST(
      error_of(file_of({8, 6, 2, 3, 3, 5, 7}, 9)) ==
      "io_llama2c_file: expected n_heads that divide dim into even parts and n_kv_heads that divide n_heads, got "
      "dim 8, n_heads 3, n_kv_heads 3");
  BOOST_TEST(error_of(file_of({8, 6, 2, 8, 8, 5, 7}, 9)).find("even parts") != std::string::npos);
  BOOST_TEST(error_of(file_of({8, 6, 2, 4, 3, 5, 7}, 9)).find("n_kv_heads 3") != std::string::npos);
  BOOST_TEST(error_of(file_of({8, 6, 2, 4, 2, INT32_MIN, 7}, 9)).find("got -2147483648") != std::string::npos);
  BOOST_TEST(error_of(file_of({0x616b3432, 2, 2, 4, 2, 5, 7}, 9)) ==
             "io_llama2c_file: expected a checkpoint of llama2.c of version 0, got version 2");
}
BOOST_AUTO_TEST_CASE(rejects_another_size) {
  std::string const whole = file_of(header, shared_elements);
  std::string const expected = "io_llama2c_file: expected " + std::to_string(whole.size()) +
                               " bytes (dim 8, hidden_dim 6, n_layers 2, n_heads 4, n_kv_heads 2, vocab_size 5, "
                               "seq_len 7), got ";
  for (std::size_t size : {std::size_t{28}, std::size_t{30}, whole.size() - 4, whole.size() - 1})
    BOOST_TEST(error_of(whole.substr(0, size)) ==
               expected + std::to_string(size) + ": truncated, or the header is wrong");
  for (std::size_t more : {std::size_t{1}, std::size_t{4}})
    BOOST_TEST(error_of(whole + std::string(more, 'x')) ==
               expected + std::to_string(whole.size() + more) + ": trailing bytes, or the header is wrong");
  // Sizes whose product overflows are no reason to allocate anything.
  BOOST_TEST(error_of(file_of({1 << 30, INT32_MAX, INT32_MAX, 2, 1, INT32_MAX, INT32_MAX}, 9)).find("truncated") !=
             std::string::npos);
}
BOOST_AUTO_TEST_CASE(rejects_other_heads) {
  // The same extents with half as many heads.
  written const file{file_of({8, 6, 2, 2, 1, 5, 7}, shared_elements + 2 * 7), "io_llama2c_file"};
  esp::model<Shared> model{esp::seed{1}};
  float const before = model.parameter("norm.weight").span()[0];
  std::string const text = message<io::mismatch_error>([&] { io::load_llama2c(file.name.c_str(), model); });
  BOOST_TEST(text ==
             "io_llama2c_file does not fit: 2 disagreements; nothing was loaded\n"
             "  value of \"n_heads\": expected 4, found 2\n  value of \"n_kv_heads\": expected 2, found 1");
  BOOST_TEST(model.parameter("norm.weight").span()[0] == before);
}
BOOST_AUTO_TEST_CASE(no_file) {
  BOOST_TEST(message<io::format_error>([] { (void)io::read_llama2c("io_llama2c_none"); }) ==
             "io_llama2c_none: expected a file, got: No such file or directory");
}
