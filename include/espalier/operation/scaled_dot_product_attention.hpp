// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "attention_blocks.hpp"

namespace espalier {

/// Named relation of attention: a mask is a tensor or formula. (Options are template arguments.)
template <class M>
struct mask_is_a_tensor {
  using is_of_a_call = void;
  ESPALIER_READS("the mask is {}")
  static constexpr bool agree = Expression<M>;
};

namespace detail {

/// The first fault of a call of attention, or `agreed`. M: the masks, at most one.
template <bool AnyInvalid, class Q, class K, class V, class... M>
struct attention_fault
    : first_invalid<std::remove_cvref_t<Q>, std::remove_cvref_t<K>, std::remove_cvref_t<V>, std::remove_cvref_t<M>...> {
  using reported_fault = agreed;
};
template <class Q, class K, class V, class... M>
struct attention_fault<false, Q, K, V, M...> {
  using shapes = attends<shape_of<Q>, shape_of<K>, shape_of<V>>;
  using heads = behind<grouped_heads_of<shape_of<Q>, shape_of<K>>, shapes>;
  using scores = shape_from<attention_scores<shape_of<Q>, shape_of<K>>>;
  using devices = typename devices_relation<is_eager<Q, K, V, M...>, Q, K, V, M...>::type;
  using fault =
      typename first_fault<shapes, heads, behind<mask_covers<shape_of<M>, scores>, shapes>...,
                           same_element<element_of<Q>, element_of<K>>, same_element<element_of<Q>, element_of<V>>,
                           same_element<element_of<Q>, element_of<M>>..., devices>::type;
  using type = std::conditional_t<fault::agree, agreed, invalid<fault>>;
  using reported_fault = std::conditional_t<is_eager<Q, K, V, M...>, type, agreed>;
};
template <class... X>
using attention_fault_of = attention_fault<(is_invalid<std::remove_cvref_t<X>> || ...), X...>;
/// The fault of a mask that is no tensor.
template <class M, bool Eager>
struct attention_mask_fault {
  using type = invalid<mask_is_a_tensor<M>>;
  using reported_fault = std::conditional_t<Eager, type, agreed>;
};
/// The first fault of a call with a mask, which may be anything.
template <bool HasMask, class Q, class K, class V, class M>
struct masked_attention_fault : attention_mask_fault<bare<M>, is_eager<Q, K, V>> {};
template <class Q, class K, class V, class M>
struct masked_attention_fault<true, Q, K, V, M> : attention_fault_of<Q, K, V, M> {};
template <class Q, class K, class V, class M>
using masked_attention_fault_of =
    masked_attention_fault<Expression<M> || (is_invalid<bare<Q>> || is_invalid<bare<K>> || is_invalid<bare<V>>), Q, K,
                           V, M>;

/// (..., heads, rows, n) as (..., key heads, group rows, n): consecutive query heads share a key head, so that each
/// product is one for all of them.
template <int Group, class S>
struct grouped {
  static constexpr extents value = [] {
    extents r = S::value;
    if (Group > 1) {
      r.at[r.rank - 3] /= Group;
      r.at[r.rank - 2] *= Group;
    }
    return r;
  }();
};

/// (..., heads, queries, value features)
template <class Weights, class V>
struct attended {
  static constexpr extents value = [] {
    extents r = Weights::value;
    r.at[r.rank - 1] = V::value.at[V::rank - 1];
    return r;
  }();
};

/// softmax of the scaled and masked scores.
template <attention Options, class Q, class K, class... M>
constexpr auto attention_weights_of(Q&& q, K&& k, M&&... mask) {
  constexpr int group = grouped_heads_of<shape_of<Q>, shape_of<K>>::group;
  auto scores =
      with_mask<Options>(reshape_as(shape_from<attention_scores<shape_of<Q>, shape_of<K>>>{},
                                    matmul(reshape_as(shape_from<grouped<group, shape_of<Q>>>{}, static_cast<Q&&>(q)),
                                           transpose(static_cast<K&&>(k)))) *
                             attention_scale<Options, Q>,
                         static_cast<M&&>(mask)...);
  using Scores = decltype(scores);
  // Without a mask every query may look at a key.
  return make_node<attention_softmax_<Options.causal, sizeof...(M) != 0>, axis_mask<-1>(shape_of<Scores>::rank),
                   shape_of<Scores>>(static_cast<Scores&&>(scores));
}

/// The sum of the values by their weights. Hides: whether keys may be hidden; their weights are 0, and their values are
/// not always read.
template <bool Hides, class W, class V>
constexpr auto weighted_values(W&& weights, V&& v) {
  using S = shape_of<W>;
  constexpr int group = grouped_heads_of<S, shape_of<V>>::group;
  return reshape_as(shape_from<attended<S, shape_of<V>>>{},
                    sum_by_weights<Hides>(reshape_as(shape_from<grouped<group, S>>{}, static_cast<W&&>(weights)),
                                          static_cast<V&&>(v)));
}
/// Whether a query may be kept from some keys.
template <attention Options, class... M>
inline constexpr bool hides_keys = Options.causal || sizeof...(M) != 0;

template <attention Options, class Q, class K, class V, class... M>
constexpr auto attention_of(Q&& q, K&& k, V&& v, M&&... mask) {
  using Fault = typename attention_fault_of<Q, K, V, M...>::type;
  if constexpr (!Fault::agree) {
    return Fault{};
  } else if constexpr (attends_in_blocks<Q, K, V, M...>) {
    using Y = traced_result<shape_from<attended<shape_from<attention_scores<shape_of<Q>, shape_of<K>>>, shape_of<V>>>,
                            Q, K, V, M...>;
    tracing::tracer* const t = tracer_of(q, k, v, mask...);
    if (t == nullptr) return Y{};
    if (tracing::keeps_formulas(*t))
      return as_value<Y>(*t,
                         weighted_values<hides_keys<Options, M...>>(attention_weights_of<Options>(q, k, mask...), v));
    return as_value<Y>(*t, reshape_as(shape_of<Y>{}, attention_in_blocks<Options>(*t, q, k, v, mask...)));
  } else {
    return weighted_values<hides_keys<Options, M...>>(
        attention_weights_of<Options>(static_cast<Q&&>(q), static_cast<K&&>(k), static_cast<M&&>(mask)...),
        static_cast<V&&>(v));
  }
}

}  // namespace detail

#define ESPALIER_ATTENTION_SHAPES                                                                       \
  "q is (..., heads, queries, features), k (..., key heads, keys, features), v (..., key heads, keys, " \
  "value features); batch axes must be equal"
#define ESPALIER_ATTENTION_HEADS "the heads of q must be a multiple of the heads of k and v"
#define ESPALIER_ATTENTION_MASK "the mask must broadcast to (..., heads, queries, keys)"

/// scaled_dot_product_attention<Options>(q, k, v, mask): softmax(scale q k^T) v, for each head of each example. q may
/// have a multiple of the heads of k and v; then consecutive query heads share a key head (grouped queries). Queries
/// and keys may differ in number (cross attention). The mask is optional; Options defines how it is read.
/// A query that may look at no key gives 0, and no gradient, as in PyTorch 2.15. On the processor, a product leaves out
/// keys at the beginning and at the end, 32 at a time, that a mask of `allowed` keys hides from all of its queries. So
/// NaN among the values of a key whose weight is 0 does not always reach the result.
/// shape   q (..., H, T, D), k (..., G, S, D), v (..., G, S, E), mask broadcasts to (..., H, T, S) -> (..., H, T, E)
/// errors  does not compile if batch axes differ, k does not have the features of q, v does not have the keys and heads
///         of k, H is no multiple of G, the mask has another shape, float and double are mixed, or the devices differ
/// saves   q, k, v, and the weights of at most 64 queries; of more queries it computes them again, in blocks
/// memory  in a body, the scores of 64 queries of a head at a time; in a formula of tensors, under vmap and in files of
///         other programs those of all queries and heads
/// gradient  dv = w^T dy; dw = dy v^T; ds = w (dw - sum(dw w)); dq = scale ds k, dk = scale ds^T q; d mask = ds if it
///           is added, otherwise none
/// source  Vaswani et al. 2017; Ainslie et al. 2023 (grouped queries); PyTorch's scaled_dot_product_attention
template <attention Options = attention{}, Expression Q, Expression K, Expression V,
          class Fault = typename detail::attention_fault_of<Q, K, V>::reported_fault>
constexpr auto scaled_dot_product_attention(Q&& q, K&& k, V&& v) {
  static_assert(holds<attends, Fault>,
                ESPALIER_SENTENCE("scaled_dot_product_attention(q, k, v): " ESPALIER_ATTENTION_SHAPES, Fault));
  static_assert(holds<grouped_heads, Fault>,
                ESPALIER_SENTENCE("scaled_dot_product_attention(q, k, v): " ESPALIER_ATTENTION_HEADS, Fault));
  static_assert(holds<same_element, Fault>,
                ESPALIER_SENTENCE("scaled_dot_product_attention(q, k, v): " ESPALIER_ELEMENTS_FIT, Fault));
  static_assert(holds<same_device, Fault>,
                ESPALIER_SENTENCE("scaled_dot_product_attention(q, k, v): " ESPALIER_DEVICES_FIT, Fault));
  return detail::attention_of<Options>(static_cast<Q&&>(q), static_cast<K&&>(k), static_cast<V&&>(v));
}
template <attention Options = attention{}, Expression Q, Expression K, Expression V, class M,
          class Fault = typename detail::masked_attention_fault_of<Q, K, V, M>::reported_fault>
constexpr auto scaled_dot_product_attention(Q&& q, K&& k, V&& v, M&& mask) {
  static_assert(holds<mask_is_a_tensor, Fault>,
                ESPALIER_SENTENCE("scaled_dot_product_attention(q, k, v, mask): the mask is a tensor; options are "
                                  "template arguments: scaled_dot_product_attention<{.causal = true}>(q, k, v)",
                                  Fault));
  static_assert(holds<attends, Fault>,
                ESPALIER_SENTENCE("scaled_dot_product_attention(q, k, v, mask): " ESPALIER_ATTENTION_SHAPES, Fault));
  static_assert(holds<grouped_heads, Fault>,
                ESPALIER_SENTENCE("scaled_dot_product_attention(q, k, v, mask): " ESPALIER_ATTENTION_HEADS, Fault));
  static_assert(holds<mask_covers, Fault>,
                ESPALIER_SENTENCE("scaled_dot_product_attention(q, k, v, mask): " ESPALIER_ATTENTION_MASK, Fault));
  static_assert(holds<same_element, Fault>,
                ESPALIER_SENTENCE("scaled_dot_product_attention(q, k, v, mask): " ESPALIER_ELEMENTS_FIT, Fault));
  static_assert(holds<same_device, Fault>,
                ESPALIER_SENTENCE("scaled_dot_product_attention(q, k, v, mask): " ESPALIER_DEVICES_FIT, Fault));
  using Invalid = typename detail::masked_attention_fault_of<Q, K, V, M>::type;
  if constexpr (!Invalid::agree) return Invalid{};
  else
    return detail::attention_of<Options>(static_cast<Q&&>(q), static_cast<K&&>(k), static_cast<V&&>(v),
                                         static_cast<M&&>(mask));
}

/// attention_weights<Options>(q, k, mask): the weights softmax(scale q k^T) with which scaled_dot_product_attention
/// adds the values. Use it where the weights themselves are read or changed (dropout).
/// shape   q (..., H, T, D), k (..., G, S, D), mask broadcasts to (..., H, T, S) -> (..., H, T, S)
/// errors  as of scaled_dot_product_attention
/// saves   q, k, the weights
/// gradient  ds = w (dw - sum(dw w)); dq = scale ds k, dk = scale ds^T q
/// source  Vaswani et al. 2017
template <attention Options = attention{}, Expression Q, Expression K, Expression... M,
          class Fault = typename detail::attention_fault_of<Q, K, K, M...>::reported_fault>
  requires(sizeof...(M) <= 1)
constexpr auto attention_weights(Q&& q, K&& k, M&&... mask) {
  static_assert(
      holds<attends, Fault>,
      ESPALIER_SENTENCE(
          "attention_weights(q, k): q is (..., heads, queries, features), k (..., key heads, keys, features)", Fault));
  static_assert(
      holds<grouped_heads, Fault>,
      ESPALIER_SENTENCE("attention_weights(q, k): the heads of q must be a multiple of the heads of k", Fault));
  static_assert(holds<mask_covers, Fault>,
                ESPALIER_SENTENCE("attention_weights(q, k, mask): " ESPALIER_ATTENTION_MASK, Fault));
  static_assert(holds<same_element, Fault>,
                ESPALIER_SENTENCE("attention_weights(q, k): " ESPALIER_ELEMENTS_FIT, Fault));
  static_assert(holds<same_device, Fault>, ESPALIER_SENTENCE("attention_weights(q, k): " ESPALIER_DEVICES_FIT, Fault));
  using Invalid = typename detail::attention_fault_of<Q, K, K, M...>::type;
  if constexpr (!Invalid::agree) return Invalid{};
  else
    return detail::attention_weights_of<Options>(static_cast<Q&&>(q), static_cast<K&&>(k), static_cast<M&&>(mask)...);
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
