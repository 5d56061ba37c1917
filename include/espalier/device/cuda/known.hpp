// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "line_nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// Between two sweeps: joins the partial sums of each line in their order, computes what is known of the line now, and keeps it for the sweeps to come.
/// What overwrites an operand is stored after the last sweep.
/// table   leaves, outputs, values of lines, partial sums of lines
template <place Inner, int Sweep, class T, int Rows, int Columns, int Segments, class Steps, class Leaves, class Outputs>
struct known_kernel : nest<place::row, T, 1, -1, Steps, Leaves, Outputs> {
  using base = nest<place::row, T, 1, -1, Steps, Leaves, Outputs>;
  using facts = fused::nest_facts<Inner, -1, Steps, Leaves, Outputs>;
  using sweep = line_nest<Inner, T, Rows, Columns, Segments, Steps, Leaves, Outputs>;
  using layout = typename sweep::layout;
  using typename base::leaf_numbers, typename base::number;
  using base::leaves, base::outputs, base::steps;
  using table = kernel_table<leaves + outputs + 2, base::draws>;

  static constexpr fused::detail::bits known_steps = facts::known_after(Sweep) & facts::steps_at(Inner);
  static constexpr bool stores(int i) {
    int const o = facts::output_of(i);
    if (o < 0 || facts::step_at[i].where != Inner) return false;
    return facts::output_at[o].late ? Sweep == facts::plan.sweeps - 1 : facts::plan.ready[i] == Sweep + 1;
  }
  /// What is stored now; and the values of lines that were known before and are read or stored now.
  static constexpr fused::detail::bits stored_steps = [] {
    fused::detail::bits r = 0;
    for (int i = 0; i < steps; ++i)
      if (stores(i)) r |= fused::detail::bit(i);
    return r;
  }();
  static constexpr fused::detail::bits read_steps = [] {
    fused::detail::bits read = stored_steps, before = 0;
    for (int i = 0; i < steps; ++i) {
      if (facts::step_at[i].where == Inner && facts::plan.ready[i] <= Sweep) before |= fused::detail::bit(i);
      if (fused::detail::has(known_steps, i))
        for (int o : facts::step_at[i].operand)
          if (o >= 0) read |= fused::detail::bit(o);
    }
    return read & before;
  }();
  using of_now = fused::chosen_steps<known_steps>;
  using of_before = fused::chosen_steps<read_steps>;
  using of_stored = fused::chosen_steps<stored_steps>;
  static constexpr bool is_needed = of_now::size() > 0 || of_stored::size() > 0;

  static constexpr int rows = Rows, columns = Columns, lines = layout::lines, parts = layout::parts;
  static constexpr int threads = 256, cluster = 1;
  static constexpr int across = detail::power_of_two_from(lines) < 32 ? detail::power_of_two_from(lines) : 32, down = threads / across;
  static constexpr std::int64_t blocks = detail::ceil_divide(lines, across);

  struct state {
    number lines[base::step_room];
    number held[base::leaf_room];
  };

  template <class Context>
  ESPALIER_EVERYWHERE static void run(Context const& c, table const& t) {
    int const at = static_cast<int>(c.block()) * across + c.thread() % across;
    int const line = at < lines ? at : lines - 1;  // threads without a line do as the last one's and store nothing
    state s;
    hold(t, s, line, leaf_numbers{});
    take(t, s, line, of_before{});
    know(c, t, s, line, of_now{});
    if (c.thread() < across && at < lines) {
      keep(t, s, line, of_now{});
      put(t, s, line, of_stored{});
    }
  }

 private:
  ESPALIER_EVERYWHERE static number* values_of(table const& t) { return static_cast<number*>(t.pointer[leaves + outputs]); }
  ESPALIER_EVERYWHERE static number const* partial(table const& t) { return static_cast<number const*>(t.pointer[leaves + outputs + 1]); }

  template <int K>
  ESPALIER_EVERYWHERE static void hold_leaf(table const& t, state& s, int line) {
    if constexpr (Inner == place::column && facts::leaf_at[K].what == leaf_kind::column_index) s.held[K] = static_cast<number>(line);
    else if constexpr (facts::is_memory(K, Inner)) s.held[K] = base::template load_element<K>(t, line);
    else if constexpr (facts::is_memory(K, place::single)) s.held[K] = base::template load_element<K>(t, 0);
  }
  template <int... L>
  ESPALIER_EVERYWHERE static void hold(table const& t, state& s, int line, std::integer_sequence<int, L...>) {
    (hold_leaf<L>(t, s, line), ...);
    detail::unused(t, s, line);
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void take(table const& t, state& s, int line, std::integer_sequence<int, I...>) {
    ((s.lines[I] = values_of(t)[std::int64_t{I} * lines + line]), ...);
    detail::unused(t, s, line);
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void know_one(Context const& c, table const& t, state& s, int line) {
    using Step = typename facts::template step_type<I>;
    using Op = typename op_of_step<Step>::type;
    if constexpr (facts::taken_first(I)) {
      s.lines[I] = of_three<Op>(static_cast<T const*>(t.pointer[-1 - op_of_step<Step>::first]), line);
    } else if constexpr (facts::step_at[I].reduces) {
      constexpr int which = base::template position<sweep::all_line_sums, I>;
      number* const all = c.template shared<number, threads, 0>();
      number x = base::template identity<I>();
      for (int p = c.thread() / across; p < parts; p += down) x = base::template combine<Op>(x, partial(t)[(std::int64_t{which} * parts + p) * lines + line]);
      all[c.thread()] = x;
      c.barrier();
      // Halves onto halves: all threads of a line, in an order that the layout alone decides.
      for (int half = threads / 2; half >= across; half /= 2) {
        if (c.thread() < half) all[c.thread()] = base::template combine<Op>(all[c.thread()], all[c.thread() + half]);
        c.barrier();
      }
      s.lines[I] = all[c.thread() % across];
      c.barrier();
    } else {
      s.lines[I] = base::template fixed_value<number>(Step{}, s.lines, s.held);
    }
  }
  template <class Op>
  ESPALIER_EVERYWHERE static number of_three(T const* x, int line) {
    if constexpr (Inner == place::column) {
      constexpr std::int64_t middle = std::int64_t{Rows / 2} * Columns, last = std::int64_t{Rows - 1} * Columns;
      return rule<Op>::of_three(detail::load_one<T>(x + line), detail::load_one<T>(x + middle + line), detail::load_one<T>(x + last + line), static_cast<number>(Rows));
    } else {
      constexpr int run_length = Columns / Segments;
      constexpr std::int64_t middle = std::int64_t{Columns / 2 / run_length} * Rows * run_length + Columns / 2 % run_length;
      constexpr std::int64_t last = std::int64_t{(Columns - 1) / run_length} * Rows * run_length + (Columns - 1) % run_length;
      x += std::int64_t{line} * run_length;
      return rule<Op>::of_three(detail::load_one<T>(x), detail::load_one<T>(x + middle), detail::load_one<T>(x + last), static_cast<number>(Columns));
    }
  }
  template <class Context, int... I>
  ESPALIER_EVERYWHERE static void know(Context const& c, table const& t, state& s, int line, std::integer_sequence<int, I...>) {
    (know_one<I>(c, t, s, line), ...);
    detail::unused(c, t, s, line);
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void keep(table const& t, state const& s, int line, std::integer_sequence<int, I...>) {
    ((values_of(t)[std::int64_t{I} * lines + line] = s.lines[I]), ...);
    detail::unused(t, s, line);
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void put(table const& t, state const& s, int line, std::integer_sequence<int, I...>) {
    (detail::store_one<T>(static_cast<T*>(t.pointer[leaves + facts::output_of(I)]) + line, s.lines[I]), ...);
    detail::unused(t, s, line);
  }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
