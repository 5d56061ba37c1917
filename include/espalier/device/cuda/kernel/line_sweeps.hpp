// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "loop_kernel_base.hpp"

// g++ does not see that values which no instruction computes are not read.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
namespace espalier::on_cuda {

/// How the elements of a group are divided among blocks if several blocks share a line: tiles of neighbouring columns
/// times ranges of rows.
template <extent_class Line, class T, int Rows, int Columns, int Segments, bool HasPartialSums>
struct split_layout {
  static constexpr int width = access_width<T>(Columns / Segments), threads = 256;
  static constexpr std::int64_t row_chunks = Columns / width;
  /// Along rows, all threads of a block process neighbouring chunks of a row, up to two each. Down columns, at most 32
  /// threads process neighbouring chunks, and the others process other rows.
  static constexpr int chunks_per_thread = Line == extent_class::row ? (row_chunks > threads ? 2 : 1) : 1;
  static constexpr int across = Line == extent_class::row                    ? threads
                                : detail::power_of_two_from(row_chunks) < 32 ? detail::power_of_two_from(row_chunks)
                                                                             : 32;
  static constexpr int down = threads / across;
  static constexpr int tiles =
      static_cast<int>(detail::ceil_divide(row_chunks, std::int64_t{across} * chunks_per_thread));
  /// About max_persistent_blocks if blocks store partial sums.
  static constexpr std::int64_t most_ranges =
      Line == extent_class::column || HasPartialSums
          ? (tiles >= detail::max_persistent_blocks ? 1 : detail::max_persistent_blocks / tiles)
          : std::int64_t{1} << 20;
  static constexpr std::int64_t least_rows = Line == extent_class::column ? 4 * down : 1;
  static constexpr int ranges = [] {
    std::int64_t const n = detail::ceil_divide(Rows, least_rows);
    return static_cast<int>(n < most_ranges ? n : most_ranges);
  }();
  static constexpr std::int64_t blocks = std::int64_t{tiles} * ranges;
  /// Partial sums of each line, and the number of lines.
  static constexpr int parts = Line == extent_class::row ? tiles : ranges;
  static constexpr int lines = Line == extent_class::row ? Rows : Columns;
};

/// Base of kernels that sweep over lines in memory: column_kernel and split_sweep_kernel. Template argument S of a
/// function: the number of the sweep.
template <extent_class Line, class T, int Rows, int Columns, int Segments, class Instructions, class Operands,
          class Outputs>
struct line_sweeps
    : loop_kernel_base<Line, T, access_width<T>(Columns / Segments), -1, Instructions, Operands, Outputs> {
  static constexpr int width = access_width<T>(Columns / Segments);
  using base = loop_kernel_base<Line, T, width, -1, Instructions, Operands, Outputs>;
  using typename base::facts, typename base::operand_indices, typename base::line_type, typename base::number,
      typename base::values;
  using base::operands, base::outputs, base::instructions, base::column_sums, base::single_sums,
      base::single_sum_instructions;
  using layout = split_layout<Line, T, Rows, Columns, Segments, (column_sums + single_sums > 0)>;
  using table = kernel_table<operands + outputs + 4, base::random_operands>;
  static_assert(std::int64_t{Rows} * Columns < std::int64_t{1} << 31,
                "a group of this kernel must have fewer than 2^31 elements");
  static constexpr int rows = Rows, columns = Columns, chunks_per_thread = layout::chunks_per_thread,
                       run_length = Columns / Segments, row_chunks = Columns / width;

  /// The reductions that sweep S adds to: sums of lines, sums over rows, and sums over all elements.
  template <int S>
  using line_sums = on_device::set_members<facts::reduced(S, Line)>;
  template <int S>
  using over_rows =
      std::conditional_t<Line == extent_class::row, on_device::set_members<facts::reduced(S, extent_class::column)>,
                         std::integer_sequence<int>>;
  template <int S>
  using over_all = on_device::set_members<facts::reduced(S, extent_class::single)>;
  template <int S>
  using computed_in = on_device::set_members<facts::computed(S)>;
  template <int S>
  using stored_in = on_device::set_members<facts::stored(S)>;
  /// All sums of lines of the group, in the order of their partial sums in memory.
  static constexpr on_device::detail::bits all_line_sums = facts::line_sums();
  /// The line statistics that full values read in sweep s.
  static constexpr on_device::detail::bits lines_read(int s) {
    return facts::lines_read(s) & facts::instructions_at(Line);
  }

  /// The registers of a thread, for its current line and for its sums over lines.
  struct state {
    line_type lines[base::instruction_room];  // (instructions): statistics of the line
    line_type held[base::operand_room];       // (operands): those that are fixed along the line
    line_type sums[base::instruction_room];   // (instructions): sums of the line
    typename base::template partial_sums_of<chunks_per_thread> partial;
  };

  ESPALIER_HOST_DEVICE static number* memory(table const& t, int which) {
    return static_cast<number*>(t.pointer[operands + outputs + which]);
  }
  ESPALIER_HOST_DEVICE static int offset_of(int row, int column) {
    if constexpr (Segments == 1) return row * Columns + column;
    else return row * run_length + on_device::offset_in_row(column, Rows, run_length);
  }
  template <class N, int K>
  ESPALIER_HOST_DEVICE static void hold_single(table const& t, state& s) {
    if constexpr (base::template memory_at<K, extent_class::single>) {
      number const x = base::template load_element<K>(t, 0);
      if constexpr (std::is_same_v<N, number>) s.held[K] = x;
      else s.held[K] = base::broadcast(x);
    }
  }
  template <int... L>
  ESPALIER_HOST_DEVICE static void hold_singles(table const& t, state& s, std::integer_sequence<int, L...>) {
    (hold_single<line_type, L>(t, s), ...);
    detail::unused(t, s);
  }

  // Operands and statistics of a line. line: the row, or the first column of a chunk.

  template <int K>
  ESPALIER_HOST_DEVICE static void hold_line(table const& t, state& s, int line) {
    if constexpr (Line == extent_class::row) {
      if constexpr (base::template memory_at<K, extent_class::row>) s.held[K] = base::template load_element<K>(t, line);
    } else if constexpr (facts::operand_at[K].kind == operand_kind::column_index) {
      ESPALIER_UNROLL
      for (int v = 0; v < width; ++v) s.held[K].at[v] = static_cast<number>(line + v);
    } else if constexpr (base::template memory_at<K, extent_class::column>) {
      s.held[K] = base::template load_some<K, width>(t, line);
    }
  }
  template <int... L>
  ESPALIER_HOST_DEVICE static void hold_lines(table const& t, state& s, int line, std::integer_sequence<int, L...>) {
    (hold_line<L>(t, s, line), ...);
    detail::unused(t, s, line);
  }
  template <int I>
  ESPALIER_HOST_DEVICE static void read_line(table const& t, state& s, int line) {
    number const* const from = memory(t, 0) + std::int64_t{I} * layout::lines + line;
    if constexpr (Line == extent_class::row) s.lines[I] = *from;
    else s.lines[I] = load<number, width>(from);
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void read_lines(table const& t, state& s, int line, std::integer_sequence<int, I...>) {
    (read_line<I>(t, s, line), ...);
    detail::unused(t, s, line);
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void clear_lines(state& s, std::integer_sequence<int, I...>) {
    if constexpr (Line == extent_class::row) ((s.sums[I] = base::template identity<I>()), ...);
    else ((s.sums[I] = base::broadcast(base::template identity<I>())), ...);
    detail::unused(s);
  }

  // Operands, instructions and sums of a chunk.

  template <int S, int K>
  ESPALIER_HOST_DEVICE static void load_operand(table const& t, values* in, int row, int column) {
    if constexpr (base::template is_wide<K> && base::reads(S, K)) {
      if constexpr (base::template memory_at<K, extent_class::full> || base::template is_random<K>)
        in[K] = base::template load_some<K, width>(t, offset_of(row, column));
      else if constexpr (base::template memory_at<K, extent_class::column>)
        in[K] = base::template load_some<K, width>(t, column);
      else in[K] = base::broadcast(base::template load_element<K>(t, row));
    }
  }
  template <int S, int... L>
  ESPALIER_HOST_DEVICE static void load_operands(table const& t, values* in, int row, int column,
                                                 std::integer_sequence<int, L...>) {
    (load_operand<S, L>(t, in, row, column), ...);
    detail::unused(t, in, row, column);
  }
  template <int I>
  ESPALIER_HOST_DEVICE static void add_to_line(values const* v, values const* in, state& s, int column) {
    using Instruction = op_of_instruction<typename facts::template instruction_type<I>>;
    using Op = typename Instruction::type;
    values const x = base::template read<Instruction::first>(v, in, s.lines, s.held, column);
    if constexpr (Line == extent_class::row)
      s.sums[I] = base::template combine<Op>(s.sums[I], base::template combine_within<Op>(x));
    else s.sums[I] = base::template combine<Op>(s.sums[I], x);
  }
  template <int S, int... Computed, int... LineSum, int... Column, int... Single, int... Stored>
  ESPALIER_HOST_DEVICE static void work_on(table const& t, state& s, values const* in, int row, int column, int k,
                                           std::integer_sequence<int, Computed...>,
                                           std::integer_sequence<int, LineSum...>,
                                           std::integer_sequence<int, Column...>, std::integer_sequence<int, Single...>,
                                           std::integer_sequence<int, Stored...>) {
    values v[base::instruction_room];
    ((v[Computed] = base::value(typename facts::template instruction_type<Computed>{}, v, in, s.lines, s.held, column)),
     ...);
    (add_to_line<LineSum>(v, in, s, column), ...);
    (base::template add_column<Column>(base::template operand_of<Column>(v, in, s.lines, s.held, column), s.partial, k),
     ...);
    (base::template add_single<Single>(base::template operand_of<Single>(v, in, s.lines, s.held, column), s.partial),
     ...);
    (store<T, width>(static_cast<T*>(t.pointer[operands + facts::output_of(Stored)]) + offset_of(row, column),
                     v[Stored]),
     ...);
    detail::unused(t, s, row, column, k, in);
  }
  template <int S>
  ESPALIER_HOST_DEVICE static void work_on(table const& t, state& s, values const* in, int row, int column, int k) {
    work_on<S>(t, s, in, row, column, k, computed_in<S>{}, line_sums<S>{}, over_rows<S>{}, over_all<S>{},
               stored_in<S>{});
  }

  /// Chunks that a thread has in flight down a column: fewer if a chunk has many operands to load.
  template <int S>
  static constexpr int at_once = [] {
    int n = 0;
    for (int k = 0; k < operands; ++k) n += facts::operand_at[k].extent == extent_class::full && base::reads(S, k);
    return n <= 2 ? 4 : n <= 4 ? 2 : 1;
  }();
  /// Whether sweep s goes backwards: every other one does, so that it begins with what the sweep before it left in the
  /// caches.
  static constexpr bool is_backward(int s) { return s % 2 == 1; }
  /// Processes rows first, first + step, ... of a chunk of columns. The loads of several rows come first, so that their
  /// latencies overlap.
  template <int S>
  ESPALIER_HOST_DEVICE static void down(table const& t, state& s, int first, int end, int step, int column) {
    int const stride = at_once<S> * step, turns = first < end ? (end - first + stride - 1) / stride : 0;
    for (int turn = 0; turn < turns; ++turn) {
      int const row = first + (is_backward(S) ? turns - 1 - turn : turn) * stride;
      values in[static_cast<std::size_t>(at_once<S>)][base::operand_room];  // (rows, operands, width)
      ESPALIER_UNROLL
      for (int k = 0; k < at_once<S>; ++k)
        if (row + k * step < end) load_operands<S>(t, in[k], row + k * step, column, operand_indices{});
      ESPALIER_UNROLL
      for (int k = 0; k < at_once<S>; ++k)
        if (row + k * step < end) work_on<S>(t, s, in[k], row + k * step, column, 0);
    }
  }

  /// Adds one number of each thread of a block and stores the sum at to[N].
  template <class Op, int N, int Threads, class Context>
  ESPALIER_HOST_DEVICE static void store_block_sum(Context const& c, number x, number* to) {
    number* const warps = c.template shared<number, Threads / 32, 2>();
    x = base::template combine_lanes<Op>(c, x);
    if (c.thread() % 32 == 0) warps[c.thread() / 32] = x;
    c.barrier();
    if (c.thread() == 0) {
      x = warps[0];
      for (int w = 1; w < Threads / 32; ++w) x = base::template combine<Op>(x, warps[w]);
      to[N] = x;
    }
    c.barrier();
  }
  /// Stores the block's sums over all elements in the last area of the table.
  template <int Threads, class Context, int... I>
  ESPALIER_HOST_DEVICE static void store_single_sums(Context const& c, table const& t, state const& s,
                                                     std::integer_sequence<int, I...>) {
    (store_single_sum<I, Threads>(c, t, s), ...);
    detail::unused(c, t, s);
  }

 private:
  template <int I, int Threads, class Context>
  ESPALIER_HOST_DEVICE static void store_single_sum(Context const& c, table const& t, state const& s) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    constexpr int n = base::template position<single_sum_instructions, I>;
    store_block_sum<Op, n, Threads>(c, s.partial.singles[n], memory(t, 3) + c.block() * single_sums);
    detail::unused(t);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
