// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/index_copy.hpp"
#include "../operation/permute.hpp"
#include "../operation/rotary_embedding.hpp"
#include "../operation/scaled_dot_product_attention.hpp"
#include "../operation/split.hpp"
#include "activation.hpp"
#include "dropout.hpp"
#include "linear.hpp"
#include "norm_family.hpp"

/// Modules around scaled_dot_product_attention: projections of a sequence to queries, keys and values, and back.
namespace espalier::nn {

/// Named relation: the input of an attention layer is (batch, length, features).
template <int Features, class S>
struct features_of_sequence {
  ESPALIER_READS("expected (batch, length, {}), got {}")
  static constexpr bool agree = S::rank == 3 && S::value.at[S::rank > 0 ? S::rank - 1 : 0] == Features;
};
/// Named relation: the heads of an attention layer divide its features.
template <int Features, int Heads>
struct heads_divide {
  static constexpr bool agree = Features > 0 && Heads > 0 && Features % (Heads > 0 ? Heads : 1) == 0;
};

/// Named relation: caches of keys and values are (batch, key heads, length, features of a head), for a sequence that is
/// no longer than they are, and the attention that reads them is causal.
template <class X, class Keys, class Values, int KeyHeads, int HeadFeatures, bool Causal>
struct caches_fit {
  ESPALIER_READS("the sequence is {}, keys are {}, values are {}; expected {} key heads of {} features, causal: {}")
  static constexpr bool agree = [] {
    constexpr extents k = Keys::value, x = X::value;
    return Causal && std::is_same_v<Keys, Values> && k.rank == 4 && x.rank == 3 && k.at[0] == x.at[0] &&
           k.at[1] == KeyHeads && k.at[2] >= x.at[1] && k.at[3] == HeadFeatures;
  }();
};

namespace detail {

/// The first of some sequences that is invalid or does not have as many features, or `agreed`.
template <int Features, class X>
struct sequence_fault : std::conditional<features_of_sequence<Features, shape_of<X>>::agree, agreed,
                                         invalid<features_of_sequence<Features, shape_of<X>>>> {};
template <int Features, class... Facts>
struct sequence_fault<Features, invalid<Facts...>> : std::type_identity<invalid<Facts...>> {};

template <int Features, class... X>
using sequences_fault = espalier::detail::first_fault<typename sequence_fault<Features, X>::type...>;

/// (batch, length, heads features) -> (batch, heads, length, features).
template <int Heads, class X>
constexpr auto to_heads(X const& x) {
  using S = shape_of<X>;
  return permute<0, 2, 1, 3>(
      reshape<S::template extent<0>(), S::template extent<1>(), Heads, S::template extent<2>() / Heads>(x));
}
/// The inverse.
template <class X>
constexpr auto from_heads(X const& x) {
  using S = shape_of<X>;
  return reshape<S::template extent<0>(), S::template extent<2>(), S::template extent<1>() * S::template extent<3>()>(
      permute<0, 2, 1, 3>(x));
}

/// A dropout that drops nothing is no member with a random stream.
template <real P>
using dropout_unless_0 = std::conditional_t<P.value == 0, Identity, Dropout<P>>;

/// Attention whose weights pass through a dropout.
template <attention Options, class Drop>
constexpr auto attend_with(Drop const& drop, auto const& q, auto const& k, auto const& v, auto const&... mask) {
  if constexpr (std::is_same_v<Drop, Identity>) {
    return scaled_dot_product_attention<Options>(q, k, v, mask...);
  } else {
    using Fault =
        typename espalier::detail::attention_fault_of<decltype(q), decltype(k), decltype(v), decltype(mask)...>::type;
    if constexpr (!Fault::agree) return Fault{};
    else return espalier::detail::weighted_values<false>(drop(attention_weights<Options>(q, k, mask...)), v);
  }
}

}  // namespace detail

/// The options of MultiheadAttention. dropout: the probability with which training drops a weight. mask: how a mask
/// that is given is read.
struct multihead_attention {
  bool causal = false;
  bool bias = true;
  double dropout = 0;
  attention_mask mask = attention_mask::allowed;
};

/// Attention of a sequence to itself, or to a context: projects to queries, keys and values, attends in each of Heads
/// heads, and projects the result. forward(x), forward(x, context), forward(x, context, mask): keys and values are both
/// projections of the context, and the third operand is a mask, not PyTorch's `value`. The mask broadcasts to
/// (N, Heads, T, S); 1 means that a query looks at a key, where PyTorch's module hides it. Sequences have their batch
/// first.
/// shape   (N, T, Features), context (N, S, Features) -> (N, T, Features); in_proj_weight (Features, 3 Features) with
///         the columns of queries, keys, values in this order, in_proj_bias (3 Features), out_proj a Linear
/// start   in_proj_weight Xavier-uniform; in_proj_bias 0; out_proj as a Linear
/// range   Options.dropout in [0, 1)
/// errors  Heads that do not divide Features, another number of features and a context of another batch do not compile
/// saves   the projections, the weights
/// gradient  that of the formula
/// source  Vaswani et al. 2017; PyTorch's MultiheadAttention with batch_first
template <int Features, int Heads, multihead_attention Options = multihead_attention{}>
struct MultiheadAttention {
  static constexpr bool numbers_fit = heads_divide<Features, Heads>::agree;
  static constexpr real drop_weights{Options.dropout};
  parameter<shape<Features, 3 * Features>,
            init::initialized_by<init::xavier_uniform{.fan_in = Features, .fan_out = 3 * Features}>>
      in_proj_weight = nn::detail::numbers_reported<number_report::report()>{};
  detail::offset<shape<3 * Features>, Options.bias> in_proj_bias{};
  std::conditional_t<Options.bias, Linear<Features, Features>, Linear<Features, Features, no_bias>> out_proj{};
  detail::dropout_unless_0<drop_weights> dropout{};
  ESPALIER_MODULE(MultiheadAttention, in_proj_weight, in_proj_bias, out_proj, dropout)
  using takes_single_values = void;
  /// in_proj_weight is (3 Features, Features).
  static constexpr axis_order in_pytorch(char const* member, extents const& shape) {
    return espalier::detail::same_text(member, "in_proj_weight") ? axes_in_order(1, 0)
                                                                 : espalier::detail::order_of_vector(shape);
  }

  constexpr auto forward(auto x) const {
    using Fault = typename detail::sequence_fault<Features, decltype(x)>::type;
    if constexpr (is_invalid<Fault>) {
      return Fault{};
    } else {
      auto const [q, k, v] = split<-1, Features, Features, Features>(projected<0, 3>(x));
      return attended(q, k, v);
    }
  }
  // One function for each number of operands: clang 19 crashes on a pack `auto... mask` with a requires clause.
  constexpr auto forward(auto x, auto context) const { return attended_to(x, context); }
  constexpr auto forward(auto x, auto context, auto mask) const { return attended_to(x, context, mask); }
  /// The weights (N, Heads, T, S) with which forward adds the values, before dropout: weights(x, x),
  /// weights(x, context), weights(x, context, mask).
  constexpr auto weights(auto x, auto context) const { return weights_of(x, context); }
  constexpr auto weights(auto x, auto context, auto mask) const { return weights_of(x, context, mask); }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          heads_divide<Features, Heads>::agree,
          ESPALIER_SENTENCE("MultiheadAttention<features, heads>: heads must divide features",
                            ESPALIER_STATED((heads_divide<Features, Heads>::agree),
                                            ESPALIER_NAMED("features", Features), ESPALIER_NAMED("heads", Heads))));
      return true;
    }
  };

 private:
  constexpr auto attended_to(auto x, auto context, auto... mask) const {
    using Fault = typename detail::sequences_fault<Features, decltype(x), decltype(context)>::type;
    if constexpr (is_invalid<Fault>) {
      return Fault{};
    } else {
      auto const [k, v] = split<-1, Features, Features>(projected<1, 3>(context));
      return attended(projected<0, 1>(x), k, v, mask...);
    }
  }
  constexpr auto weights_of(auto x, auto context, auto... mask) const {
    using Fault = typename detail::sequences_fault<Features, decltype(x), decltype(context)>::type;
    if constexpr (is_invalid<Fault>) {
      return Fault{};
    } else {
      constexpr attention options{.causal = Options.causal, .mask = Options.mask};
      return attention_weights<options>(detail::to_heads<Heads>(projected<0, 1>(x)),
                                        detail::to_heads<Heads>(projected<1, 2>(context)), mask...);
    }
  }
  /// The projections First to Last - 1 of queries (0), keys (1) and values (2).
  template <int First, int Last>
  constexpr auto projected(auto x) const {
    auto const weight = slice<1, First * Features, Last * Features>(in_proj_weight);
    if constexpr (!Options.bias) return matmul(x, weight);
    else return matmul(x, weight) + slice<0, First * Features, Last * Features>(in_proj_bias);
  }
  constexpr auto attended(auto q, auto k, auto v, auto... mask) const {
    constexpr attention options{.causal = Options.causal, .mask = Options.mask};
    auto const y = detail::attend_with<options>(dropout, detail::to_heads<Heads>(q), detail::to_heads<Heads>(k),
                                                detail::to_heads<Heads>(v), mask...);
    if constexpr (is_invalid<std::remove_cvref_t<decltype(y)>>) return y;
    else return out_proj(detail::from_heads(y));
  }
};

/// The options of RotaryAttention.
struct rotary_attention {
  bool causal = true;
  espalier::rotary rotary{};
};

/// Attention of a sequence to itself with rotary positions, and fewer heads of keys and values than of queries: Heads /
/// KeyHeads consecutive query heads share one of them.
/// forward(x, positions, keys, values) continues a sequence: x has its rows at T positions, which are integers known
/// when the program runs, and the caches hold the keys and values of Length positions. It returns std::tuple{y, keys,
/// values} with the rows of x written to the caches. Query i looks at the positions 0 to positions[i].
/// shape   (N, T, Features) -> the same; positions (T); keys, values (N, KeyHeads, Length, Features / Heads);
///         wq (Features, Features), wk, wv (Features, KeyHeads Features / Heads), wo (Features, Features), without
///         biases
/// errors  Heads that do not divide Features, KeyHeads that do not divide Heads, an odd number of features a head,
///         another number of features, and caches of another shape or of an attention that is not causal do not
///         compile. A position outside 0..Length-1 throws index_error before anything is computed
/// saves   the turned queries and keys, the values, the weights
/// gradient  that of the formula
/// source  Ainslie et al. 2023; Touvron et al. 2023 (Llama)
template <int Features, int Heads, int KeyHeads = Heads, rotary_attention Options = rotary_attention{}>
struct RotaryAttention {
  static constexpr bool numbers_fit = heads_divide<Features, Heads>::agree && heads_divide<Heads, KeyHeads>::agree &&
                                      Features / (Heads > 0 ? Heads : 1) % 2 == 0;
  static constexpr int key_features = numbers_fit ? Features / Heads * KeyHeads : Features;
  Linear<Features, Features, no_bias> wq = nn::detail::numbers_reported<number_report::report()>{};
  Linear<Features, key_features, no_bias> wk{}, wv{};
  Linear<Features, Features, no_bias> wo{};
  ESPALIER_MODULE(RotaryAttention, wq, wk, wv, wo)
  using takes_single_values = void;

  constexpr auto forward(auto x) const {
    using Fault = typename detail::sequence_fault<Features, decltype(x)>::type;
    using Base = base_of_angles<rotary_options<Options.rotary>>;
    if constexpr (is_invalid<Fault>) {
      return Fault{};
    } else if constexpr (!Base::agree) {
      return invalid<Base>{};
    } else {
      auto const q = rotary_embedding<Options.rotary>(detail::to_heads<Heads>(wq(x)));
      auto const k = rotary_embedding<Options.rotary>(detail::to_heads<KeyHeads>(wk(x)));
      return wo(detail::from_heads(scaled_dot_product_attention<espalier::attention{.causal = Options.causal}>(
          q, k, detail::to_heads<KeyHeads>(wv(x)))));
    }
  }
  constexpr auto forward(auto x, auto positions, auto keys, auto values) const {
    using Fault = typename detail::sequence_fault<Features, decltype(x)>::type;
    using Relation = caches_fit<shape_of<decltype(x)>, shape_of<decltype(keys)>, shape_of<decltype(values)>, KeyHeads,
                                Features / Heads, Options.causal>;
    if constexpr (is_invalid<Fault>) {
      return Fault{};
    } else if constexpr (!Relation::agree) {
      return invalid<Relation>{};
    } else {
      auto const q = rotary_embedding<Options.rotary>(detail::to_heads<Heads>(wq(x)), positions);
      auto const k = rotary_embedding<Options.rotary>(detail::to_heads<KeyHeads>(wk(x)), positions);
      if constexpr (is_invalid<std::remove_cvref_t<decltype(k)>>) {
        return k;
      } else {
        auto const all_keys = index_copy<2>(keys, positions, k);
        auto const all_values = index_copy<2>(values, positions, detail::to_heads<KeyHeads>(wv(x)));
        constexpr int rows = shape_of<decltype(x)>::template extent<1>();
        using Looks = shape<rows, shape_of<decltype(keys)>::template extent<2>()>;
        auto const past = espalier::column_index<Looks>{} <= reshape<rows, 1>(positions);
        auto const y = detail::from_heads(scaled_dot_product_attention(q, all_keys, all_values, past));
        return std::tuple{wo(y), all_keys, all_values};
      }
    }
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          numbers_fit,
          ESPALIER_SENTENCE("RotaryAttention<features, heads, key heads>: heads must divide features, key heads "
                            "must divide heads, and features / heads must be even",
                            ESPALIER_STATED(numbers_fit, ESPALIER_NAMED("features", Features),
                                            ESPALIER_NAMED("heads", Heads), ESPALIER_NAMED("key heads", KeyHeads))));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
