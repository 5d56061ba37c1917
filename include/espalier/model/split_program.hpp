// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "node_facts.hpp"
#include "slots.hpp"

/// Splits a program: values that depend only on parameters and buffers are computed once, by a separate program. The
/// program that runs reads the results.
namespace espalier::detail {

/// A program split into two: the one that runs, and the nodes that are computed once, in the order in which the running
/// program first reads them. Node i is its parameter i.
struct split_program {
  graph::program running;
  int node[max_slots];
  int count;
};

class splitter {
 public:
  constexpr splitter(graph::program const& from, split_program& to) : p_{from}, from_{from.nodes}, r_{to} {
    find_facts(from, facts_);
  }

  constexpr void run() {
    r_.running.nodes.loop_count = from_.loop_count;
    for (int id = 1; id <= from_.size; ++id)
      if (facts_.needed[id] && facts_.varies[id]) copy(id);
    for (int i = 0; i < p_.output_count; ++i)
      r_.running.add_output(read(p_.outputs[i].id), p_.outputs[i].where, p_.outputs[i].index);
  }

 private:
  constexpr void copy(int id) {
    graph::node n = from_[id];
    // Further operands of an alias are only for its pullback, and may not be part of the program.
    for (int k = 0; k < 4; ++k) n.operand[k] = n.operand[k] != 0 && k < operands_of(n) ? read(n.operand[k]) : 0;
    if (n.op->family == op_family::move || n.op->family == op_family::scatter_add)
      n.attribute = graph::map_attribute(r_.running.nodes.number_of(from_.maps[map_of(n)]));
    new_id_[id] = r_.running.nodes.add(n);
  }
  /// A constant becomes a leaf of the running program: a number, a broadcast or reshape of a leaf, or a parameter in
  /// the frozen storage.
  constexpr int read(int id) {
    if (new_id_[id] != 0) return new_id_[id];
    graph::node n = from_[id];
    if (n.op->family == op_family::broadcast || n.op->family == op_family::reshape) {
      n.operand[0] = read(n.operand[0]);
    } else if (n.op->family != op_family::constant && n.op->family != op_family::column_index) {
      r_.node[r_.count] = id;
      n = graph::node{&described<parameter_>, {}, graph::slot_attribute(r_.count++), n.shape};
    }
    return new_id_[id] = r_.running.nodes.add(n);
  }

  graph::program const& p_;
  node_table const& from_;
  split_program& r_;
  node_facts facts_{};
  int new_id_[graph::capacity]{};
};

constexpr split_program split(graph::program const& p) {
  split_program r{};
  splitter{p, r}.run();
  return r;
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
