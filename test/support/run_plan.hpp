// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <espalier/operation/operation.hpp>
#include <espalier/plan/plan.hpp>
#include <espalier/plan/sharing.hpp>
#include <espalier/tracing/interpret.hpp>

/// Runs a plan as its kernels would, element by element and at run time, and checks what kernels rely on. So thousands
/// of drawn programs can be planned and run without compiling a kernel for any of them.
namespace test {

namespace graph = espalier::graph;
namespace tracing = espalier::tracing;
namespace plan = espalier::plan;
using espalier::extents;
using graph::op_family;
using plan::extent_class;

/// Memory by base, as plan::base numbers them.
using bases = std::vector<std::vector<double>>;

class plan_runner {
 public:
  /// labels: the arguments of integers, by position.
  plan_runner(graph::program const& p, plan::planned const& r, bases& memory,
              std::int32_t const* const* labels = nullptr)
      : g_{p.nodes}, r_{r}, memory_{memory}, labels_{labels} {}

  /// What the plan does wrong, or nothing.
  std::string run() {
    for (int x = 1; x <= r_.groups.group_count && wrong_.empty(); ++x) {
      if (r_.groups.groups[x].kind == plan::kernel_kind::fused) {
        fused(x);
      } else {
        std::vector<double> const y = run_unfused(x);
        if (wrong_.empty() && r_.ir.groups[x].instructions > 1) fused(x, &y);
        else if (wrong_.empty()) std::copy(y.begin(), y.end(), of(r_.groups.groups[x].first));
      }
    }
    for (int i = 0; i < r_.memory.copy_count && wrong_.empty(); ++i) {
      plan::final_copy const& c = r_.memory.copies[i];
      for (std::int64_t k = 0; k < c.size; ++k) at(c.to, c.size)[k] = at(c.from, c.size)[k];
    }
    return wrong_;
  }

 private:
  void fail(int x, std::string const& what) {
    if (wrong_.empty()) wrong_ = "group " + std::to_string(x) + ": " + what;
  }

  double* at(plan::address const& l, std::int64_t size) {
    static std::vector<double> nowhere(1 << 16);
    if (l.base < 0 || l.base >= plan::base::count) {
      fail(0, "a value has no memory");
      return nowhere.data();
    }
    std::vector<double>& m = memory_[static_cast<std::size_t>(l.base)];
    if (l.offset < 0 || static_cast<std::size_t>(l.offset + size) > m.size()) {
      fail(0, "a value lies outside base " + std::to_string(l.base));
      return nowhere.data();
    }
    return m.data() + l.offset;
  }
  double* of(int id) { return at(r_.memory.address_of[id], g_[id].shape.size()); }

  static std::int64_t count(plan::group const& g, extent_class extent) {
    return extent == extent_class::full     ? g.size
           : extent == extent_class::row    ? g.rows
           : extent == extent_class::column ? g.columns
                                            : 1;
  }
  /// Which element of a value at `from` an element (row, column) reads.
  static std::int64_t element(plan::group const& g, extent_class from, std::int64_t row, std::int64_t column) {
    switch (from) {
      case extent_class::full:
        return (column / (g.columns / g.segments) * g.rows + row) * (g.columns / g.segments) +
               column % (g.columns / g.segments);
      case extent_class::row:
        return row;
      case extent_class::column:
        return column;
      default:
        return 0;
    }
  }
  static bool overlap(plan::address const& a, std::int64_t size_a, plan::address const& b, std::int64_t size_b) {
    return a.base == b.base && a.offset < b.offset + size_b && b.offset < a.offset + size_a;
  }

  struct operand {
    std::vector<double> const* values;
    extent_class extent;
    bool late;             ///< known only after the group's sweeps
    extent_class reduced;  ///< what a reduction of it runs over: a constant is one number for all elements
  };

  /// sums: what a product gave, to which the other steps of its group are applied.
  void fused(int x, std::vector<double> const* sums = nullptr) {
    plan::kernel_ir const& ir = r_.ir;
    plan::kernel_body const &own = ir.groups[x], &body = ir.groups[own.kernel];
    plan::group const& g = r_.groups.groups[own.kernel];
    if (static_cast<std::int64_t>(g.rows) * g.columns != g.size) return fail(x, "rows times columns is not its size");
    if (own.instructions != body.instructions || own.operands != body.operands || own.outputs != body.outputs)
      return fail(x, "shares a kernel with a group of other counts");
    std::vector<std::vector<double>> operands(static_cast<std::size_t>(body.operands)),
        instructions(static_cast<std::size_t>(body.instructions));
    int const begin = sums == nullptr ? 0 : 1;
    if (sums != nullptr) instructions[0] = *sums;
    for (int i = 0; i < body.operands; ++i) {
      plan::ir_operand const& l = ir.operands[body.first_operand + i];
      auto& to = operands[static_cast<std::size_t>(i)];
      if (l.kind == plan::operand_kind::constant) to.assign(1, std::bit_cast<double>(l.bits));
      if (l.kind == plan::operand_kind::column_index)
        for (int c = 0; c < g.columns; ++c) to.push_back(c);
      if (l.kind != plan::operand_kind::memory || !is_read(body, begin, -1 - i)) continue;
      int const id = ir.operands[own.first_operand + i].node;
      std::int64_t const size = g_[id].shape.size();
      if (size != count(g, l.extent))
        return fail(x, "leaf " + std::to_string(i) + " has " + std::to_string(size) + " elements at another place");
      to.assign(of(id), of(id) + size);
      for (int o = 0; o < body.outputs; ++o) check_overlap(x, own, body, o, id, l, sums != nullptr);
    }
    late_.assign(static_cast<std::size_t>(body.instructions), false);
    for (int i = begin; i < body.instructions && wrong_.empty(); ++i)
      run_instruction(x, g, body, i, operands, instructions);
    if (!wrong_.empty()) return;
    for (int o = 0; o < body.outputs; ++o) {
      int const instruction = ir.local[ir.outputs[body.first_output + o]], id = ir.outputs[own.first_output + o];
      auto const& from = instructions[static_cast<std::size_t>(instruction)];
      if (static_cast<std::int64_t>(from.size()) != g_[id].shape.size())
        return fail(x, "an output has another size than its node");
      std::copy(from.begin(), from.end(), of(id));
    }
  }

  bool is_read(plan::kernel_body const& body, int begin, int reference) const {
    for (int i = begin; i < body.instructions; ++i) {
      plan::ir_instruction const& s = r_.ir.instructions[body.first_instruction + i];
      int const arity = s.op == nullptr || s.op->family == op_family::reduction ? 1 : s.op->arity;
      for (int k = 0; k < arity; ++k)
        if (s.operand[k] == reference) return true;
    }
    return false;
  }

  /// A kernel stores while it loads: where an output takes the memory of a leaf, it may only be element by element and
  /// in the last sweep, or the only one.
  void check_overlap(int x, plan::kernel_body const& own, plan::kernel_body const& body, int o, int read,
                     plan::ir_operand const& l, bool after_product) {
    int const id = r_.ir.outputs[own.first_output + o];
    plan::address const &to = r_.memory.address_of[id], &from = r_.memory.address_of[read];
    if (!overlap(to, g_[id].shape.size(), from, g_[read].shape.size())) return;
    int const in_kernel = r_.ir.outputs[body.first_output + o];
    extent_class const extent = r_.ir.instructions[body.first_instruction + r_.ir.local[in_kernel]].extent;
    int const first = r_.groups.groups[x].first,
              sums = r_.memory.stored[first] ? first : r_.ir.outputs[own.first_output];
    if (after_product && id == sums) return fail(x, "a product leaves its sums where what follows still reads");
    bool const last = after_product || r_.memory.late[in_kernel] || has_one_sweep(r_.groups.groups[x], body);
    if (to.offset != from.offset || extent != l.extent || !last)
      fail(x, "an output overwrites a leaf that is still read");
  }

  /// Whether no element of a group waits for a reduction of the group.
  bool has_one_sweep(plan::group const& g, plan::kernel_body const& body) const {
    std::vector<bool> waits(static_cast<std::size_t>(body.instructions), false);
    for (int i = 0; i < body.instructions; ++i) {
      plan::ir_instruction const& s = r_.ir.instructions[body.first_instruction + i];
      bool const reduces = s.op != nullptr && s.op->family == op_family::reduction;
      bool wait = reduces;
      for (int k = 0; k < (s.op == nullptr || reduces ? 1 : s.op->arity); ++k)
        wait = wait || (s.operand[k] >= 0 && waits[static_cast<std::size_t>(s.operand[k])]);
      if (wait && s.extent == extent_class::full) return false;
      waits[static_cast<std::size_t>(i)] = wait;
    }
    return g.segments <= 1;
  }

  operand value_of_operand(plan::kernel_body const& body, int reference, int reader,
                           std::vector<std::vector<double>> const& operands,
                           std::vector<std::vector<double>> const& instructions) {
    if (reference < 0) {
      plan::ir_operand const& l = r_.ir.operands[body.first_operand - 1 - reference];
      return {&operands[static_cast<std::size_t>(-1 - reference)],
              l.kind == plan::operand_kind::constant ? extent_class::single : l.extent, false, l.extent};
    }
    bool const known = reference < reader;
    extent_class const extent = r_.ir.instructions[body.first_instruction + reference].extent;
    return {known ? &instructions[static_cast<std::size_t>(reference)] : nullptr, extent,
            known && late_[static_cast<std::size_t>(reference)], extent};
  }

  void run_instruction(int x, plan::group const& g, plan::kernel_body const& body, int i,
                       std::vector<std::vector<double>> const& operands,
                       std::vector<std::vector<double>>& instructions) {
    plan::ir_instruction const& s = r_.ir.instructions[body.first_instruction + i];
    int const arity = s.op == nullptr || s.op->family == op_family::reduction ? 1 : s.op->arity;
    // What lies across the sweeps (columns of a group that runs by rows, rows of one that runs by columns, one value)
    // is known when all are done.
    bool const outer = (s.extent == extent_class::single ||
                        s.extent == (g.order == plan::loop_order::rows ? extent_class::column : extent_class::row)) &&
                       !(g.order == plan::loop_order::rows && g.rows == 1);
    bool late = outer && s.op != nullptr && s.op->family == op_family::reduction;
    operand in[3]{};
    for (int k = 0; k < arity; ++k) {
      in[k] = value_of_operand(body, s.operand[k], i, operands, instructions);
      if (in[k].values == nullptr) return fail(x, "step " + std::to_string(i) + " reads a later step or itself");
      if (in[k].late && !outer) return fail(x, "step " + std::to_string(i) + " reads a reduction that is not complete");
      if (!(s.op != nullptr && s.op->family == op_family::reduction) && in[k].extent == extent_class::full &&
          s.extent != extent_class::full)
        return fail(x, "step " + std::to_string(i) + " of a row, column or single reads a full value");
    }
    for (operand const& o : in) late = late || o.late;
    late_[static_cast<std::size_t>(i)] = late;
    std::vector<double>& y = instructions[static_cast<std::size_t>(i)];
    if (s.op != nullptr && s.op->family == op_family::reduction) {
      y.assign(static_cast<std::size_t>(count(g, s.extent)), s.op->identity);
      extent_class const from = in[0].reduced;
      std::int64_t const rows = from == extent_class::column || from == extent_class::single ? 1 : g.rows,
                         columns = from == extent_class::row || from == extent_class::single ? 1 : g.columns;
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
          double& sum = y[static_cast<std::size_t>(element(g, s.extent, r, c))];
          sum = s.op->evaluate(sum, (*in[0].values)[static_cast<std::size_t>(element(g, in[0].extent, r, c))], 0);
        }
      return;
    }
    std::int64_t const rows = s.extent == extent_class::column || s.extent == extent_class::single ? 1 : g.rows;
    std::int64_t const columns = s.extent == extent_class::row || s.extent == extent_class::single ? 1 : g.columns;
    y.resize(static_cast<std::size_t>(rows * columns));
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) {
        double a[3]{};
        for (int k = 0; k < arity; ++k)
          a[k] = (*in[k].values)[static_cast<std::size_t>(element(g, in[k].extent, r, c))];
        y[static_cast<std::size_t>(element(g, s.extent, r, c))] =
            s.op == nullptr ? a[0] : s.op->evaluate(a[0], arity > 1 ? a[1] : a[0], arity > 2 ? a[2] : a[0]);
      }
  }

  /// What the first node of a group that is not fused gives.
  std::vector<double> run_unfused(int x) {
    plan::kernel_ir const& ir = r_.ir;
    plan::kernel_body const& own = ir.groups[x];
    int const id = r_.groups.groups[own.kernel].first;
    graph::node const& n = g_[id];
    auto const data = [&](int k) {
      return of(ir.operands[own.first_operand - 1 - ir.instructions[own.first_instruction].operand[k]].node);
    };
    if (ir.instructions[own.first_instruction].operand[0] >= 0) {
      fail(x, "has no operand");
      return {};
    }
    std::int64_t const size = n.shape.size();
    std::vector<double> y(static_cast<std::size_t>(size)), windows;
    double const* a = data(0);
    extents const from = g_[n.operand[0]].shape;
    if (r_.groups.groups[own.kernel].kind == plan::kernel_kind::window_sum) {
      sum_windows(n, id, a, data(1), y);
      return y;
    }
    if (r_.groups.groups[own.kernel].windowed) {
      graph::node const& window = g_[graph::data_of(g_, n.operand[0])];
      windows = moved(g_.maps[map_of(window)], a, g_[window.operand[0]].shape, window.shape);
      a = windows.data();
    }
    for (std::int64_t i = 0; i < size; ++i) {
      auto const k = static_cast<std::size_t>(i);
      if (n.op->family == op_family::permute)
        y[k] = a[tracing::detail::permuted_offset(from, n.shape, permutation_of(n), i)];
      else if (n.op->family == op_family::broadcast) y[k] = a[tracing::detail::source_offset(from, n.shape, i)];
      else if (n.op->family == op_family::reduction) y[k] = n.op->identity;
    }
    if (n.op->family == op_family::reduction)
      for (std::int64_t i = 0; i < from.size(); ++i) {
        double& sum = y[static_cast<std::size_t>(tracing::detail::source_offset(n.shape, from, i))];
        sum = n.op->evaluate(sum, a[i], 0);
      }
    if (n.op->family == op_family::index_copy) {
      y = written(own, n, a, data(2));
      check_written(x, own);
    }
    if (n.op->family == op_family::index_gather) y = gathered(own, n, a);
    if (n.op->family == op_family::index_scatter_add)
      for (std::int64_t i = 0; i < from.size(); ++i)
        y[static_cast<std::size_t>(indexed(own, n, from, n.shape.at[axis_of(n)], i))] += a[i];
    if (n.op->family == op_family::contraction) multiply(n, a, data(1), y.data());
    if (n.op->family == op_family::move) y = moved(g_.maps[map_of(n)], a, from, n.shape);
    if (n.op->family == op_family::scatter_add)
      for (std::int64_t i = 0; i < from.size(); ++i)
        if (std::int64_t const to = espalier::moved_offset(g_.maps[map_of(n)], n.shape, from, i); to >= 0)
          y[static_cast<std::size_t>(to)] += a[i];
    if (n.op->family == op_family::concatenate)
      concatenate(axis_of(n), n.shape, a, from, data(ir.instructions[own.first_instruction].operand[1] < 0 ? 1 : 0), y);
    return y;
  }

  void sum_windows(graph::node const& n, int id, double const* image, double const* factor, std::vector<double>& y) {
    plan::window_sum const sum = plan::find_window_sum(g_, id);
    graph::node const& window = g_[sum.window];
    std::vector<double> const w = moved(g_.maps[map_of(window)], image, g_[window.operand[0]].shape, window.shape);
    extents const& of_factor = g_[sum.factor].shape;
    for (std::int64_t i = 0; i < window.shape.size(); ++i)
      y[static_cast<std::size_t>(tracing::detail::source_offset(n.shape, window.shape, i))] +=
          w[static_cast<std::size_t>(i)] * factor[tracing::detail::source_offset(of_factor, window.shape, i)];
  }

  /// The element of the indexed tensor at element i of slices of shape s.
  std::int64_t indexed(plan::kernel_body const& own, graph::node const& n, extents const& s, int extent,
                       std::int64_t i) const {
    plan::ir_instruction const& s0 = r_.ir.instructions[own.first_instruction];
    int const leaf = r_.ir.operands[own.first_operand - 1 - s0.operand[1]].node;
    std::int32_t const* const index = labels_[label_of(g_[leaf]).position];
    std::int64_t const inner = s.product(axis_of(n) + 1, s.rank), picks = s.at[axis_of(n)];
    return (i / inner / picks * extent + index[tracing::detail::source_offset(g_[n.operand[1]].shape, s, i)]) * inner +
           i % inner;
  }
  /// Slices are read while the result is written, which is the tensor itself or elsewhere.
  void check_written(int x, plan::kernel_body const& own) {
    int const id = r_.groups.groups[x].first;
    plan::address const to = r_.memory.address_of[id];
    for (int k : {0, 2}) {
      int const read =
          r_.ir.operands[own.first_operand - 1 - r_.ir.instructions[own.first_instruction].operand[k]].node;
      plan::address const from = r_.memory.address_of[read];
      if ((k == 2 || from.offset != to.offset) && overlap(to, g_[id].shape.size(), from, g_[read].shape.size()))
        return fail(x, "an index_copy overwrites what it reads");
    }
  }
  std::vector<double> written(plan::kernel_body const& own, graph::node const& n, double const* x,
                              double const* source) const {
    std::vector<double> y(x, x + n.shape.size());
    extents const s = g_[n.operand[2]].shape;
    for (bool const adds : {false, true})
      for (std::int64_t i = 0; i < s.size(); ++i) {
        double& to = y[static_cast<std::size_t>(indexed(own, n, s, n.shape.at[axis_of(n)], i))];
        to = adds ? to + source[i] : 0;
      }
    return y;
  }
  std::vector<double> gathered(plan::kernel_body const& own, graph::node const& n, double const* x) const {
    std::vector<double> y(static_cast<std::size_t>(n.shape.size()));
    for (std::int64_t i = 0; i < n.shape.size(); ++i)
      y[static_cast<std::size_t>(i)] = x[indexed(own, n, n.shape, g_[n.operand[0]].shape.at[axis_of(n)], i)];
    return y;
  }

  static std::vector<double> moved(espalier::index_map const& m, double const* x, extents const& from,
                                   extents const& to) {
    std::vector<double> y(static_cast<std::size_t>(to.size()));
    for (std::int64_t i = 0; i < to.size(); ++i) {
      std::int64_t const at = espalier::moved_offset(m, from, to, i);
      y[static_cast<std::size_t>(i)] = at >= 0               ? x[at]
                                       : m.fills_with_lowest ? -std::numeric_limits<double>::infinity()
                                                             : 0;
    }
    return y;
  }
  static void concatenate(int axis, extents const& s, double const* a, extents const& first, double const* b,
                          std::vector<double>& y) {
    std::int64_t const inner = s.product(axis + 1, s.rank), run = s.at[axis] * inner, cut = first.at[axis] * inner;
    for (std::int64_t i = 0; i < s.size(); ++i)
      y[static_cast<std::size_t>(i)] =
          i % run < cut ? a[i / run * cut + i % run] : b[i / run * (run - cut) + i % run - cut];
  }

  void multiply(graph::node const& n, double const* a, double const* b, double* y) {
    extents const &sa = g_[n.operand[0]].shape, &sb = g_[n.operand[1]].shape;
    auto const [ta, tb] = transposes_of(n);
    int const rows = n.shape.at[n.shape.rank - 2], columns = n.shape.at[n.shape.rank - 1];
    int const inner = ta ? sa.at[sa.rank - 2] : sa.at[sa.rank - 1];
    extents batch = n.shape, batch_a = sa, batch_b = sb;
    batch.rank -= 2;
    batch_a.rank -= 2;
    batch_b.rank -= 2;
    for (std::int64_t i = 0; i < batch.size(); ++i)
      tracing::detail::multiply_matrices(
          y + i * rows * columns, a + tracing::detail::source_offset(batch_a, batch, i) * rows * inner,
          b + tracing::detail::source_offset(batch_b, batch, i) * inner * columns, rows, columns, inner, ta, tb);
  }

  graph::node_table const& g_;
  plan::planned const& r_;
  bases& memory_;
  std::int32_t const* const* labels_;
  std::vector<bool> late_;  ///< by step of the group that runs
  std::string wrong_;
};

/// The first element of an output that is not what it must be, in words, or nothing.
inline std::string difference_of_output(int output, double const* got, std::vector<double> const& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if ((std::isnan(expected[k]) && std::isnan(got[k])) || got[k] == expected[k]) continue;
    if (std::fabs(got[k] - expected[k]) <= 1e-9 * (1 + std::fabs(expected[k]))) continue;
    std::ostringstream text;
    text << "output " << output << ", element " << k << " is " << got[k] << " instead of " << expected[k];
    return text.str();
  }
  return {};
}

/// A program and its plan, to read.
inline std::string described(graph::program const& p, plan::planned const& r) {
  std::ostringstream text;
  for (int id = 1; id <= p.nodes.size; ++id) {
    graph::node const& n = p.nodes[id];
    text << id << ' ' << n.op->name << '(' << n.operand[0] << ' ' << n.operand[1] << ' ' << n.operand[2] << ") #"
         << n.attribute << " (";
    for (int i = 0; i < n.shape.rank; ++i) text << (i ? "," : "") << n.shape.at[i];
    text << ") group " << r.groups.group_of[id] << " place " << static_cast<int>(r.groups.extent_of[id]) << " at "
         << r.memory.address_of[id].base << ':' << r.memory.address_of[id].offset
         << (r.groups.needed[id] ? "" : " not needed") << (r.memory.stored[id] ? " stored" : "") << '\n';
  }
  for (int i = 0; i < p.output_count; ++i)
    text << "output " << p.outputs[i].id << " to " << static_cast<int>(p.outputs[i].where) << ':' << p.outputs[i].index
         << '\n';
  for (int x = 1; x <= r.groups.group_count; ++x) {
    plan::group const& g = r.groups.groups[x];
    plan::kernel_body const& k = r.ir.groups[x];
    text << "group " << x << " kind " << static_cast<int>(g.kind) << " order " << static_cast<int>(g.order) << ' '
         << g.rows << 'x' << g.columns << " kernel " << k.kernel << '\n';
    int id = g.first;
    for (int i = 0; i < k.instructions; ++i, id = r.groups.next[id]) {
      plan::ir_instruction const& s = r.ir.instructions[k.first_instruction + i];
      text << "  step " << i << " node " << id << ' ' << (s.op ? s.op->name : "copy") << '(' << s.operand[0] << ' '
           << s.operand[1] << ' ' << s.operand[2] << ") place " << static_cast<int>(s.extent) << '\n';
    }
    for (int i = 0; i < k.operands; ++i) {
      plan::ir_operand const& l = r.ir.operands[k.first_operand + i];
      text << "  leaf " << -1 - i << " node " << l.node << " place " << static_cast<int>(l.extent) << " kind "
           << static_cast<int>(l.kind) << '\n';
    }
  }
  return text.str();
}

}  // namespace test
