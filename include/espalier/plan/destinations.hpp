// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "address.hpp"
#include "liveness.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Where results and new states are written: each straight to its own place, unless something still reads that, or in a copy at the end. Values of the
/// workspace that take the place of an operand are found here, too: both decide in which sweep a result is stored.
namespace espalier::plan {

struct destinations {
  liveness live;                   ///< with the program's outputs
  location of[graph::capacity];    ///< by node: leaves that groups read, and what is written straight to its place
  bool direct[graph::capacity];    ///< by node: it is written straight to its place
  bool late[graph::capacity];      ///< by node: it is stored in the last sweep, because what lies at its place is read until then
  int in_place_of[graph::capacity];  ///< by node: the operand whose place in the workspace it takes, or 0
  final_copy copies[graph::max_outputs];  ///< from.where -1: from wherever node from.offset will lie
  int copy_count;
};

class destination_finder {
 public:
  constexpr destination_finder(graph::program const& p, grouping const& r, code const& c, destinations& to) : p_{p}, g_{p.nodes}, r_{r}, c_{c}, to_{to} {}

  constexpr void run(storage_layout const& layout) {
    for (int id = 1; id <= g_.size; ++id) {
      if (r_.family_of[id] == family::buffer) buffer_leaf_[g_.nodes[id].attribute] = id;
      if (r_.family_of[id] == family::parameter) parameter_leaf_[g_.nodes[id].attribute] = id;
    }
    for (int i = 0; i < p_.output_count; ++i) is_result_[r_.holder_of[p_.outputs[i].id]] = true;
    // Leaves that are results are copied before any state takes its new value.
    for (int i = 0; i < p_.output_count; ++i)
      if (is_state(r_.holder_of[p_.outputs[i].id])) place_output(p_.outputs[i], layout);
    for (int i = 0; i < p_.output_count; ++i)
      if (!is_state(r_.holder_of[p_.outputs[i].id])) place_output(p_.outputs[i], layout);
    for (int x = 1; x <= r_.group_count; ++x) {
      group_code const& k = c_.groups[x];
      for (int i = 0; i < k.leaves; ++i) place_leaf(c_.leaves[k.first_leaf + i].node, layout);
    }
    for (int x = 1; x <= r_.group_count; ++x)
      if (r_.groups[x].what == kind::fused) reuse(x);
  }

 private:
  static constexpr location destination_of(graph::output const& o, storage_layout const& layout) {
    switch (o.where) {
      case graph::destination::gradient: return {base::gradients, layout.parameters[o.index]};
      case graph::destination::parameter: return {base::parameters, layout.parameters[o.index]};
      case graph::destination::buffer: return {base::buffers, layout.buffers[o.index]};
      default: return {base::results + o.index, 0};
    }
  }

  constexpr void place_output(graph::output const& o, storage_layout const& layout) {
    int const id = r_.holder_of[o.id];
    location const to = destination_of(o, layout);
    bool const state = o.where == graph::destination::buffer || o.where == graph::destination::parameter;
    if (r_.group_of[id] != 0 && !to_.direct[id] && !(state && read_elsewhere(o, id))) {
      to_.direct[id] = true;
      to_.of[id] = to;
      to_.late[id] = state;
    } else {
      // Read from wherever the value ends up; a value of the workspace must outlive every group.
      location from = is_leaf(r_.family_of[id]) ? leaf_location(id, layout) : location{-1, id};
      to_.copies[to_.copy_count++] = final_copy{from, to, r_.size_of[id]};
      to_.live.last_use[id] = r_.group_count + 1;
    }
    to_.live.stored[id] = true;
  }

  /// Lets results of a fused group take the place of operands that nobody reads later, element for element. They are stored in the last sweep: until
  /// then the operand is read.
  constexpr void reuse(int x) {
    group_code const& k = c_.groups[x];
    for (int id = r_.groups[x].first; id != 0; id = r_.next[id]) {
      if (!to_.live.stored[id] || to_.direct[id] || r_.place_of[id] != place::full) continue;
      for (int i = 0; i < k.leaves && to_.in_place_of[id] == 0; ++i) {
        int const source = c_.leaves[k.first_leaf + i].node;
        if (source == 0 || !dies_here(x, i) || r_.size_of[source] != r_.size_of[id]) continue;
        to_.in_place_of[id] = source;
        taken_[source] = true;
        to_.late[id] = true;
      }
    }
  }
  /// Is leaf i of group x a value of the workspace that only this group still reads, element by element?
  constexpr bool dies_here(int x, int i) const {
    group_code const& k = c_.groups[x];
    leaf const& wanted = c_.leaves[k.first_leaf + i];
    if (wanted.what != leaf_kind::memory || wanted.where != place::full || taken_[wanted.node]) return false;
    if (r_.group_of[wanted.node] == 0 || to_.direct[wanted.node] || to_.live.last_use[wanted.node] != x) return false;
    for (int other = 0; other < k.leaves; ++other)
      if (other != i && c_.leaves[k.first_leaf + other].node == wanted.node) return false;
    return true;
  }

  constexpr bool is_state(int id) const { return r_.family_of[id] == family::parameter || r_.family_of[id] == family::buffer; }

  /// True when the state that an output overwrites is read by a later group than the writer's, at other places than it writes, or as
  /// a result.
  constexpr bool read_elsewhere(graph::output const& o, int id) const {
    int const state = o.where == graph::destination::buffer ? buffer_leaf_[o.index] : parameter_leaf_[o.index];
    if (state == 0) return false;
    if (is_result_[state]) return true;
    if (to_.live.last_use[state] > r_.group_of[id]) return true;
    group_code const& k = c_.groups[r_.group_of[id]];
    for (int i = 0; i < k.leaves; ++i) {
      leaf const& l = c_.leaves[k.first_leaf + i];
      // A product leaves its sums in a result before what follows it reads anything.
      if (l.node == state && (l.where != r_.place_of[id] || r_.groups[r_.group_of[id]].what != kind::fused)) return true;
    }
    return false;
  }

  constexpr location leaf_location(int id, storage_layout const& layout) const {
    graph::node const& n = g_.nodes[id];
    switch (n.op->kind) {
      case family::parameter: return {base::parameters, layout.parameters[n.attribute]};
      case family::buffer: return {base::buffers, layout.buffers[n.attribute]};
      case family::magnitude: return {base::magnitudes, static_cast<std::int64_t>(n.attribute)};
      case family::label: return {base::arguments + static_cast<int>(n.attribute / 2), 0};
      case family::argument: return {base::arguments + static_cast<int>(n.attribute), 0};
      case family::values: return {base::values, static_cast<std::int64_t>(n.attribute)};
      default: return {-1, id};
    }
  }

  constexpr void place_leaf(int id, storage_layout const& layout) {
    if (id != 0 && is_leaf(r_.family_of[id]) && r_.group_of[id] == 0) to_.of[id] = leaf_location(id, layout);
  }

  graph::program const& p_;
  program_builder const& g_;
  grouping const& r_;
  code const& c_;
  destinations& to_;
  bool is_result_[graph::capacity]{};
  int buffer_leaf_[graph::max_outputs]{};
  int parameter_leaf_[graph::max_outputs]{};
  bool taken_[graph::capacity]{};
};

constexpr destinations find_destinations(graph::program const& p, grouping const& r, code const& c, liveness const& live, storage_layout const& layout) {
  destinations found{};
  found.live = live;
  destination_finder{p, r, c, found}.run(layout);
  return found;
}

}  // namespace espalier::plan
#pragma GCC diagnostic pop
