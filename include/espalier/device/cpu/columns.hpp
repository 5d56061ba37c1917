// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "column_facts.hpp"

namespace espalier::on_cpu {

/// A fused group whose reductions go down the columns: sweeps over the rows, some rows at a time, each from its first column to its last, so that memory
/// is read in its order. What belongs to a column (sums, mean, variance, ...) lies in the first cache level meanwhile, and is loaded once for those rows.
template <class T, class Arch, int Rows, int Columns, class Steps, class Leaves, class Outputs>
struct column_nest : nest<place::column, T, Arch, Steps, Leaves, Outputs> {
  using base = nest<place::column, T, Arch, Steps, Leaves, Outputs>;
  using typename base::facts;
  using typename base::V;
  using base::leaves, base::steps, base::width;
  using memory = detail::column_facts<facts>;
  static constexpr int tail = Columns % width, vectors = Columns / width + (tail != 0 ? 1 : 0), slots = memory::of.slots;
  static constexpr std::int64_t elements = std::int64_t{Rows} * Columns, bytes = elements * static_cast<std::int64_t>(sizeof(T));

  /// Rows at a time: as many chains of additions, and as many uses of what is loaded for a column. Small groups are over before that pays, and where
  /// little is done and nothing added, four places that are read and four that are written are more than the first cache level likes.
  static constexpr int together(int work, bool adds) {
    int const most = !adds && work <= 4 ? 2 : work <= 2 || (elements >= 8192 && work <= 16) ? 4 : 2;
    for (int r = most; r > 1; --r)
      if (Rows % r == 0) return r;
    return Rows < most ? 1 : most;
  }
  /// With few columns a sum waits for itself: rows are combined with each other first.
  static constexpr bool narrow = vectors <= 2;
  /// Every second sweep goes upwards where it will find the last rows in a cache.
  static constexpr bool to_and_fro = bytes > (std::int64_t{1} << 19);
  static constexpr bool upwards(int s) { return to_and_fro && s % 2 != 0; }
  static constexpr bool streams = bytes >= detail::streamed_bytes && tail == 0;
  static constexpr bool asks_ahead = facts::full_results() * bytes > 2 * written_far;
  static constexpr int most_together = 4;

  /// Vectors of columns at a time: what is kept of them takes at most 48 KiB.
  static constexpr int strip = [] {
    int const most = 49152 / V::registers::bytes / (slots > 0 ? slots : 1);
    if (vectors <= most) return vectors;
    int const strips = (vectors + most - 1) / most;
    return (vectors + strips - 1) / strips;
  }();

  /// Columns are cut where many elements are summed, in pieces that are long enough to be read well.
  static constexpr int parts = [] {
    int const piece = bytes <= (std::int64_t{1} << 20) ? 8 : 32;
    int const most = vectors / piece;
    return elements < 65536 || most < 2 ? 1 : most < 16 ? most : 16;
  }();
  static constexpr int singles = memory::singles::value.count;
  static constexpr std::int64_t scratch = parts > 1 ? parts * singles * width : 0;

  /// Where a step's value is kept. A template: clang would call a function at run time.
  template <int I>
  static constexpr int at_slot = memory::of.slot[I] * width;
  using step_packs = V[static_cast<std::size_t>(steps)];
  using leaf_packs = V[static_cast<std::size_t>(leaves) + 1];

  /// r: which of the rows at a time. A number and no template argument, which would make a function of each step for each row: it is inlined anyway.
  template <int X, int Count>
  static ESPALIER_INLINE V read(T const* const* in, V const* lines, V const* held, V* t, int r, int j) {
    if constexpr (X >= 0) {
      if constexpr (facts::step_at[X].where == place::full) return t[X];
      else return lines[X];
    } else {
      constexpr int k = -1 - X;
      if constexpr (facts::leaf_at[k].what == leaf_kind::constant) return V(static_cast<T>(std::bit_cast<double>(facts::bits_at[k])));
      else if constexpr (facts::held(k)) return held[k];
      else if constexpr (facts::leaf_at[k].where == place::row) return V(in[k][r]);
      else return V::template load_first<Count>(in[k] + std::ptrdiff_t{r} * Columns + j);
    }
  }
  template <int Count, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE V value(step<Op, W, A, B, C>, T const* const* in, V const* lines, V const* held, V* t, int r, int j) {
    if constexpr (std::is_same_v<Op, copy_op>) return read<A, Count>(in, lines, held, t, r, j);
    else if constexpr (rule<Op>::arity == 1) return rule<Op>::apply(read<A, Count>(in, lines, held, t, r, j));
    else if constexpr (rule<Op>::arity == 2) return rule<Op>::apply(read<A, Count>(in, lines, held, t, r, j), read<B, Count>(in, lines, held, t, r, j));
    else
      return rule<Op>::apply(read<A, Count>(in, lines, held, t, r, j), read<B, Count>(in, lines, held, t, r, j), read<C, Count>(in, lines, held, t, r, j));
  }
  template <int Count, int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void reduce(step<Op, W, A, B, C>, T const* const* in, V const* lines, V const* held, V* t, V* sum, int r, int j) {
    V x = read<A, Count>(in, lines, held, t, r, j);
    if constexpr (Count < width && W == place::single) x = select(V::template first_lanes<Count>(), x, V(base::template identity<I>));
    sum[I] = rule<Op>::combine(sum[I], x);
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

  /// One vector of columns in row r of those at a time.
  template <int Count, int... Computed, int... Summed, int... Single>
  static ESPALIER_INLINE void lane(T const* const* in, V const* lines, V const* held, V* t, V* sum, V* total, int r, int j, std::integer_sequence<int, Computed...>,
                                   std::integer_sequence<int, Summed...>, std::integer_sequence<int, Single...>) {
    ((t[Computed] = value<Count>(typename facts::template step_type<Computed>{}, in, lines, held, t, r, j)), ...);
    (reduce<Count, Summed>(typename facts::template step_type<Summed>{}, in, lines, held, t, sum, r, j), ...);
    (reduce<Count, Single>(typename facts::template step_type<Single>{}, in, lines, held, t, total, r, j), ...);
    detail::unused(in, lines, held, t, sum, total, r, j);
  }
  /// Ahead: how many rows on this column comes next.
  template <int Count, int I, int Ahead>
  static ESPALIER_INLINE void store(T* const* out, V const* t, bool past_caches, int r, int j) {
    constexpr int k = facts::output_of(I);
    T* const to = out[k] + std::ptrdiff_t{r} * Columns + j;
    if constexpr (streams) {
      if (past_caches) return t[I].stream(to);
    }
    if constexpr (asks_ahead) prefetch_to_write(to + std::ptrdiff_t{Ahead} * Columns);
    t[I].template store_first<Count>(to);
  }
  template <int Count, int Ahead, int... Stored>
  static ESPALIER_INLINE void store_all(T* const* out, V const* t, bool past_caches, int r, int j, std::integer_sequence<int, Stored...>) {
    (store<Count, Stored, Ahead>(out, t, past_caches, r, j), ...);
    detail::unused(out, t, past_caches, r, j);
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
  template <int... I>
  static ESPALIER_INLINE void load_lines(V* lines, T const* kept, std::integer_sequence<int, I...>) {
    ((lines[I] = V::load(kept + at_slot<I>)), ...);
    detail::unused(lines, kept);
  }
  template <int... I>
  static ESPALIER_INLINE void store_lines(V const* lines, T* kept, std::integer_sequence<int, I...>) {
    (lines[I].store(kept + at_slot<I>), ...);
    detail::unused(lines, kept);
  }

  /// Where the work of a block of columns is done. kept: what it knows of its columns; total: sums over everything, one for each row of those at a time.
  struct block {
    T const* const* start_of;
    T* const* first;
    T* kept;
    step_packs* total;
    int begin, end;
    bool past_caches;
  };

  template <int S, int Count, int... R>
  static ESPALIER_INLINE void vector(block const& b, T const* const* in, T* const* out, T* kept, step_packs* total, int j, std::integer_sequence<int, R...>) {
    using computed = chosen_steps<typename base::template computed<S>>;
    using stored = chosen_steps<typename base::template stored<S>>;
    using summed = chosen_steps<typename memory::template sums<S, place::column>>;
    using single = chosen_steps<typename memory::template sums<S, place::single>>;
    step_packs lines, t[sizeof...(R)];
    leaf_packs held;
    load_lines(lines, kept, chosen_steps<typename memory::template lines_of_sweep<S>>{});
    hold_all<Count>(b.start_of, held, j, typename base::leaf_numbers{});
    if constexpr (narrow && sizeof...(R) == 4) {
      step_packs sum[4];
      (base::clear(sum[R], summed{}), ...);
      (lane<Count>(in, lines, held, t[R], sum[R], total[R], R, j, computed{}, summed{}, single{}), ...);
      combine_all(sum[0], sum[1], summed{});
      combine_all(sum[2], sum[3], summed{});
      combine_all(sum[0], sum[2], summed{});
      load_lines(sum[1], kept, summed{});
      combine_all(sum[1], sum[0], summed{});
      store_lines(sum[1], kept, summed{});
    } else {
      step_packs sum;
      load_lines(sum, kept, summed{});
      (lane<Count>(in, lines, held, t[R], sum, total[R], R, j, computed{}, summed{}, single{}), ...);
      store_lines(sum, kept, summed{});
    }
    // After the loads of all rows: a store is taken for what a load of the next row wants where they lie a multiple of 4 KiB apart.
    constexpr int ahead = (upwards(S) ? -1 : 1) * static_cast<int>(sizeof...(R));
    (store_all<Count, ahead>(out, t[R], b.past_caches, R, j, stored{}), ...);
    detail::unused(out);
  }
  template <int S, int... R, int... L>
  static ESPALIER_INLINE void rows(block const& b, step_packs* total, int row, std::integer_sequence<int, R...> r, std::integer_sequence<int, L...>) {
    T const* const in[] = {row_of<L>(b.start_of[L], row)..., nullptr};
    T* out[static_cast<std::size_t>(facts::outputs) + 1];
    for (int k = 0; k < facts::outputs; ++k)
      if (facts::step_at[facts::output_at[k].step].where == place::full) out[k] = b.first[k] + static_cast<std::ptrdiff_t>(row) * Columns;
    T* kept = b.kept;
    int j = b.begin;
    for (; j + width <= b.end; j += width, kept += slots * width) vector<S, width>(b, in, out, kept, total, j, r);
    if constexpr (tail != 0)
      if (b.end == Columns) vector<S, tail>(b, in, out, kept, total, Columns - tail, r);
  }
  template <int K>
  static ESPALIER_INLINE T const* row_of(T const* start, int row) {
    return start + (facts::is_memory(K, place::full) ? static_cast<std::ptrdiff_t>(row) * Columns : facts::is_memory(K, place::row) ? row : 0);
  }
  template <int S>
  static ESPALIER_INLINE void sweep(block const& b, step_packs* total) {
    constexpr int at_once = together(facts::work(S), facts::reduced(S).count > 0), times = Rows / at_once;
    for (int i = 0; i < times; ++i)
      rows<S>(b, total, (upwards(S) ? times - 1 - i : i) * at_once, std::make_integer_sequence<int, at_once>{}, typename base::leaf_numbers{});
    if constexpr (Rows % at_once != 0)
      for (int row = times * at_once; row < Rows; ++row) rows<S>(b, total, row, std::make_integer_sequence<int, 1>{}, typename base::leaf_numbers{});
  }

  template <int Count, class Op>
  static ESPALIER_INLINE V of_three_rows(T const* first) {
    constexpr std::ptrdiff_t midst = std::ptrdiff_t{Rows / 2} * Columns, last = std::ptrdiff_t{Rows - 1} * Columns;
    return rule<Op>::of_three(V::template load_first<Count>(first), V::template load_first<Count>(first + midst), V::template load_first<Count>(first + last), V(T(Rows)));
  }
  /// What is known of some columns after a sweep.
  template <int Count, int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void known(step<Op, W, A, B, C> s, T const* const* start_of, T* const* out, V* lines, V const* held, V* total, int j) {
    if constexpr (W == place::single) {
      V x = base::template fixed<A>(lines, held);
      if constexpr (Count < width) x = select(V::template first_lanes<Count>(), x, V(base::template identity<I>));
      total[I] = rule<Op>::combine(total[I], x);
    } else {
      if constexpr (facts::taken_first(I)) lines[I] = of_three_rows<Count, Op>(start_of[-1 - A] + j);
      else if constexpr (!facts::step_at[I].reduces) lines[I] = base::template fixed_value<V>(s, lines, held);
      constexpr int k = facts::output_of(I);
      if constexpr (k >= 0) lines[I].template store_first<Count>(out[k] + j);
    }
  }
  template <int I>
  static ESPALIER_INLINE void keep(V const* lines, T* kept) {
    if constexpr ((!facts::step_at[I].reduces || facts::taken_first(I)) && (memory::of.slot[I] >= 0)) lines[I].store(kept + at_slot<I>);
  }
  template <int S, int Count, int... I>
  static ESPALIER_INLINE void known_vector(block const& b, T* kept, V* total, int j, std::integer_sequence<int, I...>) {
    step_packs lines;
    leaf_packs held;
    load_lines(lines, kept, chosen_steps<typename memory::template lines_of_known<S>>{});
    hold_all<Count>(b.start_of, held, j, typename base::leaf_numbers{});
    (known<Count, I>(typename facts::template step_type<I>{}, b.start_of, b.first, lines, held, total, j), ...);
    (keep<I>(lines, kept), ...);
    using next = chosen_steps<typename memory::template sums<S + 1, place::column>>;
    base::clear(lines, next{});
    store_lines(lines, kept, next{});
    detail::unused(total);
  }
  template <int S>
  static ESPALIER_INLINE void all_known(block const& b, V* total) {
    using all = typename base::template known_after<S>;
    if constexpr (all::value.count + memory::template sums<S + 1, place::column>::value.count > 0) {
      T* kept = b.kept;
      int j = b.begin;
      for (; j + width <= b.end; j += width, kept += slots * width) known_vector<S, width>(b, kept, total, j, chosen_steps<all>{});
      if constexpr (tail != 0)
        if (b.end == Columns) known_vector<S, tail>(b, kept, total, Columns - tail, chosen_steps<all>{});
    }
  }
  template <int S>
  static ESPALIER_INLINE void sweeps(block const& b, step_packs* total) {
    sweep<S>(b, total);
    all_known<S>(b, total[0]);
    if constexpr (facts::works_in(S + 1)) sweeps<S + 1>(b, total);
  }

  /// The columns of vectors begin ... end, in strips.
  static ESPALIER_INLINE void columns(T const* const* start_of, T* const* first, V* sum, int begin, int end) {
    using single = chosen_steps<typename memory::singles>;
    alignas(64) T kept[static_cast<std::size_t>(slots > 0 ? strip * slots * width : 1)];
    step_packs total[most_together];
    for (int i = 0; i < most_together; ++i) base::clear(total[i], single{});
    bool past_caches = streams;
    if constexpr (streams)
      for (int k = 0; k < facts::outputs; ++k) past_caches = past_caches && reinterpret_cast<std::uintptr_t>(first[k]) % V::registers::bytes == 0;
    for (int v = begin; v < end; v += strip) {
      int const last = v + strip < end ? v + strip : end;
      block const b{start_of, first, kept, total, v * width, last * width < Columns ? last * width : Columns, past_caches};
      all_known<-1>(b, total[0]);
      sweeps<0>(b, total);
    }
    base::clear(sum, single{});
    for (int i = 0; i < most_together; ++i) combine_all(sum, total[i], single{});
    if constexpr (streams) stream_fence();
  }
  template <int... L>
  static ESPALIER_INLINE void columns(void* const* p, V* sum, int begin, int end, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {static_cast<T const*>(p[L])..., nullptr};
    T* first[static_cast<std::size_t>(facts::outputs) + 1];
    for (int k = 0; k < facts::outputs; ++k) first[k] = static_cast<T*>(p[leaves + k]);
    columns(start_of, first, sum, begin, end);
  }
  template <int... L>
  static ESPALIER_INLINE void finish_all(void* const* p, V const* total, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {static_cast<T const*>(p[L])..., nullptr};
    T* first[static_cast<std::size_t>(facts::outputs) + 1];
    for (int k = 0; k < facts::outputs; ++k) first[k] = static_cast<T*>(p[leaves + k]);
    T values[static_cast<std::size_t>(steps)];
    T const held[] = {base::template single_leaf<L>(start_of)..., T(0)};
    base::finish_singles(first, values, total, held, chosen_steps<typename base::template at_place<place::single>>{});
  }

  static constexpr int begin_of(int which) { return static_cast<int>(std::int64_t{vectors} * which / parts); }
  template <int... N, int... I>
  static ESPALIER_INLINE void save(T* to, V const* total, std::integer_sequence<int, N...>, std::integer_sequence<int, I...>) {
    (total[I].store(to + N * width), ...);
    detail::unused(to, total);
  }
  template <int... N, int... I>
  static ESPALIER_INLINE void restore(T const* from, V* total, std::integer_sequence<int, N...>, std::integer_sequence<int, I...>) {
    ((total[I] = V::load(from + N * width)), ...);
    detail::unused(from, total);
  }

  /// p: the leaves' addresses, then the outputs'.
  [[gnu::noinline]] static void part(void* const* p, T* shared, int which) {
    step_packs total;
    columns(p, total, begin_of(which), begin_of(which + 1), typename base::leaf_numbers{});
    save(shared + which * singles * width, total, std::make_integer_sequence<int, singles>{}, chosen_steps<typename memory::singles>{});
  }
  static void finish(void* const* p, T const* shared) {
    using single = chosen_steps<typename memory::singles>;
    step_packs total, one;
    base::clear(total, single{});
    for (int i = 0; i < parts; ++i) {
      restore(shared + i * singles * width, one, std::make_integer_sequence<int, singles>{}, single{});
      combine_all(total, one, single{});
    }
    finish_all(p, total, typename base::leaf_numbers{});
  }
  [[gnu::noinline]] static void run(void* const* p) {
    if constexpr (parts > 1 && singles > 0) {  // sums over everything depend on how they are cut
      alignas(64) T shared[static_cast<std::size_t>(scratch)];
      for (int i = 0; i < parts; ++i) part(p, shared, i);
      finish(p, shared);
    } else {
      step_packs total;
      columns(p, total, 0, vectors, typename base::leaf_numbers{});
      finish_all(p, total, typename base::leaf_numbers{});
    }
  }
};

}  // namespace espalier::on_cpu
