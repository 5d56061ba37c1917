// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

namespace detail {

/// Numbers that a thread holds of what it loads, beside those that it computes with: more would leave the registers, of which the threads of a large
/// block have half as many.
inline constexpr int most_held = 40, most_held_of_1024 = 24;
/// Blocks that stay and walk over the rows, where they gather sums over rows: four for each multiprocessor of a large device.
inline constexpr int most_walking_blocks = 528;

/// How rows are given to threads.
struct row_layout {
  bool fits;    ///< a row's values can stay in the registers of its threads
  int lanes;    ///< threads of a row in a block
  int chunks;   ///< of a thread
  int threads;  ///< of a block
};
/// held: numbers for each element of a chunk, width: elements of a chunk.
/// dear: some value is an exponential or the like, which needs registers of its own; single: numbers that all elements share, which matter where they are many.
constexpr row_layout lay_out_rows(std::int64_t chunks, int held, int width, bool dear, int single) {
  int const shared = single > 8 ? single : 0;
  for (int lanes = 1; lanes <= 1024; lanes *= 2) {
    std::int64_t const n = ceil_divide(chunks, lanes), room = lanes < 1024 ? most_held : held == 1 && !dear ? 32 : most_held_of_1024;
    if (n > 8 || (n > 1 && n * held * width + shared > room) || (lanes == 1024 && held * width > room)) continue;
    return {true, lanes, static_cast<int>(n), lanes > 256 ? lanes : lanes > 128 ? 256 : 128};
  }
  return {false, 1024, 1, 1024};
}

}  // namespace detail

/// The sweeps over a row whose elements stay in the registers of its threads.
/// Keeps: dear values that a later sweep needs again stay, too; otherwise they are computed again.
template <class T, int Rows, int Columns, int Segments, int Cluster, bool Keeps, class Steps, class Leaves, class Outputs>
struct row_nest : nest<place::row, T, detail::chunk_width<T>(Columns / Segments), Keeps ? 48 : -1, Steps, Leaves, Outputs> {
  static constexpr int width = detail::chunk_width<T>(Columns / Segments);
  using base = nest<place::row, T, width, Keeps ? 48 : -1, Steps, Leaves, Outputs>;
  using typename base::facts, typename base::leaf_numbers, typename base::number, typename base::values;
  using base::leaves, base::outputs, base::steps;
  using table = kernel_table<leaves + outputs + 2, base::draws>;

  static constexpr int rows = Rows, columns = Columns, run_length = Columns / Segments;
  static constexpr int row_chunks = Columns / width;
  static_assert(std::int64_t{Rows} * Columns < std::int64_t{1} << 31, "elements are counted in 32 bits");
  static constexpr int cluster = Cluster;
  static constexpr int load_access = base::loads_chunks ? base::chunk_bytes : 0, store_access = base::stores_chunks ? base::chunk_bytes : 0;

  static constexpr fused::detail::bits column_steps = facts::column_sums(), single_steps = facts::single_sums();
  static constexpr int column_sums = fused::detail::count(column_steps), single_sums = fused::detail::count(single_steps);

  static constexpr int held_numbers() {
    int n = column_sums;
    for (int k = 0; k < leaves; ++k) n += facts::is_memory(k, place::full) || facts::leaf_at[k].what == leaf_kind::draw;
    for (int i = 0; i < steps; ++i) n += facts::plan.kept[i] != 0;
    return n > 0 ? n : 1;
  }
  static constexpr int single_numbers() {
    int n = 0;
    for (int k = 0; k < leaves; ++k) n += facts::is_memory(k, place::single);
    return n;
  }
  static constexpr bool dear = [] {
    for (int i = 0; i < steps; ++i)
      if (facts::step_at[i].costly && facts::step_at[i].where == place::full) return true;
    return false;
  }();
  static constexpr detail::row_layout layout = detail::lay_out_rows(detail::ceil_divide(row_chunks, Cluster), held_numbers(), width, dear, single_numbers());
  static constexpr bool fits = layout.fits;
  static constexpr int lanes = layout.lanes, chunks = layout.chunks, threads = layout.threads, together = threads / lanes;
  /// What belongs to columns (a gain, a bias) stays in registers with the rest where there is room, and is read where it is used where there is none.
  static constexpr bool holds_columns = [] {
    int n = held_numbers();
    for (int k = 0; k < leaves; ++k) n += facts::is_memory(k, place::column);
    return n * chunks * width <= (threads < 1024 ? detail::most_held : detail::most_held_of_1024);
  }();
  static constexpr bool walks = column_sums + single_sums > 0;
  static constexpr std::int64_t count_blocks() {
    std::int64_t const all = detail::ceil_divide(Rows, together);
    std::int64_t few = all;
    if (walks) few = detail::ceil_divide(all, 8) < detail::most_walking_blocks / Cluster ? detail::ceil_divide(all, 8) : detail::most_walking_blocks / Cluster;
    return few * Cluster;
  }
  static constexpr std::int64_t blocks = count_blocks();
  static constexpr std::int64_t partial_rows = walks ? blocks / Cluster : 0;
  static constexpr bool late_lines = [] {
    for (int k = 0; k < outputs; ++k)
      if (facts::output_at[k].late && facts::step_at[facts::output_at[k].step].where == place::row) return true;
    return false;
  }();

  static constexpr bool takes_first = [] {
    for (int i = 0; i < steps; ++i)
      if (facts::taken_first(i)) return true;
    return false;
  }();

  /// What a thread holds of its row.
  struct state {
    values in[base::leaf_room][static_cast<std::size_t>(chunks)];
    values kept[base::step_room][static_cast<std::size_t>(chunks)];
    number lines[base::step_room];
    number held[base::leaf_room];
    number sums[base::step_room];
  };
  /// What a thread gathers over its rows.
  struct gathered {
    values columns[static_cast<std::size_t>(column_sums) + 1][static_cast<std::size_t>(chunks)];
    number singles[static_cast<std::size_t>(single_sums) + 1];
  };
  struct spot {
    int start;  ///< of the row's first element
    int row;
    int chunk;  ///< the thread's first
    bool inside;
  };

  static constexpr int stride = lanes * Cluster;
  /// Is chunk k of a thread inside the row? Known to the compiler for all but the last.
  ESPALIER_EVERYWHERE static bool inside(spot const& at, int k) {
    return at.inside && ((row_chunks % stride == 0) || at.chunk + k * stride < row_chunks);
  }
  ESPALIER_EVERYWHERE static int column_of(spot const& at, int k) { return (at.chunk + k * stride) * width; }
  ESPALIER_EVERYWHERE static int offset_of(spot const& at, int k) {
    int const column = column_of(at, k);
    if constexpr (Segments == 1) return at.start + column;
    else return at.start + column / run_length * (Rows * run_length) + column % run_length;
  }

  template <int K>
  ESPALIER_EVERYWHERE static void load_leaf(table const& t, spot const& at, state& s) {
    if constexpr (base::template memory_at<K, place::full> || base::template is_drawn<K>) {
      ESPALIER_UNROLL
      for (int k = 0; k < chunks; ++k)
        if (inside(at, k)) s.in[K][k] = base::template load_some<K, width>(t, offset_of(at, k));
    } else if constexpr (base::template memory_at<K, place::row>) {
      s.held[K] = base::template load_element<K>(t, at.row);
    }
  }
  template <int K>
  ESPALIER_EVERYWHERE static void load_single(table const& t, state& s) {
    if constexpr (base::template memory_at<K, place::single>) s.held[K] = base::template load_element<K>(t, 0);
  }
  template <int K>
  ESPALIER_EVERYWHERE static void load_columns(table const& t, spot const& at, state& s) {
    if constexpr (holds_columns && base::template memory_at<K, place::column>) {
      ESPALIER_UNROLL
      for (int k = 0; k < chunks; ++k)
        if (inside(at, k)) s.in[K][k] = base::template load_some<K, width>(t, column_of(at, k));
    }
  }
  template <int... L>
  ESPALIER_EVERYWHERE static void load_singles(table const& t, spot const& at, state& s, std::integer_sequence<int, L...>) {
    (load_single<L>(t, s), ...);
    (load_columns<L>(t, at, s), ...);
    detail::unused(t, at, s);
  }
  template <int... L>
  ESPALIER_EVERYWHERE static void load_row(table const& t, spot const& at, state& s, std::integer_sequence<int, L...>) {
    (load_leaf<L>(t, at, s), ...);
    detail::unused(t, at, s);
  }

  template <int K>
  ESPALIER_EVERYWHERE static values take_leaf(table const& t, spot const& at, state const& s, int k) {
    if constexpr (!holds_columns && base::template memory_at<K, place::column>) return base::template load_some<K, width>(t, column_of(at, k));
    else return s.in[K][k];
  }
  template <int... L>
  ESPALIER_EVERYWHERE static void take_chunk(table const& t, spot const& at, values* in, state const& s, int k, std::integer_sequence<int, L...>) {
    ((in[L] = take_leaf<L>(t, at, s, k)), ...);
    detail::unused(t, at, in, s, k);
  }
  template <int S, int I>
  ESPALIER_EVERYWHERE static void compute(values* v, values const* in, state& s, int column, int k) {
    if constexpr (facts::comes_back(S, I)) v[I] = s.kept[I][k];
    else {
      v[I] = base::value(typename facts::template step_type<I>{}, v, in, s.lines, s.held, column);
      if constexpr (facts::plan.kept[I] != 0) s.kept[I][k] = v[I];
    }
  }
  template <int I>
  ESPALIER_EVERYWHERE static void add_row(values const* v, values const* in, state& s, int column) {
    using Step = op_of_step<typename facts::template step_type<I>>;
    using Op = typename Step::type;
    s.sums[I] = base::template combine<Op>(s.sums[I], base::template combine_within<Op>(base::template read<Step::first>(v, in, s.lines, s.held, column)));
  }
  template <int I>
  ESPALIER_EVERYWHERE static void add_column(values const* v, values const* in, state const& s, gathered& g, int column, int k) {
    using Step = op_of_step<typename facts::template step_type<I>>;
    constexpr int n = base::template position<column_steps, I>;
    g.columns[n][k] = base::template combine<typename Step::type>(g.columns[n][k], base::template read<Step::first>(v, in, s.lines, s.held, column));
  }
  template <int I>
  ESPALIER_EVERYWHERE static void add_single(values const* v, values const* in, state const& s, gathered& g, int column) {
    using Step = op_of_step<typename facts::template step_type<I>>;
    using Op = typename Step::type;
    constexpr int n = base::template position<single_steps, I>;
    g.singles[n] = base::template combine<Op>(g.singles[n], base::template combine_within<Op>(base::template read<Step::first>(v, in, s.lines, s.held, column)));
  }
  template <int I>
  ESPALIER_EVERYWHERE static void put(table const& t, spot const& at, values const* v, int k) {
    constexpr int o = facts::output_of(I);
    store<T, width>(static_cast<T*>(t.pointer[leaves + o]) + offset_of(at, k), v[I]);
  }
  template <int S, int... Computed, int... Rows_, int... Columns_, int... Singles, int... Stored>
  ESPALIER_EVERYWHERE static void sweep_chunk(table const& t, spot const& at, state& s, gathered& g, int k, std::integer_sequence<int, Computed...>,
                                              std::integer_sequence<int, Rows_...>, std::integer_sequence<int, Columns_...>, std::integer_sequence<int, Singles...>,
                                              std::integer_sequence<int, Stored...>) {
    values v[base::step_room], in[base::leaf_room];
    int const column = column_of(at, k);
    take_chunk(t, at, in, s, k, leaf_numbers{});
    (compute<S, Computed>(v, in, s, column, k), ...);
    (add_row<Rows_>(v, in, s, column), ...);
    (add_column<Columns_>(v, in, s, g, column, k), ...);
    (add_single<Singles>(v, in, s, g, column), ...);
    (put<Stored>(t, at, v, k), ...);
    detail::unused(t, at, s, g, k, column);
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void clear_rows(state& s, std::integer_sequence<int, I...>) {
    ((s.sums[I] = base::template identity<I>()), ...);
    detail::unused(s);
  }

  // Sums of a row across its threads.

  template <class Op, class Context>
  ESPALIER_EVERYWHERE static number across_lanes(Context const& c, number x) {
    constexpr int most = lanes < 32 ? lanes : 32;
    ESPALIER_UNROLL
    for (int mask = most / 2; mask > 0; mask /= 2) x = base::template combine<Op>(x, c.shuffle_xor(x, mask));
    return x;
  }
  static constexpr int warps = lanes / 32;  ///< of a row, where it has more than one
  static constexpr int most_sums() {
    int most = 1;
    for (int s = 0; s < facts::plan.sweeps; ++s) {
      int n = 0;
      for (int i = 0; i < steps; ++i) n += facts::reduces(s, i) && facts::step_at[i].where == place::row;
      if (n > most) most = n;
    }
    return most;
  }
  /// Two areas in turn: a fast warp may begin the next sums while a slow one still reads these.
  static constexpr int slots = threads / 32;
  template <class Context>
  ESPALIER_EVERYWHERE static number* area(Context const& c, int turn) {
    return c.template shared<number, 2 * most_sums() * slots, 0>() + turn * most_sums() * slots;
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void leave_warp(Context const& c, state& s, int n, int turn) {
    s.sums[I] = across_lanes<typename op_of_step<typename facts::template step_type<I>>::type>(c, s.sums[I]);
    if constexpr (warps > 1)
      if (c.thread() % 32 == 0) area(c, turn)[n * slots + c.thread() / 32] = s.sums[I];
    detail::unused(n, turn);
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void join_warps(Context const& c, state& s, int n, int turn) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    int const lane = c.thread() % 32, first = c.thread() / lanes * warps;
    number x = lane < warps ? area(c, turn)[n * slots + first + lane] : base::template identity<I>();
    ESPALIER_UNROLL
    for (int mask = warps / 2; mask > 0; mask /= 2) x = base::template combine<Op>(x, c.shuffle_xor(x, mask));
    s.sums[I] = c.shuffle(x, 0);
  }
  template <class Context>
  ESPALIER_EVERYWHERE static number* cluster_area(Context const& c, int turn) {
    return c.template shared<number, 2 * most_sums(), 1>() + turn * most_sums();
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void join_blocks(Context const& c, state& s, int n, int turn) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    number x = *c.remote(cluster_area(c, turn) + n, 0);
    ESPALIER_UNROLL
    for (int b = 1; b < Cluster; ++b) x = base::template combine<Op>(x, *c.remote(cluster_area(c, turn) + n, b));
    s.sums[I] = x;
  }
  template <class Context, int... I>
  ESPALIER_EVERYWHERE static void across(Context const& c, state& s, int& turn, std::integer_sequence<int, I...>) {
    int n = 0;
    (leave_warp<I>(c, s, n++, turn), ...);
    if constexpr (warps > 1) {
      c.barrier();
      n = 0;
      (join_warps<I>(c, s, n++, turn), ...);
    }
    if constexpr (Cluster > 1) {
      n = 0;
      if (c.thread() == 0) ((cluster_area(c, turn)[n++] = s.sums[I]), ...);
      c.cluster_barrier();
      n = 0;
      (join_blocks<I>(c, s, n++, turn), ...);
    }
    if constexpr (warps > 1 || Cluster > 1) turn = 1 - turn;
    detail::unused(c, s, turn, n);
  }

  template <int I>
  ESPALIER_EVERYWHERE static void know(table const& t, spot const& at, state& s) {
    using Step = op_of_step<typename facts::template step_type<I>>;
    if constexpr (facts::taken_first(I)) {
      T const* const x = static_cast<T const*>(t.pointer[-1 - Step::first]) + at.start;
      constexpr std::int64_t middle = std::int64_t{Columns / 2 / run_length} * Rows * run_length + Columns / 2 % run_length;
      constexpr std::int64_t last = std::int64_t{(Columns - 1) / run_length} * Rows * run_length + (Columns - 1) % run_length;
      s.lines[I] = rule<typename Step::type>::of_three(detail::load_one<T>(x), detail::load_one<T>(x + middle), detail::load_one<T>(x + last), static_cast<number>(Columns));
    } else if constexpr (facts::step_at[I].where == place::row) {
      if constexpr (facts::step_at[I].reduces) s.lines[I] = s.sums[I];
      else s.lines[I] = base::template fixed_value<number>(typename facts::template step_type<I>{}, s.lines, s.held);
    }
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void know_all(table const& t, spot const& at, state& s, std::integer_sequence<int, I...>) {
    (know<I>(t, at, s), ...);
    detail::unused(t, at, s);
  }
  template <int S, class Context>
  ESPALIER_EVERYWHERE static void sweeps(Context const& c, table const& t, spot const& at, state& s, gathered& g, int& turn) {
    using of_rows = fused::chosen_steps<base::reduced(S, place::row)>;
    clear_rows(s, of_rows{});
    ESPALIER_UNROLL
    for (int k = 0; k < chunks; ++k)
      if (inside(at, k))
        sweep_chunk<S>(t, at, s, g, k, fused::chosen_steps<facts::computed(S)>{}, of_rows{},
                       fused::chosen_steps<base::reduced(S, place::column)>{}, fused::chosen_steps<base::reduced(S, place::single)>{},
                       fused::chosen_steps<facts::stored(S)>{});
    if constexpr (of_rows::size() > 0) across(c, s, turn, of_rows{});
    know_all(t, at, s, fused::chosen_steps<facts::known_after(S)>{});
    if constexpr (facts::works_in(S + 1)) sweeps<S + 1>(c, t, at, s, g, turn);
  }
  template <int I>
  ESPALIER_EVERYWHERE static void put_line(table const& t, spot const& at, state const& s) {
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0) detail::store_one<T>(static_cast<T*>(t.pointer[leaves + o]) + at.row, s.lines[I]);
    else detail::unused(t, at, s);
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void put_lines(table const& t, spot const& at, state const& s, std::integer_sequence<int, I...>) {
    (put_line<I>(t, at, s), ...);
    detail::unused(t, at, s);
  }
  template <int I>
  ESPALIER_EVERYWHERE static void add_line(state const& s, gathered& g) {
    using Step = op_of_step<typename facts::template step_type<I>>;
    constexpr int n = base::template position<single_steps, I>;
    g.singles[n] = base::template combine<typename Step::type>(g.singles[n], base::template fixed<number, Step::first>(s.lines, s.held));
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void add_lines(state const& s, gathered& g, std::integer_sequence<int, I...>) {
    (add_line<I>(s, g), ...);
    detail::unused(s, g);
  }
  template <int... C, int... N>
  ESPALIER_EVERYWHERE static void clear(gathered& g, std::integer_sequence<int, C...>, std::integer_sequence<int, N...>) {
    ESPALIER_UNROLL
    for (int k = 0; k < chunks; ++k) ((g.columns[base::template position<column_steps, C>][k] = base::spread(base::template identity<C>())), ...);
    ((g.singles[base::template position<single_steps, N>] = base::template identity<N>()), ...);
    detail::unused(g);
  }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
