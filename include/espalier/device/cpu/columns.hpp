// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

namespace espalier::on_cpu {

/// A fused group that runs down blocks of columns: what belongs to a column (mean, variance, weight, ...) stays in registers while sweeps go over
/// the rows.
template <class T, class Arch, int Rows, int Columns, class Steps, class Leaves, class Outputs>
struct column_nest : nest<place::column, T, Arch, Steps, Leaves, Outputs> {
  using base = nest<place::column, T, Arch, Steps, Leaves, Outputs>;
  using typename base::facts;
  using typename base::V;
  using base::leaves, base::steps, base::width;
  static constexpr int tail = Columns % width;
  using step_packs = V[static_cast<std::size_t>(steps)];
  using leaf_packs = V[static_cast<std::size_t>(leaves) + 1];

  /// What a block of columns knows after a sweep.
  template <int Count, int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void known(step<Op, W, A, B, C> s, T* const* out, V* lines, V const* held, V const* sum, V* total, int j) {
    if constexpr (W == place::single) {
      V x = base::template fixed<A>(lines, held);
      if constexpr (Count < width) x = select(V::template first_lanes<Count>(), x, V(base::template identity<I>));
      total[I] = rule<Op>::combine(total[I], x);
    } else {
      if constexpr (facts::step_at[I].reduces) lines[I] = sum[I];
      else lines[I] = base::template fixed_value<V>(s, lines, held);
      constexpr int k = facts::output_of(I);
      if constexpr (k >= 0) lines[I].template store_first<Count>(out[k] + j);
    }
  }
  template <int Count, int... I>
  static ESPALIER_INLINE void all_known(T* const* out, V* lines, V const* held, V const* sum, V* total, int j, std::integer_sequence<int, I...>) {
    (known<Count, I>(typename facts::template step_type<I>{}, out, lines, held, sum, total, j), ...);
    detail::unused(out, lines, held, sum, total, j);
  }

  template <int S, int Count, int... U, int... L>
  static ESPALIER_INLINE void sweep(T const* const* start_of, T* const* first, step_packs* lines, leaf_packs const* held, V* total, int j,
                                    std::integer_sequence<int, U...>, std::integer_sequence<int, L...>) {
    using computed = chosen_steps<typename base::template computed<S>>;
    using reduced = chosen_steps<typename base::template reduced<S>>;
    using stored = chosen_steps<typename base::template stored<S>>;
    V sum[sizeof...(U)][static_cast<std::size_t>(steps)];
    (base::clear(sum[U], reduced{}), ...);
    T const* in[] = {start_of[L]..., nullptr};
    T* out[static_cast<std::size_t>(facts::outputs) + 1];
    for (int k = 0; k < facts::outputs; ++k) out[k] = first[k];
    for (int row = 0; row < Rows; ++row) {
      (base::template lane<Count>(in, out, lines[U], held[U], sum[U], total, j + U * width, computed{}, reduced{}, stored{}), ...);
      ((in[L] += facts::is_memory(L, place::full) ? Columns : facts::is_memory(L, place::row) ? 1 : 0), ...);
      for (int k = 0; k < facts::outputs; ++k)
        if (facts::step_at[facts::output_at[k].step].where == place::full) out[k] += Columns;
    }
    using known_then = chosen_steps<typename base::template known_after<S>>;
    (all_known<Count>(first, lines[U], held[U], sum[U], total, j + U * width, known_then{}), ...);
  }
  template <int S, int Count, class U>
  static ESPALIER_INLINE void sweeps(T const* const* start_of, T* const* first, step_packs* lines, leaf_packs const* held, V* total, int j, U u) {
    sweep<S, Count>(start_of, first, lines, held, total, j, u, typename base::leaf_numbers{});
    if constexpr (facts::works_in(S + 1)) sweeps<S + 1, Count>(start_of, first, lines, held, total, j, u);
  }
  template <int K, int Count>
  static ESPALIER_INLINE void hold(T const* const* start_of, V* held, int j) {
    if constexpr (facts::leaf_at[K].what == leaf_kind::column_index) held[K] = V::iota(static_cast<T>(j));
    else if constexpr (facts::is_memory(K, place::column)) held[K] = V::template load_first<Count>(start_of[K] + j);
    else if constexpr (facts::is_memory(K, place::single)) held[K] = V(start_of[K][0]);
  }
  template <int Count, int... L>
  static ESPALIER_INLINE void hold_all(T const* const* start_of, V* held, int j, std::integer_sequence<int, L...>) {
    (hold<L, Count>(start_of, held, j), ...);
    detail::unused(start_of, held, j);
  }
  template <int Count, int... U>
  static ESPALIER_INLINE void block(T const* const* start_of, T* const* first, V* total, int j, std::integer_sequence<int, U...> u) {
    step_packs lines[sizeof...(U)];
    leaf_packs held[sizeof...(U)];
    (hold_all<Count>(start_of, held[U], j + U * width, typename base::leaf_numbers{}), ...);
    using known_first = chosen_steps<typename base::template known_after<-1>>;
    (all_known<Count>(first, lines[U], held[U], lines[U], total, j + U * width, known_first{}), ...);
    sweeps<0, Count>(start_of, first, lines, held, total, j, u);
  }

  template <int... L>
  static ESPALIER_INLINE void run(void* const* p, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {static_cast<T const*>(p[L])..., nullptr};
    T* first[static_cast<std::size_t>(facts::outputs) + 1];
    for (int k = 0; k < facts::outputs; ++k) first[k] = static_cast<T*>(p[leaves + k]);
    V total[static_cast<std::size_t>(steps)];
    base::clear(total, chosen_steps<typename base::reductions>{});
    constexpr int u = detail::unroll(Columns / width, facts::work(0));
    for (int j = 0; j + u * width <= Columns; j += u * width) block<width>(start_of, first, total, j, std::make_integer_sequence<int, u>{});
    if constexpr (tail != 0) block<tail>(start_of, first, total, Columns - tail, std::make_integer_sequence<int, 1>{});
    T singles[static_cast<std::size_t>(steps)];
    T const held[] = {base::template single_leaf<L>(start_of)..., T(0)};
    base::finish_singles(first, singles, total, held, chosen_steps<typename base::template at_place<place::single>>{});
  }
  /// p: the leaves' addresses, then the outputs'.
  [[gnu::noinline]] static void run(void* const* p) { run(p, typename base::leaf_numbers{}); }
};

}  // namespace espalier::on_cpu
