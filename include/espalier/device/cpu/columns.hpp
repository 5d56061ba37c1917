// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "column_facts.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
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
  static constexpr bool to_and_fro = bytes > written_far;
  static constexpr bool upwards(int s) { return to_and_fro && s % 2 != 0; }
  static constexpr bool streams = may_stream(facts::full_operands() * bytes) && tail == 0;
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
  static constexpr int singles = detail::count(facts::single_sums());
  static constexpr std::int64_t scratch = parts > 1 ? parts * singles * width : 0;

  /// Where a step's value is kept. A template: clang would call a function at run time.
  template <int I>
  static constexpr int at_slot = memory::of.slot[I] * width;
  using step_packs = V[static_cast<std::size_t>(steps)];
  using typename base::operand_packs;
  using constants = chosen_steps<base::constant_leaves>;
  template <place Where>
  using in_memory = chosen_steps<facts::memory_at(Where)>;
  template <detail::bits Set>
  using steps_of = typename base::template steps_of<Set>;
  static constexpr detail::bits single_sums = facts::at_place_that(place::single, true);

  /// Ahead: how many rows on this column comes next.
  template <int Count, int Ahead>
  static ESPALIER_IN_KERNEL void store(T* to, V x, bool past_caches) {
    if constexpr (streams) {
      if (past_caches) return x.stream(to);
    }
    if constexpr (asks_ahead) prefetch_to_write(to + std::ptrdiff_t{Ahead} * Columns);
    x.template store_first<Count>(to);
  }
  template <int Count, int Ahead, int... Stored>
  static ESPALIER_IN_KERNEL void store_all(T* const* out, V const* result, bool past_caches, std::ptrdiff_t at, std::integer_sequence<int, Stored...>) {
    (store<Count, Ahead>(out[base::template output<Stored>] + at, result[base::template output<Stored>], past_caches), ...);
    (void)out, (void)result, (void)past_caches, (void)at;
  }
  template <int... Stored>
  static ESPALIER_IN_KERNEL void set_aside(V* result, V const* v, std::integer_sequence<int, Stored...>) {
    ((result[base::template output<Stored>] = v[Stored]), ...);
    (void)result, (void)v;
  }
  /// Leaves that are the same in every row.
  template <int Count, int... Index>
  static ESPALIER_IN_KERNEL void hold(T const* const* start_of, V* v, int j, std::integer_sequence<int, Index...>) {
    base::put_constants(v, constants{});
    ((v[steps + Index] = V::iota(static_cast<T>(j))), ...);
    base::template put_lanes<Count>(v, start_of, j, in_memory<place::column>{});
    base::put_elements(v, start_of, 0, in_memory<place::single>{});
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void load_lines(V* v, T const* kept, std::integer_sequence<int, I...>) {
    ((v[I] = V::load(kept + at_slot<I>)), ...);
    (void)v, (void)kept;
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void store_lines(V const* v, T* kept, std::integer_sequence<int, I...>) {
    (v[I].store(kept + at_slot<I>), ...);
    (void)v, (void)kept;
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

  /// One vector of columns in row r of those at a time; v has what is the same in every row. r is a number and no template argument, which would make
  /// functions for each row.
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void lane(T const* const* in, V* v, V* sum, V* total, V* result, int r, int j) {
    base::template put_lanes<Count>(v, in, std::ptrdiff_t{r} * Columns + j, in_memory<place::full>{});
    base::put_elements(v, in, r, in_memory<place::row>{});
    base::compute(v, steps_of<facts::computed(S)>{});
    base::template add<width>(sum, v, steps_of<base::added_to(S, place::column)>{});
    base::template add<Count>(total, v, steps_of<base::added_to(S, place::single)>{});
    set_aside(result, v, chosen_steps<facts::stored(S)>{});
  }
  template <int S, int Count, int... R>
  static ESPALIER_IN_KERNEL void vector(block const& b, T const* const* in, T* const* out, T* kept, step_packs* total, int j, std::integer_sequence<int, R...>) {
    constexpr detail::bits summed = base::added_to(S, place::column);
    operand_packs v;
    V result[sizeof...(R)][static_cast<std::size_t>(facts::outputs) + 1];
    load_lines(v, kept, chosen_steps<memory::lines_of_sweep(S)>{});
    hold<Count>(b.start_of, v, j, chosen_steps<base::index_leaves>{});
    if constexpr (narrow && sizeof...(R) == 4) {
      step_packs sum[4];
      (base::clear(sum[R], chosen_steps<summed>{}), ...);
      (lane<S, Count>(in, v, sum[R], total[R], result[R], R, j), ...);
      base::combine_all(sum[0], sum[1], steps_of<summed>{});
      base::combine_all(sum[2], sum[3], steps_of<summed>{});
      base::combine_all(sum[0], sum[2], steps_of<summed>{});
      load_lines(sum[1], kept, chosen_steps<summed>{});
      base::combine_all(sum[1], sum[0], steps_of<summed>{});
      store_lines(sum[1], kept, chosen_steps<summed>{});
    } else {
      step_packs sum;
      load_lines(sum, kept, chosen_steps<summed>{});
      (lane<S, Count>(in, v, sum, total[R], result[R], R, j), ...);
      store_lines(sum, kept, chosen_steps<summed>{});
    }
    // After the loads of all rows: a store is taken for what a load of the next row wants where they lie a multiple of 4 KiB apart.
    constexpr int ahead = (upwards(S) ? -1 : 1) * static_cast<int>(sizeof...(R));
    (store_all<Count, ahead>(out, result[R], b.past_caches, std::ptrdiff_t{R} * Columns + j, chosen_steps<facts::stored(S)>{}), ...);
    (void)in, (void)out, (void)total;
  }
  /// From one row to the next, leaf by leaf.
  struct row_steps {
    std::ptrdiff_t of[static_cast<std::size_t>(leaves) + 1];
  };
  static constexpr row_steps row_step = [] {
    row_steps r{};
    for (int k = 0; k < leaves; ++k) r.of[k] = facts::is_memory(k, place::full) ? Columns : facts::is_memory(k, place::row) ? 1 : 0;
    return r;
  }();
  template <int S, int... R, int... L>
  static ESPALIER_IN_KERNEL void rows(block const& b, step_packs* total, int row, std::integer_sequence<int, R...> r, std::integer_sequence<int, L...>) {
    T const* const in[] = {b.start_of[L] + row * row_step.of[L]..., nullptr};
    T* out[static_cast<std::size_t>(facts::outputs) + 1];
    for (int k = 0; k < facts::outputs; ++k)
      if (facts::step_at[facts::output_at[k].step].where == place::full) out[k] = b.first[k] + static_cast<std::ptrdiff_t>(row) * Columns;
    T* kept = b.kept;
    int j = b.begin;
    for (; j + width <= b.end; j += width, kept += slots * width) vector<S, width>(b, in, out, kept, total, j, r);
    if constexpr (tail != 0)
      if (b.end == Columns) vector<S, tail>(b, in, out, kept, total, Columns - tail, r);
  }
  template <int S>
  static ESPALIER_IN_KERNEL void sweep(block const& b, step_packs* total) {
    constexpr int at_once = together(facts::work(S), facts::reduced(S) != 0), times = Rows / at_once;
    for (int i = 0; i < times; ++i)
      rows<S>(b, total, (upwards(S) ? times - 1 - i : i) * at_once, std::make_integer_sequence<int, at_once>{}, typename base::leaf_numbers{});
    if constexpr (Rows % at_once != 0)
      for (int row = times * at_once; row < Rows; ++row) rows<S>(b, total, row, std::make_integer_sequence<int, 1>{}, typename base::leaf_numbers{});
  }

  template <int Count, class Op>
  static ESPALIER_IN_KERNEL V of_three_rows(T const* first) {
    constexpr std::ptrdiff_t midst = std::ptrdiff_t{Rows / 2} * Columns, last = std::ptrdiff_t{Rows - 1} * Columns;
    return rule<Op>::of_three(V::template load_first<Count>(first), V::template load_first<Count>(first + midst), V::template load_first<Count>(first + last), V(T(Rows)));
  }
  template <int Count, int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void take(V* v, T const* const* start_of, int j, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((v[I] = of_three_rows<Count, Op>(start_of[-1 - A] + j)), ...);
    (void)v, (void)start_of, (void)j;
  }
  template <int Count, int... I>
  static ESPALIER_IN_KERNEL void store_known(V const* v, T* const* out, int j, std::integer_sequence<int, I...>) {
    (v[I].template store_first<Count>(out[base::template output<I>] + j), ...);
    (void)v, (void)out, (void)j;
  }
  /// What is known of some columns after a sweep.
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void known_vector(block const& b, T* kept, V* total, int j) {
    operand_packs v;
    load_lines(v, kept, chosen_steps<memory::lines_of_known(S)>{});
    hold<Count>(b.start_of, v, j, chosen_steps<base::index_leaves>{});
    take<Count>(v, b.start_of, j, steps_of<memory::known(S, memory::taken)>{});
    base::compute(v, steps_of<memory::known(S, memory::computed)>{});
    base::template add<Count>(total, v, steps_of<memory::known(S, memory::added)>{});
    store_known<Count>(v, b.first, j, chosen_steps<memory::known(S, memory::stored)>{});
    store_lines(v, kept, chosen_steps<memory::known(S, memory::kept)>{});
    using next = chosen_steps<base::added_to(S + 1, place::column)>;
    base::clear(v, next{});
    store_lines(v, kept, next{});
  }
  template <int S>
  static ESPALIER_IN_KERNEL void all_known(block const& b, V* total) {
    if constexpr ((facts::known_after(S) | base::added_to(S + 1, place::column)) != 0) {
      T* kept = b.kept;
      int j = b.begin;
      for (; j + width <= b.end; j += width, kept += slots * width) known_vector<S, width>(b, kept, total, j);
      if constexpr (tail != 0)
        if (b.end == Columns) known_vector<S, tail>(b, kept, total, Columns - tail);
    }
  }
  static constexpr int sweeps = [] {
    int r = 1;
    while (facts::works_in(r)) ++r;
    return r;
  }();
  /// Where the leaves and the outputs lie.
  struct memory_of_call {
    T const* start_of[static_cast<std::size_t>(leaves) + 1];
    T* first[static_cast<std::size_t>(facts::outputs) + 1];
    ESPALIER_IN_KERNEL explicit memory_of_call(auto p) {
      for (int k = 0; k < leaves; ++k) start_of[k] = p[k];
      for (int k = 0; k < facts::outputs; ++k) first[k] = p[leaves + k];
    }
  };
  /// The columns of vectors begin ... end, in strips.
  template <int... S>
  static ESPALIER_IN_KERNEL void columns(memory_of_call const& m, V* sum, int begin, int end, std::integer_sequence<int, S...>) {
    using single = chosen_steps<single_sums>;
    alignas(64) T kept[static_cast<std::size_t>(slots > 0 ? strip * slots * width : 1)];
    step_packs total[most_together];
    for (int i = 0; i < most_together; ++i) base::clear(total[i], single{});
    bool past_caches = false;
    if constexpr (streams) past_caches = streams_now<V::registers::bytes>(facts::full_operands() * bytes, m.first, facts::outputs);
    for (int v = begin; v < end; v += strip) {
      int const last = v + strip < end ? v + strip : end;
      block const b{m.start_of, m.first, kept, total, v * width, last * width < Columns ? last * width : Columns, past_caches};
      all_known<-1>(b, total[0]);
      ((sweep<S>(b, total), all_known<S>(b, total[0])), ...);
    }
    base::clear(sum, single{});
    for (int i = 0; i < most_together; ++i) base::combine_all(sum, total[i], steps_of<single_sums>{});
    if constexpr (streams) stream_fence();
  }
  static ESPALIER_IN_KERNEL void finish_all(memory_of_call const& m, V const* total) {
    typename base::operand_numbers v;
    base::put_constants(v, constants{});
    base::put_elements(v, m.start_of, 0, in_memory<place::single>{});
    base::fold_totals(v, total, steps_of<facts::at_place_that(place::single, true)>{});
    base::compute_numbers(v, steps_of<facts::at_place_that(place::single, false)>{});
    base::store_numbers(m.first, v, 0, chosen_steps<facts::results_at(place::single)>{});
  }

  static constexpr int begin_of(int which) { return static_cast<int>(std::int64_t{vectors} * which / parts); }
  template <int... N, int... I>
  static ESPALIER_IN_KERNEL void save(T* to, V const* total, std::integer_sequence<int, N...>, std::integer_sequence<int, I...>) {
    (total[I].store(to + N * width), ...);
    (void)to, (void)total;
  }
  template <int... N, int... I>
  static ESPALIER_IN_KERNEL void restore(T const* from, V* total, std::integer_sequence<int, N...>, std::integer_sequence<int, I...>) {
    ((total[I] = V::load(from + N * width)), ...);
    (void)from, (void)total;
  }

  /// p[i]: the leaves' addresses, then the outputs'.
  ESPALIER_KERNEL static void part(auto p, T* shared, int which) {
    step_packs total;
    columns(memory_of_call{p}, total, begin_of(which), begin_of(which + 1), std::make_integer_sequence<int, sweeps>{});
    save(shared + which * singles * width, total, std::make_integer_sequence<int, singles>{}, chosen_steps<single_sums>{});
  }
  static void finish(auto p, T const* shared) {
    using single = chosen_steps<single_sums>;
    step_packs total, one;
    base::clear(total, single{});
    for (int i = 0; i < parts; ++i) {
      restore(shared + i * singles * width, one, std::make_integer_sequence<int, singles>{}, single{});
      base::combine_all(total, one, steps_of<single_sums>{});
    }
    finish_all(memory_of_call{p}, total);
  }
  ESPALIER_KERNEL static void run(auto p) {
    if constexpr (parts > 1 && singles > 0) {  // sums over everything depend on how they are cut
      alignas(64) T shared[static_cast<std::size_t>(scratch)];
      for (int i = 0; i < parts; ++i) part(p, shared, i);
      finish(p, shared);
    } else {
      step_packs total;
      memory_of_call const m{p};
      columns(m, total, 0, vectors, std::make_integer_sequence<int, sweeps>{});
      finish_all(m, total);
    }
  }
};

}  // namespace espalier::on_cpu
#pragma GCC diagnostic pop
