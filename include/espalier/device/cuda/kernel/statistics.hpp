// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "line_sweeps.hpp"

namespace espalier::on_cuda {

/// Runs before the first split sweep, between two of them, and after the last one, where there is something to do. It
/// combines the partial sums of each line in a fixed order, and stores the line statistics that later sweeps read.
/// Outputs that overwrite an operand are stored after the last sweep.
/// table   operands, outputs, line statistics (instructions, lines), partial sums of lines (sums, parts, lines)
template <extent_class Line, int Sweep, class T, int Rows, int Columns, int Segments, class Instructions,
          class Operands, class Outputs>
struct statistics_kernel : loop_kernel_base<extent_class::row, T, 1, -1, Instructions, Operands, Outputs> {
  using base = loop_kernel_base<extent_class::row, T, 1, -1, Instructions, Operands, Outputs>;
  using facts = on_device::kernel_schedule<Line, -1, Instructions, Operands, Outputs>;
  using sweep = line_sweeps<Line, T, Rows, Columns, Segments, Instructions, Operands, Outputs>;
  using layout = typename sweep::layout;
  using typename base::operand_indices, typename base::number;
  using base::operands, base::outputs, base::instructions;
  using table = kernel_table<operands + outputs + 2, base::random_operands>;

  static constexpr on_device::detail::bits new_statistics =
      facts::statistics_after(Sweep) & facts::instructions_at(Line);
  static constexpr bool stores(int i) {
    int const o = facts::output_of(i);
    if (o < 0 || facts::instruction_at[i].extent != Line) return false;
    return facts::output_at[o].late ? Sweep == facts::schedule.sweeps - 1 : facts::schedule.ready[i] == Sweep + 1;
  }
  /// Instructions whose output is stored now; and earlier line statistics that are read or stored now.
  static constexpr on_device::detail::bits stored_instructions = [] {
    on_device::detail::bits r = 0;
    for (int i = 0; i < instructions; ++i)
      if (stores(i)) r |= on_device::detail::bit(i);
    return r;
  }();
  static constexpr on_device::detail::bits read_instructions = [] {
    on_device::detail::bits read = stored_instructions, before = 0;
    for (int i = 0; i < instructions; ++i) {
      if (facts::instruction_at[i].extent == Line && facts::schedule.ready[i] <= Sweep)
        before |= on_device::detail::bit(i);
      if (on_device::detail::has(new_statistics, i))
        for (int o : facts::instruction_at[i].operand)
          if (o >= 0) read |= on_device::detail::bit(o);
    }
    return read & before;
  }();
  using of_new = on_device::set_members<new_statistics>;
  using of_before = on_device::set_members<read_instructions>;
  using of_stored = on_device::set_members<stored_instructions>;
  static constexpr bool is_needed = of_new::size() > 0 || of_stored::size() > 0;

  static constexpr int rows = Rows, columns = Columns, lines = layout::lines, parts = layout::parts;
  static constexpr int threads = 256, cluster = 1;
  /// Many partial sums of a line are shared by many threads: 8 neighbours still fill an access of 32 bytes.
  static constexpr int most_across = parts >= 64 ? 8 : 32;
  static constexpr int across = detail::power_of_two_from(lines) < most_across ? detail::power_of_two_from(lines)
                                                                               : most_across,
                       down = threads / across;
  static constexpr std::int64_t blocks = detail::ceil_divide(lines, across);

  struct state {
    number lines[base::instruction_room];  // (instructions)
    number held[base::operand_room];       // (operands)
  };

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    int const at = static_cast<int>(c.block()) * across + c.thread() % across;
    int const line = at < lines ? at : lines - 1;  // threads without a line compute the last one and store nothing
    state s;
    hold(t, s, line, operand_indices{});
    load_values(t, s, line, of_before{});
    finalize_statistics(c, t, s, line, of_new{});
    if (c.thread() < across && at < lines) {
      store_values(t, s, line, of_new{});
      store_outputs(t, s, line, of_stored{});
    }
  }

 private:
  ESPALIER_HOST_DEVICE static number* values_of(table const& t) {
    return static_cast<number*>(t.pointer[operands + outputs]);
  }
  ESPALIER_HOST_DEVICE static number const* partial(table const& t) {
    return static_cast<number const*>(t.pointer[operands + outputs + 1]);
  }

  template <int K>
  ESPALIER_HOST_DEVICE static void hold_operand(table const& t, state& s, int line) {
    if constexpr (Line == extent_class::column && facts::operand_at[K].kind == operand_kind::column_index)
      s.held[K] = static_cast<number>(line);
    else if constexpr (facts::is_memory(K, Line)) s.held[K] = base::template load_element<K>(t, line);
    else if constexpr (facts::is_memory(K, extent_class::single)) s.held[K] = base::template load_element<K>(t, 0);
  }
  template <int... L>
  ESPALIER_HOST_DEVICE static void hold(table const& t, state& s, int line, std::integer_sequence<int, L...>) {
    (hold_operand<L>(t, s, line), ...);
    detail::unused(t, s, line);
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void load_values(table const& t, state& s, int line, std::integer_sequence<int, I...>) {
    ((s.lines[I] = values_of(t)[std::int64_t{I} * lines + line]), ...);
    detail::unused(t, s, line);
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void finalize_statistic(Context const& c, table const& t, state& s, int line) {
    using Instruction = typename facts::template instruction_type<I>;
    using Op = typename op_of_instruction<Instruction>::type;
    if constexpr (facts::estimated_first(I)) {
      s.lines[I] = estimate<Op>(static_cast<T const*>(t.pointer[-1 - op_of_instruction<Instruction>::first]), line);
    } else if constexpr (facts::instruction_at[I].reduces) {
      constexpr int which = base::template position<sweep::all_line_sums, I>;
      number* const all = c.template shared<number, threads, 0>();
      number x = base::template identity<I>();
      constexpr int at_once = 8;  // loads whose latencies overlap
      for (int p = c.thread() / across; p < parts; p += at_once * down) {
        number some[at_once];
        ESPALIER_UNROLL
        for (int k = 0; k < at_once; ++k)
          some[k] = p + k * down < parts ? partial(t)[(std::int64_t{which} * parts + p + k * down) * lines + line]
                                         : base::template identity<I>();
        ESPALIER_UNROLL
        for (int k = 0; k < at_once; ++k) x = base::template combine<Op>(x, some[k]);
      }
      all[c.thread()] = x;
      c.barrier();
      // A tree reduction over all threads of a line; its order depends only on the layout.
      for (int half = threads / 2; half >= across; half /= 2) {
        if (c.thread() < half) all[c.thread()] = base::template combine<Op>(all[c.thread()], all[c.thread() + half]);
        c.barrier();
      }
      s.lines[I] = all[c.thread() % across];
      c.barrier();
    } else {
      s.lines[I] = base::template fixed_value<number>(Instruction{}, s.lines, s.held);
    }
  }
  template <class Op>
  ESPALIER_HOST_DEVICE static number estimate(T const* x, int line) {
    if constexpr (Line == extent_class::column) {
      using probed = on_device::probed_elements<Rows>;
      constexpr std::int64_t middle = std::int64_t{probed::middle} * Columns,
                             last = std::int64_t{probed::last} * Columns;
      return on_device::estimate_line<Op, Rows>(detail::load_one<T>(x + line), detail::load_one<T>(x + (middle + line)),
                                                detail::load_one<T>(x + (last + line)));
    } else {
      constexpr int run_length = Columns / Segments;
      return base::template estimate_row<Op, Rows, Columns, run_length>(x + std::int64_t{line} * run_length);
    }
  }
  template <class Context, int... I>
  ESPALIER_HOST_DEVICE static void finalize_statistics(Context const& c, table const& t, state& s, int line,
                                                       std::integer_sequence<int, I...>) {
    (finalize_statistic<I>(c, t, s, line), ...);
    detail::unused(c, t, s, line);
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void store_values(table const& t, state const& s, int line,
                                                std::integer_sequence<int, I...>) {
    ((values_of(t)[std::int64_t{I} * lines + line] = s.lines[I]), ...);
    detail::unused(t, s, line);
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void store_outputs(table const& t, state const& s, int line,
                                                 std::integer_sequence<int, I...>) {
    (detail::store_one<T>(static_cast<T*>(t.pointer[operands + facts::output_of(I)]) + line, s.lines[I]), ...);
    detail::unused(t, s, line);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
