// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "loop_kernel_base.hpp"

namespace espalier::on_cuda {

namespace detail {

/// The most numbers of its row that a thread keeps in registers, besides temporaries: more would spill. Threads of a
/// block of 1,024 have half as many registers.
inline constexpr int most_held = 40, most_held_of_1024 = 24;

/// How the elements of rows are assigned to threads.
struct row_layout {
  bool fits;            ///< a row's values can stay in the registers of its threads
  int threads_per_row;  ///< threads of a row in a block
  int chunks_per_thread;
  int threads;  ///< of a block
};
/// Chooses the fewest threads whose registers hold a row.
/// row_chunks: chunks of a row; held: numbers for each element of a chunk; width: elements of a chunk.
/// has_expensive: some value is an exponential or similar, which needs more registers.
/// single: numbers that all elements share, counted only if they are more than 8. most_threads: of a row in a block.
constexpr row_layout lay_out_rows(std::int64_t row_chunks, int held, int width, bool has_expensive, int single,
                                  int most_threads) {
  int const shared = single > 8 ? single : 0;
  for (int threads_per_row = 1; threads_per_row <= most_threads; threads_per_row *= 2) {
    std::int64_t const n = ceil_divide(row_chunks, threads_per_row), room = threads_per_row < 1024 ? most_held
                                                                            : held == 1 && !has_expensive
                                                                                ? 32
                                                                                : most_held_of_1024;
    if (n > 8 || (n > 1 && n * held * width + shared > room) || (threads_per_row == 1024 && held * width > room))
      continue;
    return {true, threads_per_row, static_cast<int>(n),
            threads_per_row > 256   ? threads_per_row
            : threads_per_row > 128 ? 256
                                    : 128};
  }
  return {false, 1024, 1, 1024};
}

}  // namespace detail

/// The sweeps over a row whose elements stay in the registers of its threads.
/// Keeps: expensive values that a later sweep needs also stay in registers; otherwise they are computed again.
template <class T, int Rows, int Columns, int Segments, int Cluster, bool Keeps, class Instructions, class Operands,
          class Outputs>
struct row_sweeps : loop_kernel_base<extent_class::row, T, access_width<T>(Columns / Segments),
                                     Keeps ? plan::max_instructions : -1, Instructions, Operands, Outputs> {
  static constexpr int width = access_width<T>(Columns / Segments);
  using base = loop_kernel_base<extent_class::row, T, width, Keeps ? plan::max_instructions : -1, Instructions,
                                Operands, Outputs>;
  using typename base::facts, typename base::operand_indices, typename base::number, typename base::values;
  using base::operands, base::outputs, base::instructions, base::column_sums, base::single_sums,
      base::single_sum_instructions;
  using table = kernel_table<operands + outputs + 2, base::random_operands>;

  static constexpr int rows = Rows, columns = Columns, run_length = Columns / Segments;
  static constexpr int row_chunks = Columns / width;
  static_assert(std::int64_t{Rows} * Columns < std::int64_t{1} << 31,
                "a group of this kernel must have fewer than 2^31 elements");
  static constexpr int cluster = Cluster;
  static constexpr int load_access = base::loads_chunks ? base::chunk_bytes : 0,
                       store_access = base::stores_chunks ? base::chunk_bytes : 0;

  static constexpr int held_numbers() {
    int n = column_sums + on_device::detail::count(facts::memory_at(extent_class::full) | facts::random_operands());
    for (int i = 0; i < instructions; ++i) n += facts::schedule.kept[i] != 0;
    return n > 0 ? n : 1;
  }
  /// Rows of odd lengths are moved in narrow accesses, so that less is on its way: with blocks of at most 512 threads
  /// two share a multiprocessor, and one loads while the other sums.
  static constexpr bool is_narrow = width * static_cast<int>(sizeof(T)) < 16;
  static constexpr detail::row_layout layout = detail::lay_out_rows(
      detail::ceil_divide(row_chunks, Cluster), held_numbers(), width, facts::has_expensive_elements(),
      on_device::detail::count(facts::memory_at(extent_class::single)),
      is_narrow&& Segments == 1 && Cluster < 8 ? 512 : 1024);
  static constexpr bool fits = layout.fits;
  static constexpr int threads_per_row = layout.threads_per_row, chunks_per_thread = layout.chunks_per_thread,
                       threads = layout.threads, rows_per_block = threads / threads_per_row;
  /// Whether column operands (a gain, a bias) also stay in registers. Without room they are loaded where they are used.
  static constexpr bool holds_columns = [] {
    int const n = held_numbers() + on_device::detail::count(facts::memory_at(extent_class::column));
    return n * chunks_per_thread * width <= (threads < 1024 ? detail::most_held : detail::most_held_of_1024);
  }();
  static constexpr bool is_persistent = column_sums + single_sums > 0;
  static constexpr std::int64_t count_blocks() {
    std::int64_t const all = detail::ceil_divide(Rows, rows_per_block);
    std::int64_t few = all;
    // A block with sums over rows stores as much as a row: few do, and walk. Numbers that are sums over all elements
    // are stored by many, so that blocks are free to overlap.
    if (is_persistent && column_sums == 0) few = all < detail::max_single_blocks ? all : detail::max_single_blocks;
    else if (is_persistent)
      few = detail::ceil_divide(all, 8) < detail::max_persistent_blocks / Cluster
                ? detail::ceil_divide(all, 8)
                : detail::max_persistent_blocks / Cluster;
    return few * Cluster;
  }
  static constexpr std::int64_t blocks = count_blocks();
  /// Blocks that fill a multiprocessor wait for their next row. Then results go past the caches (exponentials take so
  /// long that it does not matter), and where little is on its way, the next row is asked for before this one is done:
  /// rows in narrow accesses, and rows of large clusters that walk.
  static constexpr bool waits = Cluster > 1 || threads >= 512, streams = waits && !facts::has_expensive_elements(),
                        prefetches = Segments == 1 && ((waits && is_narrow) || (Cluster >= 4 && column_sums > 0));
  static constexpr std::int64_t clusters = blocks / Cluster, partial_rows = is_persistent ? clusters : 0;

  /// The registers of a thread for its row.
  struct state {
    values in[base::operand_room][static_cast<std::size_t>(chunks_per_thread)];        // (operands, chunks, width)
    values kept[base::instruction_room][static_cast<std::size_t>(chunks_per_thread)];  // (instructions, chunks, width)
    number lines[base::instruction_room];                                              // (instructions): row statistics
    number held[base::operand_room];      // (operands): those that are fixed along the row
    number sums[base::instruction_room];  // (instructions): sums of the row
  };
  using partial_sums = typename base::template partial_sums_of<chunks_per_thread>;
  struct row_position {
    int start;  ///< offset of the row's first element
    int row;
    int chunk;  ///< the thread's first chunk
    bool inside;
  };

  static constexpr int stride = threads_per_row * Cluster;
  /// Whether chunk k of a thread is inside the row. The compiler resolves the test for all chunks except the last.
  ESPALIER_HOST_DEVICE static bool inside(row_position const& at, int k) {
    return at.inside && ((row_chunks % stride == 0) || at.chunk + k * stride < row_chunks);
  }
  ESPALIER_HOST_DEVICE static int column_of(row_position const& at, int k) { return (at.chunk + k * stride) * width; }
  ESPALIER_HOST_DEVICE static int offset_of(row_position const& at, int k) {
    int const column = column_of(at, k);
    if constexpr (Segments == 1) return at.start + column;
    else return at.start + on_device::offset_in_row(column, Rows, run_length);
  }

  template <int K>
  ESPALIER_HOST_DEVICE static void load_operand(table const& t, row_position const& at, state& s) {
    if constexpr (base::template memory_at<K, extent_class::full> || base::template is_random<K>) {
      ESPALIER_UNROLL
      for (int k = 0; k < chunks_per_thread; ++k)
        if (inside(at, k)) s.in[K][k] = base::template load_some<K, width>(t, offset_of(at, k));
    } else if constexpr (base::template memory_at<K, extent_class::row>) {
      s.held[K] = base::template load_element<K>(t, at.row);
    }
  }
  template <int K>
  ESPALIER_HOST_DEVICE static void load_single(table const& t, state& s) {
    if constexpr (base::template memory_at<K, extent_class::single>) s.held[K] = base::template load_element<K>(t, 0);
  }
  template <int K>
  ESPALIER_HOST_DEVICE static void load_columns(table const& t, row_position const& at, state& s) {
    if constexpr (holds_columns && base::template memory_at<K, extent_class::column>) {
      ESPALIER_UNROLL
      for (int k = 0; k < chunks_per_thread; ++k)
        if (inside(at, k)) s.in[K][k] = base::template load_some<K, width>(t, column_of(at, k));
    }
  }
  template <int... L>
  ESPALIER_HOST_DEVICE static void load_singles(table const& t, row_position const& at, state& s,
                                                std::integer_sequence<int, L...>) {
    (load_single<L>(t, s), ...);
    (load_columns<L>(t, at, s), ...);
    detail::unused(t, at, s);
  }
  template <int... L>
  ESPALIER_HOST_DEVICE static void load_row(table const& t, row_position const& at, state& s,
                                            std::integer_sequence<int, L...>) {
    (load_operand<L>(t, at, s), ...);
    detail::unused(t, at, s);
  }

  /// Brings the row that lies `ahead` rows further into the cache of all blocks.
  template <int K, class Context>
  ESPALIER_HOST_DEVICE static void prefetch_operand(Context const& c, table const& t, row_position const& at,
                                                    int ahead) {
    if constexpr (base::template memory_at<K, extent_class::full>) {
      constexpr int threads_of_line = 128 / (width * static_cast<int>(sizeof(T)));
      if (!at.inside || at.row + ahead >= Rows || c.thread() % threads_of_line != 0) return;
      ESPALIER_UNROLL
      for (int k = 0; k < chunks_per_thread; ++k)
        if (inside(at, k))
          c.prefetch(static_cast<typename base::template stored_type<K> const*>(t.pointer[K]) + offset_of(at, k) +
                     std::int64_t{ahead} * Columns);
    }
    detail::unused(c, t, at, ahead);
  }
  template <class Context, int... L>
  ESPALIER_HOST_DEVICE static void prefetch_row(Context const& c, table const& t, row_position const& at, int ahead,
                                                std::integer_sequence<int, L...>) {
    (prefetch_operand<L>(c, t, at, ahead), ...);
    detail::unused(c, t, at, ahead);
  }

  template <int K>
  ESPALIER_HOST_DEVICE static values operand_chunk_of(table const& t, row_position const& at, state const& s, int k) {
    if constexpr (!holds_columns && base::template memory_at<K, extent_class::column>)
      return base::template load_some<K, width>(t, column_of(at, k));
    else return s.in[K][k];
  }
  template <int... L>
  ESPALIER_HOST_DEVICE static void read_chunk(table const& t, row_position const& at, values* in, state const& s, int k,
                                              std::integer_sequence<int, L...>) {
    ((in[L] = operand_chunk_of<L>(t, at, s, k)), ...);
    detail::unused(t, at, in, s, k);
  }
  template <int S, int I>
  ESPALIER_HOST_DEVICE static void compute(values* v, values const* in, state& s, int column, int k) {
    if constexpr (facts::is_reloaded(S, I)) v[I] = s.kept[I][k];
    else {
      v[I] = base::value(typename facts::template instruction_type<I>{}, v, in, s.lines, s.held, column);
      if constexpr (facts::schedule.kept[I] != 0) s.kept[I][k] = v[I];
    }
  }
  template <int I>
  ESPALIER_HOST_DEVICE static void add_row(values const* v, values const* in, state& s, int column) {
    using Instruction = op_of_instruction<typename facts::template instruction_type<I>>;
    using Op = typename Instruction::type;
    s.sums[I] = base::template combine<Op>(
        s.sums[I],
        base::template combine_within<Op>(base::template read<Instruction::first>(v, in, s.lines, s.held, column)));
  }
  template <int I>
  ESPALIER_HOST_DEVICE static void put(table const& t, row_position const& at, values const* v, int k) {
    constexpr int o = facts::output_of(I);
    store<T, width, streams>(static_cast<T*>(t.pointer[operands + o]) + offset_of(at, k), v[I]);
  }
  template <int S, int... Computed, int... Rows_, int... Columns_, int... Singles, int... Stored>
  ESPALIER_HOST_DEVICE static void sweep_chunk(table const& t, row_position const& at, state& s, partial_sums& partial,
                                               int k, std::integer_sequence<int, Computed...>,
                                               std::integer_sequence<int, Rows_...>,
                                               std::integer_sequence<int, Columns_...>,
                                               std::integer_sequence<int, Singles...>,
                                               std::integer_sequence<int, Stored...>) {
    values v[base::instruction_room], in[base::operand_room];
    int const column = column_of(at, k);
    read_chunk(t, at, in, s, k, operand_indices{});
    (compute<S, Computed>(v, in, s, column, k), ...);
    (add_row<Rows_>(v, in, s, column), ...);
    (base::template add_column<Columns_>(base::template operand_of<Columns_>(v, in, s.lines, s.held, column), partial,
                                         k),
     ...);
    (base::template add_single<Singles>(base::template operand_of<Singles>(v, in, s.lines, s.held, column), partial),
     ...);
    (put<Stored>(t, at, v, k), ...);
    detail::unused(t, at, s, partial, k, column);
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void clear_rows(state& s, std::integer_sequence<int, I...>) {
    ((s.sums[I] = base::template identity<I>()), ...);
    detail::unused(s);
  }

  // Combines the sums of a row across its threads.

  static constexpr int lanes = threads_per_row < 32 ? threads_per_row : 32;  ///< of a row in a warp
  static constexpr int warps = threads_per_row / 32;                         ///< of a row, if it has more than one
  static constexpr int most_sums = facts::most_reduced(extent_class::row) > 1 ? facts::most_reduced(extent_class::row)
                                                                              : 1;
  /// Shared memory for the sums of each warp: (2, sums, slots). Two areas alternate, because a fast warp may store the
  /// next sums while a slow one still reads these.
  static constexpr int slots = threads / 32;
  /// The arrays in shared memory: sums of rows by warp and by block of a cluster, sums over rows by thread, and sums
  /// over all elements by warp and by block.
  enum shared_array {
    sums_of_warps,
    sums_of_blocks,
    column_sums_of_threads,
    single_sums_of_warps,
    single_sums_of_blocks
  };
  template <class Context>
  ESPALIER_HOST_DEVICE static number* area(Context const& c, int turn) {
    return c.template shared<number, 2 * most_sums * slots, sums_of_warps>() + turn * most_sums * slots;
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void reduce_warp(Context const& c, state& s, int n, int turn) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    s.sums[I] = base::template combine_lanes<Op, lanes>(c, s.sums[I]);
    if constexpr (warps > 1)
      if (c.thread() % 32 == 0) area(c, turn)[n * slots + c.thread() / 32] = s.sums[I];
    detail::unused(n, turn);
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void combine_warps(Context const& c, state& s, int n, int turn) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    int const lane = c.thread() % 32, first = c.thread() / threads_per_row * warps;
    number x = lane < warps ? area(c, turn)[n * slots + first + lane] : base::template identity<I>();
    s.sums[I] = c.shuffle(base::template combine_lanes<Op, warps>(c, x), 0);
  }
  template <class Context>
  ESPALIER_HOST_DEVICE static number* cluster_area(Context const& c, int turn) {
    return c.template shared<number, 2 * most_sums, sums_of_blocks>() + turn * most_sums;
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void combine_blocks(Context const& c, state& s, int n, int turn) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    number x = *c.remote(cluster_area(c, turn) + n, 0);
    ESPALIER_UNROLL
    for (int b = 1; b < Cluster; ++b) x = base::template combine<Op>(x, *c.remote(cluster_area(c, turn) + n, b));
    s.sums[I] = x;
  }
  template <class Context, int... I>
  ESPALIER_HOST_DEVICE static void combine_row_sums(Context const& c, state& s, int& turn,
                                                    std::integer_sequence<int, I...>) {
    int n = 0;
    (reduce_warp<I>(c, s, n++, turn), ...);
    if constexpr (warps > 1) {
      c.barrier();
      n = 0;
      (combine_warps<I>(c, s, n++, turn), ...);
    }
    if constexpr (Cluster > 1) {
      n = 0;
      if (c.thread() == 0) ((cluster_area(c, turn)[n++] = s.sums[I]), ...);
      c.cluster_barrier();
      n = 0;
      (combine_blocks<I>(c, s, n++, turn), ...);
    }
    if constexpr (warps > 1 || Cluster > 1) turn = 1 - turn;
    detail::unused(c, s, turn, n);
  }

  template <int I>
  ESPALIER_HOST_DEVICE static void finalize_statistic(table const& t, row_position const& at, state& s) {
    using Instruction = op_of_instruction<typename facts::template instruction_type<I>>;
    if constexpr (facts::estimated_first(I)) {
      s.lines[I] = base::template estimate_row<typename Instruction::type, Rows, Columns, run_length>(
          static_cast<T const*>(t.pointer[-1 - Instruction::first]) + at.start);
    } else if constexpr (facts::instruction_at[I].extent == extent_class::row) {
      if constexpr (facts::instruction_at[I].reduces) s.lines[I] = s.sums[I];
      else
        s.lines[I] =
            base::template fixed_value<number>(typename facts::template instruction_type<I>{}, s.lines, s.held);
    }
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void finalize_statistics(table const& t, row_position const& at, state& s,
                                                       std::integer_sequence<int, I...>) {
    (finalize_statistic<I>(t, at, s), ...);
    detail::unused(t, at, s);
  }
  template <int S, class Context>
  ESPALIER_HOST_DEVICE static void sweeps(Context const& c, table const& t, row_position const& at, state& s,
                                          partial_sums& partial, int& turn) {
    using of_rows = on_device::set_members<facts::reduced(S, extent_class::row)>;
    clear_rows(s, of_rows{});
    ESPALIER_UNROLL
    for (int k = 0; k < chunks_per_thread; ++k)
      if (inside(at, k))
        sweep_chunk<S>(t, at, s, partial, k, on_device::set_members<facts::computed(S)>{}, of_rows{},
                       on_device::set_members<facts::reduced(S, extent_class::column)>{},
                       on_device::set_members<facts::reduced(S, extent_class::single)>{},
                       on_device::set_members<facts::stored(S)>{});
    if constexpr (of_rows::size() > 0) combine_row_sums(c, s, turn, of_rows{});
    finalize_statistics(t, at, s, on_device::set_members<facts::statistics_after(S)>{});
    if constexpr (facts::works_in(S + 1)) sweeps<S + 1>(c, t, at, s, partial, turn);
  }
  template <int I>
  ESPALIER_HOST_DEVICE static void store_number(table const& t, row_position const& at, state const& s) {
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0) detail::store_one<T>(static_cast<T*>(t.pointer[operands + o]) + at.row, s.lines[I]);
    else detail::unused(t, at, s);
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void store_numbers(table const& t, row_position const& at, state const& s,
                                                 std::integer_sequence<int, I...>) {
    (store_number<I>(t, at, s), ...);
    detail::unused(t, at, s);
  }
  template <int I>
  ESPALIER_HOST_DEVICE static void add_statistic(state const& s, partial_sums& partial) {
    using Instruction = op_of_instruction<typename facts::template instruction_type<I>>;
    constexpr int n = base::template position<single_sum_instructions, I>;
    partial.singles[n] = base::template combine<typename Instruction::type>(
        partial.singles[n], base::template fixed<number, Instruction::first>(s.lines, s.held));
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void add_statistics(state const& s, partial_sums& partial,
                                                  std::integer_sequence<int, I...>) {
    (add_statistic<I>(s, partial), ...);
    detail::unused(s, partial);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
