// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "concatenate.hpp"
#include "indexing.hpp"
#include "pack.hpp"
#include "stream_facts.hpp"
#include "where.hpp"

namespace espalier::operation {

/// The values of the program over a block, behind values of earlier blocks where an op reads them.
class stream_values {
 protected:
  using time = time_axis_of;

  constexpr stream_values(node_table const& from, node_table& g, stream_facts& facts, int block, int context)
      : from_{from},
        g_{g},
        facts_{facts},
        block_{block},
        context_{context},
        time_{new time_axis_of[static_cast<std::size_t>(from_.size) + 1]{}},
        value_{new int[static_cast<std::size_t>(from_.size) + 1]{}},
        undelayed_{new int[static_cast<std::size_t>(from_.size) + 1]{}} {
    graph::copy_values(from_, g_);
    g_.loop_count = from_.loop_count;
  }
  constexpr ~stream_values() {
    delete[] time_;
    delete[] value_;
    delete[] undelayed_;
  }
  stream_values(stream_values const&) = delete;
  stream_values& operator=(stream_values const&) = delete;

  constexpr int fail(stream_fault f, int id) {
    if (facts_.fault == stream_fault::none) {
      facts_.fault = f;
      facts_.op = from_[id].op;
      facts_.position = parameter_behind(id);
    }
    return emit_constant(g_, 0, from_[id].shape).id;
  }
  /// The number of the parameter that a node is first combined with, or -1: errors name the layer by it.
  constexpr int parameter_behind(int id) const {
    bool* const reached = new bool[static_cast<std::size_t>(from_.size) + 1]{};
    reached[id] = true;
    int found = -1;
    for (int y = id; y <= from_.size && found < 0; ++y) {
      bool reads = y == id;
      for (int const x : from_[y].operand) reads = reads || (x != 0 && reached[x]);
      if (!reads) continue;
      reached[y] = true;
      for (int const x : from_[y].operand) {
        int z = x;
        while (z != 0 && from_[z].op->family != op_family::parameter && !time_[z].exists) z = from_[z].operand[0];
        if (z != 0 && from_[z].op->family == op_family::parameter) found = graph::slot_of(from_[z]);
      }
    }
    delete[] reached;
    return found;
  }

  // ---- where time is ----

  /// Which axis of s holds the steps of a value in memory of the form (outer, extent, inner).
  constexpr time placed(time t, extents const& s, std::int64_t inner) const {
    std::int64_t behind = 1;
    t.exists = false;
    for (int i = s.rank - 1; i >= 0; behind *= s.at[i--]) {
      if (inner < behind || inner >= behind * s.at[i]) continue;
      if (inner % behind != 0 || s.at[i] % (inner / behind * t.extent) != 0) return t;
      t.exists = true;
      t.axis = i;
      t.inner = static_cast<int>(inner / behind);
      return t;
    }
    return t;
  }
  static constexpr std::int64_t inner_of(time const& t, extents const& s) {
    return t.inner * s.product(t.axis + 1, s.rank);
  }
  /// The shape of a value for a block.
  static constexpr extents block_of(extents s, time const& t) {
    s.at[t.axis] = s.at[t.axis] / t.extent * t.block;
    return s;
  }
  static constexpr bool same_place(time const& a, time const& b) {
    return a.axis == b.axis && a.inner == b.inner && a.extent == b.extent;
  }
  static constexpr int least(int a, int b) { return a < b ? a : b; }
  static constexpr int most(int a, int b) { return a > b ? a : b; }
  /// Division that rounds down.
  static constexpr int floored(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

  // ---- values of a block ----

  constexpr bool streams(int id) const { return time_[id].exists; }
  /// A value without steps, as it is.
  constexpr int copied(int id) {
    if (id == 0 || value_[id] != 0) return id == 0 ? 0 : value_[id];
    node n = from_[id];
    for (int& x : n.operand) x = copied(x);
    if (n.op->family == op_family::move || n.op->family == op_family::scatter_add)
      n.attribute = graph::map_attribute(g_.number_of(from_.maps[map_of(n)]));
    return value_[id] = g_.add(n);
  }
  /// The axes of steps of a value for a block: time, and keys if the value has an element for each pair.
  struct step_axes {
    time t;
    bool has_time;
    int keys;  ///< or -1
    int past;

    constexpr extents block_of(extents s) const {
      if (has_time) s = stream_values::block_of(s, t);
      if (keys >= 0) s.at[keys] = past + t.block;
      return s;
    }
  };
  static constexpr step_axes of_time(time const& t) { return {t, true, -1, 0}; }
  static constexpr step_axes of_pairs(time const& t, keys_axis_of const& k) { return {t, true, k.axis, k.past}; }
  /// The axes in the operand of a broadcast from `from` to `to`.
  static constexpr step_axes before_broadcast(step_axes a, extents const& from, extents const& to) {
    int const more = to.rank - from.rank;
    a.t.axis -= more;
    a.has_time = a.has_time && a.t.axis >= 0 && from.at[a.t.axis] != 1;
    a.keys = a.keys < more || from.at[a.keys - more] == 1 ? -1 : a.keys - more;
    return a;
  }
  constexpr int with_operands(node const& n, extents const& s, int a, int b = 0, int c = 0) {
    return g_.emit(node{n.op, {a, b, c, 0}, n.attribute, s});
  }
  template <class Op>
  constexpr int apply_to(int a, int b) {
    extents const s = g_[a].shape;
    return g_.emit(node{&described<Op>, {a, emit_broadcast(g_, b, s), 0, 0}, 0, s});
  }
  constexpr int number(double x) { return emit_constant(g_, x, extents{}).id; }

  /// A value that is the same in each step, although it has axes of steps: repeated for the steps of a block.
  constexpr int repeated(int id, step_axes const& a) {
    if (!a.has_time && a.keys < 0) return copied(id);
    node const n = from_[id];
    extents const s = a.block_of(n.shape);
    switch (n.op->family) {
      case op_family::constant:
        return emit_constant(g_, constant_of(n), s).id;
      case op_family::column_index:
        return positions(id, n, a);
      case op_family::alias:
        return repeated(n.operand[0], a);
      case op_family::convert:
        return with_operands(n, s, repeated(n.operand[0], a));
      case op_family::reshape:
        return repeated_reshape(id, n, a);
      case op_family::permute: {
        step_axes before = a;
        before.t.axis = axis_behind(permutation_of(n), a.t.axis);
        if (a.keys >= 0) before.keys = axis_behind(permutation_of(n), a.keys);
        return emit_permute(g_, repeated(n.operand[0], before), permutation_of(n));
      }
      case op_family::elementwise: {
        node r{n.op, {}, n.attribute, s};
        for (int k = 0; k < n.op->arity; ++k) r.operand[k] = repeated(n.operand[k], a);
        return g_.emit(r);
      }
      case op_family::concatenate: {
        if ((a.has_time && a.t.axis == axis_of(n)) || a.keys == axis_of(n)) return fail(stream_fault::splits_time, id);
        int const x = repeated(n.operand[0], a);
        return with_operands(n, s, x, repeated(n.operand[1], a));
      }
      case op_family::broadcast: {
        int x = n.operand[0];
        while (from_[x].op->family == op_family::broadcast) x = from_[x].operand[0];
        return emit_broadcast(g_, repeated(x, before_broadcast(a, from_[x].shape, n.shape)), s);
      }
      case op_family::move:
        return rows_of_slice(id, n, a);
      case op_family::parameter:
      case op_family::buffer:
        return context_ == 0 ? fail(stream_fault::varies_by_step, id) : rows_of_steps(id, id, 0, a);
      default:
        return fail(stream_fault::varies_by_step, id);
    }
  }
  /// The first rows of a table, one for each step.
  constexpr int rows_of_slice(int id, node const& n, step_axes const& a) {
    index_map const& m = from_.maps[map_of(n)];
    extents const& from = from_[n.operand[0]].shape;
    bool slices = a.has_time && m.rank == from.rank && n.shape.rank == from.rank;
    for (int i = 0; slices && i < m.rank; ++i)
      slices = m.source[i] == i && m.step[i] == 1 && m.divisor[i] == 1 && m.start[i] >= 0 &&
               m.start[i] + n.shape.at[i] <= from.at[i] && (i == a.t.axis || n.shape.at[i] == from.at[i]);
    return slices ? rows_of_steps(id, n.operand[0], m.start[a.t.axis], a) : fail(stream_fault::varies_by_step, id);
  }
  /// The rows of a table from row `first` on that belong to the steps of the block. Which they are is an argument,
  /// behind those of rings.
  constexpr int rows_of_steps(int id, int table, int first, step_axes const& a) {
    extents const& from = from_[table].shape;
    time const& t = a.t;
    bool const fits = a.has_time && a.keys < 0 && t.inner == 1 && t.stride == 1 && t.first == 0 &&
                      from_[id].shape.at[t.axis] == t.extent;
    if (!fits) return fail(stream_fault::varies_by_step, id);
    int const rows = from.at[t.axis] - first;
    if (facts_.table_rows == 0 || rows < facts_.table_rows) facts_.table_rows = rows;
    static_cast<void>(count_before(t, false));
    extents index{};
    for (int i = 0; i < from.rank; ++i) index.push(i == t.axis ? t.block : 1);
    graph::label_argument const argument{1 + max_rings, false};
    int const steps = g_.add(node{&described<label_>, {}, graph::label_attribute(argument), extents{1, {t.block}}});
    return g_.emit(node{&described<index_gather_>,
                        {emit_part(g_, copied(table), t.axis, first, rows), emit_reshape(g_, steps, index), 0, 0},
                        graph::axis_attribute(t.axis),
                        a.block_of(from_[id].shape)});
  }
  constexpr int repeated_reshape(int id, node const& n, step_axes a) {
    extents const s = a.block_of(n.shape), from = from_[n.operand[0]].shape;
    if (a.has_time) {
      a.t = placed(a.t, from, inner_of(a.t, n.shape));
      if (!a.t.exists) return fail(stream_fault::splits_time, id);
    }
    if (a.keys >= 0) {
      a.keys = same_axis(n.shape, a.keys, from);
      if (a.keys < 0) return fail(stream_fault::splits_time, id);
    }
    return emit_reshape(g_, repeated(n.operand[0], a), s);
  }
  /// 0, 1, 2, ... along the steps of the whole sequence: those of the block begin where the block does.
  constexpr int positions(int id, node const& n, step_axes const& a) {
    int const last = n.shape.rank - 1;
    int const in_block = g_.add(node{n.op, {}, n.attribute, a.block_of(n.shape)});
    bool const of_steps = a.has_time && a.t.axis == last;
    if (!of_steps && a.keys != last) return in_block;
    if (of_steps && (a.t.inner != 1 || n.shape.at[last] != a.t.extent)) return fail(stream_fault::varies_by_step, id);
    int const first = a.t.first - (of_steps ? 0 : a.past);
    int const step = of_steps ? in_block : in_order(in_block, a.past, a.t.block);
    return apply_to<add_>(step, apply_to<add_>(count_before(a.t, false), number(first)));
  }
  /// How many elements of a value's rate there were before the block.
  constexpr int count_before(time const& t, bool saturates) {
    int i = 0;
    while (i < facts_.history_count &&
           (facts_.history[i].counts != t.stride || facts_.history[i].saturates != saturates))
      ++i;
    if (i == facts_.history_count)
      facts_.history[facts_.history_count++] = {0, false, 1, 0, extents{3, {1, 1, 1}}, 0, true, t.stride, saturates};
    return emit_reshape(
        g_, g_.add(node{&described<buffer_>, {}, graph::slot_attribute(first_buffer_ + 2 * i), extents{3, {1, 1, 1}}}),
        extents{});
  }
  /// The same for the next block.
  constexpr int next_count(stream_history const& h, int buffer) {
    extents const s{3, {1, 1, 1}};
    int const now = g_.add(node{&described<buffer_>, {}, graph::slot_attribute(buffer), s});
    int const next = apply_to<add_>(now, number(block_ / h.counts));
    return h.saturates ? apply_to<minimum_>(next, number(facts_.most_counted)) : next;
  }

  /// The memory of a value for a block, as (outer, rows, inner).
  constexpr extents memory_of(int id, int rows) const {
    extents const s = from_[id].shape;
    std::int64_t const inner = inner_of(time_[id], s);
    return extents{3, {static_cast<int>(s.size() / inner / time_[id].extent), rows, static_cast<int>(inner)}};
  }
  /// The history of a value with at least `rows` elements.
  constexpr int history_of(int id, bool lowest, int rows) {
    int i = 0;
    while (i < facts_.history_count && (facts_.history[i].id != id || facts_.history[i].fills_with_lowest != lowest ||
                                        facts_.history[i].ring != 0 || facts_.history[i].is_delayed != is_delayed(id)))
      ++i;
    if (i == facts_.history_count)
      facts_.history[facts_.history_count++] = {id, lowest, 0, time_[id].block, {}, 0, false};
    stream_history& h = facts_.history[i];
    h.is_delayed = is_delayed(id);
    h.rows = most(h.rows, rows);
    h.shape = memory_of(id, h.rows);
    return i;
  }
  /// A value for a block behind at least `rows` elements of earlier blocks, as (outer, rows, inner).
  struct extended {
    int id, rows;
  };
  constexpr extended extend(int id, bool lowest, int rows) {
    int const block = emit_reshape(g_, value_[id], memory_of(id, time_[id].block));
    if (rows == 0) return {block, 0};
    int const history = history_of(id, lowest, rows);
    return {with_history(history), facts_.history[history].rows};
  }
  constexpr int with_history(int i) {
    stream_history const& h = facts_.history[i];
    extents const all = memory_of(h.id, h.rows + h.block);
    int const value = is_delayed(h.id) && !h.is_delayed ? undelayed_[h.id] : value_[h.id];
    int const block = emit_reshape(g_, value, memory_of(h.id, h.block));
    if (h.slides != 0) {
      graph::packed_tensor const place{h.slides - 1, h.rows * h.inner()};
      return emit_reshape(g_, emit_pack(g_, 0, block, place, h.window()), all);
    }
    int past = g_.add(node{&described<buffer_>, {}, graph::slot_attribute(first_buffer_ + 2 * i), all});
    past = emit_part(g_, past, 1, h.block, h.rows);
    return g_.emit(node{&described<concatenate_>, {past, block, 0, 0}, graph::axis_attribute(1), all});
  }
  /// A value from element `first` of the sequence on, not later than it is known.
  constexpr int delayed(int id, int first) {
    time const& t = time_[id];
    if (t.first == first) return value_[id];
    if (t.first < first) return fail(stream_fault::no_rule, id);
    extended const x = extend(id, t.lowest_before, t.first - first);
    return emit_reshape(g_, emit_part(g_, x.id, 1, x.rows - (t.first - first), t.block), block_of(from_[id].shape, t));
  }
  /// A value that is delayed for all that reads it from now on. The history that delays it is one of the other value.
  constexpr void delay(int id, int first) {
    int const later = delayed(id, first);
    undelayed_[id] = value_[id];
    value_[id] = later;
    time_[id].first = first;
  }
  constexpr bool is_delayed(int id) const { return undelayed_[id] != 0; }
  /// The ring of `past` earlier steps: its number.
  constexpr int ring_of(int past, int block) {
    int i = 0;
    while (i < facts_.ring_count && (facts_.rings[i].past != past || facts_.rings[i].block != block)) ++i;
    if (i == max_rings) facts_.lacks_ring = true;
    else if (i == facts_.ring_count) facts_.rings[facts_.ring_count++] = {past, block};
    return i < max_rings ? i : 0;
  }
  /// The places of the steps of a block in a ring: integers that each call is given.
  constexpr int places_in(int ring) {
    graph::label_argument const argument{1 + ring, false};
    return g_.add(
        node{&described<label_>, {}, graph::label_attribute(argument), extents{1, {facts_.rings[ring].block}}});
  }
  /// The numbers of keys in the order of their steps, 0 for the oldest, at places 0, 1, ... of their ring. The newest
  /// one is the last step of the block.
  constexpr int in_order(int place, int past, int block) {
    if (past == 0) return place;
    int const places = g_.add(node{&described<convert_>, {places_in(ring_of(past, block)), 0, 0, 0}, 0, {1, {block}}});
    int const last = emit_reshape(g_, emit_part(g_, places, 0, block - 1, 1), extents{});
    int const behind = apply_to<subtract_>(apply_to<subtract_>(place, last), number(1));
    extents const s = g_[place].shape;
    return g_.emit(node{&described<where_>,
                        {apply_to<less_>(behind, number(0)), apply_to<add_>(behind, number(past + block)), behind, 0},
                        0,
                        s});
  }

  node_table const& from_;
  node_table& g_;
  stream_facts& facts_;
  int block_, context_, first_buffer_ = 0;
  time* time_;      ///< by node of the whole sequence
  int* value_;      ///< by node: its value for a block, or 0
  int* undelayed_;  ///< by node: its value before `delay`, or 0
};

}  // namespace espalier::operation
#include "../base/diagnostics_pop.hpp"
