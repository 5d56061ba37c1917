// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// How the elements of a group are cut into blocks where a line has several: tiles along the line's direction times ranges across it.
template <place Inner, class T, int Rows, int Columns, int Segments, bool Gathers>
struct sweep_layout {
  static constexpr int width = detail::chunk_width<T>(Columns / Segments), threads = 256;
  static constexpr std::int64_t row_chunks = Columns / width;
  /// Along rows: all threads of a block side by side, two chunks each. Down columns: at most 32 side by side, the others below each other.
  static constexpr int together = Inner == place::row ? (row_chunks > threads ? 2 : 1) : 1;
  static constexpr int across = Inner == place::row ? threads : detail::power_of_two_from(row_chunks) < 32 ? detail::power_of_two_from(row_chunks) : 32;
  static constexpr int down = threads / across;
  static constexpr int tiles = static_cast<int>(detail::ceil_divide(row_chunks, std::int64_t{across} * together));
  static constexpr std::int64_t most_ranges = Inner == place::column || Gathers ? (tiles >= 528 ? 1 : 528 / tiles) : std::int64_t{1} << 20;
  static constexpr std::int64_t least_rows = Inner == place::column ? 4 * down : 1;
  static constexpr int ranges = [] {
    std::int64_t const n = detail::ceil_divide(Rows, least_rows);
    return static_cast<int>(n < most_ranges ? n : most_ranges);
  }();
  static constexpr std::int64_t blocks = std::int64_t{tiles} * ranges;
  /// Partial sums of a line, and how many lines there are.
  static constexpr int parts = Inner == place::row ? tiles : ranges;
  static constexpr int lines = Inner == place::row ? Rows : Columns;
};

/// What sweeps over lines in memory share. Template argument S of a function: the sweep.
template <place Inner, class T, int Rows, int Columns, int Segments, class Steps, class Leaves, class Outputs>
struct line_nest : nest<Inner, T, detail::chunk_width<T>(Columns / Segments), -1, Steps, Leaves, Outputs> {
  static constexpr int width = detail::chunk_width<T>(Columns / Segments);
  using base = nest<Inner, T, width, -1, Steps, Leaves, Outputs>;
  using typename base::facts, typename base::leaf_numbers, typename base::line_type, typename base::number, typename base::values;
  using base::leaves, base::outputs, base::steps;
  static constexpr fused::detail::bits column_steps = Inner == place::row ? facts::column_sums() : 0, single_steps = facts::single_sums();
  static constexpr int column_sums = fused::detail::count(column_steps), single_sums = fused::detail::count(single_steps);
  using layout = sweep_layout<Inner, T, Rows, Columns, Segments, (column_sums + single_sums > 0)>;
  using table = kernel_table<leaves + outputs + 4, base::draws>;
  static_assert(std::int64_t{Rows} * Columns < std::int64_t{1} << 31, "elements are counted in 32 bits");
  static constexpr int rows = Rows, columns = Columns, together = layout::together, run_length = Columns / Segments, row_chunks = Columns / width;

  /// Sums of lines, sums over rows and sums over everything that a sweep feeds.
  template <int S>
  using line_sums = fused::chosen_steps<base::reduced(S, Inner)>;
  template <int S>
  using over_rows = std::conditional_t<Inner == place::row, fused::chosen_steps<base::reduced(S, place::column)>, std::integer_sequence<int>>;
  template <int S>
  using over_all = fused::chosen_steps<base::reduced(S, place::single)>;
  template <int S>
  using computed_in = fused::chosen_steps<facts::computed(S)>;
  template <int S>
  using stored_in = fused::chosen_steps<facts::stored(S)>;
  /// All sums of lines of the group, in the order of their partial sums.
  static constexpr fused::detail::bits all_line_sums = [] {
    fused::detail::bits r = 0;
    for (int i = 0; i < steps; ++i)
      if (facts::step_at[i].reduces && facts::step_at[i].where == Inner && !facts::reduces_lines(i) && !facts::taken_first(i)) r |= fused::detail::bit(i);
    return r;
  }();
  /// What full values read of their line in sweep s.
  static constexpr fused::detail::bits lines_read(int s) {
    fused::detail::bits r = 0;
    for (int j = 0; j < steps; ++j)
      if (fused::detail::has(facts::plan.needed[s], j) || facts::reduces(s, j))
        for (int o : facts::step_at[j].operand)
          if (o >= 0 && facts::step_at[o].where == Inner) r |= fused::detail::bit(o);
    return r;
  }

  struct state {
    line_type lines[base::step_room];
    line_type held[base::leaf_room];
    line_type sums[base::step_room];
    values columns[static_cast<std::size_t>(column_sums) + 1][static_cast<std::size_t>(together)];
    number singles[static_cast<std::size_t>(single_sums) + 1];
  };

  ESPALIER_EVERYWHERE static number* memory(table const& t, int which) { return static_cast<number*>(t.pointer[leaves + outputs + which]); }
  ESPALIER_EVERYWHERE static int offset_of(int row, int column) {
    if constexpr (Segments == 1) return row * Columns + column;
    else return row * run_length + column / run_length * (Rows * run_length) + column % run_length;
  }
  template <int... C, int... N>
  ESPALIER_EVERYWHERE static void clear(state& s, std::integer_sequence<int, C...>, std::integer_sequence<int, N...>) {
    ESPALIER_UNROLL
    for (int k = 0; k < together; ++k) ((s.columns[base::template position<column_steps, C>][k] = base::spread(base::template identity<C>())), ...);
    ((s.singles[base::template position<single_steps, N>] = base::template identity<N>()), ...);
    detail::unused(s);
  }
  template <class N, int K>
  ESPALIER_EVERYWHERE static void hold_single(table const& t, state& s) {
    if constexpr (base::template memory_at<K, place::single>) {
      number const x = base::template load_element<K>(t, 0);
      if constexpr (std::is_same_v<N, number>) s.held[K] = x;
      else s.held[K] = base::spread(x);
    }
  }
  template <int... L>
  ESPALIER_EVERYWHERE static void hold_singles(table const& t, state& s, std::integer_sequence<int, L...>) {
    (hold_single<line_type, L>(t, s), ...);
    detail::unused(t, s);
  }

  // A line's leaves and values. line: the row, or the first column of a chunk.

  template <int K>
  ESPALIER_EVERYWHERE static void hold_line(table const& t, state& s, int line) {
    if constexpr (Inner == place::row) {
      if constexpr (base::template memory_at<K, place::row>) s.held[K] = base::template load_element<K>(t, line);
    } else if constexpr (facts::leaf_at[K].what == leaf_kind::column_index) {
      ESPALIER_UNROLL
      for (int v = 0; v < width; ++v) s.held[K].at[v] = static_cast<number>(line + v);
    } else if constexpr (base::template memory_at<K, place::column>) {
      s.held[K] = base::template load_some<K, width>(t, line);
    }
  }
  template <int... L>
  ESPALIER_EVERYWHERE static void hold_lines(table const& t, state& s, int line, std::integer_sequence<int, L...>) {
    (hold_line<L>(t, s, line), ...);
    detail::unused(t, s, line);
  }
  template <int I>
  ESPALIER_EVERYWHERE static void read_line(table const& t, state& s, int line) {
    number const* const from = memory(t, 0) + std::int64_t{I} * layout::lines + line;
    if constexpr (Inner == place::row) s.lines[I] = *from;
    else s.lines[I] = load<number, width>(from);
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void read_lines(table const& t, state& s, int line, std::integer_sequence<int, I...>) {
    (read_line<I>(t, s, line), ...);
    detail::unused(t, s, line);
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void clear_lines(state& s, std::integer_sequence<int, I...>) {
    if constexpr (Inner == place::row) ((s.sums[I] = base::template identity<I>()), ...);
    else ((s.sums[I] = base::spread(base::template identity<I>())), ...);
    detail::unused(s);
  }

  // A chunk.

  template <int S, int K>
  ESPALIER_EVERYWHERE static void load_leaf(table const& t, values* in, int row, int column) {
    if constexpr (base::template is_wide<K> && base::reads(S, K)) {
      if constexpr (base::template memory_at<K, place::full> || base::template is_drawn<K>) in[K] = base::template load_some<K, width>(t, offset_of(row, column));
      else if constexpr (base::template memory_at<K, place::column>) in[K] = base::template load_some<K, width>(t, column);
      else in[K] = base::spread(base::template load_element<K>(t, row));
    }
  }
  template <int S, int... L>
  ESPALIER_EVERYWHERE static void load_leaves(table const& t, values* in, int row, int column, std::integer_sequence<int, L...>) {
    (load_leaf<S, L>(t, in, row, column), ...);
    detail::unused(t, in, row, column);
  }
  template <int I>
  ESPALIER_EVERYWHERE static void add_to_line(values const* v, values const* in, state& s, int column) {
    using Step = op_of_step<typename facts::template step_type<I>>;
    using Op = typename Step::type;
    values const x = base::template read<Step::first>(v, in, s.lines, s.held, column);
    if constexpr (Inner == place::row) s.sums[I] = base::template combine<Op>(s.sums[I], base::template combine_within<Op>(x));
    else s.sums[I] = base::template combine<Op>(s.sums[I], x);
  }
  template <int I>
  ESPALIER_EVERYWHERE static void add_column(values const* v, values const* in, state& s, int column, int k) {
    using Step = op_of_step<typename facts::template step_type<I>>;
    constexpr int n = base::template position<column_steps, I>;
    s.columns[n][k] = base::template combine<typename Step::type>(s.columns[n][k], base::template read<Step::first>(v, in, s.lines, s.held, column));
  }
  template <int I>
  ESPALIER_EVERYWHERE static void add_single(values const* v, values const* in, state& s, int column) {
    using Step = op_of_step<typename facts::template step_type<I>>;
    using Op = typename Step::type;
    constexpr int n = base::template position<single_steps, I>;
    s.singles[n] = base::template combine<Op>(s.singles[n], base::template combine_within<Op>(base::template read<Step::first>(v, in, s.lines, s.held, column)));
  }
  template <int S, int... Computed, int... Line, int... Column, int... Single, int... Stored>
  ESPALIER_EVERYWHERE static void work_on(table const& t, state& s, values const* in, int row, int column, int k, std::integer_sequence<int, Computed...>,
                                          std::integer_sequence<int, Line...>, std::integer_sequence<int, Column...>, std::integer_sequence<int, Single...>, std::integer_sequence<int, Stored...>) {
    values v[base::step_room];
    ((v[Computed] = base::value(typename facts::template step_type<Computed>{}, v, in, s.lines, s.held, column)), ...);
    (add_to_line<Line>(v, in, s, column), ...);
    (add_column<Column>(v, in, s, column, k), ...);
    (add_single<Single>(v, in, s, column), ...);
    (store<T, width>(static_cast<T*>(t.pointer[leaves + facts::output_of(Stored)]) + offset_of(row, column), v[Stored]), ...);
    detail::unused(t, s, row, column, k, in);
  }
  template <int S>
  ESPALIER_EVERYWHERE static void work_on(table const& t, state& s, values const* in, int row, int column, int k) {
    work_on<S>(t, s, in, row, column, k, computed_in<S>{}, line_sums<S>{}, over_rows<S>{}, over_all<S>{}, stored_in<S>{});
  }

  /// Chunks that a thread has under way at once down a column: fewer where there is much to load.
  template <int S>
  static constexpr int at_once = [] {
    int n = 0;
    for (int k = 0; k < leaves; ++k) n += facts::leaf_at[k].where == place::full && base::reads(S, k);
    return n <= 2 ? 4 : n <= 4 ? 2 : 1;
  }();
  /// Rows row, row + step, ... of a chunk of columns. The loads of some rows come first: while one waits for memory, the others do.
  template <int S>
  ESPALIER_EVERYWHERE static void down(table const& t, state& s, int row, int end, int step, int column) {
    for (; row < end; row += at_once<S> * step) {
      values in[static_cast<std::size_t>(at_once<S>)][base::leaf_room];
      ESPALIER_UNROLL
      for (int k = 0; k < at_once<S>; ++k)
        if (row + k * step < end) load_leaves<S>(t, in[k], row + k * step, column, leaf_numbers{});
      ESPALIER_UNROLL
      for (int k = 0; k < at_once<S>; ++k)
        if (row + k * step < end) work_on<S>(t, s, in[k], row + k * step, column, 0);
    }
  }

  /// Leaves the block's sum of a number of each thread at to[N].
  template <class Op, int N, int Threads, class Context>
  ESPALIER_EVERYWHERE static void leave_number(Context const& c, number x, number* to) {
    number* const warps = c.template shared<number, Threads / 32, 2>();
    ESPALIER_UNROLL
    for (int mask = 16; mask > 0; mask /= 2) x = base::template combine<Op>(x, c.shuffle_xor(x, mask));
    if (c.thread() % 32 == 0) warps[c.thread() / 32] = x;
    c.barrier();
    if (c.thread() == 0) {
      x = warps[0];
      for (int w = 1; w < Threads / 32; ++w) x = base::template combine<Op>(x, warps[w]);
      to[N] = x;
    }
    c.barrier();
  }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
