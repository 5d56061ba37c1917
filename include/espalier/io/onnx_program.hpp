// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "onnx_table.hpp"

/// The program that is exported, and the analysis results that the export needs.
namespace espalier::io::onnx {

/// The nodes that a program's results need, numbered from 1 without gaps.
template <int Nodes, int Maps, int Results>
struct program_rows {
  graph::node nodes[static_cast<std::size_t>(Nodes) + 1];
  index_map maps[static_cast<std::size_t>(Maps) + 1];
  int results[static_cast<std::size_t>(Results)];
};
/// The elements of a program's constant tensors.
template <int Count>
struct value_rows {
  double at[static_cast<std::size_t>(Count) + 1];
};
/// The export function of an op that is not in the table.
struct own_formula {
  graph::descriptor const* op;
  onnx::steps steps;
};

/// The operands of a node that are exported: all, except for an alias. It exports its value, or the operands of its
/// formula if the table exports the formula as a whole.
struct operand_range {
  int first, last;
};
constexpr operand_range read_operands(graph::node const& n) {
  if (n.op->family != op_family::alias) return {0, 4};
  table_row const* const row = row_of(n.op);
  return !espalier::detail::is_null(row) && row->how == written::whole ? operand_range{1, 4} : operand_range{0, 1};
}

class exporter {
 public:
  /// outputs: the numbers of the results' nodes. A result counts as a reader of its node.
  exporter(builder& target, graph::node const* nodes, int size, index_map const* maps, std::vector<int> outputs,
           std::vector<own_formula> formulas)
      : to{target},
        results{std::move(outputs)},
        own{std::move(formulas)},
        nodes_{nodes},
        maps_{maps},
        uses_(static_cast<std::size_t>(size) + 1),
        mean_(uses_.size()),
        passes_(uses_.size()),
        done_(uses_.size()),
        values_(uses_.size()) {
    for (int id = 1; id <= size; ++id) {
      operand_range const read = read_operands(nodes[id]);
      for (int k = read.first; k < read.last; ++k) ++uses_[at(nodes[id].operand[k])];
    }
    for (int const id : results) ++uses_[at(id)];
    for (int id = 1; id <= size; ++id) find_mean(id);
  }

  builder& to;
  std::vector<int> results;
  std::vector<tensor> parameters, buffers;
  double const* values = nullptr;  ///< of constant tensors
  std::vector<own_formula> own;

  graph::node const& operator[](int id) const { return nodes_[id]; }
  extents const& shape(int id) const { return nodes_[id].shape; }
  index_map const& map_of(int id) const { return maps_[graph::map_of(nodes_[id])]; }
  int size() const { return static_cast<int>(uses_.size()) - 1; }
  bool read_once(int id) const { return uses_[at(id)] == 1; }
  bool is_mean(int id) const { return mean_[at(id)]; }
  bool passes(int id) const { return passes_[at(id)] != 0; }
  int passed(int id) const { return passes_[at(id)]; }

  /// The node's value in the file.
  view const& value(int id) {
    if (!done_[at(id)]) {
      values_[at(id)] = made(id);
      if (!read_once(id)) values_[at(id)].accepts_bias = false;
      done_[at(id)] = true;
    }
    return values_[at(id)];
  }
  /// Sets the value of a node that was written with others.
  void set(int id, view v) {
    v.accepts_bias = false;
    values_[at(id)] = std::move(v);
    done_[at(id)] = true;
  }
  /// The operations that f writes, as a graph of their own. The values that it makes are forgotten behind it.
  template <class F>
  std::vector<operation> graph_of(F&& f) {
    std::vector<bool> const around = done_;
    std::vector<operation> own = to.graph_of(f);
    done_ = around;
    return own;
  }
  /// The value before reshapes that have no other reader.
  int behind_reshapes(int id) const {
    while (nodes_[id].op->family == op_family::reshape && read_once(id)) id = nodes_[id].operand[0];
    return id;
  }
  /// The operand of a reduction. Several reductions can follow each other, one for each run of axes.
  int reduced_operand(int id) const {
    int x = nodes_[id].operand[0];
    while (nodes_[x].op == nodes_[id].op && read_once(x)) x = nodes_[x].operand[0];
    return x;
  }

 private:
  static std::size_t at(int id) { return static_cast<std::size_t>(id); }
  view made(int id);

  /// Finds means: a sum times the reciprocal of its number of terms.
  void find_mean(int id) {
    graph::node const& n = nodes_[id];
    if (n.op != &described<multiply_>) return;
    for (int k = 0; k < 2; ++k) {
      graph::node const& factor = nodes_[n.operand[k]];
      int const sum = behind_reshapes(n.operand[1 - k]);
      if (factor.op->family != op_family::constant || nodes_[sum].op != &described<sum_> || !read_once(sum)) continue;
      double const terms = static_cast<double>(shape(reduced_operand(sum)).size() / shape(sum).size());
      if (constant_of(factor) != 1.0 / terms) continue;
      mean_[at(sum)] = true;
      passes_[at(id)] = n.operand[1 - k];
      return;
    }
  }

  graph::node const* nodes_;
  index_map const* maps_;
  std::vector<int> uses_;
  std::vector<bool> mean_;
  std::vector<int> passes_;
  std::vector<bool> done_;
  std::vector<view> values_;
};

/// The nodes of a loop that read its states and sequences, and those that read its results.
struct loop_parts {
  struct state {
    int state, next;
  };
  std::vector<state> states{};
  std::vector<int> slices{}, stacks{}, finals{};
};
inline loop_parts parts_of_loop(exporter const& e, int loop) {
  loop_parts r{};
  int const number = graph::loop_of(e[loop]).number;
  for (int id = loop; id != 0; id = e[id].operand[2])
    if (e[id].operand[0] != 0) r.states.push_back({e[id].operand[0], e[id].operand[1]});
  for (int id = 1; id <= e.size(); ++id) {
    graph::node const& n = e[id];
    if (!graph::is_of_loop(n.op->family) || graph::loop_of(n).number != number) continue;
    if (n.op->family == op_family::loop_slice) r.slices.push_back(id);
    if (n.op->family == op_family::loop_stack) r.stacks.push_back(id);
    if (n.op->family == op_family::loop_final) r.finals.push_back(id);
  }
  return r;
}
/// The state of a loop before the first step. Constants get the number of samples, if that is open.
inline view begin_state(exporter& e, int initial, extents const& s) {
  view const v = e.value(initial);
  if (v.held && e.to.open_samples())
    for (int i = 0; i < s.rank; ++i)
      if (s.at[i] == e.to.samples()) return e.to.for_all_samples(*v.held, s, i);
  return e.to.whole(v, s);
}

/// The value with its node's shape; its axes may be in another order, but a broadcast is written out.
inline view filled(exporter& e, int id) {
  view const v = e.value(id);
  if (v.held || v.stored.size() != e.shape(id).size()) return e.to.whole(v, e.shape(id));
  return e.to.settled(v, e.shape(id));
}
/// The axes in `mask` as axes of the stored extents, ascending.
inline integers stored_axes(view const& v, unsigned mask) {
  integers axes;
  unsigned const behind = axes_behind(v.order, v.stored.rank, mask);
  for (int i = 0; i < v.stored.rank; ++i)
    if (behind >> i & 1u) axes.push_back(i);
  return axes;
}

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
