// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../nest_facts.hpp"
#include "simd.hpp"

/// The lanes of a fused group's sweeps: what loops over rows and loops down columns share.
namespace espalier::on_cpu {

using namespace fused;

namespace detail {

using namespace fused::detail;

/// For parameters that an empty expansion leaves unread.
template <class... X>
ESPALIER_INLINE void unused(X const&...) {}

/// Reducing the lanes of a pack: with the op's own way across lanes where it has one, else by halves.
template <class Op, class T, class Arch>
ESPALIER_INLINE T fold_pack(pack<T, Arch> x) {
  if constexpr (requires { rule<Op>::across(x); }) {
    return rule<Op>::across(x);
  } else {
    alignas(64) T lanes[static_cast<std::size_t>(pack<T, Arch>::size)];
    x.store(lanes);
    for (int half = pack<T, Arch>::size / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) lanes[i] = rule<Op>::combine(lanes[i], lanes[i + half]);
    return lanes[0];
  }
}

constexpr int unroll(int vectors, int work) {
  int const most = work <= 2 ? 4 : 1;  // enough chains for a bare sum; more work hides its own latency, and unrolled lanes cost the compiler
  for (int u = most; u > 1; --u)
    if (vectors % u == 0) return u;
  return 1;
}

}  // namespace detail

/// What both directions of a fused group share: the lanes of one sweep. `t` holds the full values of these lanes; `lines` and `held` hold what is fixed
/// while the inner loop runs: numbers where it runs along a row, packs where it runs down some columns.
template <place Inner, class T, class Arch, class Steps, class Leaves, class Outputs, int Spare = -1>
struct nest : nest_selections<nest_facts<Inner, Spare, Steps, Leaves, Outputs>> {
  using V = pack<T, Arch>;
  using Line = std::conditional_t<Inner == place::row, T, V>;
  using facts = nest_facts<Inner, Spare, Steps, Leaves, Outputs>;
  static constexpr int steps = facts::steps, leaves = facts::leaves, width = V::size;
  using leaf_numbers = std::make_integer_sequence<int, leaves>;

  template <int S>
  struct reduced {
    static constexpr auto value = facts::reduced(S);
  };
  struct reductions {
    static constexpr auto value = facts::reductions();
  };

  template <int I>
  static constexpr T identity = static_cast<T>(facts::identity_at[I]);

  /// Operand X of a full step, in the Count lanes that start at column j; t[steps] are the numbers of these columns. t is not const: without optimisation g++ warns of a const pointer to what is not
  /// computed yet.
  template <int X, int Count>
  static ESPALIER_INLINE V read(T const* const* in, Line const* lines, Line const* held, V* t, int j) {
    if constexpr (X >= 0) {
      if constexpr (facts::step_at[X].where == place::full) return t[X];
      else return V(lines[X]);
    } else {
      constexpr int k = -1 - X;
      if constexpr (facts::leaf_at[k].what == leaf_kind::constant) return V(static_cast<T>(std::bit_cast<double>(facts::bits_at[k])));
      else if constexpr (facts::held(k)) return V(held[k]);
      else if constexpr (facts::leaf_at[k].what == leaf_kind::column_index) return t[steps];
      else if constexpr (facts::leaf_at[k].where == place::row) return V(*in[k]);
      else return V::template load_first<Count>(in[k] + j);
    }
  }
  template <int Count, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE V value(step<Op, W, A, B, C>, T const* const* in, Line const* lines, Line const* held, V* t, int j) {
    if constexpr (std::is_same_v<Op, copy_op>) return read<A, Count>(in, lines, held, t, j);
    else if constexpr (rule<Op>::arity == 1) return rule<Op>::apply(read<A, Count>(in, lines, held, t, j));
    else if constexpr (rule<Op>::arity == 2) return rule<Op>::apply(read<A, Count>(in, lines, held, t, j), read<B, Count>(in, lines, held, t, j));
    else return rule<Op>::apply(read<A, Count>(in, lines, held, t, j), read<B, Count>(in, lines, held, t, j), read<C, Count>(in, lines, held, t, j));
  }
  template <int... I>
  static ESPALIER_INLINE void clear(V* sum, std::integer_sequence<int, I...>) {
    ((sum[I] = V(identity<I>)), ...);
    detail::unused(sum);
  }

  /// Operand X of a value that is fixed along the inner loop, or of a single number.
  template <int X, class N>
  static ESPALIER_INLINE N fixed(N const* values, N const* held) {
    if constexpr (X >= 0) return values[X];
    else if constexpr (facts::leaf_at[-1 - X].what == leaf_kind::constant) return N(static_cast<T>(std::bit_cast<double>(facts::bits_at[-1 - X])));
    else return held[-1 - X];
  }
  template <class N, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE N fixed_value(step<Op, W, A, B, C>, N const* values, N const* held) {
    if constexpr (std::is_same_v<Op, copy_op>) return fixed<A>(values, held);
    else if constexpr (rule<Op>::arity == 1 && detail::is_costly<Op> && std::is_same_v<N, T>) return rule<Op>::apply(V(fixed<A>(values, held)))[0];
    else if constexpr (rule<Op>::arity == 1) return rule<Op>::apply(fixed<A>(values, held));
    else if constexpr (rule<Op>::arity == 2) return rule<Op>::apply(fixed<A>(values, held), fixed<B>(values, held));
    else return rule<Op>::apply(fixed<A>(values, held), fixed<B>(values, held), fixed<C>(values, held));
  }
  /// Numbers of the whole group, when everything else is done.
  template <int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void finish_single(step<Op, W, A, B, C> s, T* const* out, T* singles, V const* total, T const* held) {
    if constexpr (!facts::step_at[I].reduces) singles[I] = fixed_value<T>(s, singles, held);
    else if constexpr (Inner == place::column || !facts::reduces_lines(I)) singles[I] = detail::fold_pack<Op>(total[I]);
    constexpr int k = facts::output_of(I);
    if constexpr (k >= 0) out[k][0] = singles[I];
  }
  template <int... I>
  static ESPALIER_INLINE void finish_singles(T* const* out, T* singles, V const* total, T const* held, std::integer_sequence<int, I...>) {
    (finish_single<I>(typename facts::template step_type<I>{}, out, singles, total, held), ...);
    detail::unused(out, singles, total, held);
  }
  template <int K>
  static ESPALIER_INLINE T single_leaf(T const* const* base) {
    if constexpr (facts::is_memory(K, place::single)) return base[K][0];
    else return T(0);
  }
};

}  // namespace espalier::on_cpu
