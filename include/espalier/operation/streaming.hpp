// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "concatenate.hpp"
#include "copied.hpp"
#include "indexing.hpp"
#include "loop.hpp"
#include "pack.hpp"

#include "../base/diagnostics_push.hpp"
/// Turns the program of a net over a whole sequence into the program over one block of its steps. There is one rule for
/// each op family, so no op has a rule of its own. Elements of earlier blocks that an op reads are kept in buffers,
/// which the program of a block updates.
namespace espalier::operation {

/// Why a program over a sequence has no program over blocks.
enum class stream_fault : std::uint8_t {
  none,
  reads_the_future,   ///< a result depends on steps that come later
  reduces_time,       ///< a sum, maximum, ... over all steps
  multiplies_time,    ///< a matrix product sums over all steps
  reverses_time,      ///< a flip
  dilates_time,       ///< more elements than steps
  takes_fixed_steps,  ///< a slice at positions that do not move with the sequence
  splits_time,        ///< a reshape or concatenation that divides the axis of time
  mixes_rates,        ///< operands that have different numbers of elements for a block
  stride_of_block,    ///< the length of a block is no multiple of a stride
  varies_by_step,     ///< a parameter or constant that has an element for each step
  pads_late,          ///< zeros in front of a value that begins before the sequence
  loops_late,         ///< a loop over a value that begins before the sequence
  loops_over_all,     ///< a step of a loop reads the whole sequence
  initial_state,      ///< the initial state of a loop is not 0
  no_rule,            ///< an op family without a rule
  constant_result     ///< the result does not depend on the steps
};

/// The axis of time of a value of the whole sequence, and which of its elements a block has. Element t of the value is
/// at index (o extent + t) inner + i of the axis, if the axis was merged with others by a reshape.
struct time_axis_of {
  bool exists;
  int axis, inner;
  int extent;          ///< the steps of the value for the whole sequence
  int block;           ///< its steps for a block: call number n computes the elements from n block + first on
  int first;           ///< not 0: the value is known `first` elements early, or -first elements late
  bool lowest_before;  ///< if first > 0, the elements before are fill values: the lowest number, or 0
  int future;          ///< how many of the last elements depend on what a movement fills in behind the sequence
  int stride;          ///< steps of the input for a step of the value
  int low, high;       ///< element t depends on the steps stride t + low to stride t + high of the input
  int late;            ///< the node that fills in behind the sequence, or 0
};

/// Earlier elements of a value, which are kept from call to call.
struct stream_history {
  int id;  ///< the value in the program of the whole sequence
  bool fills_with_lowest;
  int rows, block;
  extents shape;  ///< the value's memory as (outer, rows, inner)
  /// Where the value's rows are contiguous, they are written behind the rows of earlier blocks, and the place of them
  /// all moves on by a block after each call: slides is 1 + the number of the vector of both. 0: there are two buffers,
  /// which change places after each call. The program reads the last rows of one, and writes them and the rows of the
  /// block to the other.
  int slides;
  /// The state of a loop, which the program reads from one buffer and writes to the other; it has no rows of a block.
  bool is_state;

  constexpr std::int64_t inner() const { return shape.at[2]; }
  /// The elements of a place: past and block.
  constexpr std::int64_t window() const { return shape.size() / rows * (rows + block); }
  /// How many blocks a place moves until it begins again: that of the past, but at least 8.
  constexpr int moves() const { return rows / block > 8 ? rows / block : 8; }
  /// The elements of its memory, or of one of two buffers.
  constexpr std::int64_t stored() const { return window() + (slides != 0 ? moves() * block * inner() : 0); }
};
/// Steps that a loop reaches back: all of them.
inline constexpr int unbounded_reach = 1 << 28;
/// The receptive field of a net with a loop over the steps: all steps so far.
inline constexpr int whole_past = 0x7fffffff;
/// The number of histories that slide: each has a base of its own, and two are for the others.
inline constexpr int max_sliding = 20;
inline constexpr int max_histories = 1024;

/// What a program over blocks needs, and what it computes.
struct stream_facts {
  stream_fault fault;
  graph::descriptor const* op;  ///< the op of the fault
  int position;                 ///< the parameter that the op of the fault reads first, or -1
  stream_history history[max_histories];
  int history_count;
  extents result;
  int latency, receptive_field, stride;
};

/// Rewrites a program of one argument and one result. An argument of steps has its axis of time at `axis`.
class streamer {
 public:
  constexpr streamer(graph::program const& whole, graph::program& p, stream_facts& facts, int axis, int block)
      : whole_{whole},
        from_{whole.nodes},
        program_{p},
        g_{p.nodes},
        facts_{facts},
        axis_{axis},
        block_{block},
        time_{new time_axis_of[static_cast<std::size_t>(from_.size) + 1]{}},
        value_{new int[static_cast<std::size_t>(from_.size) + 1]{}},
        varies_{new bool[static_cast<std::size_t>(from_.size) + 1]{}},
        in_body_{new bool[static_cast<std::size_t>(from_.size) + 1]{}},
        loops_{new streamed_loop[static_cast<std::size_t>(from_.loop_count) + 1]{}} {
    graph::copy_values(from_, g_);
    g_.loop_count = from_.loop_count;
  }
  constexpr ~streamer() {
    delete[] time_;
    delete[] value_;
    delete[] varies_;
    delete[] in_body_;
    delete[] loops_;
  }
  streamer(streamer const&) = delete;
  streamer& operator=(streamer const&) = delete;

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
    for (int id = 1; id <= from_.size && facts_.fault == stream_fault::none; ++id)
      if (needed[id]) stream_node(id);
    delete[] needed;
    if (facts_.fault == stream_fault::none) add_outputs();
  }

 private:
  using time = time_axis_of;

  /// A loop over the steps of the sequence.
  struct streamed_loop {
    bool exists;
    time of_steps;  ///< of its results
  };
  static constexpr bool is_input(node const& n) {
    return (n.op->family == op_family::argument && position_of(n) == 0) ||
           (n.op->family == op_family::label && label_of(n).position == 0);
  }
  /// Loops over the steps are those of which a slice belongs to a sequence that depends on the input.
  constexpr void find_loops(bool const* needed) {
    for (int id = 1; id <= from_.size; ++id) {
      node const& n = from_[id];
      varies_[id] = is_input(n);
      for (int const x : n.operand) varies_[id] = varies_[id] || (x != 0 && varies_[x]);
      if (needed[id] && n.op->family == op_family::loop_slice && varies_[id])
        loops_[graph::loop_of(n).number].exists = true;
    }
  }

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
  /// A value that is the same in each step, although it has the axis of time: repeated for the steps of a block.
  constexpr int repeated(int id, time const& t) {
    node const n = from_[id];
    extents const s = block_of(n.shape, t);
    switch (n.op->family) {
      case op_family::constant:
        return emit_constant(g_, constant_of(n), s).id;
      case op_family::alias:
        return repeated(n.operand[0], t);
      case op_family::reshape: {
        time const before = placed(t, from_[n.operand[0]].shape, inner_of(t, n.shape));
        if (!before.exists) return fail(stream_fault::splits_time, id);
        return emit_reshape(g_, repeated(n.operand[0], before), s);
      }
      case op_family::permute: {
        time before = t;
        before.axis = axis_behind(permutation_of(n), t.axis);
        return emit_permute(g_, repeated(n.operand[0], before), permutation_of(n));
      }
      case op_family::elementwise: {
        node r{n.op, {}, n.attribute, s};
        for (int k = 0; k < n.op->arity; ++k) r.operand[k] = repeated(n.operand[k], t);
        return g_.emit(r);
      }
      case op_family::broadcast: {
        int x = n.operand[0];
        while (from_[x].op->family == op_family::broadcast) x = from_[x].operand[0];
        extents const before = from_[x].shape;
        time t_before = t;
        t_before.axis -= n.shape.rank - before.rank;
        bool const single = t_before.axis < 0 || before.at[t_before.axis] == 1;
        return emit_broadcast(g_, single ? copied(x) : repeated(x, t_before), s);
      }
      default:
        return fail(stream_fault::varies_by_step, id);
    }
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
    while (i < facts_.history_count && (facts_.history[i].id != id || facts_.history[i].fills_with_lowest != lowest))
      ++i;
    if (i == facts_.history_count)
      facts_.history[facts_.history_count++] = {id, lowest, 0, time_[id].block, {}, 0, false};
    stream_history& h = facts_.history[i];
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
    int const block = emit_reshape(g_, value_[h.id], memory_of(h.id, h.block));
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
    extended const x = extend(id, t.lowest_before, t.first - first);
    return emit_reshape(g_, emit_part(g_, x.id, 1, x.rows - (t.first - first), t.block), block_of(from_[id].shape, t));
  }
  /// A node that holds a delayed value.
  constexpr void delay(int id, int first) {
    value_[id] = delayed(id, first);
    time_[id].first = first;
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
  constexpr int operand(int id, time const& t) { return streams(id) ? delayed(id, t.first) : repeated(id, t); }

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
      return repeated(x, of_x);
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

  /// A block runs as many steps as it has. The state is kept from block to block; where the stream begins it is 0. In a
  /// block of one step there is no loop: the nodes of the body are nodes of the program, and fuse with those around it.
  constexpr void loop_node(int id, node n) {
    graph::loop_node l = graph::loop_of(n);
    streamed_loop& loop = loops_[l.number];
    if (l.backwards) return void(fail(stream_fault::reverses_time, id));
    if (n.op->family == op_family::loop_slice) return loop_slice(id, n, loop);
    if (n.op->family == op_family::loop_final) return void(fail(stream_fault::takes_fixed_steps, id));
    if (graph::is_loop(n) && graph::count_of_loop(from_, id) != 0) return void(fail(stream_fault::no_rule, id));
    l.steps = block_;
    n.attribute = graph::loop_attribute(l);
    if (n.op->family == op_family::loop_state) {
      int initial = n.operand[0];
      while (from_[initial].op->family == op_family::reshape || from_[initial].op->family == op_family::broadcast)
        initial = from_[initial].operand[0];
      if (!is_constant(from_, initial) || constant_at(from_, initial) != 0)
        return void(fail(stream_fault::initial_state, id));
      int const i = history_of_state(id);
      n.operand[0] = g_.add(node{&described<buffer_>, {}, graph::slot_attribute(first_buffer_ + 2 * i), n.shape});
      in_body_[id] = true;
    } else {
      for (int& x : n.operand) x = of_body(x);
    }
    // The stack has the steps of the block.
    if (n.op->family == op_family::loop_stack) {
      time_[id] = loop.of_steps;
      n.shape = block_of(n.shape, time_[id]);
    }
    value_[id] = block_ == 1 ? only_step(n) : g_.add(n);
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
    if (t.axis != 0 || t.inner != 1 || from_[xs].shape.at[0] != t.extent || t.block != block_)
      return void(fail(stream_fault::splits_time, id));
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
    l.steps = block_;
    in_body_[id] = true;
    int const all = delayed(xs, 0);
    value_[id] = block_ == 1 ? emit_reshape(g_, all, n.shape)
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
    int const number = graph::loop_of(from_[state]).number;
    for (int id = state; id <= from_.size; ++id) {
      node const& n = from_[id];
      if (n.op->family != op_family::loop_carry || graph::loop_of(n).number != number) continue;
      if (block_ == 1 && n.operand[0] == state) return value_[id];
      if (block_ != 1 && graph::is_loop(n)) return emit_final(g_, value_[id], value_[state]);
    }
    return 0;
  }

  constexpr void add_outputs() {
    int const id = whole_.outputs[0].id;
    if (!streams(id)) return void(fail(stream_fault::constant_result, id));
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
        program_.add_output(facts_.history[i].is_state ? final_state(facts_.history[i].id) : with_history(i),
                            graph::destination::buffer, first_buffer_ + 2 * i + 1);
  }

  graph::program const& whole_;
  node_table const& from_;
  graph::program& program_;
  node_table& g_;
  stream_facts& facts_;
  int axis_, block_, first_buffer_ = 0;
  time* time_;            ///< by node of the whole sequence
  int* value_;            ///< by node: its value for a block, or 0
  bool* varies_;          ///< by node: it depends on the input
  bool* in_body_;         ///< by node: it is in the body of a loop over the steps
  streamed_loop* loops_;  ///< by number
};

/// The program over blocks of a program over a sequence. The first run finds how long each history is.
struct streamed {
  graph::program program;
  stream_facts facts;
};
constexpr streamed stream(graph::program const& whole, int axis, int block, int first_buffer) {
  streamed r{};
  {
    graph::program measured{};
    streamer first{whole, measured, r.facts, axis, block};
    first.run(first_buffer);
  }
  if (r.facts.fault != stream_fault::none) return r;
  int sliding = 0;
  for (int i = 0; i < r.facts.history_count; ++i)
    if (r.facts.history[i].shape.at[0] == 1 && !r.facts.history[i].is_state && sliding < max_sliding)
      r.facts.history[i].slides = ++sliding;
  streamer second{whole, r.program, r.facts, axis, block};
  second.run(first_buffer);
  return r;
}

}  // namespace espalier::operation
#include "../base/diagnostics_pop.hpp"
