// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "group_builder.hpp"

/// Fusion, first pass: decides which nodes of a program run in one kernel. Groups run in the order of their numbers. A
/// node joins the newest group of its operands or starts a new group. Every operand is therefore computed before or
/// inside the node's group, and no cycle can arise.
namespace espalier::plan {

class grouper : group_builder {
 public:
  constexpr grouper(node_table const& nodes, grouping& groups) : group_builder{nodes, groups} {}

  /// Marks the nodes that the outputs depend on. Conversions and random numbers read only leaves and cannot be fused.
  /// Their groups come first, so that later groups need not wait for them. Only large tensors of 16 bits are converted
  /// where they are read first, so that their copies can share memory.
  constexpr void begin(graph::output const* outputs, int output_count) {
    look_up_needed(nodes_, groups_, outputs, output_count);
    for (int i = 0; i < output_count; ++i)
      groups_.open[groups_.holder_of[outputs[i].id]] = groups_.result[groups_.holder_of[outputs[i].id]] = true;
    for (int id = 1; id <= nodes_.size; ++id) {
      if (!groups_.needed[id]) continue;
      op_family const f = groups_.family_of[id];
      if (!is_leaf(f) && f != op_family::reshape && f != op_family::alias && !graph::is_of_loop(f)) mark_open(id);
      if (f == op_family::convert && converts_early(id)) add_unfused_group(id, kernel_kind::convert);
      if (f == op_family::random) add_unfused_group(id, kernel_kind::random);
    }
    groups_.early = groups_.group_count;
    find_factored();
  }
  /// Groups the nodes first..last. A long program is grouped in pieces, because the compiler limits the steps of each
  /// constant evaluation.
  constexpr void continue_with(int first, int last) {
    for (int id = first; id <= last; ++id) {
      if (!groups_.needed[id]) continue;
      if (groups_.recomputes) find_earliest(id);
      assign_group(id);
      if (earliest_ != 0 && groups_.group_of[id] == 0 && !groups_.deferred[id]) groups_.earliest[id] = earliest_;
    }
  }
  /// Adds groups for outputs that no group computes.
  constexpr void end(graph::output const* outputs, int output_count) {
    for (int i = 0; i < output_count; ++i) {
      int const id = groups_.holder_of[outputs[i].id];
      if (groups_.group_of[id] == 0 &&
          (!is_leaf(groups_.family_of[id]) || groups_.family_of[id] == op_family::constant ||
           groups_.family_of[id] == op_family::column_index))
        materialize(id);
    }
  }

 private:
  /// Adds a group that computes or copies a deferred value, broadcast, constant, move or leaf, so that it is stored in
  /// memory.
  constexpr int materialize(int id) {
    if (groups_.group_of[id] != 0) return id;
    if (groups_.family_of[id] == op_family::move) {
      add_move_group(id);
      return id;
    }
    if (groups_.deferred[id]) {
      inline_deferred(new_group(kernel_kind::fused, groups_.size_of[id], groups_.deferred_rows[id],
                                deferred_columns(id), groups_.deferred_segments[id]),
                      id, extent_class::full);
      return id;
    }
    use const u = is_leaf(groups_.family_of[id]) && groups_.family_of[id] != op_family::column_index
                      ? use{id, extent_class::full, 0, 0}
                      : readable(id, groups_.size_of[id]);
    if (groups_.deferred[u.source]) materialize(u.source);
    int const x = new_group(kernel_kind::fused, groups_.size_of[id], u.rows, u.columns, u.segments);
    add_member(x, id, extent_class::full);
    return id;
  }

  /// How a node without a group reads an operand. An operand that cannot be read in place is materialized first.
  constexpr use readable(int operand, std::int64_t size) {
    int const id = groups_.holder_of[operand];
    if (groups_.family_of[id] == op_family::move) materialize(id);
    if (groups_.family_of[id] == op_family::broadcast && groups_.group_of[id] == 0) {
      int const source = groups_.holder_of[nodes_.nodes[id].operand[0]];
      if (op_family const f = groups_.family_of[source];
          f == op_family::broadcast || f == op_family::column_index || f == op_family::move)
        materialize(source);
    }
    return use_of(operand, size);
  }
  constexpr use use_of(int operand, std::int64_t size) const {
    return operand_uses{nodes_, groups_}.of(operand, size, operand_uses::no_group);
  }

  constexpr void mark_open(int id) {
    graph::node const& n = nodes_.nodes[id];
    bool const elementwise = groups_.family_of[id] == op_family::elementwise;
    for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
      int const source = groups_.holder_of[n.operand[k]];
      if (!elementwise || groups_.size_of[source] != groups_.size_of[id]) groups_.open[source] = true;
    }
  }

  constexpr bool is_window_sum(int id) const { return groups_.factored[find_window_sum(nodes_, id).product]; }
  /// Values that loops or other nodes read, according to allows(reader, value), are stored. It precedes its callers:
  /// clang evaluates no template of a class that it has not parsed yet.
  template <class Allows>
  constexpr void keep_factored(Allows allows) {
    for (int id = 1; id <= nodes_.size; ++id) {
      if (!groups_.needed[id]) continue;
      graph::node const& n = nodes_.nodes[id];
      if (graph::is_loop(n)) for_each_captured(nodes_, groups_, id, [&](int x) { groups_.factored[x] = false; });
      int const read = groups_.family_of[id] == op_family::alias ? 1 : 4;  // the others belong to its pullback
      for (int k = 0; k < read; ++k) {
        int const source = n.operand[k] == 0 ? 0 : groups_.holder_of[n.operand[k]];
        if (groups_.factored[source] && !allows(id, source)) groups_.factored[source] = false;
      }
    }
  }
  /// Windows times a factor need no memory if all their readers are sums that compute them. Neither does the factor,
  /// repeated for all taps, if nothing else reads it.
  constexpr void find_factored() {
    bool any = false;
    for (int id = 1; id <= nodes_.size; ++id) {
      if (!groups_.needed[id] || groups_.family_of[id] != op_family::reduction) continue;
      int const product = find_window_sum(nodes_, id).product;
      if (product != 0 && !groups_.result[product]) any = groups_.factored[product] = true;
    }
    if (!any) return;
    keep_factored([&](int reader, int source) { return find_window_sum(nodes_, reader).product == source; });
    for (int id = 1; id <= nodes_.size; ++id) {
      if (!groups_.needed[id] || groups_.family_of[id] != op_family::reduction || !is_window_sum(id)) continue;
      int const repeated = find_window_sum(nodes_, id).repeated;
      groups_.factored[repeated] = !groups_.result[repeated];
    }
    keep_factored([&](int reader, int source) {
      bool const computes = groups_.factored[reader] && groups_.family_of[reader] == op_family::elementwise;
      return computes || groups_.family_of[source] != op_family::broadcast;
    });
  }

  static constexpr std::int64_t most_converted_early = 4096;
  constexpr bool converts_early(int id) const {
    return groups_.size_of[id] <= most_converted_early || !graph::is_narrow(nodes_.nodes[nodes_.nodes[id].operand[0]]);
  }

  /// What the backward pass recomputes must not run in the forward pass, or its values would live until then. A reader
  /// of a recompute_from node, directly or through nodes without a group, therefore runs behind all groups that exist
  /// at that node. Nodes that read such a reader follow it. Deferred values read only leaves, and keep nothing.
  constexpr void find_earliest(int id) {
    graph::node const& n = nodes_.nodes[id];
    earliest_ = 0;
    if (n.op->block == graph::of_block::source) {
      earliest_ = groups_.group_count + 1;
      return;
    }
    for (int const x : n.operand)
      if (earliest_ < groups_.earliest[x]) earliest_ = groups_.earliest[x];
  }

  /// The kernel of a family whose nodes are always groups of their own; `fused` for all others.
  static constexpr kernel_kind own_kernel_of(op_family f) {
    switch (f) {
      case op_family::contraction:
        return kernel_kind::contraction;
      case op_family::winograd:
        return kernel_kind::winograd_kernels;
      case op_family::permute:
        return kernel_kind::permute;
      case op_family::scatter_add:
        return kernel_kind::scatter_add;
      case op_family::concatenate:
        return kernel_kind::concatenate;
      case op_family::pack:
        return kernel_kind::pack;
      case op_family::part:
        return kernel_kind::part;
      case op_family::index_gather:
        return kernel_kind::index_gather;
      case op_family::index_scatter_add:
        return kernel_kind::index_scatter_add;
      case op_family::index_copy:
        return kernel_kind::index_copy;
      case op_family::exchange:
        return kernel_kind::exchange;
      default:
        return kernel_kind::fused;
    }
  }

  constexpr void assign_group(int id) {
    graph::node const& n = nodes_.nodes[id];
    switch (groups_.family_of[id]) {
      case op_family::elementwise:
        if (!groups_.factored[id]) group_elementwise(id);
        break;
      case op_family::reduction:
        if (is_window_sum(id)) add_window_sum_group(id);
        else if (pattern_of(n) == pattern::middle) add_unfused_group(id, kernel_kind::strided_reduction);
        else group_reduction(id);
        break;
      case op_family::convert:
        if (groups_.group_of[id] == 0) add_unfused_group(id, kernel_kind::convert);
        break;
      case op_family::move:
        if (!is_window(nodes_, id)) add_move_group(id);
        break;
      case op_family::broadcast:
        if (pattern_of(n) == pattern::middle && !groups_.factored[id])
          add_unfused_group(id, kernel_kind::strided_broadcast);
        break;
      case op_family::loop_carry:
        add_loop_group(id);
        break;
      case op_family::loop_final:
      case op_family::loop_stack:
        add_member(groups_.group_of[n.operand[0]], id, extent_class::full);
        break;
      default:
        if (kernel_kind const kind = own_kernel_of(groups_.family_of[id]); kind != kernel_kind::fused)
          add_unfused_group(id, kind);
    }
  }

  /// A move that is a run of its operand is read where it lies: nothing is copied. The operand stays in memory as long
  /// as the part is read. So a small part of a computed value is copied nevertheless.
  constexpr void add_move_group(int id) {
    constexpr int most_kept = 8;
    int const source = nodes_.nodes[id].operand[0];
    std::int64_t const offset = groups_.result[id] ? -1 : offset_in_operand(nodes_, id);
    bool const is_part = offset >= 0 && offset % aligned_elements == 0 &&
                         (is_leaf(groups_.family_of[groups_.holder_of[source]]) ||
                          groups_.size_of[id] * most_kept >= groups_.size_of[source]);
    add_unfused_group(id, is_part ? kernel_kind::part : kernel_kind::move);
  }
  constexpr void add_unfused_group(int id, kernel_kind kind) {
    bool const windowed =
        (kind == kernel_kind::contraction || kind == kernel_kind::strided_reduction) && reads_windows(nodes_, id);
    if (kind != kernel_kind::random && kind != kernel_kind::convert) {
      for (int k = 0; k < 3; ++k) {
        if (nodes_.nodes[id].operand[k] == 0) continue;
        int source = groups_.holder_of[nodes_.nodes[id].operand[k]];
        if (windowed && k == 0) source = groups_.holder_of[nodes_.nodes[source].operand[0]];
        store_operand(source);
      }
    }
    int const x = new_group(kind, groups_.size_of[id], 0, 0);
    groups_.groups[x].windowed = windowed;
    add_member(x, id, extent_class::full);
  }
  /// Stores what an unfused group reads, if nothing has stored it yet.
  constexpr void store_operand(int source) {
    op_family const f = groups_.family_of[source];
    if (f == op_family::move || f == op_family::broadcast || f == op_family::constant || f == op_family::column_index ||
        groups_.deferred[source])
      materialize(source);
  }
  constexpr void add_window_sum_group(int id) {
    window_sum const sum = find_window_sum(nodes_, id);
    store_operand(groups_.holder_of[nodes_.nodes[sum.window].operand[0]]);
    store_operand(groups_.holder_of[sum.factor]);
    int const x = new_group(kernel_kind::window_sum, groups_.size_of[id], 0, 0);
    groups_.groups[x].windowed = true;
    add_member(x, id, extent_class::full);
  }

  /// A loop, and its results as further members. It reads everything from memory.
  constexpr void add_loop_group(int id) {
    for_each_captured(nodes_, groups_, id, [&](int x) { store_operand(x); });
    add_member(new_group(kernel_kind::loop, groups_.size_of[id], 0, 0), id, extent_class::full);
  }

  constexpr void group_elementwise(int id) {
    graph::node const& n = nodes_.nodes[id];
    std::int64_t const size = groups_.size_of[id];
    int const arity = n.op->arity;
    use u[3]{};
    int newest = 0;
    for (int k = 0; k < arity; ++k) {
      u[k] = readable(n.operand[k], size);
      int const x = groups_.group_of[u[k].source];
      if (x > newest) newest = x;
    }
    if (newest <= groups_.early && try_defer(id, u, arity)) return;
    if (newest > groups_.early) {
      // A deferred operand may depend on a node that has since been assigned a group: take the newest such group.
      ++stamp_;
      for (int k = 0; k < arity; ++k)
        if (groups_.deferred[u[k].source]) newest = newest_behind(u[k].source, newest);
    }
    if (newest < earliest_) newest = groups_.early;
    extent_class extent = extent_class::none;
    int const inlined = deferred_instructions_of(u, arity);
    if (newest > groups_.early && follows_product(newest, u, arity, size, inlined)) {
      extent = extent_class::full;
    } else if (newest <= groups_.early || groups_.groups[newest].count + inlined >= max_instructions ||
               !joins(newest, u, arity, size, extent)) {
      newest = group_for(id, u, arity, size);
      extent = extent_class::full;
    }
    for (int k = 0; k < arity; ++k)
      if (groups_.deferred[u[k].source])
        inline_deferred(newest, u[k].source, u[k].extent == extent_class::full ? extent : u[k].extent);
    add_member(newest, id, extent);
  }

  /// Adds a group for an elementwise node. Operands that require different splits of its elements are materialized
  /// first.
  constexpr int group_for(int id, use* u, int count, std::int64_t size) {
    int rows = 0, columns = 0, segments = 1;
    bool of_rows = false, of_columns = false;
    for (int k = 0; k < count;) {
      bool const deferred = groups_.deferred[u[k].source];
      bool const split = deferred && u[k].extent == extent_class::full && groups_.deferred_rows[u[k].source] != 0;
      int const r = split ? groups_.deferred_rows[u[k].source] : u[k].rows,
                c = split ? deferred_columns(u[k].source) : u[k].columns;
      int const s = split ? groups_.deferred_segments[u[k].source] : u[k].segments;
      bool clash = r != 0 && rows != 0 && (rows != r || columns != c || segments != s);
      if (deferred && u[k].extent != extent_class::full) {
        clash = clash || u[k].extent == extent_class::single || groups_.deferred_rows[u[k].source] != 0 ||
                (u[k].extent == extent_class::row ? of_columns : of_rows);
        of_rows = of_rows || (!clash && u[k].extent == extent_class::row);
        of_columns = of_columns || (!clash && u[k].extent == extent_class::column);
      }
      if (clash) {  // repeat: the materialized operand may still require a split
        materialize(deferred ? u[k].source : groups_.holder_of[nodes_.nodes[id].operand[k]]);
        u[k] = readable(nodes_.nodes[id].operand[k], size);
        continue;
      }
      if (r != 0) {
        rows = r;
        columns = c;
        segments = s;
      }
      ++k;
    }
    int const x = new_group(kernel_kind::fused, size, rows, columns, segments);
    if (of_rows) groups_.groups[x].order = loop_order::rows;
    if (of_columns) groups_.groups[x].order = loop_order::columns;
    return x;
  }

  /// Marks an elementwise node of leaves as deferred. Fails if its operands require different splits or it needs too
  /// many instructions.
  constexpr bool try_defer(int id, use const* u, int count) {
    int rows = 0, columns = 0, segments = 1;
    for (int k = 0; k < count; ++k) {
      int r = u[k].rows, c = u[k].columns, s = u[k].segments;
      if (groups_.deferred[u[k].source]) {
        if (u[k].extent != extent_class::full) return false;
        r = groups_.deferred_rows[u[k].source];
        c = deferred_columns(u[k].source);
        s = groups_.deferred_segments[u[k].source];
      }
      if (r == 0) continue;
      if (rows != 0 && (rows != r || columns != c || segments != s)) return false;
      rows = r;
      columns = c;
      segments = s;
    }
    if (1 + deferred_instructions_of(u, count) > max_deferred_instructions) return false;
    groups_.deferred[id] = true;
    groups_.deferred_rows[id] = rows;
    groups_.deferred_segments[id] = segments;
    return true;
  }
  /// The newest group that a deferred value reads from, directly or through other deferred values; at least x.
  constexpr int newest_behind(int id, int x) {
    if (seen_[id] == stamp_) return x;
    seen_[id] = stamp_;
    graph::node const& n = nodes_.nodes[id];
    for (int k = 0; k < n.op->arity; ++k) {
      int const source = use_of(n.operand[k], groups_.size_of[id]).source;
      if (groups_.deferred[source]) x = newest_behind(source, x);
      else if (groups_.group_of[source] > x) x = groups_.group_of[source];
    }
    return x;
  }
  /// Can an elementwise node with these uses run in the epilogue of matrix product x? Not if the value that it is
  /// applied to is open: another sweep reads that value and can compute the node at no extra cost.
  constexpr bool follows_product(int x, use const* u, int count, std::int64_t size, int inlined) {
    group& to = groups_.groups[x];
    if (to.kind != kernel_kind::contraction || to.count + inlined >= max_epilogue || size != to.size) return false;
    // Sums over windows of all images are complete after the last image.
    if (to.windowed && transposes_of(nodes_.nodes[to.first]).a) return false;
    extents const& result = nodes_.nodes[to.first].shape;
    int const columns = result.at[result.rank - 1], rows = static_cast<int>(size / columns);
    for (int k = 0; k < count; ++k) {
      bool const inside = groups_.group_of[u[k].source] == x, deferred = groups_.deferred[u[k].source];
      if (u[k].extent == extent_class::full ? deferred && groups_.deferred_rows[u[k].source] != 0 : inside || deferred)
        return false;
      if (inside && groups_.open[u[k].source]) return false;
      if (u[k].rows != 0 && (u[k].rows != rows || u[k].columns != columns || u[k].segments != 1)) return false;
    }
    to.rows = rows;
    to.columns = columns;
    return true;
  }

  /// Can an elementwise node with these uses run inside group x? If so, sets its extent class and updates the group's
  /// loop order and split.
  constexpr bool joins(int x, use const* u, int count, std::int64_t size, extent_class& extent) {
    group& to = groups_.groups[x];
    if (to.kind != kernel_kind::fused || to.count >= max_instructions) return false;
    extent_class p = extent_class::none;
    for (int k = 0; k < count; ++k) {
      if (u[k].extent != extent_class::full || groups_.group_of[u[k].source] != x) continue;
      extent_class const q = groups_.extent_of[u[k].source];
      if (p != extent_class::none && p != q) return false;
      p = q;
    }
    if (p == extent_class::none) {
      if (size != to.size) return false;
      p = extent_class::full;
    }
    loop_order order = to.order;
    int rows = to.rows, columns = to.columns, segments = to.segments;
    for (int k = 0; k < count; ++k) {
      bool const inside = groups_.group_of[u[k].source] == x, deferred = groups_.deferred[u[k].source];
      extent_class const w = u[k].extent;
      int r = u[k].rows, c = u[k].columns, s = u[k].segments;
      if (deferred && groups_.deferred_rows[u[k].source] != 0) {
        if (w != extent_class::full || p != extent_class::full) return false;
        r = groups_.deferred_rows[u[k].source];
        c = deferred_columns(u[k].source);
        s = groups_.deferred_segments[u[k].source];
      } else if (w == extent_class::full) {
        continue;
      }
      if (w == extent_class::single) {
        if (deferred || (inside && !(p == extent_class::full && to.rows == 1 &&
                                     groups_.extent_of[u[k].source] == extent_class::row)))
          return false;
        if (inside) order = loop_order::rows;
        continue;
      }
      if (p != extent_class::full) return false;
      if (rows == 0) {
        rows = r;
        columns = c;
        segments = s;
      } else if (rows != r || columns != c || segments != s) {
        return false;
      }
      if ((!inside && !deferred) || w == extent_class::full) continue;
      if (inside && groups_.extent_of[u[k].source] != w) return false;
      loop_order const required = w == extent_class::row ? loop_order::rows : loop_order::columns;
      if (order != loop_order::any && order != required) return false;
      if (required == loop_order::columns && to.reduces_rows) return false;
      order = required;
    }
    to.order = order;
    to.rows = rows;
    to.columns = columns;
    to.segments = segments;
    extent = p;
    return true;
  }

  constexpr void group_reduction(int id) {
    graph::node const& n = nodes_.nodes[id];
    std::int64_t const size = groups_.size_of[n.operand[0]];
    int const own = static_cast<int>(groups_.size_of[id]), others = static_cast<int>(size / own);
    use u = readable(n.operand[0], size);
    if (groups_.deferred[u.source]) materialize(u.source);
    if (u.extent != extent_class::full) u = use{materialize(groups_.holder_of[n.operand[0]]), extent_class::full, 0, 0};
    pattern const p = pattern_of(n);
    int const rows = p == pattern::column ? others : own, columns = p == pattern::column ? own : others;
    int const segments = p == pattern::segments ? segments_between(n.shape, nodes_.nodes[n.operand[0]].shape) : 1;
    int x = groups_.group_of[u.source];
    extent_class extent = x > groups_.early && x >= earliest_
                              ? reduction_extent(x, u.source, p, rows, columns, segments)
                              : extent_class::none;
    if (extent == extent_class::none) {
      x = new_group(kernel_kind::fused, size, rows, columns, segments);
      extent = p == pattern::column ? extent_class::column : extent_class::row;
    }
    group& to = groups_.groups[x];
    to.reduces_rows = to.reduces_rows || extent == extent_class::row;
    to.reduces_columns = to.reduces_columns || extent == extent_class::column;
    add_member(x, id, extent);
  }

  /// The extent class of a reduction inside group x, or none if it cannot run there. Sets the group's split.
  constexpr extent_class reduction_extent(int x, int source, pattern p, int rows, int columns, int segments) {
    group& to = groups_.groups[x];
    if (to.kind != kernel_kind::fused || to.count >= max_instructions) return extent_class::none;
    extent_class const from = groups_.extent_of[source];
    if (p == pattern::everything) {
      if (to.segments > 1) return extent_class::none;
      if (from == extent_class::row && to.order != loop_order::columns) return extent_class::single;
      if (from == extent_class::column && to.order == loop_order::columns) return extent_class::single;
      if (from != extent_class::full) return extent_class::none;
      if (to.rows > 1) return extent_class::single;
    } else if (from != extent_class::full) {
      return extent_class::none;
    }
    if (to.rows != 0 && (to.rows != rows || to.columns != columns || to.segments != segments))
      return extent_class::none;
    if (p != pattern::column && to.order == loop_order::columns) return extent_class::none;
    to.rows = rows;
    to.columns = columns;
    to.segments = segments;
    return p == pattern::column ? extent_class::column : extent_class::row;
  }
};

/// The number of nodes that are grouped in one constant evaluation. The compiler limits the steps of each evaluation.
inline constexpr int nodes_per_evaluation = 1024;

constexpr grouping begin_grouping(graph::program const& p) {
  grouping r{};
  grouper{p.nodes, r}.begin(p.outputs, p.output_count);
  return r;
}
/// The groups after `count` more nodes of the program, from number `first` on.
constexpr grouping group_piece(graph::program const& p, grouping const& before, int first, int count) {
  grouping r = before;
  int const last = first + count - 1;
  grouper{p.nodes, r}.continue_with(first, last < p.nodes.size ? last : p.nodes.size);
  return r;
}
constexpr grouping end_grouping(graph::program const& p, grouping const& before) {
  grouping r = before;
  grouper{p.nodes, r}.end(p.outputs, p.output_count);
  return r;
}
/// The groups of a whole program, in one evaluation.
constexpr grouping group_nodes(graph::program const& p) {
  return end_grouping(p, group_piece(p, begin_grouping(p), 1, p.nodes.size));
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
