// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

namespace espalier::on_cpu {

/// A fused group whose rows lie in memory as runs, one in each of Segments blocks: the channels of a batch of images. It runs row by row as a group of
/// unbroken rows does; the sweeps of a row go over its runs, which the second cache level keeps meanwhile.
template <class T, class Arch, int Rows, int Columns, int Segments, class Steps, class Leaves, class Outputs>
struct segment_nest : nest<place::row, T, Arch, Steps, Leaves, Outputs> {
  using base = nest<place::row, T, Arch, Steps, Leaves, Outputs>;
  using typename base::facts;
  using typename base::V;
  using base::leaves, base::steps, base::width;
  static constexpr int run_length = Columns / Segments, whole = run_length / width, tail = run_length % width;
  static constexpr int together = whole >= 4 ? 4 : whole >= 2 ? 2 : 1;
  static constexpr std::int64_t elements = std::int64_t{Rows} * Columns;
  static constexpr bool streams = elements * static_cast<std::int64_t>(sizeof(T)) >= (std::int64_t{16} << 20) && tail == 0;
  static constexpr bool asks_ahead = facts::full_results() * elements * std::int64_t{sizeof(T)} >= written_far;
  /// The next row's run lies behind this one's: it is asked for in the last sweep.
  static constexpr bool reads_ahead = facts::full_operands() * elements * std::int64_t{sizeof(T)} > (std::int64_t{1} << 20) && facts::works_in(1);
  using step_packs = V[static_cast<std::size_t>(steps)];

  /// Rows are cut where many elements are summed.
  static constexpr int parts = elements < 65536 || Rows < 2 ? 1 : Rows < 16 ? Rows : 16;
  static constexpr std::int64_t scratch = 0;
  static_assert(facts::at_place(place::single, true).count == 0 && facts::at_place(place::column, true).count == 0, "the planner makes no such group of segments");

  template <int X, int Count, int R>
  static ESPALIER_INLINE V read(T const* const* in, V const* lines, V const* held, V* t, std::ptrdiff_t j) {
    if constexpr (X >= 0) {
      if constexpr (facts::step_at[X].where == place::full) return t[X];
      else return lines[X];
    } else {
      constexpr int k = -1 - X;
      if constexpr (facts::leaf_at[k].what == leaf_kind::constant) return V(static_cast<T>(std::bit_cast<double>(facts::bits_at[k])));
      else if constexpr (facts::held(k)) return held[k];
      else return V::template load_first<Count>(in[k] + j + R * width);
    }
  }
  template <int Count, int R, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE V value(step<Op, W, A, B, C>, T const* const* in, V const* lines, V const* held, V* t, std::ptrdiff_t j) {
    if constexpr (std::is_same_v<Op, copy_op>) return read<A, Count, R>(in, lines, held, t, j);
    else if constexpr (rule<Op>::arity == 1) return rule<Op>::apply(read<A, Count, R>(in, lines, held, t, j));
    else if constexpr (rule<Op>::arity == 2) return rule<Op>::apply(read<A, Count, R>(in, lines, held, t, j), read<B, Count, R>(in, lines, held, t, j));
    else
      return rule<Op>::apply(read<A, Count, R>(in, lines, held, t, j), read<B, Count, R>(in, lines, held, t, j), read<C, Count, R>(in, lines, held, t, j));
  }
  template <int Count, int I, int R, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void reduce(step<Op, W, A, B, C>, T const* const* in, V const* lines, V const* held, V* t, V* sum, std::ptrdiff_t j) {
    V x = read<A, Count, R>(in, lines, held, t, j);
    if constexpr (Count < width) x = select(V::template first_lanes<Count>(), x, V(base::template identity<I>));
    sum[I] = rule<Op>::combine(sum[I], x);
  }
  template <int Count, int I, int R>
  static ESPALIER_INLINE void put(T* const* out, V const* t, bool past_caches, std::ptrdiff_t j) {
    constexpr int k = facts::output_of(I);
    T* const to = out[k] + j + R * width;
    if constexpr (streams) {
      if (past_caches) return t[I].stream(to);
    }
    if constexpr (asks_ahead) prefetch_to_write(to + 1024 / static_cast<int>(sizeof(T)));
    t[I].template store_first<Count>(to);
  }
  template <int Count, int R, int... Computed, int... Reduced, int... Stored>
  static ESPALIER_INLINE void lane(T const* const* in, T* const* out, V const* lines, V const* held, V* sum, bool past_caches, std::ptrdiff_t j,
                                   std::integer_sequence<int, Computed...>, std::integer_sequence<int, Reduced...>, std::integer_sequence<int, Stored...>) {
    step_packs t;
    ((t[Computed] = value<Count, R>(typename facts::template step_type<Computed>{}, in, lines, held, t, j)), ...);
    (reduce<Count, Reduced, R>(typename facts::template step_type<Reduced>{}, in, lines, held, t, sum, j), ...);
    (put<Count, Stored, R>(out, t, past_caches, j), ...);
    detail::unused(in, out, lines, held, sum, past_caches, j);
  }

  template <int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void combine(step<Op, W, A, B, C>, V* to, V const* from) {
    to[I] = rule<Op>::combine(to[I], from[I]);
  }
  template <int... I>
  static ESPALIER_INLINE void combine_all(V* to, V const* from, std::integer_sequence<int, I...>) {
    (combine<I>(typename facts::template step_type<I>{}, to, from), ...);
    detail::unused(to, from);
  }

  /// Where a row's element lies, from its first.
  template <int J>
  static constexpr std::ptrdiff_t offset = std::ptrdiff_t{J / run_length} * Rows * run_length + J % run_length;
  /// What is known of a row after a sweep. The numbers of a row lie in every lane of a pack.
  template <int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void known(step<Op, W, A, B, C> s, T const* const* in, V* lines, V const* held, V const* sum) {
    if constexpr (facts::taken_first(I)) lines[I] = V(rule<Op>::of_three(in[-1 - A][0], in[-1 - A][offset<Columns / 2>], in[-1 - A][offset<Columns - 1>], T(Columns)));
    else if constexpr (facts::step_at[I].reduces) lines[I] = V(detail::fold_pack<Op>(sum[I]));
    else lines[I] = base::template fixed_value<V>(s, lines, held);
  }
  template <int... I>
  static ESPALIER_INLINE void all_known(T const* const* in, V* lines, V const* held, V const* sum, std::integer_sequence<int, I...>) {
    (known<I>(typename facts::template step_type<I>{}, in, lines, held, sum), ...);
    detail::unused(in, lines, held, sum);
  }

  template <int... L>
  static ESPALIER_INLINE void ahead(T const* const* in, std::ptrdiff_t j, std::integer_sequence<int, L...>) {
    ((facts::is_memory(L, place::full) ? prefetch(in[L] + j) : void()), ...);
    detail::unused(in, j);
  }
  template <int S, int... R>
  static ESPALIER_INLINE void sweep(T const* const* in, T* const* out, V* lines, V const* held, bool past_caches, std::integer_sequence<int, R...>) {
    using computed = chosen_steps<typename base::template computed<S>>;
    using reduced = chosen_steps<typename base::template reduced<S>>;
    using stored = chosen_steps<typename base::template stored<S>>;
    step_packs sum[static_cast<std::size_t>(together)];
    (base::clear(sum[R], reduced{}), ...);
    for (int segment = 0; segment < Segments; ++segment) {
      std::ptrdiff_t j = static_cast<std::ptrdiff_t>(segment) * Rows * run_length;
      for (int i = 0; i + together <= whole; i += together, j += together * width) {
        if constexpr (reads_ahead && !facts::works_in(S + 1)) (ahead(in, j + run_length + R * width, typename base::leaf_numbers{}), ...);
        (lane<width, R>(in, out, lines, held, sum[R], past_caches, j, computed{}, reduced{}, stored{}), ...);
      }
      if constexpr (whole % together != 0)
        for (int i = 0; i < whole % together; ++i, j += width)
          lane<width, 0>(in, out, lines, held, sum[0], past_caches, j, computed{}, reduced{}, stored{});
      if constexpr (tail != 0) lane<tail, 0>(in, out, lines, held, sum[0], past_caches, j, computed{}, reduced{}, stored{});
    }
    if constexpr (together == 4) {
      combine_all(sum[0], sum[1], reduced{});
      combine_all(sum[2], sum[3], reduced{});
      combine_all(sum[0], sum[2], reduced{});
    } else if constexpr (together == 2) {
      combine_all(sum[0], sum[1], reduced{});
    }
    all_known(in, lines, held, sum[0], chosen_steps<typename base::template known_after<S>>{});
  }
  template <int S>
  static ESPALIER_INLINE void sweeps(T const* const* in, T* const* out, V* lines, V const* held, bool past_caches) {
    sweep<S>(in, out, lines, held, past_caches, std::make_integer_sequence<int, together>{});
    if constexpr (facts::works_in(S + 1)) sweeps<S + 1>(in, out, lines, held, past_caches);
  }

  template <int K>
  static ESPALIER_INLINE V held_leaf(T const* const* start_of, int row) {
    if constexpr (facts::is_memory(K, place::row)) return V(start_of[K][row]);
    else return V(base::template single_leaf<K>(start_of));
  }
  template <int K>
  static ESPALIER_INLINE T const* row_of(T const* start, int row) {
    return facts::is_memory(K, place::full) ? start + static_cast<std::ptrdiff_t>(row) * run_length : start;
  }
  template <int I>
  static ESPALIER_INLINE void store_line(T* const* out, V const* lines, int row) {
    constexpr int k = facts::output_of(I);
    if constexpr (k >= 0) out[k][row] = lines[I][0];
  }
  template <int... I>
  static ESPALIER_INLINE void store_lines(T* const* out, V const* lines, int row, std::integer_sequence<int, I...>) {
    (store_line<I>(out, lines, row), ...);
    detail::unused(out, lines, row);
  }

  template <int... L>
  static ESPALIER_INLINE void rows(void* const* p, int begin, int end, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {static_cast<T const*>(p[L])..., nullptr};
    T* first[static_cast<std::size_t>(facts::outputs) + 1];
    T* out[static_cast<std::size_t>(facts::outputs) + 1];
    for (int k = 0; k < facts::outputs; ++k) first[k] = static_cast<T*>(p[leaves + k]);
    bool past_caches = streams;
    if constexpr (streams)
      for (int k = 0; k < facts::outputs; ++k) past_caches = past_caches && reinterpret_cast<std::uintptr_t>(first[k]) % V::registers::bytes == 0;
    for (int row = begin; row < end; ++row) {
      T const* const in[] = {row_of<L>(start_of[L], row)..., nullptr};
      V const held[] = {held_leaf<L>(start_of, row)..., V(T(0))};
      for (int k = 0; k < facts::outputs; ++k) out[k] = first[k] + static_cast<std::ptrdiff_t>(row) * run_length;
      step_packs lines;
      all_known(in, lines, held, lines, chosen_steps<typename base::template known_after<-1>>{});
      sweeps<0>(in, out, lines, held, past_caches);
      store_lines(first, lines, row, chosen_steps<typename base::template at_place<place::row>>{});
    }
    if constexpr (streams) stream_fence();
  }

  /// p: the leaves' addresses, then the outputs'.
  [[gnu::noinline]] static void part(void* const* p, T*, int which) {
    rows(p, static_cast<int>(std::int64_t{Rows} * which / parts), static_cast<int>(std::int64_t{Rows} * (which + 1) / parts), typename base::leaf_numbers{});
  }
  static void finish(void* const*, T*) {}
  [[gnu::noinline]] static void run(void* const* p) { rows(p, 0, Rows, typename base::leaf_numbers{}); }
};

}  // namespace espalier::on_cpu
