// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "embedding.hpp"
#include "transformer.hpp"

namespace espalier::nn {

/// Named relation: a net has a cache of keys and one of values for each of its layers.
template <int Keys, int Values, int Layers>
struct cache_for_each_layer {
  ESPALIER_READS("got {} caches of keys and {} of values for {} layers")
  static constexpr bool agree = Keys == Layers && Values == Layers;
};

namespace detail {
/// The number of tensors in a struct of caches; 0 for any other value.
template <class Caches>
inline constexpr int cache_count = 0;
template <espalier::detail::Structure Caches>
inline constexpr int cache_count<Caches> = static_cast<int>(espalier::detail::members_of_structure<Caches>::count);
/// The scores of the next word: products with a table of their own, or with the table of words.
template <int Features, int Words, bool Shared>
using classifier = std::conditional_t<Shared, Identity, Linear<Features, Words, no_bias>>;
}  // namespace detail

/// Llama, a language model: scores of the next word at each position of a text. Parameters have the names of Meta's
/// checkpoints; io::load_llama2c reads those of llama2.c.
/// forward(indices, positions, keys, values) continues a text and returns std::tuple{scores, keys, values}. keys and
/// values are std::array or std::tuple of the caches of all layers, as those of RotaryAttention. A program of one
/// position decodes:
///     struct decode {
///       constexpr auto operator()(auto net, auto word, auto position, auto keys, auto values) const {
///         return net(word, position, keys, values);
///       }
///     };
///     esp::compiled step{decode{}, model, word, position, keys, values};
///     step(word, position, keys, values, scores, keys, values);
/// shape   indices (N, T) -> (N, T, Words); positions (T); each cache (N, KeyHeads, Length, Features / Heads)
/// errors  as of Embedding and LlamaBlock; another number of caches than layers does not compile
/// saves   what its parts save
/// gradient  that of the formula
/// source  Touvron et al. 2023
template <int Words, int Features, int Layers, int Heads, int KeyHeads, int Hidden, llama Options = llama{}>
struct Llama {
  static constexpr int heads = Heads, key_heads = KeyHeads;
  static constexpr nn::norm norm_options{.eps = Options.eps};
  Embedding<Words, Features> tok_embeddings{};
  Repeat<Layers, LlamaBlock<Features, Heads, KeyHeads, Hidden, Options>> layers{};
  RMSNorm<shape<Features>, norm_options> norm{};
  detail::classifier<Features, Words, Options.shared_classifier> output{};
  ESPALIER_MODULE(Llama, tok_embeddings, layers, norm, output)
  using input_element = std::int32_t;
  /// A cache of keys, or of values, for one layer of a net that reads up to Length positions of Batch texts.
  template <int Length, int Batch = 1>
  using cache_shape = shape<Batch, KeyHeads, Length, Features / Heads>;

  constexpr auto forward(auto indices) const { return scores(layers(tok_embeddings(indices))); }
  constexpr auto forward(auto indices, auto positions, auto keys, auto values) const {
    using Relation =
        cache_for_each_layer<detail::cache_count<decltype(keys)>, detail::cache_count<decltype(values)>, Layers>;
    if constexpr (!Relation::agree) return invalid<Relation>{};
    else return through(tok_embeddings(indices), positions, keys, values, std::tuple{}, std::tuple{});
  }

  constexpr auto scores(auto x) const {
    if constexpr (Options.shared_classifier) return matmul(norm(x), transpose(tok_embeddings.weight));
    else return output(norm(x));
  }
  /// The layers whose caches have not been written, in sequence.
  template <class... K, class... V>
  constexpr auto through(auto x, auto positions, auto keys, auto values, std::tuple<K...> written_keys,
                         std::tuple<V...> written_values) const {
    constexpr std::size_t layer = sizeof...(K);
    using X = decltype(x);
    if constexpr (is_invalid<X>) {
      return x;
    } else if constexpr (layer == Layers) {
      return std::tuple{scores(x), espalier::detail::rebuilt<decltype(keys), 0>(written_keys),
                        espalier::detail::rebuilt<decltype(values), 0>(written_values)};
    } else {
      auto const all = layers.blocks[layer](x, positions, std::get<layer>(keys), std::get<layer>(values));
      using All = std::remove_cvref_t<decltype(all)>;
      if constexpr (espalier::detail::HoldsInvalid<All>) return espalier::detail::first_invalid_of<All>{};
      else
        return through(std::get<0>(all), positions, keys, values,
                       std::tuple_cat(written_keys, std::tuple{std::get<1>(all)}),
                       std::tuple_cat(written_values, std::tuple{std::get<2>(all)}));
    }
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
