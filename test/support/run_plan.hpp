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
#include <espalier/trace/interpret.hpp>

/// Runs a plan as its kernels would, element by element and at run time, and checks what kernels rely on. So thousands of drawn programs can be
/// planned and run without compiling a kernel for any of them.
namespace test {

namespace graph = espalier::graph;
namespace plan = espalier::plan;
using espalier::extents;
using graph::family;
using plan::place;

/// Memory by base, as plan::base numbers them.
using bases = std::vector<std::vector<double>>;

class plan_runner {
 public:
  plan_runner(graph::program const& p, plan::planned const& r, bases& memory) : g_{p.nodes}, r_{r}, memory_{memory} {}

  /// What the plan does wrong, or nothing.
  std::string run() {
    for (int x = 1; x <= r_.groups.group_count && wrong_.empty(); ++x) {
      if (r_.groups.groups[x].what == plan::kind::fused) {
        fused(x);
      } else {
        std::vector<double> const y = alone(x);
        if (wrong_.empty() && r_.codes.groups[x].steps > 1) fused(x, &y);
        else if (wrong_.empty()) std::copy(y.begin(), y.end(), of(r_.groups.groups[x].first));
      }
    }
    for (int i = 0; i < r_.places.copy_count && wrong_.empty(); ++i) {
      plan::final_copy const& c = r_.places.copies[i];
      for (std::int64_t k = 0; k < c.size; ++k) at(c.to, c.size)[k] = at(c.from, c.size)[k];
    }
    return wrong_;
  }

 private:
  void fail(int x, std::string const& what) {
    if (wrong_.empty()) wrong_ = "group " + std::to_string(x) + ": " + what;
  }

  double* at(plan::location const& l, std::int64_t size) {
    static std::vector<double> nowhere(1 << 16);
    if (l.where < 0 || l.where >= plan::base::count) {
      fail(0, "a value has no memory");
      return nowhere.data();
    }
    std::vector<double>& m = memory_[static_cast<std::size_t>(l.where)];
    if (l.offset < 0 || static_cast<std::size_t>(l.offset + size) > m.size()) {
      fail(0, "a value lies outside base " + std::to_string(l.where));
      return nowhere.data();
    }
    return m.data() + l.offset;
  }
  double* of(int id) { return at(r_.places.of[id], g_[id].shape.size()); }

  static std::int64_t count(plan::group const& g, place where) {
    return where == place::full ? g.size : where == place::row ? g.rows : where == place::column ? g.columns : 1;
  }
  /// Which element of a value at `from` an element (row, column) reads.
  static std::int64_t element(plan::group const& g, place from, std::int64_t row, std::int64_t column) {
    switch (from) {
      case place::full: return (column / (g.columns / g.segments) * g.rows + row) * (g.columns / g.segments) + column % (g.columns / g.segments);
      case place::row: return row;
      case place::column: return column;
      default: return 0;
    }
  }
  static bool overlap(plan::location const& a, std::int64_t size_a, plan::location const& b, std::int64_t size_b) {
    return a.where == b.where && a.offset < b.offset + size_b && b.offset < a.offset + size_a;
  }

  struct operand {
    std::vector<double> const* values;
    place where;
    bool late;  ///< known only after the group's sweeps
  };

  /// sums: what a product gave, to which the other steps of its group are applied.
  void fused(int x, std::vector<double> const* sums = nullptr) {
    plan::code const& codes = r_.codes;
    plan::group_code const &own = codes.groups[x], &code = codes.groups[own.kernel];
    plan::group const& g = r_.groups.groups[own.kernel];
    if (static_cast<std::int64_t>(g.rows) * g.columns != g.size) return fail(x, "rows times columns is not its size");
    if (own.steps != code.steps || own.leaves != code.leaves || own.outputs != code.outputs) return fail(x, "shares a kernel with a group of other counts");
    std::vector<std::vector<double>> leaves(static_cast<std::size_t>(code.leaves)), steps(static_cast<std::size_t>(code.steps));
    int const begin = sums == nullptr ? 0 : 1;
    if (sums != nullptr) steps[0] = *sums;
    for (int i = 0; i < code.leaves; ++i) {
      plan::leaf const& l = codes.leaves[code.first_leaf + i];
      auto& to = leaves[static_cast<std::size_t>(i)];
      if (l.what == plan::leaf_kind::constant) to.assign(1, std::bit_cast<double>(l.bits));
      if (l.what == plan::leaf_kind::column_index)
        for (int c = 0; c < g.columns; ++c) to.push_back(c);
      if (l.what != plan::leaf_kind::memory || !is_read(code, begin, -1 - i)) continue;
      int const id = codes.leaves[own.first_leaf + i].node;
      std::int64_t const size = g_[id].shape.size();
      if (size != count(g, l.where)) return fail(x, "leaf " + std::to_string(i) + " has " + std::to_string(size) + " elements at another place");
      to.assign(of(id), of(id) + size);
      for (int o = 0; o < code.outputs; ++o) check_overlap(x, own, code, o, id, l, sums != nullptr);
    }
    late_.assign(static_cast<std::size_t>(code.steps), false);
    for (int i = begin; i < code.steps && wrong_.empty(); ++i) run_step(x, g, code, i, leaves, steps);
    if (!wrong_.empty()) return;
    for (int o = 0; o < code.outputs; ++o) {
      int const step = codes.local[codes.outputs[code.first_output + o]], id = codes.outputs[own.first_output + o];
      auto const& from = steps[static_cast<std::size_t>(step)];
      if (static_cast<std::int64_t>(from.size()) != g_[id].shape.size()) return fail(x, "an output has another size than its node");
      std::copy(from.begin(), from.end(), of(id));
    }
  }

  bool is_read(plan::group_code const& code, int begin, int reference) const {
    for (int i = begin; i < code.steps; ++i) {
      plan::step const& s = r_.codes.steps[code.first_step + i];
      int const arity = s.op == nullptr || s.op->kind == family::reduction ? 1 : s.op->arity;
      for (int k = 0; k < arity; ++k)
        if (s.operand[k] == reference) return true;
    }
    return false;
  }

  /// A kernel stores while it loads: where an output takes the memory of a leaf, it may only be element by element and in the last sweep.
  void check_overlap(int x, plan::group_code const& own, plan::group_code const& code, int o, int leaf, plan::leaf const& l, bool after_product) {
    int const id = r_.codes.outputs[own.first_output + o];
    plan::location const &to = r_.places.of[id], &from = r_.places.of[leaf];
    if (!overlap(to, g_[id].shape.size(), from, g_[leaf].shape.size())) return;
    int const in_kernel = r_.codes.outputs[code.first_output + o];
    place const where = r_.codes.steps[code.first_step + r_.codes.local[in_kernel]].where;
    if (after_product) return fail(x, "a product leaves its sums where what follows still reads");
    if (to.offset != from.offset || where != l.where || !r_.places.late[in_kernel]) fail(x, "an output overwrites a leaf that is still read");
  }

  operand look(plan::group_code const& code, int reference, int reader, std::vector<std::vector<double>> const& leaves,
               std::vector<std::vector<double>> const& steps) {
    if (reference < 0) {
      plan::leaf const& l = r_.codes.leaves[code.first_leaf - 1 - reference];
      return {&leaves[static_cast<std::size_t>(-1 - reference)], l.what == plan::leaf_kind::constant ? place::single : l.where, false};
    }
    bool const known = reference < reader;
    return {known ? &steps[static_cast<std::size_t>(reference)] : nullptr, r_.codes.steps[code.first_step + reference].where,
            known && late_[static_cast<std::size_t>(reference)]};
  }

  void run_step(int x, plan::group const& g, plan::group_code const& code, int i, std::vector<std::vector<double>> const& leaves,
                std::vector<std::vector<double>>& steps) {
    plan::step const& s = r_.codes.steps[code.first_step + i];
    int const arity = s.op == nullptr || s.op->kind == family::reduction ? 1 : s.op->arity;
    // What lies across the sweeps (columns of a group that runs by rows, rows of one that runs by columns, one value) is known when all are done.
    bool const outer = (s.where == place::single || s.where == (g.how == plan::order::rows ? place::column : place::row)) &&
                       !(g.how == plan::order::rows && g.rows == 1);
    bool late = outer && s.op != nullptr && s.op->kind == family::reduction;
    operand in[3]{};
    for (int k = 0; k < arity; ++k) {
      in[k] = look(code, s.operand[k], i, leaves, steps);
      if (in[k].values == nullptr) return fail(x, "step " + std::to_string(i) + " reads a later step or itself");
      if (in[k].late && !outer) return fail(x, "step " + std::to_string(i) + " reads a reduction that is not complete");
      if (!(s.op != nullptr && s.op->kind == family::reduction) && in[k].where == place::full && s.where != place::full)
        return fail(x, "step " + std::to_string(i) + " of a row, column or single reads a full value");
    }
    for (operand const& o : in) late = late || o.late;
    late_[static_cast<std::size_t>(i)] = late;
    std::vector<double>& y = steps[static_cast<std::size_t>(i)];
    if (s.op != nullptr && s.op->kind == family::reduction) {
      y.assign(static_cast<std::size_t>(count(g, s.where)), s.op->identity);
      place const from = in[0].where;
      std::int64_t const rows = from == place::column || from == place::single ? 1 : g.rows, columns = from == place::row || from == place::single ? 1 : g.columns;
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
          double& sum = y[static_cast<std::size_t>(element(g, s.where, r, c))];
          sum = s.op->evaluate(sum, (*in[0].values)[static_cast<std::size_t>(element(g, from, r, c))], 0);
        }
      return;
    }
    std::int64_t const rows = s.where == place::column || s.where == place::single ? 1 : g.rows;
    std::int64_t const columns = s.where == place::row || s.where == place::single ? 1 : g.columns;
    y.resize(static_cast<std::size_t>(rows * columns));
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) {
        double a[3]{};
        for (int k = 0; k < arity; ++k) a[k] = (*in[k].values)[static_cast<std::size_t>(element(g, in[k].where, r, c))];
        y[static_cast<std::size_t>(element(g, s.where, r, c))] = s.op == nullptr ? a[0] : s.op->evaluate(a[0], arity > 1 ? a[1] : a[0], arity > 2 ? a[2] : a[0]);
      }
  }

  /// What the first node of a group that is not fused gives.
  std::vector<double> alone(int x) {
    plan::code const& codes = r_.codes;
    plan::group_code const& own = codes.groups[x];
    int const id = r_.groups.groups[own.kernel].first;
    graph::node const& n = g_[id];
    auto const data = [&](int k) { return of(codes.leaves[own.first_leaf - 1 - codes.steps[own.first_step].operand[k]].node); };
    if (codes.steps[own.first_step].operand[0] >= 0) {
      fail(x, "has no operand");
      return {};
    }
    std::int64_t const size = n.shape.size();
    std::vector<double> y(static_cast<std::size_t>(size)), windows;
    double const* a = data(0);
    extents const from = g_[n.operand[0]].shape;
    if (r_.groups.groups[own.kernel].windowed) {
      graph::node const& window = g_[graph::data_of(g_, n.operand[0])];
      windows = moved(g_.maps[window.attribute], a, g_[window.operand[0]].shape, window.shape);
      a = windows.data();
    }
    for (std::int64_t i = 0; i < size; ++i) {
      auto const k = static_cast<std::size_t>(i);
      if (n.op->kind == family::permute) y[k] = a[graph::detail::permuted_offset(from, n.shape, n.attribute, i)];
      else if (n.op->kind == family::broadcast) y[k] = a[graph::detail::source_offset(from, n.shape, i)];
      else if (n.op->kind == family::reduction) y[k] = n.op->identity;
    }
    if (n.op->kind == family::reduction)
      for (std::int64_t i = 0; i < from.size(); ++i) {
        double& sum = y[static_cast<std::size_t>(graph::detail::source_offset(n.shape, from, i))];
        sum = n.op->evaluate(sum, a[i], 0);
      }
    if (n.op->kind == family::contraction) multiply(n, a, data(1), y.data());
    if (n.op->kind == family::move) y = moved(g_.maps[n.attribute], a, from, n.shape);
    if (n.op->kind == family::fold)
      for (std::int64_t i = 0; i < from.size(); ++i)
        if (std::int64_t const to = espalier::moved_offset(g_.maps[n.attribute], n.shape, from, i); to >= 0) y[static_cast<std::size_t>(to)] += a[i];
    if (n.op->kind == family::join) join(static_cast<int>(n.attribute), n.shape, a, from, data(codes.steps[own.first_step].operand[1] < 0 ? 1 : 0), y);
    return y;
  }

  static std::vector<double> moved(espalier::index_map const& m, double const* x, extents const& from, extents const& to) {
    std::vector<double> y(static_cast<std::size_t>(to.size()));
    for (std::int64_t i = 0; i < to.size(); ++i) {
      std::int64_t const at = espalier::moved_offset(m, from, to, i);
      y[static_cast<std::size_t>(i)] = at >= 0 ? x[at] : m.fills_with_lowest ? -std::numeric_limits<double>::infinity() : 0;
    }
    return y;
  }
  static void join(int axis, extents const& s, double const* a, extents const& first, double const* b, std::vector<double>& y) {
    std::int64_t const inner = s.product(axis + 1, s.rank), run = s.at[axis] * inner, cut = first.at[axis] * inner;
    for (std::int64_t i = 0; i < s.size(); ++i) y[static_cast<std::size_t>(i)] = i % run < cut ? a[i / run * cut + i % run] : b[i / run * (run - cut) + i % run - cut];
  }

  void multiply(graph::node const& n, double const* a, double const* b, double* y) {
    extents const &sa = g_[n.operand[0]].shape, &sb = g_[n.operand[1]].shape;
    bool const ta = n.attribute & 1u, tb = n.attribute & 2u;
    int const rows = n.shape.at[n.shape.rank - 2], columns = n.shape.at[n.shape.rank - 1];
    int const inner = ta ? sa.at[sa.rank - 2] : sa.at[sa.rank - 1];
    extents batch = n.shape, batch_a = sa, batch_b = sb;
    batch.rank -= 2;
    batch_a.rank -= 2;
    batch_b.rank -= 2;
    for (std::int64_t i = 0; i < batch.size(); ++i)
      graph::detail::multiply_matrices(y + i * rows * columns, a + graph::detail::source_offset(batch_a, batch, i) * rows * inner,
                                       b + graph::detail::source_offset(batch_b, batch, i) * inner * columns, rows, columns, inner, ta, tb);
  }

  graph::program_builder const& g_;
  plan::planned const& r_;
  bases& memory_;
  std::vector<bool> late_;  ///< by step of the group that runs
  std::string wrong_;
};

/// A program and its plan, to read.
inline std::string described(graph::program const& p, plan::planned const& r) {
  std::ostringstream text;
  for (int id = 1; id <= p.nodes.size; ++id) {
    graph::node const& n = p.nodes[id];
    text << id << ' ' << n.op->name << '(' << n.operand[0] << ' ' << n.operand[1] << ' ' << n.operand[2] << ") #" << n.attribute << " (";
    for (int i = 0; i < n.shape.rank; ++i) text << (i ? "," : "") << n.shape.at[i];
    text << ") group " << r.groups.group_of[id] << " place " << static_cast<int>(r.groups.place_of[id]) << " at " << r.places.of[id].where << ':'
         << r.places.of[id].offset << (r.groups.needed[id] ? "" : " not needed") << (r.places.stored[id] ? " stored" : "") << '\n';
  }
  for (int i = 0; i < p.output_count; ++i)
    text << "output " << p.outputs[i].id << " to " << static_cast<int>(p.outputs[i].where) << ':' << p.outputs[i].index << '\n';
  for (int x = 1; x <= r.groups.group_count; ++x) {
    plan::group const& g = r.groups.groups[x];
    plan::group_code const& k = r.codes.groups[x];
    text << "group " << x << " kind " << static_cast<int>(g.what) << " order " << static_cast<int>(g.how) << ' ' << g.rows << 'x' << g.columns << " kernel "
         << k.kernel << '\n';
    int id = g.first;
    for (int i = 0; i < k.steps; ++i, id = r.groups.next[id]) {
      plan::step const& s = r.codes.steps[k.first_step + i];
      text << "  step " << i << " node " << id << ' ' << (s.op ? s.op->name : "copy") << '(' << s.operand[0] << ' ' << s.operand[1] << ' ' << s.operand[2]
           << ") place " << static_cast<int>(s.where) << '\n';
    }
    for (int i = 0; i < k.leaves; ++i) {
      plan::leaf const& l = r.codes.leaves[k.first_leaf + i];
      text << "  leaf " << -1 - i << " node " << l.node << " place " << static_cast<int>(l.where) << " kind " << static_cast<int>(l.what) << '\n';
    }
  }
  return text.str();
}

}  // namespace test
