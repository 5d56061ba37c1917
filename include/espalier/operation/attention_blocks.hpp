// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../expression/checkpoint.hpp"
#include "../expression/scan.hpp"
#include "attention_softmax.hpp"
#include "concatenate.hpp"
#include "permute.hpp"
#include "reshape.hpp"
#include "slice.hpp"

/// Attention in blocks of queries: loops whose steps compute the scores of a few queries of one head, and compute them
/// again in the backward pass. No matrix of all queries and keys is in memory, and the scores of a block stay in the
/// cache. A causal block reads no keys behind its group of blocks.
namespace espalier {

namespace tracing {
/// Whether the program that is traced is rewritten for samples or for files of other programs, which have no loops, or
/// is long. Defined in tracing/trace.hpp.
constexpr bool keeps_formulas(tracer const& t);
}  // namespace tracing

namespace detail {

/// The most queries of a head in a block. Sequences of no more queries need no blocks.
inline constexpr int attention_block = 64;
/// The most groups of blocks of a causal sequence. Each group reads the keys up to its last query, and is a loop.
inline constexpr int attention_groups = 4;

/// The leading axes of attention (batch, key heads) as loops run over them: adjacent ones of which the mask has all or
/// none are one.
struct attention_axes {
  extents leading{};
  bool masked[max_rank + 1]{};  ///< whether the mask has each of them
};
/// scores  (..., heads, queries, keys)
/// mask    broadcasts to it
/// group   query heads that share a key head
constexpr attention_axes attention_axes_of(extents const& scores, extents const& mask, int group) {
  attention_axes r{};
  for (int i = 0; i < scores.rank - 2; ++i) {
    bool const masked = extent_from_last(mask, scores.rank - 1 - i) != 1;
    int const steps = i == scores.rank - 3 ? scores.at[i] / group : scores.at[i];
    int const last = r.leading.rank - 1;
    if (steps == 1) continue;
    if (last >= 0 && r.masked[last] == masked) {
      r.leading.at[last] *= steps;
    } else {
      r.masked[last + 1] = masked;
      r.leading.push(steps);
    }
  }
  return r;
}

/// The shapes of the operands in loops. Scores: (..., heads, queries, keys). Mask: broadcasts to it; shape<> for none.
template <class Scores, class Mask, int Group>
struct attention_loops {
  static constexpr attention_axes axes = attention_axes_of(Scores::value, Mask::value, Group);
  static constexpr extents behind(extents r, int rows, int columns) {
    r.push(rows);
    r.push(columns);
    return r;
  }
  /// (leading, group, queries, features)
  template <class Q>
  struct queries {
    static constexpr extents value = [] {
      extents r = axes.leading;
      r.push(Group);
      return behind(r, Q::value.at[Q::rank - 2], Q::value.at[Q::rank - 1]);
    }();
  };
  /// (leading, keys, features)
  template <class K>
  struct keys {
    static constexpr extents value = behind(axes.leading, K::value.at[K::rank - 2], K::value.at[K::rank - 1]);
  };
  /// (leading axes of the mask, group or 1, queries or 1, keys or 1)
  struct masks {
    static constexpr extents value = [] {
      extents r{};
      for (int i = 0; i < axes.leading.rank; ++i)
        if (axes.masked[i]) r.push(axes.leading.at[i]);
      r.push(extent_from_last(Mask::value, 2) != 1 ? Group : 1);
      return behind(r, extent_from_last(Mask::value, 1), extent_from_last(Mask::value, 0));
    }();
  };
};

/// Consecutive blocks of one size that read the same keys.
struct attention_part {
  int first;  ///< the first query
  int blocks, rows, keys;
};
struct attention_parts {
  int count;
  attention_part at[attention_groups + 1];
};
constexpr attention_parts attention_parts_of(int queries, int keys, bool causal) {
  attention_parts r{};
  int const blocks = queries / attention_block, rest = queries % attention_block;
  int const groups = !causal ? 1 : blocks < attention_groups ? blocks : attention_groups;
  auto const add = [&](int first, int count, int rows) {
    int const end = first + count * rows;
    r.at[r.count++] = {first, count, rows, causal && end < keys ? end : keys};
  };
  for (int i = 0; i < groups; ++i) {
    int const begin = i * blocks / groups, end = (i + 1) * blocks / groups;
    add(begin * attention_block, end - begin, attention_block);
  }
  if (rest != 0) add(blocks * attention_block, 1, rest);
  return r;
}

/// q (group, rows, features), k (keys, features), v (keys, value features), the position of each row (1, rows, 1), and
/// at most one mask -> (group, rows, value features)
template <attention Options, class Q, class K, class V, class P, class... M>
constexpr auto attend_block(Q const& q, K const& k, V const& v, [[maybe_unused]] P const& position, M const&... mask) {
  constexpr int group = shape_of<Q>::template extent<0>(), rows = shape_of<Q>::template extent<1>();
  constexpr int keys = shape_of<K>::template extent<0>(), features = shape_of<V>::template extent<1>();
  using Scores = shape<group, rows, keys>;
  auto const products = matmul(reshape_as(shape<group * rows, shape_of<Q>::template extent<2>()>{}, q), transpose(k));
  auto const masked = with_mask<Options>(reshape_as(Scores{}, products) * attention_scale<Options, Q>, mask...);
  auto const scores = [&] {
    if constexpr (Options.causal) return where(column_index<Scores>{} <= position, masked, -math::infinity<double>);
    else return masked;
  }();
  auto const weights = make_node<attention_softmax_<false, sizeof...(M) != 0>, axis_mask<-1>(3), Scores>(keep(scores));
  constexpr bool hides = Options.causal || sizeof...(M) != 0;
  return reshape_as(shape<group, rows, features>{},
                    sum_by_weights<hides>(reshape_as(shape<group * rows, keys>{}, weights), v));
}

/// The value of a formula in the program of a value Q.
template <class Q, class X>
constexpr auto traced_like(Q const& q, X const& x) {
  using Y = traced_result<shape_of<X>, Q>;
  tracing::tracer* const t = tracer_of(q);
  return t == nullptr ? Y{} : as_value<Y>(*t, x);
}
/// The part of a mask (group or 1, queries or 1, keys or 1) that belongs to some queries and keys.
template <int First, int Rows, int Keys, class M>
constexpr auto mask_part(M const& mask) {
  auto const rows = [&] {
    if constexpr (shape_of<M>::template extent<1>() != 1) return slice<1, First, First + Rows>(mask);
    else return mask;
  }();
  if constexpr (shape_of<M>::template extent<2>() != 1) return traced_like(mask, slice<2, 0, Keys>(rows));
  else return traced_like(mask, rows);
}
/// (group, blocks * rows, n) -> (blocks, group, rows, n), and back.
template <int Blocks, class X>
constexpr auto as_blocks(X const& x) {
  constexpr int group = shape_of<X>::template extent<0>(), rows = shape_of<X>::template extent<1>() / Blocks,
                n = shape_of<X>::template extent<2>();
  return traced_like(x, permute<1, 0, 2, 3>(reshape_as(shape<group, Blocks, rows, n>{}, x)));
}
template <class X>
constexpr auto of_blocks(X const& x) {
  constexpr int blocks = shape_of<X>::template extent<0>(), group = shape_of<X>::template extent<1>(),
                rows = shape_of<X>::template extent<2>(), n = shape_of<X>::template extent<3>();
  return reshape_as(shape<group, blocks * rows, n>{}, permute<1, 0, 2, 3>(x));
}

/// Some blocks of a head: one loop. mask: none, or that of these queries and keys.
template <attention Options, int Blocks, class Q, class K, class V, class P, class... M>
constexpr auto attend_blocks(Q const& rows, K const& k, V const& v, P const& positions, M const&... mask) {
  auto const one = [&](auto const& q, auto const& position, auto const&... m) {
    return attend_block<Options>(q, k, v, position, m...);
  };
  constexpr bool mask_has_rows = ((shape_of<M>::template extent<1>() != 1) || ...);
  if constexpr (Blocks == 1) {
    return checkpoint(one, rows, positions, mask...);
  } else {
    auto const step = [&](auto const&, auto const& x) {
      auto const y = [&] {
        if constexpr (mask_has_rows) return checkpoint(one, std::get<0>(x), std::get<1>(x), std::get<2>(x));
        else return checkpoint(one, std::get<0>(x), std::get<1>(x), mask...);
      }();
      return std::tuple{std::tuple{}, y};
    };
    auto const position = reshape_as(shape<Blocks, 1, shape_of<P>::template extent<1>() / Blocks, 1>{}, positions);
    auto const ys = [&] {
      if constexpr (mask_has_rows)
        return scan(step, std::tuple{},
                    std::tuple{as_blocks<Blocks>(rows), traced_like(rows, position), as_blocks<Blocks>(mask)...});
      else return scan(step, std::tuple{}, std::tuple{as_blocks<Blocks>(rows), traced_like(rows, position)});
    }();
    return of_blocks(std::get<1>(ys));
  }
}

/// One head: q (group, queries, features), k (keys, features), v (keys, value features), and at most one mask (group or
/// 1, queries or 1, keys or 1) -> (group, queries, value features)
template <attention Options, class Q, class K, class V, class... M>
constexpr auto attend_head(Q const& q, K const& k, V const& v, M const&... mask) {
  constexpr attention_parts parts =
      attention_parts_of(shape_of<Q>::template extent<1>(), shape_of<K>::template extent<0>(), Options.causal);
  auto const part = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    constexpr attention_part p = parts.at[I];
    constexpr int rows = p.blocks * p.rows;
    auto const positions = reshape_as(shape<1, rows, 1>{}, column_index<shape<rows>>{}) + p.first;
    return traced_like(q, attend_blocks<Options, p.blocks>(
                              traced_like(q, slice<1, p.first, p.first + rows>(q)),
                              traced_like(q, slice<0, 0, p.keys>(k)), traced_like(q, slice<0, 0, p.keys>(v)),
                              traced_like(q, positions), mask_part<p.first, rows, p.keys>(mask)...));
  };
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return concatenate<1>(part(std::integral_constant<std::size_t, I>{})...);
  }
  (std::make_index_sequence<static_cast<std::size_t>(parts.count)>{});
}

/// Loops over the leading axes from number Axis on, and in them a head.
template <class Loops, int Axis, attention Options, class Q, class K, class V, class... M>
constexpr auto attend_heads(Q const& q, K const& k, V const& v, M const&... mask) {
  if constexpr (Axis == Loops::axes.leading.rank) {
    return attend_head<Options>(q, k, v, mask...);
  } else {
    constexpr bool mask_has_axis = sizeof...(M) != 0 && Loops::axes.masked[Axis];
    auto const step = [&](auto const&, auto const& x) {
      auto const y = [&] {
        if constexpr (mask_has_axis)
          return attend_heads<Loops, Axis + 1, Options>(std::get<0>(x), std::get<1>(x), std::get<2>(x), std::get<3>(x));
        else return attend_heads<Loops, Axis + 1, Options>(std::get<0>(x), std::get<1>(x), std::get<2>(x), mask...);
      }();
      return std::tuple{std::tuple{}, y};
    };
    if constexpr (mask_has_axis) return std::get<1>(scan(step, std::tuple{}, std::tuple{q, k, v, mask...}));
    else return std::get<1>(scan(step, std::tuple{}, std::tuple{q, k, v}));
  }
}

template <class... M>
struct mask_shape {
  using type = shape<>;
};
template <class M>
struct mask_shape<M> {
  using type = shape_of<M>;
};
/// Whether attention of values Q in a body is computed in blocks.
template <class... X>
inline constexpr bool attends_in_blocks = false;
template <class Q, class... X>
inline constexpr bool attends_in_blocks<Q, X...> = (Traced<Q> || ... ||
                                                    Traced<X>)&&std::is_void_v<typename observer_of<Q, X...>::type> &&
                                                   (shape_of<Q>::template extent<-2>() > attention_block);

template <attention Options, class Q, class K, class V, class... M>
constexpr auto attention_in_blocks(tracing::tracer& t, Q const& q, K const& k, V const& v, M const&... mask) {
  constexpr int group = grouped_heads_of<shape_of<Q>, shape_of<K>>::group;
  using Scores = shape_from<attention_scores<shape_of<Q>, shape_of<K>>>;
  using Loops = attention_loops<Scores, typename mask_shape<M...>::type, group>;
  auto const as = [&](auto s, auto const& x) {
    return as_value<traced_result<decltype(s), Q, K, V, M...>>(t, reshape_as(s, x));
  };
  return attend_heads<Loops, 0, Options>(as(shape_from<typename Loops::template queries<shape_of<Q>>>{}, q),
                                         as(shape_from<typename Loops::template keys<shape_of<K>>>{}, k),
                                         as(shape_from<typename Loops::template keys<shape_of<V>>>{}, v),
                                         as(shape_from<typename Loops::masks>{}, mask)...);
}

}  // namespace detail
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
