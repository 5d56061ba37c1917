// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "loop_kernel_base.hpp"

namespace espalier::on_cuda {

/// Outputs of a group whose single numbers only the host reads, such as the loss of a step. They are stored in the type
/// that they were computed in, not in 16 bits.
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

/// The last launch of a fused group. It combines the blocks' partial sums over rows and over all elements, in their
/// order, and computes the values that depend on them.
/// Lines: the number of lines whose statistics are in memory, for sums over all elements that add statistics; 0: the
/// partial sums contain them.
/// table   operands, outputs, line statistics (instructions, Lines),
///         partial sums over rows (PartialRows, sums, columns), partial sums over all elements (SingleRows, sums)
template <extent_class Line, class T, int PartialRows, int SingleRows, int Columns, int Lines, class Instructions,
          class Operands, class Outputs>
struct finish_kernel : loop_kernel_base<extent_class::row, T, 1, -1, Instructions, Operands,
                                        typename detail::outputs_in<Outputs>::type> {
  using base =
      loop_kernel_base<extent_class::row, T, 1, -1, Instructions, Operands, typename detail::outputs_in<Outputs>::type>;
  using typename base::facts, typename base::operand_indices, typename base::number;
  using base::operands, base::outputs, base::instructions;
  using table = kernel_table<operands + outputs + 3, base::random_operands>;

  using single_type = std::conditional_t<detail::outputs_in<Outputs>::are_reported, number, T>;
  static constexpr int threads = 256, across = 32, down = threads / across, cluster = 1;
  static constexpr on_device::detail::bits column_sum_instructions =
                                               Line == extent_class::row ? facts::column_sums() : 0,
                                           single_sum_instructions = facts::single_sums();
  using of_columns = on_device::set_members<facts::instructions_at(extent_class::column)>;
  using of_singles = on_device::set_members<facts::instructions_at(extent_class::single)>;
  static constexpr bool has_columns = Line == extent_class::row && of_columns::size() > 0,
                        has_singles = of_singles::size() > 0;
  static constexpr std::int64_t column_blocks = has_columns ? detail::ceil_divide(Columns, across) : 0;
  static constexpr std::int64_t blocks = column_blocks + has_singles;
  static constexpr bool is_needed = has_columns || has_singles;
  static constexpr std::int64_t partial_row = std::int64_t{on_device::detail::count(column_sum_instructions)} * Columns;
  /// Whether instruction i adds values that are fixed along a line and are in memory.
  static constexpr bool adds_lines(int i) {
    int const from = facts::instruction_at[i].operand[0];
    return Lines > 0 && (from >= 0 ? facts::instruction_at[from].extent : facts::operand_at[-1 - from].extent) == Line;
  }

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    if (c.block() < column_blocks) columns(c, t, of_columns{});
    else singles(c, t, of_singles{});
  }

 private:
  struct state {
    number lines[base::instruction_room];  // (instructions)
    number held[base::operand_room];       // (operands)
  };
  ESPALIER_HOST_DEVICE static number const* memory(table const& t, int which) {
    return static_cast<number const*>(t.pointer[operands + outputs + which]);
  }

  template <int K>
  ESPALIER_HOST_DEVICE static void hold_operand(table const& t, state& s, int column) {
    if constexpr (facts::operand_at[K].kind == operand_kind::column_index) s.held[K] = static_cast<number>(column);
    else if constexpr (base::template memory_at<K, extent_class::column>)
      s.held[K] = base::template load_element<K>(t, column);
    else if constexpr (base::template memory_at<K, extent_class::single>)
      s.held[K] = base::template load_element<K>(t, 0);
  }
  template <int... L>
  ESPALIER_HOST_DEVICE static void hold(table const& t, state& s, int column, std::integer_sequence<int, L...>) {
    (hold_operand<L>(t, s, column), ...);
    detail::unused(t, s, column);
  }

  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void column(Context const& c, table const& t, state& s, int column) {
    using Instruction = typename facts::template instruction_type<I>;
    if constexpr (facts::instruction_at[I].reduces) {
      using Op = typename op_of_instruction<Instruction>::type;
      constexpr int n = base::template position<column_sum_instructions, I>;
      number* const all = c.template shared<number, threads, 0>();
      number x = base::template identity<I>();
      if (column < Columns)
        for (int row = c.thread() / across; row < PartialRows; row += down)
          x = base::template combine<Op>(x, memory(t, 1)[row * partial_row + std::int64_t{n} * Columns + column]);
      all[c.thread()] = x;
      c.barrier();
      if (c.thread() < across)
        for (int other = 1; other < down; ++other) x = base::template combine<Op>(x, all[c.thread() + other * across]);
      c.barrier();
      s.lines[I] = x;
    } else {
      s.lines[I] = base::template fixed_value<number>(Instruction{}, s.lines, s.held);
    }
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0)
      if (c.thread() < across && column < Columns)
        detail::store_one<T>(static_cast<T*>(t.pointer[operands + o]) + column, s.lines[I]);
  }
  template <class Context, int... I>
  ESPALIER_HOST_DEVICE static void columns(Context const& c, table const& t, std::integer_sequence<int, I...>) {
    int const at = static_cast<int>(c.block()) * across + c.thread() % across;
    state s;
    hold(t, s, at < Columns ? at : Columns - 1, operand_indices{});
    (column<I>(c, t, s, at), ...);
    detail::unused(c, t, at);
  }

  template <int X>
  ESPALIER_HOST_DEVICE static number number_of_line(table const& t, int line) {
    if constexpr (X >= 0) return memory(t, 0)[std::int64_t{X} * Lines + line];
    else if constexpr (facts::operand_at[-1 - X].kind == operand_kind::column_index) return static_cast<number>(line);
    else return base::template load_element<-1 - X>(t, line);
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void single(Context const& c, table const& t, state& s) {
    using Instruction = typename facts::template instruction_type<I>;
    if constexpr (facts::instruction_at[I].reduces) {
      using Op = typename op_of_instruction<Instruction>::type;
      constexpr int n = base::template position<single_sum_instructions, I>;
      number* const warps = c.template shared<number, threads / 32, 1>();
      number x = base::template identity<I>();
      if constexpr (adds_lines(I)) {
        for (int line = c.thread(); line < Lines; line += threads)
          x = base::template combine<Op>(x, number_of_line<op_of_instruction<Instruction>::first>(t, line));
      } else {
        for (int row = c.thread(); row < SingleRows; row += threads)
          x = base::template combine<Op>(
              x, memory(t, 2)[row * std::int64_t{on_device::detail::count(single_sum_instructions)} + n]);
      }
      x = base::template combine_lanes<Op>(c, x);
      if (c.thread() % 32 == 0) warps[c.thread() / 32] = x;
      c.barrier();
      x = warps[0];
      for (int w = 1; w < threads / 32; ++w) x = base::template combine<Op>(x, warps[w]);
      c.barrier();
      s.lines[I] = x;
    } else {
      s.lines[I] = base::template fixed_value<number>(Instruction{}, s.lines, s.held);
    }
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0)
      if (c.thread() == 0)
        detail::store_one<single_type>(static_cast<single_type*>(t.pointer[operands + o]), s.lines[I]);
  }
  template <class Context, int... I>
  ESPALIER_HOST_DEVICE static void singles(Context const& c, table const& t, std::integer_sequence<int, I...>) {
    state s;
    hold(t, s, 0, operand_indices{});
    (single<I>(c, t, s), ...);
    detail::unused(c, t);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
