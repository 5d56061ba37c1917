// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../cascade.hpp"
#include "column_storage.hpp"

/// Kernels of fused groups that reduce down columns.
namespace espalier::on_cpu {

/// A fused group whose reductions go down the columns. It sweeps over the rows, some rows at a time, each from its
/// first column to its last, so that memory is read in order. Column statistics (sum, mean, variance, ...) stay in the
/// L1 cache, and are loaded once for those rows.
template <class T, class Arch, int Rows, int Columns, class Instructions, class Operands, class Outputs>
struct column_kernel : loop_kernel_base<extent_class::column, T, Arch, Instructions, Operands, Outputs> {
  using base = loop_kernel_base<extent_class::column, T, Arch, Instructions, Operands, Outputs>;
  using typename base::facts;
  using typename base::V;
  using base::operands, base::instructions, base::width;
  using memory = detail::column_storage<facts>;
  static constexpr int tail = Columns % width, vectors = Columns / width + (tail != 0 ? 1 : 0),
                       slots = memory::of.slots;
  static constexpr std::int64_t elements = std::int64_t{Rows} * Columns,
                                bytes = elements * static_cast<std::int64_t>(sizeof(T));

  /// Rows at a time: they are added to each other, and each load for a column is used as often. Small groups end before
  /// that pays. If a sweep does little work and adds nothing, four rows that are read and four that are written are too
  /// many streams for the L1 cache.
  static constexpr int rows_per_iteration(int work, bool adds) {
    // Where code is to be small, one row, unless rows are added to each other: sums have the same order everywhere.
    int const most = detail::has_one_lane<Arch> && !adds             ? 1
                     : !adds && work <= 4                            ? 2
                     : work <= 2 || (elements >= 8192 && work <= 16) ? 4
                                                                     : 2;
    for (int r = most; r > 1; --r)
      if (Rows % r == 0) return r;
    return Rows < most ? 1 : most;
  }
  /// Whether every second sweep goes upwards, because the last rows are in a cache then.
  static constexpr bool alternates_direction = bytes > written_far;
  static constexpr bool upwards(int s) { return alternates_direction && s % 2 != 0; }
  static constexpr bool stores_past_caches = may_stream(facts::full_operands() * bytes) && tail == 0;
  static constexpr bool prefetches_results = facts::full_results() * bytes > 2 * written_far;
  static constexpr int max_rows_per_iteration = 4;

  template <int S>
  static constexpr int rows_of_sweep = rows_per_iteration(facts::work(S), facts::reduced(S) != 0);
  /// The rows of a block of a sum (see cascade.hpp). Each iteration adds its rows to each other first.
  static constexpr int rows_of_block(int rows) { return rows * detail::turns_of_block; }
  static constexpr int levels = [] {
    int least = Rows;  // rows of a block
    for (int s = 0; s < facts::schedule.sweeps; ++s) {
      int const rows = rows_per_iteration(facts::work(s), facts::reduced(s) != 0), all = rows_of_block(rows);
      if (facts::reduced(s, extent_class::column) != 0 && all < least) least = all;
    }
    return memory::sums() == 0 || Rows < 2 * least ? 0 : detail::count_levels(Rows / least);
  }();
  /// Vectors of columns at a time: the values stored for them take at most 48 KiB, or as much again for each level.
  static constexpr int strip = [] {
    int const most = (levels > 0 ? 24576 : 49152) / V::registers::bytes / (slots > 0 ? slots : 1);
    if (vectors <= most) return vectors;
    int const strips = (vectors + most - 1) / most;
    return (vectors + strips - 1) / strips;
  }();

  /// Columns are split into parts if many elements are summed. Parts are long enough to be read fast.
  static constexpr int parts = [] {
    int const piece = bytes <= (std::int64_t{1} << 20) ? 8 : 32;
    int const most = vectors / piece;
    return elements < 65536 || most < 2 ? 1 : most < 16 ? most : 16;
  }();
  static constexpr int single_sums = detail::count(facts::single_sums());
  static constexpr std::int64_t scratch = parts <= 1 ? 0 : parts * single_sums * width;

  /// Where the value of instruction I is stored. A template: clang would call a function at run time.
  template <int I>
  static constexpr int at_slot = memory::of.slot[I] * width;
  using instruction_packs = V[static_cast<std::size_t>(instructions)];
  using typename base::constants, typename base::value_packs;
  static constexpr detail::bits single_sum_instructions = facts::instructions_at(extent_class::single, true);

  /// Ahead: the distance in rows to the next store to this column.
  template <int Count, int Ahead>
  static ESPALIER_IN_KERNEL void store(T* to, V x, bool past_caches) {
    if constexpr (stores_past_caches) {
      if (past_caches) return x.stream(to);
    }
    if constexpr (prefetches_results) prefetch_to_write(to + std::ptrdiff_t{Ahead} * Columns);
    x.template store_first<Count>(to);
  }
  template <int Count, int Ahead, int... Stored>
  static ESPALIER_IN_KERNEL void store_all(T* const* out, V const* result, bool past_caches, std::ptrdiff_t at,
                                           std::integer_sequence<int, Stored...>) {
    (store<Count, Ahead>(out[base::template output<Stored>] + at, result[base::template output<Stored>], past_caches),
     ...);
    (void)out, (void)result, (void)past_caches, (void)at;
  }
  template <int... Stored>
  static ESPALIER_IN_KERNEL void set_aside(V* result, V const* v, std::integer_sequence<int, Stored...>) {
    ((result[base::template output<Stored>] = v[Stored]), ...);
    (void)result, (void)v;
  }
  /// Loads the operands that are the same in every row.
  template <int Count, int... Index>
  static ESPALIER_IN_KERNEL void hold(T const* const* start_of, V* v, int j, std::integer_sequence<int, Index...>) {
    base::put_constants(v, constants{});
    ((v[instructions + Index] = V::iota(static_cast<T>(j))), ...);
    base::template put_lanes<Count>(v, start_of, j, operands_in_memory<facts, extent_class::column>{});
    base::put_elements(v, start_of, 0, operands_in_memory<facts, extent_class::single>{});
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void load_stored(V* v, T const* kept, std::integer_sequence<int, I...>) {
    ((v[I] = V::load(kept + at_slot<I>)), ...);
    (void)v, (void)kept;
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void store_stored(V const* v, T* kept, std::integer_sequence<int, I...>) {
    (v[I].store(kept + at_slot<I>), ...);
    (void)v, (void)kept;
  }

  /// The elements of `kept`, and of each level of its sums.
  static constexpr std::int64_t kept_size = slots > 0 ? std::int64_t{strip} * slots* width : 1;
  /// Sums over all elements: one for each row of those at a time, and levels, to which they are added after so many
  /// vectors.
  static constexpr int vectors_of_turn = strip < detail::terms_of_block ? strip : detail::terms_of_block,
                       turns_of_block = detail::terms_of_block / vectors_of_turn;
  static constexpr std::int64_t vectors_in_all = (elements / width + 64) * facts::schedule.sweeps;
  static constexpr int single_levels =
      detail::count(facts::single_sums()) == 0 || vectors_in_all <= 2 * detail::terms_of_block
          ? 0
          : detail::count_levels(vectors_in_all / (vectors_of_turn * turns_of_block));
  struct totals {
    instruction_packs of_row[max_rows_per_iteration];  // (rows, instructions)
    instruction_packs level[static_cast<std::size_t>(single_levels) + 1];
    int turns;
    std::int64_t blocks;
  };
  static ESPALIER_IN_KERNEL void clear_totals(totals& t) {
    using single = set_members<single_sum_instructions>;
    for (instruction_packs& sums : t.of_row) base::clear(sums, single{});
    for (instruction_packs& sums : t.level) base::clear(sums, single{});
    t.turns = 0;
    t.blocks = 0;
  }
  /// Adds the sums of some rows to those of the first of them.
  static ESPALIER_IN_KERNEL void add_rows_of(totals& t) {
    for (int i = 1; i < max_rows_per_iteration; ++i) {
      base::combine_all(t.of_row[0], t.of_row[i], instructions_in<facts, single_sum_instructions>{});
      base::clear(t.of_row[i], set_members<single_sum_instructions>{});
    }
  }
  ESPALIER_KERNEL static void move_totals(totals& t, int to, int from) {
    instruction_packs& x = from == 0 ? t.of_row[0] : t.level[from];
    base::combine_all(to == 0 ? t.of_row[0] : t.level[to], x, instructions_in<facts, single_sum_instructions>{});
    base::clear(x, set_members<single_sum_instructions>{});
  }
  /// After so many vectors of some rows, or of statistics.
  static ESPALIER_IN_KERNEL void end_turn(totals& t) {
    if constexpr (single_levels > 0) {
      if (++t.turns < turns_of_block) return;
      t.turns = 0;
      add_rows_of(t);
      detail::carry_block<single_levels>(t.blocks++, [&](int to, int from) { move_totals(t, to, from); });
    }
  }

  /// A block of columns and its memory. kept: the values stored for its columns. levels: those of their sums. total:
  /// sums over all elements.
  struct block {
    T const* const* start_of;
    T* const* first;
    T *kept, *levels;
    totals* total;
    int begin, end;
    bool past_caches;
  };
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void move_vector(T* to, T* from,
                                             list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    (rule<Op>::combine(V::load(to + at_slot<I>), V::load(from + at_slot<I>)).store(to + at_slot<I>), ...);
    (V(base::template identity<I>).store(from + at_slot<I>), ...);
    (void)to, (void)from;
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void clear_vector(T* to, std::integer_sequence<int, I...>) {
    (V(base::template identity<I>).store(to + at_slot<I>), ...);
    (void)to;
  }
  template <int S>
  static ESPALIER_INLINE void add_sums(T* to, T* from, int columns) {
    using summed = instructions_in<facts, facts::reduced(S, extent_class::column)>;
    for (int j = 0; j < columns; j += width, to += slots * width, from += slots * width)
      move_vector(to, from, summed{});
  }
  template <int S>
  ESPALIER_KERNEL static void add_level(T* to, T* from, int columns) {
    add_sums<S>(to, from, columns);
  }
  /// Adds the sums of sweep S in level `from` to those in level `to`. Those of a block lie apart, and no function is
  /// called with them: a compiler keeps few of them in registers.
  template <int S>
  static ESPALIER_INLINE void move_sums(block const& b, int to, int from) {
    int const columns = b.end - b.begin;
    auto const level = [&](int l) { return b.levels + (l - 1) * kept_size; };
    if (from == 0) add_sums<S>(level(to), b.kept, columns);
    else if (to == 0) add_sums<S>(b.kept, level(from), columns);
    else add_level<S>(level(to), level(from), columns);
  }
  template <int S>
  ESPALIER_KERNEL static void clear_levels(T* first, int columns) {
    for (int level = 0; level < levels; ++level)
      for (int j = 0; j < columns; j += width)
        clear_vector(first + level * kept_size + j * slots, set_members<facts::reduced(S, extent_class::column)>{});
  }

  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void start_or_add(V* sum, V const* v, bool starts,
                                              list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((sum[I] = starts ? v[A >= 0 ? A : instructions - 1 - A]
                      : V(rule<Op>::combine(sum[I], v[A >= 0 ? A : instructions - 1 - A]))),
     ...);
    (void)sum, (void)v, (void)starts;
  }
  /// Computes one vector of columns in row r of those at a time. v has the values that are the same in every row.
  /// r is a number and no template argument, which would make functions for each row.
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void sweep_vector(T const* const* in, V* v, V* sum, V* total, V* result, int r, int j) {
    base::template put_lanes<Count>(v, in, std::ptrdiff_t{r} * Columns + j,
                                    operands_in_memory<facts, extent_class::full>{});
    base::put_elements(v, in, r, operands_in_memory<facts, extent_class::row>{});
    base::compute(v, instructions_in<facts, facts::computed(S)>{});
    start_or_add(sum, v, r % 2 == 0, instructions_in<facts, facts::reduced(S, extent_class::column)>{});
    base::template add<Count>(total, v, instructions_in<facts, facts::reduced(S, extent_class::single)>{});
    set_aside(result, v, set_members<facts::stored(S)>{});
  }
  template <int S, int Count, int... R>
  static ESPALIER_IN_KERNEL void vector(block const& b, T const* const* in, T* const* out, T* kept,
                                        instruction_packs* total, int j, std::integer_sequence<int, R...>) {
    constexpr detail::bits summed = facts::reduced(S, extent_class::column);
    value_packs v;
    V result[sizeof...(R)][static_cast<std::size_t>(facts::outputs) + 1];  // (rows, outputs)
    load_stored(v, kept, set_members<memory::columns_for_sweep(S)>{});
    hold<Count>(b.start_of, v, j, set_members<base::index_operands>{});
    // Rows are added in pairs: a chain of additions has a quarter of its length, for its errors and for its latency.
    using sums = instructions_in<facts, summed>;
    instruction_packs sum, pair, all;
    if constexpr (detail::has_one_lane<Arch>)
      for (int r = 0; r < static_cast<int>(sizeof...(R)); ++r)
        sweep_vector<S, Count>(in, v, r < 2 ? sum : pair, total[r], result[r], r, j);
    else (sweep_vector<S, Count>(in, v, R < 2 ? sum : pair, total[R], result[R], R, j), ...);
    if constexpr (sizeof...(R) > 2) base::combine_all(sum, pair, sums{});
    load_stored(all, kept, set_members<summed>{});
    base::combine_all(all, sum, sums{});
    store_stored(all, kept, set_members<summed>{});
    // Stores come after the loads of all rows. At a distance of a multiple of 4 KiB, the processor takes a store for
    // the data of the next row's load.
    constexpr int ahead = (upwards(S) ? -1 : 1) * static_cast<int>(sizeof...(R));
    (store_all<Count, ahead>(out, result[R], b.past_caches, std::ptrdiff_t{R} * Columns + j,
                             set_members<facts::stored(S)>{}),
     ...);
    (void)in, (void)out, (void)total;
  }
  /// The distance from one row to the next, by operand.
  struct row_strides {
    std::ptrdiff_t of[static_cast<std::size_t>(operands) + 1];
  };
  static constexpr row_strides row_stride = [] {
    row_strides r{};
    for (int k = 0; k < operands; ++k)
      r.of[k] = facts::is_memory(k, extent_class::full) ? Columns : facts::is_memory(k, extent_class::row) ? 1 : 0;
    return r;
  }();
  /// A template, so that the facts of the outputs are no table at run time: 500 bytes for a BatchNorm.
  template <int... O>
  static ESPALIER_IN_KERNEL void begin_row(T** out, T* const* first, int row, std::integer_sequence<int, O...>) {
    ((out[O] = first[O] + row * output_stride<O>), ...);
    (void)out, (void)first, (void)row;
  }
  template <int O>
  static constexpr std::ptrdiff_t output_stride =
      facts::instruction_at[facts::output_at[O].instruction].extent == extent_class::full ? Columns : 0;
  template <int S, int... R, int... L>
  static ESPALIER_IN_KERNEL void rows(block const& b, int row, std::integer_sequence<int, R...> r,
                                      std::integer_sequence<int, L...>) {
    T const* const in[] = {b.start_of[L] + row * row_stride.of[L]..., nullptr};
    T* out[static_cast<std::size_t>(facts::outputs) + 1];
    begin_row(out, b.first, row, std::make_integer_sequence<int, facts::outputs>{});
    instruction_packs* const total = b.total->of_row;
    T* kept = b.kept;
    int j = b.begin;
    if constexpr (single_levels > 0 && facts::reduced(S, extent_class::single) != 0) {
      constexpr int turn = vectors_of_turn * width;
      for (; j + turn <= b.end; end_turn(*b.total))
        for (int const end = j + turn; j < end; j += width, kept += slots * width)
          vector<S, width>(b, in, out, kept, total, j, r);
    }
    [[maybe_unused]] bool const some_left = j < b.end;
    for (; j + width <= b.end; j += width, kept += slots * width) vector<S, width>(b, in, out, kept, total, j, r);
    if constexpr (tail != 0)
      if (b.end == Columns) vector<S, tail>(b, in, out, kept, total, Columns - tail, r);
    if constexpr (single_levels > 0 && facts::reduced(S, extent_class::single) != 0)
      if (some_left) end_turn(*b.total);
  }
  /// Iterations first ... last - 1, of `at_once` rows each.
  template <int S>
  static ESPALIER_IN_KERNEL void some_rows(block const& b, int times, int first, int last) {
    constexpr int at_once = rows_of_sweep<S>;
    // Without a sign: g++ 12 warns of a product that overflows, in a loop that does not run.
    for (int i = first; i < last; ++i)
      rows<S>(b, static_cast<int>(static_cast<unsigned>(upwards(S) ? times - 1 - i : i) * unsigned{at_once}),
              std::make_integer_sequence<int, at_once>{}, typename base::operand_indices{});
  }
  /// Whole blocks of rows, if there are two. Returns the number of their iterations.
  template <int S>
  static ESPALIER_IN_KERNEL int whole_blocks(block const& b, int times) {
    constexpr int turns = detail::turns_of_block;
    clear_levels<S>(b.levels, b.end - b.begin);
    int i = 0;
    if (times < 2 * turns) return i;
    for (std::int64_t number = 0; i + turns <= times; i += turns) {
      some_rows<S>(b, times, i, i + turns);
      detail::carry_block<levels>(number++, [&](int to, int from) { move_sums<S>(b, to, from); });
    }
    return i;
  }
  /// count: the number of rows, maybe a constant.
  template <int S, class Count>
  static ESPALIER_IN_KERNEL void sweep(block const& b, Count count) {
    constexpr int at_once = rows_of_sweep<S>;
    constexpr bool in_blocks = levels > 0 && facts::reduced(S, extent_class::column) != 0;
    int const times = count / at_once;
    if constexpr (in_blocks) some_rows<S>(b, times, whole_blocks<S>(b, times), times);
    else some_rows<S>(b, times, 0, times);
    // No second function for rows where the compiler knows that none are left.
    constexpr bool none_left = [] {
      if constexpr (requires { Count::value; }) return Count::value % at_once == 0;
      else return at_once == 1;
    }();
    if constexpr (!none_left)
      for (int row = times * at_once; row < count; ++row)
        rows<S>(b, row, std::make_integer_sequence<int, 1>{}, typename base::operand_indices{});
    if constexpr (in_blocks) detail::gather_levels<levels>([&](int to, int from) { move_sums<S>(b, to, from); });
  }

  template <int Count, int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void estimate(V* v, T const* const* start_of, int j,
                                          list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    using probed = probed_elements<Rows>;
    [[maybe_unused]] constexpr std::ptrdiff_t middle = std::ptrdiff_t{probed::middle} * Columns,
                                              last = std::ptrdiff_t{probed::last} * Columns;
    ((v[I] = estimate_line<Op, Rows>(V::template load_first<Count>(start_of[-1 - A] + j),
                                     V::template load_first<Count>(start_of[-1 - A] + (middle + j)),
                                     V::template load_first<Count>(start_of[-1 - A] + (last + j)))),
     ...);
    (void)v, (void)start_of, (void)j;
  }
  template <int Count, int... I>
  static ESPALIER_IN_KERNEL void store_statistics(V const* v, T* const* out, int j, std::integer_sequence<int, I...>) {
    (v[I].template store_first<Count>(out[base::template output<I>] + j), ...);
    (void)v, (void)out, (void)j;
  }
  /// Computes the statistics of some columns after a sweep.
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void finalize_vector(block const& b, T* kept, V* total, int j) {
    value_packs v;
    load_stored(v, kept, set_members<memory::columns_for_statistics(S)>{});
    hold<Count>(b.start_of, v, j, set_members<base::index_operands>{});
    estimate<Count>(v, b.start_of, j, instructions_in<facts, memory::statistics(S, memory::estimated)>{});
    base::compute(v, instructions_in<facts, memory::statistics(S, memory::computed)>{});
    base::template add<Count>(total, v, instructions_in<facts, memory::statistics(S, memory::accumulated)>{});
    store_statistics<Count>(v, b.first, j, set_members<memory::statistics(S, memory::stored)>{});
    store_stored(v, kept, set_members<memory::statistics(S, memory::kept)>{});
    using next = set_members<facts::reduced(S + 1, extent_class::column)>;
    base::clear(v, next{});
    store_stored(v, kept, next{});
  }
  static ESPALIER_IN_KERNEL void finish_totals(totals& t, V* sum) {
    using single = set_members<single_sum_instructions>;
    base::clear(sum, single{});
    if constexpr (single_levels > 0) {
      add_rows_of(t);
      detail::gather_levels<single_levels>([&](int to, int from) { move_totals(t, to, from); });
    }
    for (instruction_packs& of_row : t.of_row)
      base::combine_all(sum, of_row, instructions_in<facts, single_sum_instructions>{});
  }
  template <int S>
  static ESPALIER_IN_KERNEL void finalize_statistics(block const& b) {
    if constexpr ((facts::statistics_after(S) | facts::reduced(S + 1, extent_class::column)) != 0) {
      V* const total = b.total->of_row[0];
      T* kept = b.kept;
      int j = b.begin;
      for (; j + width <= b.end; j += width, kept += slots * width) finalize_vector<S, width>(b, kept, total, j);
      if constexpr (tail != 0)
        if (b.end == Columns) finalize_vector<S, tail>(b, kept, total, Columns - tail);
      if constexpr (memory::statistics(S, memory::accumulated) != 0) end_turn(*b.total);
    }
  }
  static constexpr int sweeps = [] {
    int r = 1;
    while (facts::works_in(r)) ++r;
    return r;
  }();
  /// The addresses of operands and outputs.
  struct memory_of_call {
    T const* start_of[static_cast<std::size_t>(operands) + 1];
    T* first[static_cast<std::size_t>(facts::outputs) + 1];
    ESPALIER_IN_KERNEL explicit memory_of_call(auto p) {
      for (int k = 0; k < operands; ++k) start_of[k] = p[k];
      for (int k = 0; k < facts::outputs; ++k) first[k] = p[operands + k];
    }
  };
  /// The columns of vectors begin ... end, in strips.
  template <int... S>
  static ESPALIER_IN_KERNEL void columns(memory_of_call const& m, V* sum, int begin, int end,
                                         std::integer_sequence<int, S...>) {
    alignas(64) T kept[static_cast<std::size_t>(kept_size)];                         // (strip, slots, width)
    alignas(64) T sums_of_levels[static_cast<std::size_t>(levels * kept_size + 1)];  // (levels, strip, slots, width)
    totals total;
    clear_totals(total);
    bool past_caches = false;
    if constexpr (stores_past_caches)
      past_caches = streams_now<V::registers::bytes>(facts::full_operands() * bytes, m.first, facts::outputs);
    for (int v = begin; v < end; v += strip) {
      int const last = v + strip < end ? v + strip : end;
      block const b{
          m.start_of, m.first, kept, sums_of_levels, &total, v * width, last * width < Columns ? last * width : Columns,
          past_caches};
      finalize_statistics<-1>(b);
      ((sweep<S>(b, std::integral_constant<int, Rows>{}), finalize_statistics<S>(b)), ...);
    }
    finish_totals(total, sum);
    if constexpr (stores_past_caches) stream_fence();
  }
  static ESPALIER_IN_KERNEL void finish_all(memory_of_call const& m, V const* total) {
    typename base::value_numbers v;
    base::put_constants(v, constants{});
    base::put_elements(v, m.start_of, 0, operands_in_memory<facts, extent_class::single>{});
    base::reduce_totals(v, total, instructions_in<facts, facts::instructions_at(extent_class::single, true)>{});
    base::compute_numbers(v, instructions_in<facts, facts::instructions_at(extent_class::single, false)>{});
    base::store_numbers(m.first, v, 0, set_members<facts::results_at(extent_class::single)>{});
  }

  static constexpr int begin_of(int which) { return static_cast<int>(std::int64_t{vectors} * which / parts); }
  template <int... N, int... I>
  static ESPALIER_IN_KERNEL void save(T* to, V const* total, std::integer_sequence<int, N...>,
                                      std::integer_sequence<int, I...>) {
    (total[I].store(to + N * width), ...);
    (void)to, (void)total;
  }
  template <int... N, int... I>
  static ESPALIER_IN_KERNEL void restore(T const* from, V* total, std::integer_sequence<int, N...>,
                                         std::integer_sequence<int, I...>) {
    ((total[I] = V::load(from + N * width)), ...);
    (void)from, (void)total;
  }

  /// p[i]: the addresses of operands, then of outputs.
  ESPALIER_KERNEL static void part(auto p, T* shared, int which) {
    instruction_packs total;
    columns(memory_of_call{p}, total, begin_of(which), begin_of(which + 1), std::make_integer_sequence<int, sweeps>{});
    save(shared + which * single_sums * width, total, std::make_integer_sequence<int, single_sums>{},
         set_members<single_sum_instructions>{});
  }
  static void finish(auto p, T const* shared) {
    using single = set_members<single_sum_instructions>;
    instruction_packs total, one;
    base::clear(total, single{});
    for (int i = 0; i < parts; ++i) {
      restore(shared + i * single_sums * width, one, std::make_integer_sequence<int, single_sums>{}, single{});
      base::combine_all(total, one, instructions_in<facts, single_sum_instructions>{});
    }
    finish_all(memory_of_call{p}, total);
  }
  ESPALIER_KERNEL static void run(auto p) {
    if constexpr (parts > 1 && single_sums > 0) {  // sums over all elements depend on how columns are split
      alignas(64) T shared[static_cast<std::size_t>(scratch)];
      for (int i = 0; i < parts; ++i) part(p, shared, i);
      finish(p, shared);
    } else {
      instruction_packs total;
      memory_of_call const m{p};
      columns(m, total, 0, vectors, std::make_integer_sequence<int, sweeps>{});
      finish_all(m, total);
    }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
