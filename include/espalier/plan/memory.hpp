// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "code.hpp"

/// Where every value lives: a program's bases (workspace, parameters, arguments, ...) and offsets in them, decided before it runs.
namespace espalier::plan {

/// The pointers a running program is given, by position in its table.
namespace base {
inline constexpr int workspace = 0, parameters = 1, gradients = 2, buffers = 3, magnitudes = 4, key = 5, arguments = 6, results = 30, count = 54;
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

/// A result that is a leaf, or goes to two places, is copied at the end.
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
  std::int64_t peak_live;   ///< elements live at once at most: no plan can need less
};

inline constexpr int alignment_elements = 16;
constexpr std::int64_t rounded(std::int64_t n) { return (n + alignment_elements - 1) / alignment_elements * alignment_elements; }

/// First fit over a list of gaps, kept in address order and merged when memory comes back.
class arena {
 public:
  constexpr std::int64_t take(std::int64_t size) {
    for (int i = 0; i < count_; ++i) {
      if (length_[i] < size) continue;
      std::int64_t const at = start_[i];
      start_[i] += size;
      length_[i] -= size;
      if (length_[i] == 0) remove(i);
      return at;
    }
    std::int64_t const at = end_;
    end_ += size;
    return at;
  }
  constexpr void give(std::int64_t at, std::int64_t size) {
    int i = count_;
    while (i > 0 && start_[i - 1] > at) --i;
    bool const joins_left = i > 0 && start_[i - 1] + length_[i - 1] == at;
    bool const joins_right = i < count_ && at + size == start_[i];
    if (joins_left && joins_right) {
      length_[i - 1] += size + length_[i];
      remove(i);
    } else if (joins_left) {
      length_[i - 1] += size;
    } else if (joins_right) {
      start_[i] = at;
      length_[i] += size;
    } else {
      for (int k = count_; k > i; --k) {
        start_[k] = start_[k - 1];
        length_[k] = length_[k - 1];
      }
      start_[i] = at;
      length_[i] = size;
      ++count_;
    }
  }
  constexpr std::int64_t end() const { return end_; }

 private:
  constexpr void remove(int i) {
    --count_;
    for (int k = i; k < count_; ++k) {
      start_[k] = start_[k + 1];
      length_[k] = length_[k + 1];
    }
  }
  std::int64_t start_[1024]{};
  std::int64_t length_[1024]{};
  int count_ = 0;
  std::int64_t end_ = 0;
};

class planner {
 public:
  constexpr planner(graph::program const& p, grouping const& r, code& c, memory& m) : p_{p}, g_{p.nodes}, r_{r}, c_{c}, m_{m} {}

  constexpr void run(storage_layout const& layout) {
    for (int id = 1; id <= g_.size; ++id) {
      if (g_[id].op->kind == family::buffer) buffer_leaf_[g_[id].attribute] = id;
      if (g_[id].op->kind == family::parameter) parameter_leaf_[g_[id].attribute] = id;
    }
    for (int i = 0; i < p_.output_count; ++i) is_result_[data_of(g_, p_.outputs[i].id)] = true;
    // Leaves that are results are copied before any state takes its new value.
    for (int i = 0; i < p_.output_count; ++i)
      if (is_state(data_of(g_, p_.outputs[i].id))) place_output(p_.outputs[i], layout);
    for (int i = 0; i < p_.output_count; ++i)
      if (!is_state(data_of(g_, p_.outputs[i].id))) place_output(p_.outputs[i], layout);
    for (int x = 1; x <= r_.group_count; ++x) {
      group_code const& k = c_.groups[x];
      for (int i = 0; i < k.leaves; ++i) place_leaf(c_.leaves[k.first_leaf + i].node, layout);
    }
  }

  /// After the coder has collected outputs: gives workspace to what is neither a leaf nor a result.
  constexpr void allocate() {
    arena a;
    std::int64_t live = 0;
    for (int x = 1; x <= r_.group_count; ++x) {
      group_code const& k = c_.groups[x];
      for (int i = 0; i < k.outputs; ++i) {
        int const id = c_.outputs[k.first_output + i];
        if (m_.direct[id]) continue;
        std::int64_t const size = rounded(g_[id].shape.size());
        m_.of[id] = location{base::workspace, a.take(size)};
        live += size;
        int const last = c_.last_use[id] > x ? c_.last_use[id] : x;
        dead_next_[id] = dead_[last];
        dead_[last] = id;
      }
      if (live > m_.peak_live) m_.peak_live = live;
      for (int id = dead_[x]; id != 0; id = dead_next_[id]) {
        std::int64_t const size = rounded(g_[id].shape.size());
        a.give(m_.of[id].offset, size);
        live -= size;
      }
    }
    m_.workspace = a.end();
    for (int i = 0; i < m_.copy_count; ++i)
      if (m_.copies[i].from.where < 0) m_.copies[i].from = m_.of[m_.copies[i].from.offset];
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
    int const id = data_of(g_, o.id);
    location const to = destination_of(o, layout);
    bool const state = o.where == graph::destination::buffer || o.where == graph::destination::parameter;
    if (r_.group_of[id] != 0 && !m_.direct[id] && !(state && read_elsewhere(o, id))) {
      m_.direct[id] = true;
      m_.of[id] = to;
      c_.late[id] = state;
    } else {
      // Read from wherever the value ends up; a value of the workspace must outlive every group.
      location from = is_leaf(g_[id].op->kind) ? leaf_location(id, layout) : location{-1, id};
      m_.copies[m_.copy_count++] = final_copy{from, to, g_[id].shape.size()};
      c_.last_use[id] = r_.group_count + 1;
    }
    c_.stored[id] = true;
  }

  constexpr bool is_state(int id) const { return g_[id].op->kind == family::parameter || g_[id].op->kind == family::buffer; }

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
      if (l.node == state && l.where != r_.place_of[id]) return true;
    }
    return false;
  }

  constexpr location leaf_location(int id, storage_layout const& layout) const {
    graph::node const& n = g_[id];
    switch (n.op->kind) {
      case family::parameter: return {base::parameters, layout.parameters[n.attribute]};
      case family::buffer: return {base::buffers, layout.buffers[n.attribute]};
      case family::magnitude: return {base::magnitudes, static_cast<std::int64_t>(n.attribute)};
      case family::label: return {base::arguments + static_cast<int>(n.attribute / 2), 0};
      case family::argument: return {base::arguments + static_cast<int>(n.attribute), 0};
      default: return {-1, id};
    }
  }

  constexpr void place_leaf(int id, storage_layout const& layout) {
    if (id != 0 && is_leaf(g_[id].op->kind) && r_.group_of[id] == 0) m_.of[id] = leaf_location(id, layout);
  }

  graph::program const& p_;
  program_builder const& g_;
  grouping const& r_;
  code& c_;
  memory& m_;
  bool is_result_[graph::capacity]{};
  int buffer_leaf_[graph::max_outputs]{};
  int parameter_leaf_[graph::max_outputs]{};
  int dead_[max_groups + 2]{};
  int dead_next_[graph::capacity]{};
};

}  // namespace espalier::plan
