// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/silu.hpp"
#include "attention.hpp"
#include "layer_norm.hpp"
#include "positions.hpp"
#include "repeat.hpp"
#include "rms_norm.hpp"

/// Blocks of Transformers: attention and a feed-forward net, each added to its input.
namespace espalier::nn {

/// The options of TransformerEncoderLayer. norm_first: norms act on the input of each branch (pre-norm) instead of on
/// the sum behind it. dropout: of the weights of attention, of the hidden features and of both branches.
struct encoder_layer {
  bool norm_first = false;
  bool causal = false;
  double dropout = 0;
  double eps = 1e-5;
};

/// One layer of a Transformer: self-attention, then Linear, Activation, Linear on each position.
/// post-norm  x = norm1(x + self_attn(x)), y = norm2(x + linear2(activation(linear1(x))))
/// pre-norm   x = x + self_attn(norm1(x)), y = x + linear2(activation(linear1(norm2(x))))
/// shape   (N, T, Features) -> the same
/// range   Options.dropout in [0, 1), eps >= 0
/// errors  Heads that do not divide Features, and another number of features, do not compile
/// saves   what its layers save
/// gradient  that of the formula
/// source  Vaswani et al. 2017; PyTorch's TransformerEncoderLayer with batch_first, whose dropout is 0.1 by default
template <int Features, int Heads, int Hidden, encoder_layer Options = encoder_layer{}, class Activation = ReLU>
struct TransformerEncoderLayer {
  static constexpr multihead_attention attention_options{.causal = Options.causal, .dropout = Options.dropout};
  static constexpr nn::norm norm_options{.eps = Options.eps};
  static constexpr real drop_branches{Options.dropout};
  MultiheadAttention<Features, Heads, attention_options> self_attn{};
  Linear<Features, Hidden> linear1{};
  Linear<Hidden, Features> linear2{};
  LayerNorm<shape<Features>, norm_options> norm1{}, norm2{};
  Activation activation{};
  detail::dropout_unless_0<drop_branches> dropout{}, dropout1{}, dropout2{};
  ESPALIER_MODULE(TransformerEncoderLayer, self_attn, linear1, linear2, norm1, norm2, activation, dropout, dropout1,
                  dropout2)

  constexpr auto forward(auto x) const {
    using Fault = typename detail::sequence_fault<Features, decltype(x)>::type;
    if constexpr (is_invalid<Fault>) {
      return Fault{};
    } else if constexpr (Options.norm_first) {
      auto const a = x + dropout1(self_attn(norm1(x)));
      return a + dropout2(feed_forward(norm2(a)));
    } else {
      auto const a = norm1(x + dropout1(self_attn(x)));
      return norm2(a + dropout2(feed_forward(a)));
    }
  }
  constexpr auto feed_forward(auto x) const { return linear2(dropout(activation(linear1(x)))); }
};

/// The options of needle's Transformer and its layers.
struct transformer {
  bool causal = true;
  double dropout = 0;
  double eps = 1e-5;
};

/// needle's attention layer: norms and projections of their own for queries, keys and values, attention in Heads heads
/// of HeadFeatures features, and a projection back. forward(q, k, v) or forward(x).
/// shape   q (N, T, Features), k, v (N, S, Features) -> (N, T, Features)
/// range   Options.dropout in [0, 1), eps >= 0
/// errors  another number of features, and k and v of different lengths, do not compile
/// saves   what its layers save
/// gradient  that of the formula
/// source  needle's AttentionLayer (homework 4, extra)
template <int Features, int Heads, int HeadFeatures, transformer Options = transformer{}>
struct AttentionLayer {
  static constexpr int inner = Heads * HeadFeatures;
  static constexpr nn::norm norm_options{.eps = Options.eps};
  static constexpr real drop_weights{Options.dropout};
  LayerNorm<shape<Features>, norm_options> prenorm_q{}, prenorm_k{}, prenorm_v{};
  Linear<Features, inner, no_bias> q_projection{}, k_projection{}, v_projection{};
  detail::dropout_unless_0<drop_weights> dropout{};
  Linear<inner, Features, no_bias> out_projection{};
  ESPALIER_MODULE(AttentionLayer, prenorm_q, prenorm_k, prenorm_v, q_projection, k_projection, v_projection, dropout,
                  out_projection)

  constexpr auto forward(auto x) const { return forward(x, x, x); }
  constexpr auto forward(auto q, auto k, auto v) const {
    using Fault = typename detail::sequences_fault<Features, decltype(q), decltype(k), decltype(v)>::type;
    if constexpr (is_invalid<Fault>) {
      return Fault{};
    } else {
      constexpr attention options{.causal = Options.causal};
      auto const y = detail::attend_with<options>(dropout, detail::to_heads<Heads>(q_projection(prenorm_q(q))),
                                                  detail::to_heads<Heads>(k_projection(prenorm_k(k))),
                                                  detail::to_heads<Heads>(v_projection(prenorm_v(v))));
      if constexpr (is_invalid<std::remove_cvref_t<decltype(y)>>) return y;
      else return out_projection(detail::from_heads(y));
    }
  }
};

/// needle's Transformer layer: x = x + attention(x), y = x + linear2(relu(linear1(norm(x)))).
/// shape   (N, T, Features) -> the same
/// range   as of AttentionLayer
/// errors  another number of features does not compile
/// saves   what its layers save
/// gradient  that of the formula
/// source  needle's TransformerLayer (homework 4, extra)
template <int Features, int Heads, int HeadFeatures, int Hidden, transformer Options = transformer{}>
struct TransformerLayer {
  static constexpr nn::norm norm_options{.eps = Options.eps};
  static constexpr real drop_branches{Options.dropout};
  AttentionLayer<Features, Heads, HeadFeatures, Options> attention{};
  detail::dropout_unless_0<drop_branches> dropout1{};
  LayerNorm<shape<Features>, norm_options> norm{};
  Linear<Features, Hidden> linear1{};
  detail::dropout_unless_0<drop_branches> dropout2{};
  Linear<Hidden, Features> linear2{};
  detail::dropout_unless_0<drop_branches> dropout3{};
  ESPALIER_MODULE(TransformerLayer, attention, dropout1, norm, linear1, dropout2, linear2, dropout3)
  using takes_single_values = void;

  constexpr auto forward(auto x) const {
    using Fault = typename detail::sequence_fault<Features, decltype(x)>::type;
    if constexpr (is_invalid<Fault>) {
      return Fault{};
    } else {
      auto const a = x + dropout1(attention(x));
      return a + dropout3(linear2(dropout2(relu(linear1(norm(a))))));
    }
  }
};

/// needle's Transformer: learned positions, then Count layers. Sequences have up to Length positions.
/// shape   (N, T, Features) -> the same, T <= Length
/// range   as of AttentionLayer
/// errors  longer sequences and another number of features do not compile
/// saves   what its layers save
/// gradient  that of the formula
/// source  needle's Transformer (homework 4, extra)
template <int Features, int Heads, int HeadFeatures, int Hidden, int Count, int Length,
          transformer Options = transformer{}>
struct Transformer {
  LearnedPositions<Length, Features> positions{};
  Repeat<Count, TransformerLayer<Features, Heads, HeadFeatures, Hidden, Options>> layers{};
  ESPALIER_MODULE(Transformer, positions, layers)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return layers(positions(x)); }
};

/// A feed-forward net with a gate: y = w2(silu(w1(x)) w3(x)), without biases.
/// shape   (..., Features) -> the same; w1, w3 (Features, Hidden), w2 (Hidden, Features)
/// errors  another last axis does not compile
/// saves   x, w1(x), w3(x)
/// gradient  that of the formula
/// source  Shazeer 2020; Llama's feed-forward net
template <int Features, int Hidden>
struct SwiGLU {
  Linear<Features, Hidden, no_bias> w1{};
  Linear<Hidden, Features, no_bias> w2{};
  Linear<Features, Hidden, no_bias> w3{};
  ESPALIER_MODULE(SwiGLU, w1, w2, w3)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return w2(silu(w1(x)) * w3(x)); }
};

/// The options of LlamaBlock and Llama. shared_classifier: Llama's scores are products with its table of words.
struct llama {
  bool causal = true;
  espalier::rotary rotary{};
  double eps = 1e-5;
  bool shared_classifier = true;
};

/// A block of Llama: x = x + attention(attention_norm(x)), y = x + feed_forward(ffn_norm(x)), with RotaryAttention,
/// SwiGLU and RMSNorm. Parameters have the names of Meta's checkpoints. forward(x, positions, keys, values) continues a
/// sequence and returns std::tuple{y, keys, values}, as that of RotaryAttention.
/// shape   (N, T, Features) -> the same
/// range   Options.eps >= 0
/// errors  as of RotaryAttention
/// saves   what its layers save
/// gradient  that of the formula
/// source  Touvron et al. 2023
template <int Features, int Heads, int KeyHeads, int Hidden, llama Options = llama{}>
struct LlamaBlock {
  static constexpr rotary_attention attention_options{.causal = Options.causal, .rotary = Options.rotary};
  static constexpr nn::norm norm_options{.eps = Options.eps};
  RotaryAttention<Features, Heads, KeyHeads, attention_options> attention{};
  SwiGLU<Features, Hidden> feed_forward{};
  RMSNorm<shape<Features>, norm_options> attention_norm{}, ffn_norm{};
  ESPALIER_MODULE(LlamaBlock, attention, feed_forward, attention_norm, ffn_norm)
  using takes_single_values = void;

  constexpr auto forward(auto x) const {
    using Fault = typename detail::sequence_fault<Features, decltype(x)>::type;
    if constexpr (is_invalid<Fault>) {
      return Fault{};
    } else {
      auto const a = x + attention(attention_norm(x));
      return a + feed_forward(ffn_norm(a));
    }
  }
  constexpr auto forward(auto x, auto positions, auto keys, auto values) const {
    using Fault = typename detail::sequence_fault<Features, decltype(x)>::type;
    if constexpr (is_invalid<Fault>) {
      return Fault{};
    } else {
      auto const all = attention(attention_norm(x), positions, keys, values);
      using All = std::remove_cvref_t<decltype(all)>;
      if constexpr (espalier::detail::HoldsInvalid<All>) {
        return espalier::detail::first_invalid_of<All>{};
      } else {
        auto const a = x + std::get<0>(all);
        return std::tuple{a + feed_forward(ffn_norm(a)), std::get<1>(all), std::get<2>(all)};
      }
    }
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
