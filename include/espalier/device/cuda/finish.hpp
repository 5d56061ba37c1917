// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// Outputs of a group whose single numbers the host alone reads, as the loss of a step: they are stored as they were computed, not in 16 bits.
template <class Outputs>
struct reported {};

namespace detail {
template <class Outputs>
struct outputs_in {
  using type = Outputs;
  static constexpr bool are_reported = false;
};
template <class Outputs>
struct outputs_in<reported<Outputs>> {
  using type = Outputs;
  static constexpr bool are_reported = true;
};
}  // namespace detail

/// Joins the partial sums over rows and over everything that blocks left, in their order, and computes what follows from them.
/// Lines: how many numbers of lines a sum over everything adds that were kept in memory; 0: it finds them among the partial sums.
/// table   leaves, outputs, values of lines, partial sums over rows (PartialRows x sums x columns), partial sums over everything (SingleRows x sums)
template <place Inner, class T, int PartialRows, int SingleRows, int Columns, int Lines, class Steps, class Leaves, class Outputs>
struct finish_kernel : nest<place::row, T, 1, -1, Steps, Leaves, typename detail::outputs_in<Outputs>::type> {
  using base = nest<place::row, T, 1, -1, Steps, Leaves, typename detail::outputs_in<Outputs>::type>;
  using typename base::facts, typename base::leaf_numbers, typename base::number;
  using base::leaves, base::outputs, base::steps;
  using table = kernel_table<leaves + outputs + 3, base::draws>;

  using single_type = std::conditional_t<detail::outputs_in<Outputs>::are_reported, number, T>;
  static constexpr int threads = 256, across = 32, down = threads / across, cluster = 1;
  static constexpr fused::detail::bits column_sums = Inner == place::row ? facts::column_sums() : 0, single_sums = facts::single_sums();
  using of_columns = fused::chosen_steps<facts::steps_at(place::column)>;
  using of_singles = fused::chosen_steps<facts::steps_at(place::single)>;
  static constexpr bool has_columns = Inner == place::row && of_columns::size() > 0, has_singles = of_singles::size() > 0;
  static constexpr std::int64_t column_blocks = has_columns ? detail::ceil_divide(Columns, across) : 0;
  static constexpr std::int64_t blocks = column_blocks + has_singles;
  static constexpr bool needed = has_columns || has_singles;
  static constexpr std::int64_t partial_row = std::int64_t{fused::detail::count(column_sums)} * Columns;
  /// Does step i add up what is fixed along a line?
  static constexpr bool adds_lines(int i) {
    int const from = facts::step_at[i].operand[0];
    return Lines > 0 && (from >= 0 ? facts::step_at[from].where : facts::leaf_at[-1 - from].where) == Inner;
  }

  template <class Context>
  ESPALIER_EVERYWHERE static void run(Context const& c, table const& t) {
    if (c.block() < column_blocks) columns(c, t, of_columns{});
    else singles(c, t, of_singles{});
  }

 private:
  struct state {
    number lines[base::step_room];
    number held[base::leaf_room];
  };
  ESPALIER_EVERYWHERE static number const* memory(table const& t, int which) { return static_cast<number const*>(t.pointer[leaves + outputs + which]); }

  template <int K>
  ESPALIER_EVERYWHERE static void hold_leaf(table const& t, state& s, int column) {
    if constexpr (facts::leaf_at[K].what == leaf_kind::column_index) s.held[K] = static_cast<number>(column);
    else if constexpr (base::template memory_at<K, place::column>) s.held[K] = base::template load_element<K>(t, column);
    else if constexpr (base::template memory_at<K, place::single>) s.held[K] = base::template load_element<K>(t, 0);
  }
  template <int... L>
  ESPALIER_EVERYWHERE static void hold(table const& t, state& s, int column, std::integer_sequence<int, L...>) {
    (hold_leaf<L>(t, s, column), ...);
    detail::unused(t, s, column);
  }

  template <int I, class Context>
  ESPALIER_EVERYWHERE static void column(Context const& c, table const& t, state& s, int column) {
    using Step = typename facts::template step_type<I>;
    if constexpr (facts::step_at[I].reduces) {
      using Op = typename op_of_step<Step>::type;
      constexpr int n = base::template position<column_sums, I>;
      number* const all = c.template shared<number, threads, 0>();
      number x = base::template identity<I>();
      if (column < Columns)
        for (int row = c.thread() / across; row < PartialRows; row += down) x = base::template combine<Op>(x, memory(t, 1)[row * partial_row + std::int64_t{n} * Columns + column]);
      all[c.thread()] = x;
      c.barrier();
      if (c.thread() < across)
        for (int other = 1; other < down; ++other) x = base::template combine<Op>(x, all[c.thread() + other * across]);
      c.barrier();
      s.lines[I] = x;
    } else {
      s.lines[I] = base::template fixed_value<number>(Step{}, s.lines, s.held);
    }
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0)
      if (c.thread() < across && column < Columns) detail::store_one<T>(static_cast<T*>(t.pointer[leaves + o]) + column, s.lines[I]);
  }
  template <class Context, int... I>
  ESPALIER_EVERYWHERE static void columns(Context const& c, table const& t, std::integer_sequence<int, I...>) {
    int const at = static_cast<int>(c.block()) * across + c.thread() % across;
    state s;
    hold(t, s, at < Columns ? at : Columns - 1, leaf_numbers{});
    (column<I>(c, t, s, at), ...);
    detail::unused(c, t, at);
  }

  template <int X>
  ESPALIER_EVERYWHERE static number number_of_line(table const& t, int line) {
    if constexpr (X >= 0) return memory(t, 0)[std::int64_t{X} * Lines + line];
    else if constexpr (facts::leaf_at[-1 - X].what == leaf_kind::column_index) return static_cast<number>(line);
    else return base::template load_element<-1 - X>(t, line);
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void single(Context const& c, table const& t, state& s) {
    using Step = typename facts::template step_type<I>;
    if constexpr (facts::step_at[I].reduces) {
      using Op = typename op_of_step<Step>::type;
      constexpr int n = base::template position<single_sums, I>;
      number* const warps = c.template shared<number, threads / 32, 1>();
      number x = base::template identity<I>();
      if constexpr (adds_lines(I)) {
        for (int line = c.thread(); line < Lines; line += threads) x = base::template combine<Op>(x, number_of_line<op_of_step<Step>::first>(t, line));
      } else {
        for (int row = c.thread(); row < SingleRows; row += threads) x = base::template combine<Op>(x, memory(t, 2)[row * std::int64_t{fused::detail::count(single_sums)} + n]);
      }
      ESPALIER_UNROLL
      for (int mask = 16; mask > 0; mask /= 2) x = base::template combine<Op>(x, c.shuffle_xor(x, mask));
      if (c.thread() % 32 == 0) warps[c.thread() / 32] = x;
      c.barrier();
      x = warps[0];
      for (int w = 1; w < threads / 32; ++w) x = base::template combine<Op>(x, warps[w]);
      c.barrier();
      s.lines[I] = x;
    } else {
      s.lines[I] = base::template fixed_value<number>(Step{}, s.lines, s.held);
    }
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0)
      if (c.thread() == 0) detail::store_one<single_type>(static_cast<single_type*>(t.pointer[leaves + o]), s.lines[I]);
  }
  template <class Context, int... I>
  ESPALIER_EVERYWHERE static void singles(Context const& c, table const& t, std::integer_sequence<int, I...>) {
    state s;
    hold(t, s, 0, leaf_numbers{});
    (single<I>(c, t, s), ...);
    detail::unused(c, t);
  }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
