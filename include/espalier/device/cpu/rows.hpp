// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

namespace espalier::on_cpu {

/// A fused group that runs row by row: sweeps over the columns of a row while it is in the first cache level, with the row's own numbers
/// (mean, largest element, ...) in between. Sums over rows grow in their output memory. A group without reductions is one long row.
template <class T, class Arch, int Rows, int Columns, class Steps, class Leaves, class Outputs>
struct row_nest : nest<place::row, T, Arch, Steps, Leaves, Outputs> {
  using base = nest<place::row, T, Arch, Steps, Leaves, Outputs>;
  using typename base::facts;
  using typename base::V;
  using base::leaves, base::steps, base::width;
  static constexpr int tail = Columns % width;

  template <int I, int U, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void known(step<Op, W, A, B, C> s, T* lines, T const* held, T* singles, V (*sum)[static_cast<std::size_t>(steps)]) {
    if constexpr (!facts::step_at[I].reduces) {
      lines[I] = base::template fixed_value<T>(s, lines, held);
    } else if constexpr (W == place::row) {
      V all = sum[0][I];
      for (int u = 1; u < U; ++u) all = rule<Op>::combine(all, sum[u][I]);
      lines[I] = detail::fold_pack<Op>(all);
    } else {
      singles[I] = rule<Op>::combine(singles[I], base::template fixed<A>(lines, held));
    }
  }
  template <int U, int... I>
  static ESPALIER_INLINE void all_known(T* lines, T const* held, T* singles, V (*sum)[static_cast<std::size_t>(steps)], std::integer_sequence<int, I...>) {
    (known<I, U>(typename facts::template step_type<I>{}, lines, held, singles, sum), ...);
    detail::unused(lines, held, singles, sum);
  }

  template <int S, int... U>
  static ESPALIER_INLINE void sweep(T const* const* in, T* const* out, T* lines, T const* held, T* singles, V* total, std::integer_sequence<int, U...>) {
    using computed = chosen_steps<typename base::template computed<S>>;
    using reduced = chosen_steps<typename base::template reduced<S>>;
    using stored = chosen_steps<typename base::template stored<S>>;
    V sum[sizeof...(U)][static_cast<std::size_t>(steps)];
    (base::clear(sum[U], reduced{}), ...);
    constexpr int stride = static_cast<int>(sizeof...(U)) * width;
    for (int j = 0; j + stride <= Columns; j += stride)
      (base::template lane<width>(in, out, lines, held, sum[U], total, j + U * width, computed{}, reduced{}, stored{}), ...);
    if constexpr (tail != 0) base::template lane<tail>(in, out, lines, held, sum[0], total, Columns - tail, computed{}, reduced{}, stored{});
    all_known<static_cast<int>(sizeof...(U))>(lines, held, singles, sum, chosen_steps<typename base::template known_after<S>>{});
  }
  template <int S>
  static ESPALIER_INLINE void sweeps(T const* const* in, T* const* out, T* lines, T const* held, T* singles, V* total) {
    sweep<S>(in, out, lines, held, singles, total, std::make_integer_sequence<int, detail::unroll(Columns / width, facts::work(S))>{});
    if constexpr (facts::works_in(S + 1)) sweeps<S + 1>(in, out, lines, held, singles, total);
  }

  template <int K>
  static ESPALIER_INLINE T held_leaf(T const* const* in, int row) {
    if constexpr (facts::is_memory(K, place::row)) return in[K][row];
    else return base::template single_leaf<K>(in);
  }
  template <int K>
  static ESPALIER_INLINE T const* row_of(T const* start, int row) {
    return facts::is_memory(K, place::full) ? start + static_cast<std::ptrdiff_t>(row) * Columns : start;
  }
  template <int I>
  static ESPALIER_INLINE void store_line(T* const* out, T const* lines, int row) {
    constexpr int k = facts::output_of(I);
    if constexpr (k >= 0) out[k][row] = lines[I];
  }
  template <int... I>
  static ESPALIER_INLINE void store_lines(T* const* out, T const* lines, int row, std::integer_sequence<int, I...>) {
    (store_line<I>(out, lines, row), ...);
    detail::unused(out, lines, row);
  }
  /// Sums over rows start in memory, sums over everything in registers.
  template <int I>
  static ESPALIER_INLINE void start(T* const* out, T* singles, V* total) {
    singles[I] = base::template identity<I>;
    total[I] = V(base::template identity<I>);
    if constexpr (facts::step_at[I].where == place::column)
      for (int j = 0; j < Columns; ++j) out[facts::output_of(I)][j] = base::template identity<I>;
  }
  template <int... I>
  static ESPALIER_INLINE void start_all(T* const* out, T* singles, V* total, std::integer_sequence<int, I...>) {
    (start<I>(out, singles, total), ...);
    detail::unused(out, singles, total);
  }

  /// Column values computed from finished sums, lane by lane.
  template <int X, int Count>
  static ESPALIER_INLINE V column(T const* const* in, T const* held, V* t, int j) {
    if constexpr (X >= 0) return t[X];
    else if constexpr (facts::leaf_at[-1 - X].what == leaf_kind::constant || facts::leaf_at[-1 - X].where == place::single) return V(base::template fixed<X>(held, held));
    else if constexpr (facts::leaf_at[-1 - X].what == leaf_kind::column_index) return V::iota(static_cast<T>(j));
    else return V::template load_first<Count>(in[-1 - X] + j);
  }
  template <int Count, int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void finish_column(step<Op, W, A, B, C>, T const* const* in, T* const* out, T const* held, V* t, int j) {
    constexpr int k = facts::output_of(I);
    if constexpr (facts::step_at[I].reduces) {
      t[I] = V::template load_first<Count>(out[k] + j);
    } else {
      if constexpr (rule<Op>::arity == 1) t[I] = rule<Op>::apply(column<A, Count>(in, held, t, j));
      else if constexpr (rule<Op>::arity == 2) t[I] = rule<Op>::apply(column<A, Count>(in, held, t, j), column<B, Count>(in, held, t, j));
      else t[I] = rule<Op>::apply(column<A, Count>(in, held, t, j), column<B, Count>(in, held, t, j), column<C, Count>(in, held, t, j));
      if constexpr (k >= 0) t[I].template store_first<Count>(out[k] + j);
    }
  }
  template <int Count, int... I>
  static ESPALIER_INLINE void columns(T const* const* in, T* const* out, T const* held, int j, std::integer_sequence<int, I...>) {
    V t[static_cast<std::size_t>(steps)];
    (finish_column<Count, I>(typename facts::template step_type<I>{}, in, out, held, t, j), ...);
  }

  template <int... L>
  static ESPALIER_INLINE void run(void* const* p, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {static_cast<T const*>(p[L])..., nullptr};
    T* first[static_cast<std::size_t>(facts::outputs) + 1];
    T* out[static_cast<std::size_t>(facts::outputs) + 1];
    for (int k = 0; k < facts::outputs; ++k) first[k] = out[k] = static_cast<T*>(p[leaves + k]);
    T singles[static_cast<std::size_t>(steps)];
    V total[static_cast<std::size_t>(steps)];
    start_all(first, singles, total, chosen_steps<typename base::reductions>{});
    for (int row = 0; row < Rows; ++row) {
      T const* const in[] = {row_of<L>(start_of[L], row)..., nullptr};
      T const held[] = {held_leaf<L>(start_of, row)..., T(0)};
      for (int k = 0; k < facts::outputs; ++k)
        if (facts::step_at[facts::output_at[k].step].where == place::full) out[k] = first[k] + static_cast<std::ptrdiff_t>(row) * Columns;
      T lines[static_cast<std::size_t>(steps)];
      all_known<1>(lines, held, singles, nullptr, chosen_steps<typename base::template known_after<-1>>{});
      sweeps<0>(in, out, lines, held, singles, total);
      store_lines(first, lines, row, chosen_steps<typename base::template at_place<place::row>>{});
    }
    T const held[] = {held_leaf<L>(start_of, 0)..., T(0)};
    base::finish_singles(first, singles, total, held, chosen_steps<typename base::template at_place<place::single>>{});
    if constexpr (facts::at_place(place::column, false).count > 0) {
      using finished = chosen_steps<typename base::template at_place<place::column>>;
      for (int j = 0; j + width <= Columns; j += width) columns<width>(start_of, first, held, j, finished{});
      if constexpr (tail != 0) columns<tail>(start_of, first, held, Columns - tail, finished{});
    }
  }
  /// p: the leaves' addresses, then the outputs'.
  [[gnu::noinline]] static void run(void* const* p) { run(p, typename base::leaf_numbers{}); }
};

}  // namespace espalier::on_cpu
