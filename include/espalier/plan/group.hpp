// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "group_builder.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Fusion: which nodes of a program run in one kernel. Groups run in the order of their numbers; a node joins the newest group among its operands' or
/// starts a new one, so every operand is computed before or inside the node's group and no cycle can arise.
namespace espalier::plan {

class grouper : group_builder {
 public:
  constexpr grouper(program_builder const& g, grouping& r) : group_builder{g, r} {}

  /// Marks what the outputs need, and groups what needs nothing but leaves and cannot be fused: it runs first, so that later groups need not wait.
  constexpr void begin(graph::output const* outputs, int output_count) {
    look_up_needed(g_, r_, outputs, output_count);
    for (int i = 0; i < output_count; ++i) r_.open[r_.holder_of[outputs[i].id]] = true;
    for (int id = 1; id <= g_.size; ++id) {
      if (!r_.needed[id]) continue;
      family const f = r_.family_of[id];
      if (!is_leaf(f) && f != family::reshape && f != family::alias) mark_open(id);
      if (f == family::convert) place_alone(id, kind::convert);
      if (f == family::draw) place_alone(id, kind::draw);
    }
    r_.early = r_.group_count;
  }
  /// Groups the nodes first..last. A long program is grouped in pieces, each with the compiler's whole budget of steps.
  constexpr void continue_with(int first, int last) {
    for (int id = first; id <= last; ++id)
      if (r_.needed[id]) place_node(id);
  }
  /// Gives memory to outputs that are nobody's result.
  constexpr void end(graph::output const* outputs, int output_count) {
    for (int i = 0; i < output_count; ++i) {
      int const id = r_.holder_of[outputs[i].id];
      if (r_.group_of[id] == 0 && (!is_leaf(r_.family_of[id]) || r_.family_of[id] == family::constant || r_.family_of[id] == family::column_index)) materialize(id);
    }
  }

  /// Gives a floating value, broadcast, constant or leaf memory of its own, by a group that computes or copies it.
  constexpr int materialize(int id) {
    if (r_.group_of[id] != 0) return id;
    if (r_.family_of[id] == family::move) {
      place_alone(id, kind::move);
      return id;
    }
    if (r_.floating[id]) {
      pull(new_group(kind::fused, r_.size_of[id], r_.float_rows[id], float_columns(id), r_.float_segments[id]), id, place::full);
      return id;
    }
    use const u = is_leaf(r_.family_of[id]) && r_.family_of[id] != family::column_index ? use{id, place::full, 0, 0} : readable(id, r_.size_of[id]);
    if (r_.floating[u.source]) materialize(u.source);
    int const x = new_group(kind::fused, r_.size_of[id], u.rows, u.columns, u.segments);
    add_member(x, id, place::full);
    return id;
  }

 private:
  /// How a node that has no group yet reads an operand. What cannot be read where it is gets memory first.
  constexpr use readable(int operand, std::int64_t size) {
    int const id = r_.holder_of[operand];
    if (r_.family_of[id] == family::move) materialize(id);
    if (r_.family_of[id] == family::broadcast && r_.group_of[id] == 0) {
      int const source = r_.holder_of[g_.nodes[id].operand[0]];
      if (family const f = r_.family_of[source]; f == family::broadcast || f == family::column_index || f == family::move) materialize(source);
    }
    return use_of(operand, size);
  }
  constexpr use use_of(int operand, std::int64_t size) const { return operand_uses{g_, r_}.of(operand, size, operand_uses::no_group); }

  constexpr void mark_open(int id) {
    graph::node const& n = g_.nodes[id];
    bool const elementwise = r_.family_of[id] == family::elementwise;
    for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
      int const source = r_.holder_of[n.operand[k]];
      if (!elementwise || r_.size_of[source] != r_.size_of[id]) r_.open[source] = true;
    }
  }

  constexpr void place_node(int id) {
    graph::node const& n = g_.nodes[id];
    switch (r_.family_of[id]) {
      case family::elementwise: place_elementwise(id); break;
      case family::reduction:
        if (static_cast<pattern>(n.attribute) == pattern::middle) place_alone(id, kind::gather);
        else place_reduction(id);
        break;
      case family::contraction: place_alone(id, kind::contraction); break;
      case family::permute: place_alone(id, kind::permute); break;
      case family::move:
        if (!is_window(g_, id)) place_alone(id, kind::move);
        break;
      case family::fold: place_alone(id, kind::fold); break;
      case family::join: place_alone(id, kind::join); break;
      case family::broadcast:
        if (static_cast<pattern>(n.attribute) == pattern::middle) place_alone(id, kind::spread);
        break;
      default: break;
    }
  }

  constexpr void place_alone(int id, kind what) {
    bool const windowed = (what == kind::contraction || what == kind::gather) && reads_windows(g_, id);
    if (what != kind::draw && what != kind::convert) {
      for (int k = 0; k < 2; ++k) {
        if (g_.nodes[id].operand[k] == 0) continue;
        int source = r_.holder_of[g_.nodes[id].operand[k]];
        if (windowed && k == 0) source = r_.holder_of[g_.nodes[source].operand[0]];
        family const f = r_.family_of[source];
        if (f == family::move || f == family::broadcast || f == family::constant || f == family::column_index || r_.floating[source]) materialize(source);
      }
    }
    int const x = new_group(what, r_.size_of[id], 0, 0);
    r_.groups[x].windowed = windowed;
    add_member(x, id, place::full);
  }

  constexpr void place_elementwise(int id) {
    graph::node const& n = g_.nodes[id];
    std::int64_t const size = r_.size_of[id];
    int const arity = n.op->arity;
    use u[3]{};
    int newest = 0;
    for (int k = 0; k < arity; ++k) {
      u[k] = readable(n.operand[k], size);
      int const x = r_.group_of[u[k].source];
      if (x > newest) newest = x;
    }
    if (newest <= r_.early && floats(id, u, arity)) return;
    if (newest > r_.early) {
      // A floating operand may read what has got a group of its own since: it joins the newest of those.
      ++stamp_;
      for (int k = 0; k < arity; ++k)
        if (r_.floating[u[k].source]) newest = newest_behind(u[k].source, newest);
    }
    place where = place::none;
    int const pulled = steps_behind(u, arity);
    if (newest > r_.early && follows_product(newest, u, arity, size, pulled)) {
      where = place::full;
    } else if (newest <= r_.early || r_.groups[newest].count + pulled >= max_steps || !joins(newest, u, arity, size, where)) {
      newest = group_for(id, u, arity, size);
      where = place::full;
    }
    for (int k = 0; k < arity; ++k)
      if (r_.floating[u[k].source]) pull(newest, u[k].source, u[k].where == place::full ? where : u[k].where);
    add_member(newest, id, where);
  }

  /// A new group for an elementwise node. Operands that no one split of its elements can serve get memory first.
  constexpr int group_for(int id, use* u, int count, std::int64_t size) {
    int rows = 0, columns = 0, segments = 1;
    bool of_rows = false, of_columns = false;
    for (int k = 0; k < count;) {
      bool const floating = r_.floating[u[k].source];
      bool const split = floating && u[k].where == place::full && r_.float_rows[u[k].source] != 0;
      int const r = split ? r_.float_rows[u[k].source] : u[k].rows, c = split ? float_columns(u[k].source) : u[k].columns;
      int const s = split ? r_.float_segments[u[k].source] : u[k].segments;
      bool clash = r != 0 && rows != 0 && (rows != r || columns != c || segments != s);
      if (floating && u[k].where != place::full) {
        clash = clash || u[k].where == place::single || r_.float_rows[u[k].source] != 0 || (u[k].where == place::row ? of_columns : of_rows);
        of_rows = of_rows || (!clash && u[k].where == place::row);
        of_columns = of_columns || (!clash && u[k].where == place::column);
      }
      if (clash) {  // look again: what has memory now may still ask for a split
        materialize(floating ? u[k].source : r_.holder_of[g_.nodes[id].operand[k]]);
        u[k] = readable(g_.nodes[id].operand[k], size);
        continue;
      }
      if (r != 0) {
        rows = r;
        columns = c;
        segments = s;
      }
      ++k;
    }
    int const x = new_group(kind::fused, size, rows, columns, segments);
    if (of_rows) r_.groups[x].how = order::rows;
    if (of_columns) r_.groups[x].how = order::columns;
    return x;
  }

  /// Marks an elementwise node of leaves as floating, unless its operands ask for different splits.
  constexpr bool floats(int id, use const* u, int count) {
    int rows = 0, columns = 0, segments = 1;
    for (int k = 0; k < count; ++k) {
      int r = u[k].rows, c = u[k].columns, s = u[k].segments;
      if (r_.floating[u[k].source]) {
        if (u[k].where != place::full) return false;
        r = r_.float_rows[u[k].source];
        c = float_columns(u[k].source);
        s = r_.float_segments[u[k].source];
      }
      if (r == 0) continue;
      if (rows != 0 && (rows != r || columns != c || segments != s)) return false;
      rows = r;
      columns = c;
      segments = s;
    }
    if (1 + steps_behind(u, count) > most_floating) return false;
    r_.floating[id] = true;
    r_.float_rows[id] = rows;
    r_.float_segments[id] = segments;
    return true;
  }
  /// The newest group that a floating value reads from, directly or through others that float; at least x.
  constexpr int newest_behind(int id, int x) {
    if (seen_[id] == stamp_) return x;
    seen_[id] = stamp_;
    graph::node const& n = g_.nodes[id];
    for (int k = 0; k < n.op->arity; ++k) {
      int const source = use_of(n.operand[k], r_.size_of[id]).source;
      if (r_.floating[source]) x = newest_behind(source, x);
      else if (r_.group_of[source] > x) x = r_.group_of[source];
    }
    return x;
  }
  /// Can an elementwise node with these uses be applied to the result of a matrix product, group x, where it is made? Not where others need what it is
  /// applied to: a sweep that reads that can compute the node for nothing.
  constexpr bool follows_product(int x, use const* u, int count, std::int64_t size, int pulled) {
    group& to = r_.groups[x];
    if (to.what != kind::contraction || to.windowed || to.count + pulled >= max_epilogue || size != to.size) return false;
    extents const& result = g_.nodes[to.first].shape;
    int const columns = result.at[result.rank - 1], rows = static_cast<int>(size / columns);
    for (int k = 0; k < count; ++k) {
      bool const inside = r_.group_of[u[k].source] == x, floating = r_.floating[u[k].source];
      if (u[k].where == place::full ? floating && r_.float_rows[u[k].source] != 0 : inside || floating) return false;
      if (inside && r_.open[u[k].source]) return false;
      if (u[k].rows != 0 && (u[k].rows != rows || u[k].columns != columns || u[k].segments != 1)) return false;
    }
    to.rows = rows;
    to.columns = columns;
    return true;
  }

  /// Can an elementwise node with these uses run inside group x? Sets its place and what the group learns from it.
  constexpr bool joins(int x, use const* u, int count, std::int64_t size, place& where) {
    group& to = r_.groups[x];
    if (to.what != kind::fused || to.count >= max_steps) return false;
    place p = place::none;
    for (int k = 0; k < count; ++k) {
      if (u[k].where != place::full || r_.group_of[u[k].source] != x) continue;
      place const q = r_.place_of[u[k].source];
      if (p != place::none && p != q) return false;
      p = q;
    }
    if (p == place::none) {
      if (size != to.size) return false;
      p = place::full;
    }
    order how = to.how;
    int rows = to.rows, columns = to.columns, segments = to.segments;
    for (int k = 0; k < count; ++k) {
      bool const inside = r_.group_of[u[k].source] == x, floating = r_.floating[u[k].source];
      place const w = u[k].where;
      int r = u[k].rows, c = u[k].columns, s = u[k].segments;
      if (floating && r_.float_rows[u[k].source] != 0) {
        if (w != place::full || p != place::full) return false;
        r = r_.float_rows[u[k].source];
        c = float_columns(u[k].source);
        s = r_.float_segments[u[k].source];
      } else if (w == place::full) {
        continue;
      }
      if (w == place::single) {
        if (floating || (inside && !(p == place::full && to.rows == 1 && r_.place_of[u[k].source] == place::row))) return false;
        if (inside) how = order::rows;
        continue;
      }
      if (p != place::full) return false;
      if (rows == 0) {
        rows = r;
        columns = c;
        segments = s;
      } else if (rows != r || columns != c || segments != s) {
        return false;
      }
      if ((!inside && !floating) || w == place::full) continue;
      if (inside && r_.place_of[u[k].source] != w) return false;
      order const wanted = w == place::row ? order::rows : order::columns;
      if (how != order::any && how != wanted) return false;
      if (wanted == order::columns && to.reduces_rows) return false;
      how = wanted;
    }
    to.how = how;
    to.rows = rows;
    to.columns = columns;
    to.segments = segments;
    where = p;
    return true;
  }

  constexpr void place_reduction(int id) {
    graph::node const& n = g_.nodes[id];
    std::int64_t const size = r_.size_of[n.operand[0]];
    int const own = static_cast<int>(r_.size_of[id]), others = static_cast<int>(size / own);
    use u = readable(n.operand[0], size);
    if (r_.floating[u.source]) materialize(u.source);
    if (u.where != place::full) u = use{materialize(r_.holder_of[n.operand[0]]), place::full, 0, 0};
    pattern const p = static_cast<pattern>(n.attribute);
    int const rows = p == pattern::column ? others : own, columns = p == pattern::column ? own : others;
    int const segments = p == pattern::segments ? segments_between(n.shape, g_.nodes[n.operand[0]].shape) : 1;
    int x = r_.group_of[u.source];
    place where = x > r_.early ? reduction_place(x, u.source, p, rows, columns, segments) : place::none;
    if (where == place::none) {
      x = new_group(kind::fused, size, rows, columns, segments);
      where = p == pattern::column ? place::column : place::row;
    }
    group& to = r_.groups[x];
    to.reduces_rows = to.reduces_rows || where == place::row;
    to.reduces_columns = to.reduces_columns || where == place::column;
    add_member(x, id, where);
  }

  /// The place of a reduction inside group x, or none where it cannot run there.
  constexpr place reduction_place(int x, int source, pattern p, int rows, int columns, int segments) {
    group& to = r_.groups[x];
    if (to.what != kind::fused || to.count >= max_steps) return place::none;
    place const from = r_.place_of[source];
    if (p == pattern::everything) {
      if (to.segments > 1) return place::none;
      if (from == place::row && to.how != order::columns) return place::single;
      if (from == place::column && to.how == order::columns) return place::single;
      if (from != place::full) return place::none;
      if (to.rows > 1) return place::single;
    } else if (from != place::full) {
      return place::none;
    }
    if (to.rows != 0 && (to.rows != rows || to.columns != columns || to.segments != segments)) return place::none;
    if (p != pattern::column && to.how == order::columns) return place::none;
    to.rows = rows;
    to.columns = columns;
    to.segments = segments;
    return p == pattern::column ? place::column : place::row;
  }
};

/// Nodes that are grouped in one evaluation. A long program is grouped in pieces, each with the compiler's whole budget of steps.
inline constexpr int piece = 1024;

constexpr grouping begin_grouping(graph::program const& p) {
  grouping r{};
  grouper{p.nodes, r}.begin(p.outputs, p.output_count);
  return r;
}
/// The groups with `count` more nodes of the program, those from number `first` on.
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
#pragma GCC diagnostic pop
