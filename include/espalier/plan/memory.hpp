// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "code.hpp"
#include "pack.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Where every value lives: a program's bases (workspace, parameters, arguments, ...) and offsets in them, decided before it runs.
namespace espalier::plan {

/// The pointers a running program is given, by position in its table.
namespace base {
inline constexpr int workspace = 0, parameters = 1, gradients = 2, buffers = 3, magnitudes = 4, key = 5, values = 6, arguments = 7, results = 31, count = 55;
inline constexpr int max_arguments = results - arguments, max_results = count - results;
}

/// An address as a value: element `offset` of base `where`. Labels count in their own elements.
struct location {
  int where;
  std::int64_t offset;
};

/// Offsets of the numbered tensors of a model in their contiguous storage.
struct storage_layout {
  std::int64_t const* parameters;
  std::int64_t const* buffers;
};

/// A gradient or new state that is a leaf, or goes to two places, is copied at the end (results of functions: graph::add_result).
struct final_copy {
  location from, to;
  std::int64_t size;
};

struct memory {
  location of[graph::capacity];
  bool direct[graph::capacity];
  final_copy copies[graph::max_outputs];
  int copy_count;
  std::int64_t workspace;   ///< elements
  std::int64_t peak_live;   ///< elements live at once at most: no plan of this schedule can need less
};

class planner {
 public:
  constexpr planner(graph::program const& p, grouping const& r, code& c, memory& m) : p_{p}, g_{p.nodes}, r_{r}, c_{c}, m_{m} {}

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

  /// After the coder has collected outputs: gives workspace to what is neither a leaf nor a result.
  constexpr void allocate() {
    packer pack{};
    for (int x = 1; x <= r_.group_count; ++x) {
      group_code const& k = c_.groups[x];
      for (int i = 0; i < k.outputs; ++i) {
        int const id = c_.outputs[k.first_output + i];
        if (m_.direct[id]) continue;
        int const last = c_.last_use[id] > x ? c_.last_use[id] : x;
        if (from_[id] != 0) {
          piece_[id] = piece_[from_[id]];
          pack.extend(piece_[id], last);
        } else {
          piece_[id] = pack.add(rounded(r_.size_of[id]), x, last);
        }
      }
    }
    pack.place(r_.group_count);
    for (int x = 1; x <= r_.group_count; ++x) {
      group_code const& k = c_.groups[x];
      for (int i = 0; i < k.outputs; ++i) {
        int const id = c_.outputs[k.first_output + i];
        if (!m_.direct[id]) m_.of[id] = location{base::workspace, pack.offset(piece_[id])};
      }
    }
    m_.workspace = pack.end();
    m_.peak_live = pack.peak();
    settle_copies();
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
    if (r_.group_of[id] != 0 && !m_.direct[id] && !(state && read_elsewhere(o, id))) {
      m_.direct[id] = true;
      m_.of[id] = to;
      c_.late[id] = state;
    } else {
      // Read from wherever the value ends up; a value of the workspace must outlive every group.
      location from = is_leaf(r_.family_of[id]) ? leaf_location(id, layout) : location{-1, id};
      m_.copies[m_.copy_count++] = final_copy{from, to, r_.size_of[id]};
      c_.last_use[id] = r_.group_count + 1;
    }
    c_.stored[id] = true;
  }

  /// A value that ends up where it is wanted, as one that is said to be a buffer's twice, is not copied.
  constexpr void settle_copies() {
    int kept = 0;
    for (int i = 0; i < m_.copy_count; ++i) {
      final_copy copy = m_.copies[i];
      if (copy.from.where < 0) copy.from = m_.of[copy.from.offset];
      if (copy.from.where != copy.to.where || copy.from.offset != copy.to.offset) m_.copies[kept++] = copy;
    }
    m_.copy_count = kept;
  }

  /// Lets results of a fused group take the place of operands that nobody reads later, element for element. They are stored in the last sweep: until
  /// then the operand is read.
  constexpr void reuse(int x) {
    group_code const& k = c_.groups[x];
    for (int id = r_.groups[x].first; id != 0; id = r_.next[id]) {
      if (!c_.stored[id] || m_.direct[id] || r_.place_of[id] != place::full) continue;
      for (int i = 0; i < k.leaves && from_[id] == 0; ++i) {
        int const source = c_.leaves[k.first_leaf + i].node;
        if (source == 0 || !dies_here(x, i) || r_.size_of[source] != r_.size_of[id]) continue;
        from_[id] = source;
        taken_[source] = true;
        c_.late[id] = true;
      }
    }
  }
  /// Is leaf i of group x a value of the workspace that only this group still reads, element by element?
  constexpr bool dies_here(int x, int i) const {
    group_code const& k = c_.groups[x];
    leaf const& wanted = c_.leaves[k.first_leaf + i];
    if (wanted.what != leaf_kind::memory || wanted.where != place::full || taken_[wanted.node]) return false;
    if (r_.group_of[wanted.node] == 0 || m_.direct[wanted.node] || c_.last_use[wanted.node] != x) return false;
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
    if (c_.last_use[state] > r_.group_of[id]) return true;
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
    if (id != 0 && is_leaf(r_.family_of[id]) && r_.group_of[id] == 0) m_.of[id] = leaf_location(id, layout);
  }

  graph::program const& p_;
  program_builder const& g_;
  grouping const& r_;
  code& c_;
  memory& m_;
  bool is_result_[graph::capacity]{};
  int buffer_leaf_[graph::max_outputs]{};
  int parameter_leaf_[graph::max_outputs]{};
  int from_[graph::capacity]{};   ///< by node: the operand whose place it takes, or 0
  bool taken_[graph::capacity]{};
  int piece_[graph::capacity]{};
};

}  // namespace espalier::plan
#pragma GCC diagnostic pop
