// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "embedding.hpp"
#include "gru.hpp"
#include "lstm.hpp"
#include "rnn.hpp"

namespace espalier::nn {

namespace detail {
/// The inputs of a net of indices with a state.
template <int StateValues>
struct indices_and_state {
  using type = std::tuple<std::int32_t, float, float>;
};
template <>
struct indices_and_state<1> {
  using type = std::tuple<std::int32_t, float>;
};
}  // namespace detail

/// Scores of the next word at each position of a text: an embedding, recurrent layers, and a Linear to the words.
/// LanguageModel<10000, nn::LSTM<30, 100>>. forward(x, state) and forward(x), which starts from zeros, return
/// std::tuple{scores, last state}, where the state is that of the layers. As the net of a model it reads a state.
/// shape   (T, N) numbers of words -> (T N, Words), and the last state; batch_first: (N, T) -> (N T, Words)
/// errors  as of Embedding and the layers
/// saves   what its parts save
/// gradient  that of its parts in turn
/// source  needle's LanguageModel
template <int Words, class Layers>
struct LanguageModel {
  Embedding<Words, Layers::input_features> embedding{};
  Layers seq_model{};
  Linear<Layers::output_features, Words> linear{};
  ESPALIER_MODULE(LanguageModel, embedding, seq_model, linear)
  using input_element = typename detail::indices_and_state<Layers::state_count>::type;

  constexpr auto forward(auto x, auto... state) const {
    auto const all = seq_model(embedding(x), state...);
    using All = std::remove_cvref_t<decltype(all)>;
    if constexpr (espalier::detail::HoldsInvalid<All>) return espalier::detail::first_invalid_of<All>{};
    else
      return std::apply(
          [&](auto const& y, auto const&... last) {
            using S = shape_of<decltype(y)>;
            return std::tuple{linear(reshape<S::value.at[0] * S::value.at[1], S::value.at[2]>(y)), last...};
          },
          all);
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
