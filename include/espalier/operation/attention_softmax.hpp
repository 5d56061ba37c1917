// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/attention.hpp"
#include "compare.hpp"
#include "matmul.hpp"
#include "multiply.hpp"
#include "softmax.hpp"
#include "transpose.hpp"
#include "where.hpp"

namespace espalier {

/// How a mask of attention is read. allowed: a query may look at a key where the mask is not 0. added: the mask is
/// added to the scaled scores; -infinity hides a key.
enum class attention_mask { allowed, added };

/// The options of attention. causal: query i may look at keys 0 to i, also where there are more keys than queries.
/// scale: the factor of the scores; 0 for 1 / sqrt(features).
struct attention {
  bool causal = false;
  double scale = 0;
  attention_mask mask = attention_mask::allowed;
};

namespace detail {
/// The scores without their keys: one element for each row. kept: the same with one key.
template <class Scores>
struct score_rows {
  static constexpr extents value = [] {
    extents r = Scores::value;
    --r.rank;
    r.at[r.rank] = 0;
    return r;
  }();
};
template <class Scores>
struct score_rows_kept {
  static constexpr extents value = [] {
    extents r = Scores::value;
    r.at[r.rank - 1] = 1;
    return r;
  }();
};
/// The positions 0, 1, ... of the queries, one for each row of scores, so that a kernel of rows reads a number a row.
template <class Scores>
constexpr auto query_positions() {
  return reshape_as(shape_from<score_rows_kept<Scores>>{}, column_index<shape_from<score_rows<Scores>>>{});
}

}  // namespace detail

template <bool Causal, bool MayBeEmpty>
struct attention_softmax_ {};

/// softmax of rows of scores. Causal: of the keys up to the position of the query. MayBeEmpty: a row may consist of
/// -infinity; it gives zeros, and its gradient is 0. A weight of a hidden key is 0, so the closed form needs no mask.
/// shape   (..., queries, keys) -> the same
/// saves   the weights
/// gradient  ds = w (dw - sum(dw w))
template <bool Causal, bool MayBeEmpty>
struct rule<attention_softmax_<Causal, MayBeEmpty>> : composite {
  static constexpr char const* name = "attention_softmax";
  static constexpr auto expand(auto scores, auto mask) {
    using S = shape_of<decltype(scores)>;
    auto const x = [&] {
      if constexpr (Causal)
        return where(column_index<S>{} <= detail::query_positions<S>(), scores, -math::infinity<double>);
      else return scores;
    }();
    auto const largest = detach(reduce_kept<max_>(x, mask));
    if constexpr (MayBeEmpty) {
      auto const e = exp(x - where(equal(largest, -math::infinity<double>), 0, largest));
      auto const total = reduce_kept<sum_>(e, mask);
      return e * (1 / where(equal(total, 0), 1, total));
    } else {
      auto const e = exp(x - largest);
      return e * (1 / reduce_kept<sum_>(e, mask));
    }
  }
  /// y (dy - sum(dy y)). The product behind dy computes dy y, so that dy itself is not stored. Under another name the
  /// factor 1 / total of the weights is not hoisted out of the sum, which would keep the exponentials beside them.
  static constexpr handle pullback(handle dy, handle y, handle, unsigned mask) {
    handle const weighted = dy * another_name(y, 0);
    return weighted - y * reduce_kept<sum_>(weighted, mask);
  }
};

namespace detail {

template <attention Options, class S, class M>
constexpr auto with_mask(S&& scores, M&& mask) {
  if constexpr (Options.mask == attention_mask::added) return static_cast<S&&>(scores) + static_cast<M&&>(mask);
  else return where(static_cast<M&&>(mask), static_cast<S&&>(scores), -math::infinity<double>);
}
template <attention Options, class S>
constexpr auto with_mask(S&& scores) {
  return keep(static_cast<S&&>(scores));
}
/// The product of weights and values. Hides: whether keys may be hidden: then terms whose weight is 0 may be left out.
template <bool Hides, class W, class V>
constexpr auto sum_by_weights(W&& weights, V&& values) {
  using Product = shape_from<inner_dimensions<shape_of<W>, shape_of<V>>>;
  constexpr std::uint64_t attribute = Hides ? graph::leaves_out_zeros : 0;
  return make_node<matmul_, attribute, Product>(static_cast<W&&>(weights), static_cast<V&&>(values));
}
/// The factor of the scores of queries Q.
template <attention Options, class Q>
inline constexpr double attention_scale = Options.scale != 0
                                              ? Options.scale
                                              : 1 / math::sqrt(static_cast<double>(shape_of<Q>::template extent<-1>()));

}  // namespace detail
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
