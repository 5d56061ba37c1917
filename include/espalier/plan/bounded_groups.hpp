// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "bounded_program.hpp"
#include "plan.hpp"

/// How each kernel of a bounded program runs for some of its samples: which of its loops ends earlier.
namespace espalier::plan {

/// The loop of a kernel that the number of samples bounds.
enum class bounded_loop : std::uint8_t {
  fixed,     ///< none: the kernel reads and writes nothing that depends on it
  rows,      ///< the rows of a fused group or of a product
  line,      ///< the only row of a fused group, which is as long as all samples
  segments,  ///< the segments of each row
  elements,  ///< all elements, one after the other
  terms,     ///< the terms of a product's sums
  matrices,  ///< the matrices of a product
  outer,     ///< the first axis of a movement, or what precedes a middle axis
  none       ///< there is no such kernel
};
/// each: rows, elements, ... of one sample.
struct bounded_group {
  bounded_loop loop;
  int each;
};
struct bounded_groups {
  bounded_group of[max_groups];
  int fault;  ///< a node whose group has no kernel for some samples; 0: none
};

namespace detail {

class loop_binder {
 public:
  constexpr loop_binder(bounded_program const& p, planned const& plan) : p_{p}, g_{p.program.nodes}, plan_{plan} {}

  constexpr bounded_group of(int x) const {
    group const& k = plan_.groups.groups[x];
    if (!reads_or_writes_samples(x)) return {bounded_loop::fixed, 0};
    switch (k.kind) {
      case kernel_kind::fused:
        return fused(x);
      case kernel_kind::contraction:
        return product(x);
      case kernel_kind::convert:
      case kernel_kind::random:
        return {bounded_loop::elements, each(k.size)};
      case kernel_kind::part:  // its address would depend on the number of samples
        return p_.most == 1 ? bounded_group{bounded_loop::fixed, 0} : no_kernel;
      default:
        return unfused(x);
    }
  }

 private:
  static constexpr bounded_group no_kernel{bounded_loop::none, 0};
  constexpr bool varies(int id) const { return p_.per_sample[id] != 0; }
  constexpr int each(std::int64_t count) const { return static_cast<int>(count / p_.most); }

  /// A sum of a constant reads no memory, but has as many terms as the constant has elements.
  constexpr bool reads_or_writes_samples(int x) const {
    for (int id = plan_.groups.groups[x].first; id != 0; id = plan_.groups.next[id])
      for (int operand : {id, g_[id].operand[0], g_[id].operand[1], g_[id].operand[2], g_[id].operand[3]})
        if (varies(operand)) return true;
    kernel_body const& body = plan_.ir.groups[x];
    for (int i = 0; i < body.operands; ++i)
      if (varies(plan_.ir.operands[body.first_operand + i].node)) return true;
    return false;
  }
  /// Whether the values of these extent classes depend on samples, and no others. Instructions are those of members and
  /// those that are computed again; operands in memory have nodes.
  constexpr bool only(int x, bool rows, bool columns, int first_operand = 0) const {
    auto const fits = [&](extent_class e, bool varies) {
      bool const expected =
          e == extent_class::full || (e == extent_class::row && rows) || (e == extent_class::column && columns);
      return e == extent_class::none || varies == expected;
    };
    group const& k = plan_.groups.groups[x];
    for (int id = k.first; id != 0; id = plan_.groups.next[id])
      if (plan_.groups.family_of[id] != op_family::contraction && !fits(plan_.groups.extent_of[id], varies(id)))
        return false;
    kernel_body const& body = plan_.ir.groups[x];
    for (int i = first_operand; i < body.operands; ++i) {
      ir_operand const& o = plan_.ir.operands[body.first_operand + i];
      if (o.kind == operand_kind::memory && !fits(o.extent, varies(o.node))) return false;
    }
    return true;
  }
  constexpr bounded_group fused(int x) const {
    group const& k = plan_.groups.groups[x];
    if (k.segments > 1)
      return k.segments % p_.most == 0 && only(x, false, false)
                 ? bounded_group{bounded_loop::segments, each(k.segments)}
                 : no_kernel;
    // Rows are the leading axes of the values, so they contain that of the samples; a single row contains all axes.
    if (k.rows > 1)
      return k.rows % p_.most == 0 && only(x, true, false) ? bounded_group{bounded_loop::rows, each(k.rows)}
                                                           : no_kernel;
    return k.columns % p_.most == 0 && k.order == loop_order::rows && only(x, false, true)
               ? bounded_group{bounded_loop::line, each(k.columns)}
               : no_kernel;
  }
  /// The operands of a product as its instruction names them: these are read by the product, not element by element.
  constexpr bool epilogue_fits(int x) const {
    kernel_body const& body = plan_.ir.groups[x];
    group const& k = plan_.groups.groups[x];
    for (int id = plan_.groups.next[k.first]; id != 0; id = plan_.groups.next[id])
      if (varies(id) != varies(k.first)) return false;
    for (int i = 1; i < body.instructions; ++i)
      for (int o : plan_.ir.instructions[body.first_instruction + i].operand) {
        if (o >= 0) continue;
        ir_operand const& operand = plan_.ir.operands[body.first_operand - 1 - o];
        if (operand.kind != operand_kind::memory || operand.extent == extent_class::none) continue;
        bool const expected =
            varies(k.first) && (operand.extent == extent_class::full || operand.extent == extent_class::row);
        // no_operand is the number of operand 0, which an instruction of fewer operands does not read
        if (varies(operand.node) != expected && !names_nothing(plan_.ir.instructions[body.first_instruction + i], o))
          return false;
      }
    return true;
  }
  static constexpr bool names_nothing(ir_instruction const& s, int o) {
    int const arity = espalier::detail::is_null(s.op) ? 1 : s.op->arity;
    for (int k = 0; k < arity; ++k)
      if (s.operand[k] == o) return false;
    return true;
  }
  constexpr bounded_group product(int x) const {
    group const& k = plan_.groups.groups[x];
    graph::node const& n = g_[k.first];
    if (!epilogue_fits(x)) return no_kernel;
    if (k.windowed) return windows(x);
    extents const &y = n.shape, &a = g_[n.operand[0]].shape, &b = g_[n.operand[1]].shape;
    auto const [transpose_a, transpose_b] = transposes_of(n);
    bool const of_a = varies(n.operand[0]), of_b = varies(n.operand[1]);
    std::int64_t const matrices = y.product(0, y.rank - 2);
    int const rows = y.at[y.rank - 2], columns = y.at[y.rank - 1];
    if (!varies(k.first)) {  // sums over samples
      int const terms = transpose_a ? a.at[a.rank - 2] : a.at[a.rank - 1];
      bool const in_order = (transpose_a || rows == 1) && (!transpose_b || columns == 1);
      return matrices == 1 && of_a && of_b && in_order && terms % p_.most == 0
                 ? bounded_group{bounded_loop::terms, each(terms)}
                 : no_kernel;
    }
    if (matrices > 1) {
      // Samples are an axis of the matrices of y; an operand without it is the same for all of them.
      bool const b_fits = of_b ? p_.per_sample[n.operand[1]] * matrices == each(matrices) * b.size() : b.rank == 2;
      return matrices % p_.most == 0 && of_a && p_.per_sample[n.operand[0]] * matrices == each(matrices) * a.size() &&
                     b_fits
                 ? bounded_group{bounded_loop::matrices, each(matrices)}
                 : no_kernel;
    }
    bool const as_stored = !transpose_a || a.at[a.rank - 2] == 1;
    return of_a && !of_b && as_stored && rows % p_.most == 0 ? bounded_group{bounded_loop::rows, each(rows)}
                                                             : no_kernel;
  }
  /// Movements, windows and middle axes run along the first axis, which is that of the samples.
  constexpr bounded_group unfused(int x) const {
    group const& k = plan_.groups.groups[x];
    graph::node const& n = g_[k.first];
    if (k.kind == kernel_kind::window_sum) return tap_sums(x);
    if (k.windowed) return windows(x);
    bool const scatters = k.kind == kernel_kind::scatter_add;
    extents const &y = n.shape, &a = g_[n.operand[0]].shape;
    if (!varies(k.first) || y.rank == 0 || a.rank == 0 || y.at[0] % p_.most != 0) return no_kernel;
    bool const same_axis = a.at[0] == y.at[0];
    if (k.kind == kernel_kind::concatenate)
      return same_axis && axis_of(n) > 0 ? bounded_group{bounded_loop::outer, each(y.at[0])} : no_kernel;
    if (k.kind == kernel_kind::permute && axis_behind(permutation_of(n), 0) != 0) return no_kernel;
    if (k.kind == kernel_kind::strided_broadcast && a.rank != y.rank) return no_kernel;
    if (k.kind == kernel_kind::strided_reduction && a.rank != y.rank) return no_kernel;
    if ((scatters || k.kind == kernel_kind::move) && !along_first_axis(n, scatters ? a : y)) return no_kernel;
    return same_axis ? bounded_group{bounded_loop::outer, each(y.at[0])} : no_kernel;
  }
  /// Whether a map reads each index of its first axis from the same index of the operand's first axis.
  constexpr bool along_first_axis(graph::node const& n, extents const& result) const {
    index_map const& m = g_.maps[map_of(n)];
    if (m.rank < 2 || m.source[0] != 0 || m.step[0] != 1 || m.start[0] != 0 || m.divisor[0] != 1) return false;
    for (int i = 1; i < m.rank; ++i)
      if (m.source[i] == 0) return false;
    return result.rank > 1;
  }
  constexpr bounded_group windows(int x) const {
    group const& k = plan_.groups.groups[x];
    graph::node const& n = g_[k.first];
    int const window = graph::data_of(g_, n.operand[0]);
    extents const &w = g_[window].shape, &image = g_[g_[window].operand[0]].shape;
    if (!varies(window) || w.at[0] != image.at[0] || w.at[0] % p_.most != 0) return no_kernel;
    bounded_group const images{bounded_loop::outer, each(w.at[0])};
    if (n.op->family == op_family::reduction) return varies(k.first) ? images : no_kernel;
    bool const one_product = n.shape.product(0, n.shape.rank - 2) == 1;
    bool const gradient = transposes_of(n).a;
    return one_product && varies(k.first) == !gradient && varies(n.operand[1]) == gradient ? images : no_kernel;
  }

  constexpr bounded_group tap_sums(int x) const {
    int const id = plan_.groups.groups[x].first;
    window_sum const sum = find_window_sum(g_, id);
    extents const &w = g_[sum.window].shape, &image = g_[g_[sum.window].operand[0]].shape;
    bool const fits = varies(sum.window) && w.at[0] == image.at[0] && w.at[0] % p_.most == 0 &&
                      varies(id) == !sum.over_positions && varies(sum.factor) == sum.over_positions;
    return fits ? bounded_group{bounded_loop::outer, each(w.at[0])} : no_kernel;
  }

  bounded_program const& p_;
  node_table const& g_;
  planned const& plan_;
};

}  // namespace detail

/// The bounded loops of all groups of a plan.
constexpr bounded_groups bind_loops(bounded_program const& p, planned const& plan) {
  bounded_groups r{};
  detail::loop_binder const binder{p, plan};
  for (int x = 1; x <= plan.groups.group_count; ++x) {
    r.of[x] = binder.of(x);
    if (r.of[x].loop == bounded_loop::none && r.fault == 0) r.fault = plan.groups.groups[x].first;
  }
  return r;
}

/// A bounded program definition declares, beside what plan_of requires,
///   static constexpr bounded_program const& bounded   its build() returns bounded.program
template <class Program>
inline constexpr bounded_groups bounded_groups_of = bind_loops(Program::bounded, plan_of<Program>);

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
