// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <concepts>

#include "../base/needs_header.hpp"
#include "checkpoint.hpp"

ESPALIER_HEADER_INCLUDED(llama2c);

namespace espalier::io {

/// The sizes of a Llama that a checkpoint of llama2.c states, with the names that llama2.c has for them.
/// shared_classifier  the scores of the next word are products with the table of words; otherwise output.weight has its
///                    own numbers
struct llama2c_header {
  int dim = 0, hidden_dim = 0, n_layers = 0, n_heads = 0, n_kv_heads = 0, vocab_size = 0, seq_len = 0;
  bool shared_classifier = true;
};

/// A checkpoint: its sizes, and its weights under the names of Meta's checkpoints, with PyTorch's order of axes.
struct llama2c_checkpoint {
  llama2c_header header;
  archive arrays;
};

namespace detail {

inline constexpr std::int64_t llama2c_header_bytes = 7 * 4;

/// Reads the seven integers. Throws unless they are sizes of a net.
inline llama2c_header read_llama2c_header(char const* name, file_bytes const& bytes) {
  if (bytes.size() < llama2c_header_bytes)
    throw_error<format_error>("%s: expected a checkpoint of llama2.c with a header of %d bytes, got %lld bytes", name,
                              static_cast<int>(llama2c_header_bytes), static_cast<long long>(bytes.size()));
  std::int32_t word[7];
  std::memcpy(word, bytes.data(), sizeof word);
  llama2c_header h{word[0], word[1], word[2], word[3], word[4], word[5], word[6]};
  // Versions from 1 on begin with this number and store quantized or padded weights.
  if (word[0] == 0x616b3432)
    throw_error<format_error>("%s: expected a checkpoint of llama2.c of version 0, got version %d", name, word[1]);
  h.shared_classifier = h.vocab_size > 0;
  if (h.vocab_size == INT32_MIN)
    throw_error<format_error>("%s: expected a vocab_size whose sign can change, got %d", name, h.vocab_size);
  if (!h.shared_classifier) h.vocab_size = -h.vocab_size;
  struct size {
    char const* name;
    int value;
  };
  for (size const& s :
       {size{"dim", h.dim}, size{"hidden_dim", h.hidden_dim}, size{"n_layers", h.n_layers}, size{"n_heads", h.n_heads},
        size{"n_kv_heads", h.n_kv_heads}, size{"vocab_size", h.vocab_size}, size{"seq_len", h.seq_len}})
    if (s.value <= 0)
      throw_error<format_error>("%s: expected a positive %s in the header, got %d", name, s.name, s.value);
  if (h.dim % h.n_heads != 0 || h.n_heads % h.n_kv_heads != 0 || h.dim / h.n_heads % 2 != 0)
    throw_error<format_error>(
        "%s: expected n_heads that divide dim into even parts and n_kv_heads that divide n_heads, got dim %d, n_heads %d, n_kv_heads %d",
        name, h.dim, h.n_heads, h.n_kv_heads);
  return h;
}

/// A tensor of the file: layers > 0 if the file has one for each layer, in sequence.
struct llama2c_tensor {
  char const* name;
  bool in_layer;
  std::vector<std::int64_t> extents;
};

/// The tensors in the order of the file. The two tables of angles have no name: a net computes them.
inline std::vector<llama2c_tensor> llama2c_tensors(llama2c_header const& h) {
  std::int64_t const dim = h.dim, hidden = h.hidden_dim, words = h.vocab_size, angles = h.dim / h.n_heads / 2;
  std::int64_t const key_dim = dim / h.n_heads * h.n_kv_heads;
  std::vector<llama2c_tensor> all{{"tok_embeddings.weight", false, {words, dim}},
                                  {"attention_norm.weight", true, {dim}},
                                  {"attention.wq.weight", true, {dim, dim}},
                                  {"attention.wk.weight", true, {key_dim, dim}},
                                  {"attention.wv.weight", true, {key_dim, dim}},
                                  {"attention.wo.weight", true, {dim, dim}},
                                  {"ffn_norm.weight", true, {dim}},
                                  {"feed_forward.w1.weight", true, {hidden, dim}},
                                  {"feed_forward.w2.weight", true, {dim, hidden}},
                                  {"feed_forward.w3.weight", true, {hidden, dim}},
                                  {"norm.weight", false, {dim}},
                                  {"", false, {h.seq_len, angles}},
                                  {"", false, {h.seq_len, angles}}};
  if (!h.shared_classifier) all.push_back({"output.weight", false, {words, dim}});
  return all;
}

/// Throws unless the file has exactly the bytes of its header and its tensors.
inline void check_llama2c_size(char const* name, file_bytes const& bytes, llama2c_header const& h,
                               std::vector<llama2c_tensor> const& tensors) {
  std::int64_t const actual = (bytes.size() - llama2c_header_bytes) / 4;
  std::int64_t elements = 0;
  for (auto const& t : tensors) {
    std::vector<std::int64_t> extents = t.extents;
    if (t.in_layer) extents.push_back(h.n_layers);
    std::int64_t const count = count_of(extents);
    // A product that is too large for count_of is too large for the file.
    elements = count < 0 || count > (std::int64_t{1} << 59) - elements ? std::int64_t{1} << 59 : elements + count;
  }
  if (elements == actual && (bytes.size() - llama2c_header_bytes) % 4 == 0) return;
  throw_error<format_error>(
      "%s: expected %lld bytes (dim %d, hidden_dim %d, n_layers %d, n_heads %d, n_kv_heads %d, vocab_size %d, seq_len %d), got %lld: %s",
      name, static_cast<long long>(4 * elements + llama2c_header_bytes), h.dim, h.hidden_dim, h.n_layers, h.n_heads,
      h.n_kv_heads, h.vocab_size, h.seq_len, static_cast<long long>(bytes.size()),
      actual < elements ? "truncated, or the header is wrong" : "trailing bytes, or the header is wrong");
}

}  // namespace detail

/// parse_llama2c(path, bytes): reads a checkpoint of llama2.c (version 0) in memory: seven integers, then weights in
/// float. path is only used in errors.
/// names   tok_embeddings.weight, layers.0.attention.wq.weight, ..., norm.weight; output.weight if the classifier is
///         not shared (the file states it by a negative vocab_size)
/// memory  the file's; the arrays refer to it
/// errors  format_error, with the file's name, the expected and the actual content: a header that is no net's, a
///         version other than 0, a file that is too short or too long for its header. Sizes are checked before anything is
///         allocated
/// source  https://github.com/karpathy/llama2.c, run.c
inline llama2c_checkpoint parse_llama2c(char const* path, file_bytes bytes) {
  detail::file_name const file{path};
  llama2c_header const h = detail::read_llama2c_header(file.text, bytes);
  std::vector<detail::llama2c_tensor> const tensors = detail::llama2c_tensors(h);
  detail::check_llama2c_size(file.text, bytes, h, tensors);
  std::vector<named_array> arrays;
  unsigned char const* at = bytes.data() + detail::llama2c_header_bytes;
  for (auto const& t : tensors) {
    std::int64_t const size = 4 * count_of(t.extents);
    for (int layer = 0; layer < (t.in_layer ? h.n_layers : 1); ++layer, at += size) {
      if (*t.name == 0) continue;
      std::string const before = t.in_layer ? "layers." + std::to_string(layer) + "." : "";
      arrays.push_back({before + t.name, element_kind::f32, t.extents, at, size});
    }
  }
  return {h, archive{path, std::move(arrays), {{"format", "pt"}}, std::move(bytes)}};
}

/// read_llama2c(path): reads a checkpoint of llama2.c.
/// errors  as parse_llama2c; no such file, a folder
inline llama2c_checkpoint read_llama2c(file_path path) { return parse_llama2c(path, read_bytes(path)); }

/// A constraint that errors name: a net states the number of its heads, which the shapes of its weights do not show.
template <class Net>
struct states_heads {
  static constexpr bool agree = requires {
    { Net::heads } -> std::convertible_to<int>;
    { Net::key_heads } -> std::convertible_to<int>;
  };
};

/// load_llama2c(checkpoint, model[, load_options]): loads a checkpoint of llama2.c into a model of nn::Llama, or of
/// another net with Meta's names of weights. If they disagree in anything, nothing is loaded. With parse_llama2c the
/// bytes may be anywhere, for example linked into the program.
/// errors  mismatch_error, which lists every disagreement. The model is unchanged then. A net without `heads` and
///         `key_heads` does not compile
template <class Model>
void load_llama2c(llama2c_checkpoint const& from, Model& model, load_options const& options = {}) {
  using Net = typename Model::net_type;
  using States = states_heads<Net>;
  static_assert(States::agree, ESPALIER_SENTENCE("load_llama2c(path, model): the net states its numbers of heads: "
                                                 "static constexpr int heads, key_heads",
                                                 States));
  if constexpr (States::agree) {
    std::vector<disagreement> all;
    auto const check = [&](char const* what, int expected, int found) {
      if (expected != found)
        all.push_back({disagreement_kind::value, what, std::to_string(expected), std::to_string(found), {}});
    };
    check("n_heads", Net::heads, from.header.n_heads);
    check("n_kv_heads", Net::key_heads, from.header.n_kv_heads);
    if (!all.empty()) espalier::detail::raise(mismatch_error{from.arrays.name(), std::move(all)});
    load_options in_order = options;
    if (options.layout() == file_layout::from_metadata) in_order.from_pytorch();
    restore(from.arrays, model, in_order);
  }
}

/// load_llama2c(path, model[, load_options]): loads a checkpoint from a file.
/// errors  as above; format_error of read_llama2c
template <class Model>
void load_llama2c(file_path path, Model& model, load_options const& options = {}) {
  using States = states_heads<typename Model::net_type>;
  static_assert(States::agree, ESPALIER_SENTENCE("load_llama2c(path, model): the net states its numbers of heads: "
                                                 "static constexpr int heads, key_heads",
                                                 States));
  if constexpr (States::agree) load_llama2c(read_llama2c(path), model, options);
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
