// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "calls.hpp"
#include "programs.hpp"

/// Which layer makes each node of a program: values of drawings are named after layers.
namespace espalier::report {

namespace detail {

inline program_layers rows_of_layers(architecture const& a, int node_count) {
  program_layers r;
  for (module_row const& m : a.modules) r.rows.push_back({m.path, m.type, m.parent});
  r.of.assign(static_cast<std::size_t>(node_count) + 1, program_layers::none);
  for (std::size_t id = 0; id < a.owner.size() && id < r.of.size(); ++id) r.of[id] = a.owner[id];
  return r;
}
/// The target, and what is made of it alone, belongs to the loss.
inline void remove_target(program_layers& r, view const& v, int forward_nodes) {
  for (int id = 1; id <= forward_nodes; ++id) {
    node_row const& n = v.nodes[id];
    int& row = r.of[static_cast<std::size_t>(id)];
    if (n.op->family == graph::op_family::label && label_of(n).position > 0) row = program_layers::none;
    if (n.op->family == graph::op_family::argument && position_of(n) > 0) row = program_layers::none;
    for (int const operand : n.operand)
      if (operand != 0 && r.of[static_cast<std::size_t>(operand)] == program_layers::none) row = program_layers::none;
  }
}
/// By node: whether it is a constant, or made of constants alone.
inline std::vector<bool> constants_of(view const& v) {
  std::vector<bool> constant(static_cast<std::size_t>(v.node_count) + 1);
  for (int id = 1; id <= v.node_count; ++id) {
    node_row const& n = v.nodes[id];
    bool all = n.operand[0] != 0;
    for (int const operand : n.operand) all = all && (operand == 0 || constant[static_cast<std::size_t>(operand)]);
    constant[static_cast<std::size_t>(id)] = all || n.op->family == graph::op_family::constant;
  }
  return constant;
}
/// Assigns the nodes of the backward pass, which come after the loss. A gradient of a parameter belongs to the
/// parameter's layer, every other node to the layer of the last value of the forward pass that it reads, or to that of
/// its last operand. Constants belong to no layer: equal ones of several layers are one node.
inline void add_backward(program_layers& r, view const& v, int forward_nodes, int loss) {
  std::vector<int> of_parameter;
  for (int id = 1; id <= forward_nodes; ++id) {
    node_row const& n = v.nodes[id];
    if (n.op->family != graph::op_family::parameter) continue;
    if (of_parameter.size() <= static_cast<std::size_t>(slot_of(n)))
      of_parameter.resize(static_cast<std::size_t>(slot_of(n)) + 1, program_layers::none);
    of_parameter[static_cast<std::size_t>(slot_of(n))] = r.of[static_cast<std::size_t>(id)];
  }
  std::vector<bool> const constant = constants_of(v);
  for (int id = loss + 1; id <= v.node_count; ++id) {
    int forward = 0, backward = 0;
    for (int const operand : v.nodes[id].operand) {
      std::size_t const at = static_cast<std::size_t>(operand);
      int& last = operand <= loss ? forward : backward;
      if (operand > last && !constant[at] && (operand > loss || r.of[at] != 0)) last = operand;
    }
    if (forward != 0 || backward != 0)
      r.of[static_cast<std::size_t>(id)] = r.of[static_cast<std::size_t>(forward != 0 ? forward : backward)];
  }
  for (int i = 0; i < v.result_count; ++i) {
    graph::output const& o = v.results[i];
    if (o.where != graph::destination::gradient || static_cast<std::size_t>(o.index) >= of_parameter.size()) continue;
    int const row = of_parameter[static_cast<std::size_t>(o.index)];
    r.of[static_cast<std::size_t>(o.id)] = row;
    if (v.nodes[o.id].holder > loss) r.of[static_cast<std::size_t>(v.nodes[o.id].holder)] = row;
  }
}

template <class Net, class Batch>
struct layers_of_program<espalier::detail::evaluation_program<Net, Batch>> {
  static program_layers get() {
    return rows_of_layers(architecture_of<Net, Batch>(),
                          view_of<espalier::detail::evaluation_program<Net, Batch>>.node_count);
  }
};
/// Program: training_program, or a program of its nodes.
template <class Net, class Loss, class Batch, class Program = espalier::detail::training_program<Net, Loss, Batch>>
struct layers_of_training {
  using program = Program;
  static program_layers get() {
    using training = espalier::detail::training_program<Net, Loss, Batch>;
    using target =
        target_of_training<typename training::target, espalier::detail::target_leaf<typename training::element>>;
    architecture const a = architecture_of<Net, Batch, target>();
    program_layers r = rows_of_layers(a, view_of<program>.node_count);
    int const forward_nodes = static_cast<int>(a.owner.size()) - 1;
    remove_target(r, view_of<program>, forward_nodes);
    add_backward(r, view_of<program>, forward_nodes, end_of_forward(view_of<program>));
    return r;
  }
};
template <class Net, class Loss, class Batch>
struct layers_of_program<espalier::detail::training_program<Net, Loss, Batch>> : layers_of_training<Net, Loss, Batch> {
};
template <class Net, class Loss, class Batch>
struct layers_of_program<espalier::detail::scaled_training_program<Net, Loss, Batch>>
    : layers_of_training<Net, Loss, Batch, espalier::detail::scaled_training_program<Net, Loss, Batch>> {};
template <class Net, class Loss, class Batch, bool Always>
struct layers_of_program<espalier::detail::row_training_program<Net, Loss, Batch, Always>>
    : layers_of_training<Net, Loss, Batch, espalier::detail::row_training_program<Net, Loss, Batch, Always>> {};
/// Its forward pass has other nodes than the traced net: values are drawn without the names of layers.
template <class Net, class Loss, class Batch, bool Scaled>
struct layers_of_program<espalier::detail::synchronized_training_program<Net, Loss, Batch, Scaled>> {
  static program_layers get() { return {}; }
};

/// Convolutions that are rewritten have other nodes, which belong to the layer of the convolution.
template <class Program>
struct layers_of_program<plan::convolution_program<Program>> {
  using rewritten = plan::convolution_program<Program>;
  static constexpr auto origin = [] {
    struct {
      int of[static_cast<std::size_t>(plan::graph_of<rewritten>.nodes.size) + 1];
    } found{};
    int* const all = new int[static_cast<std::size_t>(graph::capacity)]{};
    plan::with_faster_convolutions(plan::graph_of<Program>, all);
    for (int id = 1; id <= plan::graph_of<rewritten>.nodes.size; ++id) found.of[id] = all[id];
    delete[] all;
    return found;
  }();
  static program_layers get() {
    program_layers const before = layers_of_program<Program>::get();
    program_layers r = before;
    r.of.assign(std::size(origin.of), 0);
    for (std::size_t id = 1; id < std::size(origin.of); ++id)
      if (auto const at = static_cast<std::size_t>(origin.of[id]); at < before.of.size()) r.of[id] = before.of[at];
    return r;
  }
};

}  // namespace detail

/// "2.0.fn.1  BatchNorm1d<32>", or only its path; "" for the loss and for programs without layers.
inline std::string layer_name(program_layers const& layers, int row, bool with_type = true) {
  if (row <= 0 || static_cast<std::size_t>(row) >= layers.rows.size()) return {};
  program_layers::row const& r = layers.rows[static_cast<std::size_t>(row)];
  return with_type ? r.path + "  " + r.type : r.path;
}
inline int layer_of(program_layers const& layers, int node) {
  return static_cast<std::size_t>(node) < layers.of.size() ? layers.of[static_cast<std::size_t>(node)]
                                                           : program_layers::none;
}

}  // namespace espalier::report
#include "../base/diagnostics_pop.hpp"
