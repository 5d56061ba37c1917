// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "copied.hpp"
#include "loop.hpp"
#include "stream_attention.hpp"

/// Turns the program of a net over a whole sequence into the program over one block of its steps. There is one rule for
/// each op family, so no op has a rule of its own. Elements of earlier blocks that an op reads are kept in buffers,
/// which the program of a block updates.
namespace espalier::operation {

constexpr bool is_zeros(node_table const& g, int id) {
  while (g[id].op->family == op_family::reshape || g[id].op->family == op_family::broadcast) id = g[id].operand[0];
  return is_constant(g, id) && constant_at(g, id) == 0;
}

/// Rewrites a program of one argument and one result. An argument of steps has its axis of time at `axis`.
/// shorter: the program for a sequence of fewer steps, or null. What differs between both depends on their length.
class streamer : stream_attention {
 public:
  constexpr streamer(graph::program const& whole, graph::program const* shorter, graph::program& p, stream_facts& facts,
                     int axis, int block, int context)
      : stream_attention{whole.nodes, p.nodes, facts, block, context},
        whole_{whole},
        shorter_{shorter},
        program_{p},
        axis_{axis},
        in_body_{new bool[static_cast<std::size_t>(from_.size) + 1]{}},
        loops_{new streamed_loop[static_cast<std::size_t>(from_.loop_count) + 1]{}} {}
  constexpr ~streamer() {
    delete[] in_body_;
    delete[] loops_;
  }

  /// Emits the program. Histories that facts has from an earlier run are made as long as they were found to be then.
  /// History i is read from buffer first_buffer + 2 i, and written to the next one.
  constexpr void run(int first_buffer) {
    first_buffer_ = first_buffer;
    bool* const needed = new bool[static_cast<std::size_t>(from_.size) + 1]{};
    needed[whole_.outputs[0].id] = true;
    for (int id = from_.size; id >= 1; --id)
      for (int const x : from_[id].operand)
        if (needed[id]) needed[x] = true;
    find_loops(needed);
    int without_ring = 0;
    for (int id = 1; id <= from_.size && facts_.fault == stream_fault::none; ++id) {
      if (needed[id]) stream_node(id);
      if (facts_.lacks_ring && without_ring == 0) without_ring = id;
    }
    if (facts_.fault == stream_fault::none && !espalier::detail::is_null(shorter_))
      check_length(needed, shorter_->nodes);
    delete[] needed;
    // The windows of a run that is repeated may still become equal.
    if (without_ring != 0 && !facts_.windows_changed) fail(stream_fault::many_windows, without_ring);
    if (facts_.fault == stream_fault::none) add_outputs();
  }

 private:
  /// A loop over the steps of the sequence, or over those of a value with fewer steps, which follows a stride.
  struct streamed_loop {
    bool exists;
    int steps;      ///< of a block; 0: no slice has been visited
    time of_steps;  ///< of its results
  };
  static constexpr bool is_input(node const& n) {
    return (n.op->family == op_family::argument && position_of(n) == 0) ||
           (n.op->family == op_family::label && label_of(n).position == 0);
  }
  /// Loops over the steps are those of which a slice belongs to a sequence that depends on the input, and which are not
  /// in the step of another one.
  constexpr void find_loops(bool const* needed) {
    graph::loop_nesting const nesting{from_};
    for (int id = 1; id <= from_.size; ++id) {
      node const& n = from_[id];
      varies_[id] = is_input(n);
      if (varies_[id]) steps_ = n.shape.at[axis_];
      for (int const x : n.operand) varies_[id] = varies_[id] || (x != 0 && varies_[x]);
      if (!needed[id] || n.op->family != op_family::loop_slice || !varies_[id]) continue;
      int const number = graph::loop_of(n).number;
      loops_[number].exists = !nesting.is_loop_inside(number);
    }
    check_initial_states(needed);
  }
  /// A state that begins with what the input determines is reported before the slice or sum over all steps which it is
  /// computed from. Loops inside the step of a loop may begin with what that step computes.
  constexpr void check_initial_states(bool const* needed) {
    bool* const of_step = new bool[static_cast<std::size_t>(from_.size) + 1]{};
    for (int id = 1; id <= from_.size; ++id) {
      node const& n = from_[id];
      op_family const f = n.op->family;
      of_step[id] = f == op_family::loop_slice || f == op_family::loop_state;
      if (f != op_family::loop_final && f != op_family::loop_stack)
        for (int const x : n.operand) of_step[id] = of_step[id] || of_step[x];
      if (needed[id] && f == op_family::loop_state && loops_[graph::loop_of(n).number].exists &&
          !of_step[n.operand[0]] && !is_initial(n.operand[0]))
        fail(stream_fault::initial_state, id);
    }
    delete[] of_step;
  }

  /// Whether a node is the first rows of a parameter or buffer.
  static constexpr bool is_first_rows(node_table const& g, int id) {
    if (g[id].op->family != op_family::move) return false;
    op_family const of = g[g[id].operand[0]].op->family;
    index_map const& m = g.maps[map_of(g[id])];
    bool first = of == op_family::parameter || of == op_family::buffer;
    for (int i = 0; i < m.rank; ++i)
      first = first && m.source[i] == i && m.step[i] == 1 && m.divisor[i] == 1 && m.start[i] == 0;
    return first;
  }
  /// A stream has no number of steps. So a net that computes with that of its input, such as column_index / steps, has
  /// no stream: its constants, and the shapes of values that are the same in each step, are those of every sequence.
  /// A table of positions that has as many rows as the sequence has steps is the first rows of it for the other one.
  constexpr void check_length(bool const* needed, node_table const& other) {
    bool same = other.value_count == from_.value_count;
    for (int i = 0; same && i < from_.value_count; ++i) same = from_.values[i] == other.values[i];
    int* const own = new int[static_cast<std::size_t>(other.size) + 1]{};  // by node of the other program
    int next = 1, id = 1;
    for (; same && id <= from_.size && next <= other.size; ++id) {
      node const& a = from_[id];
      auto const agrees = [&](node const& b) {
        bool r = espalier::detail::same_address(a.op, b.op);
        for (int k = 0; k < 4; ++k) r = r && a.operand[k] == own[b.operand[k]];
        return r;
      };
      for (; !agrees(other[next]) && next < other.size && is_first_rows(other, next); ++next)
        own[next] = own[other[next].operand[0]];
      node const& b = other[next];
      same = agrees(b);
      if (same && needed[id] && a.op->family == op_family::constant) same = a.attribute == b.attribute;
      if (same && value_[id] != 0 && !streams(id)) same = a.shape == b.shape;
      if (!same) fail(stream_fault::depends_on_length, id);
      own[next++] = id;
    }
    if (!same || id <= from_.size || next <= other.size) fail(stream_fault::depends_on_length, whole_.outputs[0].id);
    delete[] own;
  }

  // ---- rules ----

  constexpr void stream_node(int id) {
    node const n = from_[id];
    if (is_input(n)) {
      time& t = time_[id];
      t = time{true, axis_, 1, n.shape.at[axis_], block_, 0, false, 0, 1, 0, 0, 0};
      value_[id] = g_.add(node{n.op, {}, n.attribute, block_of(n.shape, t)});
      return;
    }
    if (graph::is_of_loop(n.op->family) && loops_[graph::loop_of(n).number].exists) return loop_node(id, n);
    for (int const x : n.operand)
      if (x != 0 && in_body_[x]) return body_node(id, n);
    for (int const x : n.operand)
      if (x != 0 && streams(x)) {
        int const y = rule_of(id, n);
        if (facts_.fault == stream_fault::none) value_[id] = y;
        return;
      }
  }
  constexpr int rule_of(int id, node const& n) {
    for (int const x : n.operand)
      if (x != 0 && keys_[x].exists) return rule_of_pairs(id, n, x);
    switch (n.op->family) {
      case op_family::elementwise:
      case op_family::convert:
        return elementwise(id, n);
      case op_family::alias:
        if (!streams(n.operand[0])) return fail(stream_fault::no_rule, id);
        time_[id] = time_[n.operand[0]];
        return value_[n.operand[0]];
      case op_family::reshape:
        return reshape(id, n);
      case op_family::broadcast:
        time_[id] = time_[n.operand[0]];
        time_[id].axis += n.shape.rank - from_[n.operand[0]].shape.rank;
        return emit_broadcast(g_, value_[n.operand[0]], block_of(n.shape, time_[id]));
      case op_family::permute:
        return permute(id, n);
      case op_family::reduction:
        return reduction(id, n);
      case op_family::move:
        return move(id, n);
      case op_family::scatter_add:
        return scatter_add(id, n);
      case op_family::concatenate:
        return concatenate(id, n);
      case op_family::contraction:
        return contraction(id, n);
      case op_family::index_gather:
        return index_gather(id, n);
      default:
        return fail(stream_fault::no_rule, id);
    }
  }

  /// The time of a value that is computed from operands step by step, from the last one of them that is known.
  constexpr bool combine(int id, int x, time& t) {
    time const& o = time_[x];
    if (!t.exists) {
      t = o;
      t.first = least(t.first, 0);
      return true;
    }
    if (!same_place(t, o)) return fail(stream_fault::splits_time, id), false;
    if (t.block != o.block || t.stride != o.stride) return fail(stream_fault::mixes_rates, id), false;
    t.first = least(t.first, o.first);
    if (o.future > t.future) t.late = o.late;
    t.future = most(t.future, o.future);
    t.low = least(t.low, o.low);
    t.high = most(t.high, o.high);
    return true;
  }
  constexpr int operand(int id, time const& t) { return streams(id) ? delayed(id, t.first) : repeated(id, of_time(t)); }

  constexpr int elementwise(int id, node const& n) {
    time t{};
    for (int k = 0; k < n.op->arity; ++k)
      if (streams(n.operand[k]) && !combine(id, n.operand[k], t)) return 0;
    time_[id] = t;
    node r{n.op, {}, n.attribute, block_of(n.shape, t)};
    for (int k = 0; k < n.op->arity; ++k) r.operand[k] = operand(n.operand[k], t);
    return g_.emit(r);
  }
  constexpr int reshape(int id, node const& n) {
    int const x = n.operand[0];
    time const t = placed(time_[x], n.shape, inner_of(time_[x], from_[x].shape));
    if (!t.exists) return fail(stream_fault::splits_time, id);
    time_[id] = t;
    return emit_reshape(g_, value_[x], block_of(n.shape, t));
  }
  constexpr int permute(int id, node const& n) {
    time t = time_[n.operand[0]];
    for (int i = 0; i < n.shape.rank; ++i)
      if (axis_behind(permutation_of(n), i) == time_[n.operand[0]].axis) t.axis = i;
    time_[id] = t;
    return emit_permute(g_, value_[n.operand[0]], permutation_of(n));
  }
  constexpr int reduction(int id, node const& n) {
    int const x = n.operand[0];
    extents const s = from_[x].shape;
    unsigned axes = 0;
    for (int i = 0; i < s.rank; ++i)
      if (s.at[i] != n.shape.at[i]) axes |= 1u << i;
    if (axes >> time_[x].axis & 1u) return fail(stream_fault::reduces_time, id);
    time_[id] = time_[x];
    time_[id].first = least(time_[x].first, 0);
    return g_.emit(
        node{n.op, {delayed(x, time_[id].first), 0, 0, 0}, graph::axes_attribute(axes), block_of(n.shape, time_[id])});
  }

  /// The axis of the result of a map that runs along axis a of the operand; the longest one, if several do.
  static constexpr int along(index_map const& m, extents const& result, int a) {
    int found = -1;
    for (int i = 0; i < m.rank; ++i)
      if (m.source[i] == a && (found < 0 || result.at[i] > result.at[found])) found = i;
    return found;
  }
  /// Whether a map leaves axis a as it is.
  static constexpr bool keeps(index_map const& m, extents const& from, extents const& result, int a) {
    int const k = along(m, result, a);
    if (k < 0 || m.start[a] != 0 || m.divisor[a] != 1 || m.step[k] != 1 || result.at[k] != from.at[a]) return false;
    for (int i = 0; i < m.rank; ++i)
      if (i != k && m.source[i] == a && result.at[i] != 1) return false;
    return true;
  }
  /// A movement reads element s t + low to s t + high of its operand for element t of its result.
  constexpr int move(int id, node const& n) {
    int const x = n.operand[0];
    extents const from = from_[x].shape;
    index_map m = from_.maps[map_of(n)];
    int const a = time_[x].axis, k = along(m, n.shape, a);
    if (keeps(m, from, n.shape, a)) {
      time_[id] = time_[x];
      time_[id].axis = k;
      time_[id].first = least(time_[x].first, 0);
      return emit_move(g_, delayed(x, time_[id].first), m, block_of(n.shape, time_[id]));
    }
    if (time_[x].inner != 1 || from.at[a] != time_[x].extent) return fail(stream_fault::splits_time, id);
    if (m.divisor[a] != 1) return fail(stream_fault::dilates_time, id);
    int const s = k < 0 ? 0 : m.step[k];
    if (s < 0) return fail(stream_fault::reverses_time, id);
    // A slice of less than half of the sequence does not grow with it.
    if (k < 0 || s == 0 || std::int64_t{2} * s * n.shape.at[k] < from.at[a])
      return fail(stream_fault::takes_fixed_steps, id);
    int low = m.start[a], high = m.start[a];
    for (int i = 0; i < m.rank; ++i)
      if (i != k && m.source[i] == a) (m.step[i] < 0 ? low : high) += m.step[i] * (n.shape.at[i] - 1);
    bool const fills = low < 0;
    if (time_[x].block % s != 0) return fail(stream_fault::stride_of_block, id);
    if (fills && time_[x].first < 0) return fail(stream_fault::pads_late, id);
    if (fills && time_[x].first > 0 && time_[x].lowest_before != m.fills_with_lowest) delay(x, 0);
    time const& o = time_[x];
    time t = o;
    t.axis = k;
    t.extent = n.shape.at[k];
    t.block = o.block / s;
    t.first = floored(o.first + s - 1 - high, s);
    t.lowest_before = fills ? m.fills_with_lowest : o.lowest_before;
    t.stride = o.stride * s;
    t.low = o.low + o.stride * low;
    t.high = o.high + o.stride * high;
    int const sound = floored(o.extent - o.future - 1 - high, s) + 1;
    t.future = most(t.extent - sound, 0);
    if (t.future > 0 && t.late == 0) t.late = id;
    time_[id] = t;
    int const rows = o.first - (s * t.first + low);
    extended const e = extend(x, t.lowest_before, most(rows, 0));
    m.start[a] += s * t.first - o.first + e.rows;
    extents with_past = from;
    with_past.at[a] = e.rows + o.block;
    return emit_move(g_, emit_reshape(g_, e.id, with_past), m, block_of(n.shape, t));
  }
  /// The map of a scatter belongs to the movement that reads its result.
  constexpr int scatter_add(int id, node const& n) {
    int const x = n.operand[0];
    index_map const m = from_.maps[map_of(n)];
    int const a = m.source[time_[x].axis];
    if (!keeps(m, n.shape, from_[x].shape, a) || along(m, from_[x].shape, a) != time_[x].axis)
      return fail(stream_fault::no_rule, id);
    time_[id] = time_[x];
    time_[id].axis = a;
    time_[id].first = least(time_[x].first, 0);
    return emit_scatter_add(g_, delayed(x, time_[id].first), m, block_of(n.shape, time_[id]));
  }
  constexpr int concatenate(int id, node const& n) {
    time t{};
    for (int k = 0; k < 2; ++k) {
      int const x = n.operand[k];
      if (!streams(x)) continue;
      if (time_[x].axis == axis_of(n)) return fail(stream_fault::splits_time, id);
      if (!combine(id, x, t)) return 0;
    }
    time_[id] = t;
    int const a = operand(n.operand[0], t), b = operand(n.operand[1], t);
    return g_.emit(node{n.op, {a, b, 0, 0}, n.attribute, block_of(n.shape, t)});
  }

  /// The steps may be rows of the first operand, columns of the second, or batches.
  constexpr int contraction(int id, node const& n) {
    auto const [ta, tb] = transposes_of(n);
    int const a = n.operand[0], b = n.operand[1];
    auto const from_last = [&](int x) { return from_[x].shape.rank - 1 - time_[x].axis; };
    int place = -1;
    if (streams(a)) place = from_last(a) == (ta ? 1 : 0) ? -2 : from_last(a) > 1 ? from_last(a) : 1;
    if (streams(b)) {
      int const of_b = from_last(b) == (tb ? 0 : 1) ? -2 : from_last(b) > 1 ? from_last(b) : 0;
      place = streams(a) && (of_b < 2 || of_b != place) ? -2 : of_b;
    }
    if (streams(a) && streams(b) && from_last(a) == (ta ? 0 : 1) && from_last(b) == (tb ? 1 : 0)) return pairs(id, n);
    if (place < 0) return fail(stream_fault::multiplies_time, id);
    time t{};
    for (int const x : {a, b}) {
      if (!streams(x)) continue;
      time moved = time_[x];
      moved.axis = n.shape.rank - 1 - place;
      if (t.exists && (t.inner != moved.inner || t.extent != moved.extent || t.block != moved.block))
        return fail(stream_fault::mixes_rates, id);
      time const before = t;
      t = moved;
      t.first = least(least(moved.first, 0), before.first);
      if (!before.exists) continue;
      if (before.future > t.future) t.late = before.late;
      t.future = most(t.future, before.future);
      t.low = least(t.low, before.low);
      t.high = most(t.high, before.high);
    }
    time_[id] = t;
    auto const factor = [&](int x) {
      if (streams(x)) return delayed(x, t.first);
      int const axis = from_[x].shape.rank - 1 - place;
      if (place < 2 || axis < 0 || from_[x].shape.at[axis] == 1) return copied(x);
      time of_x = t;
      of_x.axis = axis;
      return repeated(x, of_time(of_x));
    };
    int const left = factor(a);
    return g_.emit(node{n.op, {left, factor(b), 0, 0}, n.attribute, block_of(n.shape, t)});
  }
  /// A table that is the same in each step is read at the indices of the steps.
  constexpr int index_gather(int id, node const& n) {
    int const x = n.operand[0], indices = n.operand[1];
    if (streams(x) || time_[indices].axis != axis_of(n)) return fail(stream_fault::no_rule, id);
    time_[id] = time_[indices];
    return g_.emit(node{n.op, {copied(x), value_[indices], 0, 0}, n.attribute, block_of(n.shape, time_[id])});
  }

  // ---- loops over the steps ----

  /// A block runs as many steps as the loop's sequences have for a block. The state is kept from block to block; where
  /// the stream begins, it is the loop's initial one (`initial_states`). For one step there is no loop: the nodes of
  /// the body are nodes of the program, and fuse with those around it.
  constexpr void loop_node(int id, node n) {
    graph::loop_node l = graph::loop_of(n);
    streamed_loop& loop = loops_[l.number];
    if (l.backwards) return void(fail(stream_fault::reverses_time, id));
    if (n.op->family == op_family::loop_slice) return loop_slice(id, n, loop);
    // A state may precede the slices: those of products that are moved out of the loop are younger. Then an earlier run
    // has found the number of its steps.
    int const state = n.op->family == op_family::loop_state ? history_of_state(id) : -1;
    int const steps = state >= 0 ? facts_.history[state].steps : loop.steps;
    if (n.op->family == op_family::loop_final) return void(fail(stream_fault::takes_fixed_steps, id));
    if (graph::is_loop(n) && graph::count_of_loop(from_, id) != 0) return void(fail(stream_fault::no_rule, id));
    l.steps = steps;
    n.attribute = graph::loop_attribute(l);
    if (n.op->family == op_family::loop_state) {
      if (!is_initial(n.operand[0])) return void(fail(stream_fault::initial_state, id));
      n.operand[0] = g_.add(node{&described<buffer_>, {}, graph::slot_attribute(first_buffer_ + 2 * state), n.shape});
      in_body_[id] = true;
    } else {
      for (int& x : n.operand) x = of_body(x);
    }
    // The stack has the steps of the block.
    if (n.op->family == op_family::loop_stack) {
      time_[id] = loop.of_steps;
      n.shape = block_of(n.shape, time_[id]);
    }
    value_[id] = steps == 1 ? only_step(n) : g_.add(n);
  }
  /// Whether a state can begin with a value: it is the same for all sequences. The program is traced for one number of
  /// steps. So a value that is computed along an axis of as many elements is different for other sequences.
  constexpr bool is_initial(int id) const {
    if (varies_[id]) return false;
    if (is_zeros(from_, id)) return true;
    bool* const read = new bool[static_cast<std::size_t>(id) + 1]{};
    read[id] = true;
    bool same = true;
    for (int y = id; y >= 1 && same; --y) {
      if (!read[y]) continue;
      same = !has_all_steps(from_[y].shape);
      for (int const x : from_[y].operand) read[x] = true;
    }
    delete[] read;
    return same;
  }
  constexpr bool has_all_steps(extents const& s) const {
    for (int i = 0; i < s.rank; ++i)
      if (s.at[i] % steps_ == 0) return true;
    return false;
  }
  /// What stands for a node of a loop of one step: a state is its initial value, the value after the step is what the
  /// body computes.
  constexpr int only_step(node const& n) {
    if (n.op->family == op_family::loop_state) return n.operand[0];
    return n.op->family == op_family::loop_stack ? emit_reshape(g_, n.operand[1], n.shape) : n.operand[1];
  }
  constexpr void loop_slice(int id, node n, streamed_loop& loop) {
    int const xs = n.operand[0];
    if (!streams(xs)) return void(fail(stream_fault::varies_by_step, id));
    time t = time_[xs];
    if (t.axis != 0) return void(fail(stream_fault::loops_elsewhere, id));
    if (t.inner != 1 || from_[xs].shape.at[0] != t.extent) return void(fail(stream_fault::splits_time, id));
    if (loop.steps == 0) loop.steps = t.block;
    if (t.block != loop.steps) return void(fail(stream_fault::mixes_rates, id));
    if (t.first < 0) return void(fail(stream_fault::loops_late, id));
    t.first = 0;
    if (!loop.of_steps.exists) loop.of_steps = t;
    if (t.future > loop.of_steps.future) {
      loop.of_steps.late = t.late;
      loop.of_steps.future = t.future;
    }
    loop.of_steps.low = -unbounded_reach;
    loop.of_steps.high = most(loop.of_steps.high, t.high);
    loop.of_steps.lowest_before = false;
    graph::loop_node l = graph::loop_of(n);
    l.steps = t.block;
    in_body_[id] = true;
    int const all = delayed(xs, 0);
    value_[id] = t.block == 1 ? emit_reshape(g_, all, n.shape)
                              : g_.add(node{n.op, {all, 0, 0, 0}, graph::loop_attribute(l), n.shape});
  }
  /// A value that a body reads: one of the body, or one that is the same in all steps.
  constexpr int of_body(int x) {
    if (x == 0) return 0;
    if (streams(x)) return fail(stream_fault::loops_over_all, x);
    return copied(x);
  }
  constexpr void body_node(int id, node n) {
    for (int& x : n.operand) x = of_body(x);
    if (n.op->family == op_family::move || n.op->family == op_family::scatter_add)
      n.attribute = graph::map_attribute(g_.number_of(from_.maps[map_of(n)]));
    in_body_[id] = true;
    value_[id] = g_.add(n);
  }
  constexpr int history_of_state(int id) {
    int i = 0;
    while (i < facts_.history_count && facts_.history[i].id != id) ++i;
    extents const s{3, {1, 1, static_cast<int>(from_[id].shape.size())}};
    if (i == facts_.history_count) facts_.history[facts_.history_count++] = {id, false, 1, 0, s, 0, true};
    return i;
  }
  /// The state after the last step of a block.
  constexpr int final_state(int state) {
    int const number = graph::loop_of(from_[state]).number, steps = loops_[number].steps;
    for (int id = state; id <= from_.size; ++id) {
      node const& n = from_[id];
      if (n.op->family != op_family::loop_carry || graph::loop_of(n).number != number) continue;
      if (steps == 1 && n.operand[0] == state) return value_[id];
      if (steps != 1 && graph::is_loop(n)) return emit_final(g_, value_[id], value_[state]);
    }
    return 0;
  }

  /// What a history without a place that moves is for the next block.
  constexpr int next_of(int i) {
    stream_history const& h = facts_.history[i];
    if (h.counts != 0) return next_count(h, first_buffer_ + 2 * i);
    if (h.ring != 0) {
      time from{};
      from.first = h.first;
      return with_past(h.id, from, h.rows, h.transposed);
    }
    if (!h.is_state) return with_history(i);
    facts_.history[i].steps = loops_[graph::loop_of(from_[h.id]).number].steps;
    return final_state(h.id);
  }
  constexpr void add_outputs() {
    int const id = whole_.outputs[0].id;
    if (!streams(id)) return void(fail(stream_fault::constant_result, id));
    if (keys_[id].exists) return void(fail(stream_fault::splits_time, id));
    if (time_[id].future > 0) return void(fail(stream_fault::reads_the_future, time_[id].late));
    if (time_[id].inner != 1 || from_[id].shape.at[time_[id].axis] != time_[id].extent)
      return void(fail(stream_fault::splits_time, id));
    if (time_[id].first > 0) delay(id, 0);
    int result = value_[id];
    if (g_[graph::data_of(g_, result)].op->family == op_family::argument)
      result = g_.add(node{&described<copied_>, {result, 0, 0, 0}, graph::copy_attribute(0), g_[result].shape});
    program_.add_output(result, graph::destination::result, 0);
    time const& t = time_[id];
    facts_.result = block_of(from_[id].shape, t);
    facts_.latency = -t.first;
    facts_.stride = t.stride;
    facts_.receptive_field = t.high - t.low < unbounded_reach / 2 ? t.high - t.low + 1 : whole_past;
    for (int i = 0; i < facts_.history_count; ++i)
      if (facts_.history[i].slides == 0)
        program_.add_output(next_of(i), graph::destination::buffer,
                            first_buffer_ + 2 * i + (facts_.history[i].ring != 0 ? 0 : 1));
  }

  graph::program const& whole_;
  graph::program const* shorter_;
  graph::program& program_;
  int axis_;
  int steps_ = 0;         ///< of the whole sequence
  bool* in_body_;         ///< by node: it is in the body of a loop over the steps
  streamed_loop* loops_;  ///< by number
};

/// The program over blocks of a program over a sequence. The first runs find how long each history is.
struct streamed {
  graph::program program;
  stream_facts facts;
};
constexpr streamed stream(graph::program const& whole, graph::program const* shorter, int axis, int block, int context,
                          int first_buffer) {
  streamed r{};
  // A run that finds longer windows than it was emitted with is repeated; windows that are combined become equal.
  do {
    graph::program measured{};
    r.facts.windows_changed = r.facts.lacks_ring = false;
    r.facts.history_count = r.facts.ring_count = 0;
    streamer one{whole, shorter, measured, r.facts, axis, block, context};
    one.run(first_buffer);
  } while (r.facts.windows_changed && r.facts.fault == stream_fault::none);
  if (r.facts.fault != stream_fault::none) return r;
  int sliding = 0;
  for (int i = 0; i < r.facts.history_count; ++i)
    if (stream_history const& h = r.facts.history[i];
        h.shape.at[0] == 1 && !h.is_state && h.ring == 0 && sliding < max_sliding)
      r.facts.history[i].slides = ++sliding;
  streamer second{whole, nullptr, r.program, r.facts, axis, block, context};
  second.run(first_buffer);
  return r;
}

/// The node of the whole program that a history begins with: the initial state of a loop, or 0 if that is zeros. All
/// other histories begin with what padding gives.
constexpr int initial_of(graph::program const& whole, stream_history const& h) {
  int const id = h.is_state ? whole.nodes[h.id].operand[0] : 0;
  return id == 0 || is_zeros(whole.nodes, id) ? 0 : id;
}
constexpr bool begins_with_zeros(graph::program const& whole, stream_facts const& facts) {
  for (int i = 0; i < facts.history_count; ++i)
    if (initial_of(whole, facts.history[i]) != 0) return false;
  return true;
}
/// The program that computes the states of loops before the first step, except zeros. History i is written to buffer
/// first_buffer + 2 i, which the program of a block reads.
constexpr graph::program initial_states(graph::program const& whole, stream_facts const& facts, int first_buffer) {
  node_table const& from = whole.nodes;
  graph::program r{};
  node_table& g = r.nodes;
  g.loop_count = from.loop_count;
  bool* const needed = new bool[static_cast<std::size_t>(from.size) + 1]{};
  int* const value = new int[static_cast<std::size_t>(from.size) + 1]{};
  for (int i = 0; i < facts.history_count; ++i) needed[initial_of(whole, facts.history[i])] = true;
  // An alias is its first operand: no gradient is computed.
  for (int id = from.size; id >= 1; --id)
    for (int k = 0; k < (from[id].op->family == op_family::alias ? 1 : 4); ++k)
      if (needed[id]) needed[from[id].operand[k]] = true;
  for (int id = 1; id <= from.size; ++id) {
    node n = from[id];
    if (!needed[id]) continue;
    if (n.op->family == op_family::values && g.value_count == 0) graph::copy_values(from, g);
    for (int& x : n.operand) x = value[x];
    if (n.op->family == op_family::move || n.op->family == op_family::scatter_add)
      n.attribute = graph::map_attribute(g.number_of(from.maps[map_of(n)]));
    value[id] = n.op->family == op_family::alias ? n.operand[0] : g.add(n);
  }
  for (int i = 0; i < facts.history_count; ++i) {
    int const id = value[initial_of(whole, facts.history[i])];
    if (id != 0)
      r.add_output(g.add(node{&described<copied_>, {id, 0, 0, 0}, graph::copy_attribute(i), g[id].shape}),
                   graph::destination::buffer, first_buffer + 2 * i);
  }
  delete[] needed;
  delete[] value;
  return r;
}

}  // namespace espalier::operation
#include "../base/diagnostics_pop.hpp"
