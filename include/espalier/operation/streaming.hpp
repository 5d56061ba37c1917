// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "concatenate.hpp"
#include "copied.hpp"
#include "indexing.hpp"
#include "loop.hpp"
#include "pack.hpp"
#include "step_offsets.hpp"
#include "where.hpp"

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
  initial_state,      ///< the initial state of a loop depends on the input
  attends_later,      ///< a mask of attention lets a query look at keys that come later
  attends_all,        ///< a sum or maximum over keys of which no mask hides those that come later
  needs_context,      ///< attention looks at all earlier keys, and no context says how many are kept
  early_keys,         ///< queries, keys and values of attention are known at different times
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

/// What is known of the elements of pairs. fixed: all are `value`. hides: those whose key is not from low to high steps
/// behind the query (offsets, key - query) are `value`.
struct known_outside {
  enum kind : std::uint8_t { nothing, fixed, hides } what = nothing;
  double value = 0;
  int low = -step_offsets::unbounded, high = step_offsets::unbounded;

  constexpr bool is(double x) const { return what == hides && value == x; }
};

/// The second axis of a value that has an element for each pair of a step and a key, as attention's scores. In the
/// program of a block, the keys are those of the block behind `past` earlier ones.
struct keys_axis_of {
  bool exists;
  int axis, past;
  int origin;            ///< the product that the pairs began with
  int step_low;          ///< as the time of the keys: what a key depends on
  known_outside hidden;  ///< what elements of keys are that a query does not look at
};
/// How many earlier keys the pairs of a product need. A run finds it at the masks.
struct stream_window {
  int origin, past;
};
inline constexpr int max_windows = 256;
/// The rings of keys and values of `past` earlier steps and a block. Each call overwrites the oldest block. Where it
/// does is an argument of the program: the places of the steps of the block, from argument 1 on.
struct stream_ring {
  int past, block;
  constexpr int places() const { return past + block; }
};
inline constexpr int max_rings = 8;

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
  /// Not 0: a number, how many elements of values of this stride there were before the block. `saturates`: it counts no
  /// further than the pairs need.
  int counts = 0;
  bool saturates = false;
  /// Not 0: keys or values of attention, in the places of ring number `ring - 1`, from which the program reads and to
  /// which it writes. The order of keys does not matter to a sum over them.
  int ring = 0;
  int first = 0;            ///< of a ring: the first element of the value that it keeps
  bool transposed = false;  ///< of a ring: with the last two axes of the value exchanged

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
  stream_window windows[max_windows];
  int window_count;
  bool windows_changed;  ///< in the last run: it was emitted with shorter windows than it found
  int most_counted;      ///< where counts saturate
  stream_ring rings[max_rings];
  int ring_count;
  extents result;
  int latency, receptive_field, stride;
};

constexpr bool is_zeros(node_table const& g, int id) {
  while (g[id].op->family == op_family::reshape || g[id].op->family == op_family::broadcast) id = g[id].operand[0];
  return is_constant(g, id) && constant_at(g, id) == 0;
}

/// Rewrites a program of one argument and one result. An argument of steps has its axis of time at `axis`. Attention to
/// all earlier steps looks at the last `context` of them, the present one included.
class streamer {
 public:
  constexpr streamer(graph::program const& whole, graph::program& p, stream_facts& facts, int axis, int block,
                     int context)
      : whole_{whole},
        from_{whole.nodes},
        program_{p},
        g_{p.nodes},
        facts_{facts},
        axis_{axis},
        block_{block},
        context_{context},
        keys_{new keys_axis_of[static_cast<std::size_t>(from_.size) + 1]{}},
        time_{new time_axis_of[static_cast<std::size_t>(from_.size) + 1]{}},
        value_{new int[static_cast<std::size_t>(from_.size) + 1]{}},
        varies_{new bool[static_cast<std::size_t>(from_.size) + 1]{}},
        in_body_{new bool[static_cast<std::size_t>(from_.size) + 1]{}},
        loops_{new streamed_loop[static_cast<std::size_t>(from_.loop_count) + 1]{}} {
    graph::copy_values(from_, g_);
    g_.loop_count = from_.loop_count;
  }
  constexpr ~streamer() {
    delete[] keys_;
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
      if (varies_[id]) steps_ = n.shape.at[axis_];
      for (int const x : n.operand) varies_[id] = varies_[id] || (x != 0 && varies_[x]);
      if (needed[id] && n.op->family == op_family::loop_slice && varies_[id])
        loops_[graph::loop_of(n).number].exists = true;
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
      if (has_time) s = streamer::block_of(s, t);
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
      default:
        return fail(stream_fault::varies_by_step, id);
    }
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
                                        facts_.history[i].ring != 0))
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

  // ---- pairs of steps: attention ----

  constexpr stream_window& window_of(int origin) {
    int i = 0;
    while (i < facts_.window_count && facts_.windows[i].origin != origin) ++i;
    if (i == facts_.window_count) {
      if (facts_.window_count == max_windows) g_.report(graph::fault::too_many_nodes);
      else facts_.windows[facts_.window_count++] = {origin, 0};
    }
    return facts_.windows[i < max_windows ? i : 0];
  }
  /// The pairs of a product need `past` earlier keys.
  constexpr void widen(int origin, int past) {
    stream_window& w = window_of(origin);
    if (past <= w.past) return;
    w.past = past;
    facts_.windows_changed = true;
  }
  /// The ring of `past` earlier steps: its number.
  constexpr int ring_of(int past, int block) {
    int i = 0;
    while (i < facts_.ring_count && (facts_.rings[i].past != past || facts_.rings[i].block != block)) ++i;
    if (i == max_rings) g_.report(graph::fault::too_many_nodes);
    else if (i == facts_.ring_count) facts_.rings[facts_.ring_count++] = {past, block};
    return i < max_rings ? i : 0;
  }
  /// The places of the steps of a block in a ring: integers that each call is given.
  constexpr int places_in(int ring) {
    graph::label_argument const argument{1 + ring, false};
    return g_.add(
        node{&described<label_>, {}, graph::label_attribute(argument), extents{1, {facts_.rings[ring].block}}});
  }
  /// The elements of a sequence that belong to the steps of a block and `past` earlier ones, in the shape of the value
  /// and the order of their ring. transposed: with the last two axes exchanged.
  constexpr int with_past(int x, time const& of_rows, int past, bool transposed) {
    if (time_[x].first > 0 && time_[x].lowest_before) delay(x, 0);
    int block = delayed(x, of_rows.first);
    time t = time_[x];
    extents all = from_[x].shape;
    all.at[t.axis] = past + t.block;
    if (transposed) {
      std::uint64_t const swapped = swap_permutation(all.rank, all.rank - 1, all.rank - 2);
      block = emit_permute(g_, block, swapped);
      all = permuted_extents(all, swapped);
      t.axis = axis_behind(swapped, t.axis);
    }
    if (past == 0) return block;
    int const ring = ring_of(past, t.block);
    std::int64_t const inner = all.product(t.axis + 1, all.rank);
    extents const kept{3, {static_cast<int>(all.size() / inner / all.at[t.axis]), past, static_cast<int>(inner)}};
    int const history = ring_history({x, false, past, t.block, kept, 0, false, 0, false, 1 + ring, of_rows.first, transposed});
    int const buffer = g_.add(node{&described<buffer_>, {}, graph::slot_attribute(first_buffer_ + 2 * history), all});
    extents along = all;
    for (int i = 0; i < along.rank; ++i) along.at[i] = i == t.axis ? t.block : 1;
    int const places = emit_reshape(g_, places_in(ring), along);
    return g_.emit(node{&described<index_copy_>, {buffer, places, block, 0}, graph::axis_attribute(t.axis), all});
  }
  /// The history of keys or values: one for what a value is from an element on, in one order of axes.
  constexpr int ring_history(stream_history const& wanted) {
    int i = 0;
    for (; i < facts_.history_count; ++i) {
      stream_history const& h = facts_.history[i];
      if (h.ring == wanted.ring && h.id == wanted.id && h.first == wanted.first && h.transposed == wanted.transposed)
        return i;
    }
    facts_.history[facts_.history_count++] = wanted;
    return i;
  }
  /// Whether the elements of an axis are the steps of a value, and belong to the steps of rows.
  constexpr bool are_keys(int x, time const& of_rows) const {
    time const& k = time_[x];
    return k.inner == 1 && from_[x].shape.at[k.axis] == k.extent && k.extent == of_rows.extent &&
           k.block == of_rows.block && k.stride == of_rows.stride;
  }
  /// Queries times keys: rows are steps, and columns too.
  constexpr int pairs(int id, node const& n) {
    int const q = n.operand[0], k = n.operand[1];
    time t = time_[q];
    t.axis = n.shape.rank - 2;
    t.first = least(least(t.first, time_[k].first), 0);
    if (!are_keys(k, t)) return fail(stream_fault::mixes_rates, id);
    if (time_[k].future > t.future) t.late = time_[k].late;
    t.future = most(t.future, time_[k].future);
    t.high = most(t.high, time_[k].high);
    int const past = window_of(id).past;
    time_[id] = t;
    keys_[id] = {true, n.shape.rank - 1, past, id, time_[k].low, {}};
    // With the steps of keys as columns, a row of scores is a few long sums of vectors, not many short dot products.
    auto const [ta, tb] = transposes_of(n);
    int const rows = delayed(q, t.first);
    return g_.emit(node{n.op,
                        {rows, with_past(k, t, past, tb), 0, 0},
                        graph::transposes_attribute({ta, false}),
                        of_pairs(t, keys_[id]).block_of(n.shape)});
  }
  /// An operand of a node of pairs: its value in the form of the pairs, and what is known of it.
  struct pair_operand {
    int id;
    known_outside known;
  };
  constexpr pair_operand in_pairs(int x, time const& t, keys_axis_of& k) {
    node const n = from_[x];
    if (keys_[x].exists) {
      keys_axis_of const& o = keys_[x];
      if (!same_place(time_[x], t) || time_[x].first != t.first || o.axis != k.axis)
        return {fail(stream_fault::early_keys, x), {}};
      if (o.past != k.past) {  // both get the longer window in the next run
        widen(o.origin, k.past);
        widen(k.origin, o.past);
        return {emit_constant(g_, 0, of_pairs(t, k).block_of(n.shape)).id, o.hidden};
      }
      k.step_low = least(k.step_low, o.step_low);
      return {value_[x], o.hidden};
    }
    if (streams(x)) return {rows_in_pairs(x, of_pairs(t, k)), {}};
    if (is_constant(from_, x)) return {repeated(x, of_pairs(t, k)), {known_outside::fixed, constant_at(from_, x)}};
    if (n.op->family == op_family::elementwise) return elementwise_pairs(n, t, k);
    if (n.op->family == op_family::broadcast) {
      step_axes const before = before_broadcast(of_pairs(t, k), from_[n.operand[0]].shape, n.shape);
      if (before.has_time && before.keys >= 0) {
        keys_axis_of narrower = k;
        narrower.axis = before.keys;
        pair_operand y = in_pairs(n.operand[0], before.t, narrower);
        y.id = emit_broadcast(g_, y.id, of_pairs(t, k).block_of(n.shape));
        return y;
      }
    }
    return {repeated(x, of_pairs(t, k)), {}};
  }
  /// A value of rows that was repeated for all keys.
  constexpr int rows_in_pairs(int x, step_axes const& a) {
    node const& n = from_[x];
    extents const s = a.block_of(n.shape);
    if (n.op->family == op_family::broadcast) {
      int base = n.operand[0];
      while (from_[base].op->family == op_family::broadcast) base = from_[base].operand[0];
      step_axes const before = before_broadcast(a, from_[base].shape, n.shape);
      if (before.keys >= 0 || !before.has_time || !same_place(time_[base], before.t) || time_[base].block != a.t.block)
        return fail(stream_fault::splits_time, x);
      if (time_[base].first < a.t.first) return fail(stream_fault::early_keys, x);
      return emit_broadcast(g_, delayed(base, a.t.first), s);
    }
    if (n.op->family != op_family::elementwise && n.op->family != op_family::alias)
      return fail(stream_fault::splits_time, x);
    node r{n.op, {}, n.attribute, s};
    for (int i = 0; i < n.op->arity; ++i) {
      int const y = n.operand[i];
      r.operand[i] = streams(y) ? rows_in_pairs(y, a) : repeated(y, a);
    }
    return n.op->family == op_family::alias ? r.operand[0] : g_.emit(r);
  }
  /// An elementwise op of pairs. A choice by a condition on positions hides keys.
  constexpr pair_operand elementwise_pairs(node const& n, time const& t, keys_axis_of& k) {
    if (is_op(n, &described<where_>) && !varies_[n.operand[0]])
      for (int const other : {2, 1}) {
        if (!is_constant(from_, n.operand[other])) continue;
        axes_of_pairs const axes{t.axis, t.inner, k.axis, t.extent};
        step_offsets const looks = offsets_of(from_, n.operand[0], axes, other == 1);
        if (looks.exists) return hidden(n, other, looks, t, k);
      }
    node r{n.op, {}, n.attribute, of_pairs(t, k).block_of(n.shape)};
    known_outside known[3]{};
    for (int i = 0; i < n.op->arity; ++i) {
      pair_operand const x = in_pairs(n.operand[i], t, k);
      r.operand[i] = x.id;
      known[i] = x.known;
    }
    return {g_.emit(r), known_result(*n.op, known)};
  }
  /// The result of an op of which operand `only`, or each one (-1), is hidden. hides: the value does not depend on what
  /// is not known, as -infinity + x and 0 x.
  static constexpr known_outside where_hidden(graph::descriptor const& op, known_outside const (&x)[3], int only) {
    constexpr double probes[]{0.75, -1.625, 5.5, -0.375};
    known_outside r{known_outside::hides};
    for (int k = 0; k < 4; ++k) {
      double v[3]{};
      for (int i = 0; i < op.arity; ++i) {
        bool const known =
            x[i].what == known_outside::fixed || (x[i].what == known_outside::hides && (only < 0 || only == i));
        v[i] = known ? x[i].value : probes[(k + i) % 4] * (i + 1);
      }
      double const y = op.evaluate(v[0], v[1], v[2]);
      if (k == 0) r.value = y;
      if (!(y == r.value)) return {};
    }
    return r;
  }
  /// What is known of an op's result. Where one hidden operand is enough to know it, the others may look further.
  static constexpr known_outside known_result(graph::descriptor const& op, known_outside const (&x)[3]) {
    known_outside r = where_hidden(op, x, -1);
    if (r.what != known_outside::hides) return r;
    int low = step_offsets::unbounded, high = -step_offsets::unbounded;
    bool one_is_enough = false, any = false;
    for (int i = 0; i < op.arity; ++i) {
      if (x[i].what != known_outside::hides) continue;
      any = true;
      low = least(low, x[i].low);
      high = most(high, x[i].high);
      if (!where_hidden(op, x, i).is(r.value)) continue;
      one_is_enough = true;
      r.low = most(r.low, x[i].low);
      r.high = least(r.high, x[i].high);
    }
    if (any && one_is_enough) return r;
    if (any) return {known_outside::hides, r.value, low, high};
    bool all_fixed = true;
    for (int i = 0; i < op.arity; ++i) all_fixed = all_fixed && x[i].what == known_outside::fixed;
    return all_fixed ? known_outside{known_outside::fixed, r.value} : known_outside{};
  }
  /// where(condition, x, constant), or with both exchanged: x at the keys that the condition allows, and that are in
  /// the sequence and its context. `other` is the operand that is the constant.
  constexpr pair_operand hidden(node const& n, int other, step_offsets looks, time const& t, keys_axis_of& k) {
    if (context_ != 0) looks.low = most(looks.low, 1 - context_);
    if (looks.low != -step_offsets::unbounded) widen(k.origin, most(-looks.low, 0));
    facts_.most_counted = most(facts_.most_counted, k.past - t.first);
    pair_operand const x = in_pairs(n.operand[3 - other], t, k);
    int const constant = repeated(n.operand[other], of_pairs(t, k));
    node const r{
        &described<where_>, {allowed(n.shape, looks, t, k), x.id, constant, 0}, 0, of_pairs(t, k).block_of(n.shape)};
    known_outside known{known_outside::hides, constant_at(from_, n.operand[other]), looks.low, looks.high};
    if (x.known.is(known.value)) {
      known.low = most(known.low, x.known.low);
      known.high = least(known.high, x.known.high);
    }
    return {g_.emit(r), known};
  }
  /// Whether what is known of pairs lets a sum or maximum leave out keys: they are `neutral`. Keys that come later, or
  /// too early, are not in the block.
  constexpr bool leaves_out(int id, keys_axis_of const& k, double neutral) {
    if (!k.hidden.is(neutral)) fail(stream_fault::attends_all, id);
    else if (k.hidden.high > 0) fail(stream_fault::attends_later, id);
    else if (k.hidden.low == -step_offsets::unbounded) fail(stream_fault::needs_context, id);
    return facts_.fault == stream_fault::none;
  }
  /// The numbers of keys in the order of their steps, 0 for the oldest, at places 0, 1, ... of their ring. The last step
  /// of the block is the newest one.
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
  /// 1 for the pairs of a block at the offsets that are looked at, if the key is in the sequence; else 0. Key j in order
  /// is that of the block's first step, minus past, plus j.
  constexpr int allowed(extents const& whole, step_offsets const& looks, time const& t, keys_axis_of const& k) {
    extents const s = of_pairs(t, k).block_of(whole);
    extents pairs = s;
    for (int i = 0; i < s.rank; ++i)
      if (i != t.axis && i != k.axis) pairs.at[i] = 1;
    int const key = in_order(steps_along(s, k.axis, 1, k.past + t.block, 1), k.past, t.block);
    int const begin = apply_to<subtract_>(number(k.past - t.first), count_before(t, true));
    int r = apply_to<greater_equal_>(key, begin);
    int const query = steps_along(s, t.axis, s.at[t.axis] / (t.block * t.inner), t.block, t.inner);
    auto const also = [&]<class Op>(std::type_identity<Op>, int offset) {
      int const bound = apply_to<add_>(query, number(k.past + offset));
      r = apply_to<multiply_>(emit_broadcast(g_, r, pairs), apply_to<Op>(emit_broadcast(g_, key, pairs), bound));
    };
    if (looks.high < t.block - 1) also(std::type_identity<less_equal_>{}, looks.high);
    if (looks.low > 1 - k.past - t.block) also(std::type_identity<greater_equal_>{}, looks.low);
    return emit_broadcast(g_, r, s);
  }
  /// 0, ..., n - 1 along an axis that is (outer, n, inner) of a value of shape s; the other axes are 1.
  constexpr int steps_along(extents const& s, int axis, int outer, int n, int inner) {
    extents one = s;
    for (int i = 0; i < s.rank; ++i)
      if (i != axis) one.at[i] = 1;
    int const index = g_.add(node{&described<column_index_>, {}, 0, extents{1, {n}}});
    int const in_axis =
        emit_broadcast(g_, emit_reshape(g_, index, extents{3, {1, n, 1}}), extents{3, {outer, n, inner}});
    return emit_reshape(g_, in_axis, one);
  }

  constexpr int rule_of_pairs(int id, node const& n, int x) {
    time t = time_[x];
    keys_axis_of k = keys_[x];
    switch (n.op->family) {
      case op_family::elementwise: {
        pair_operand const y = elementwise_pairs(n, t, k);
        k.hidden = y.known;
        return placed_pairs(id, t, k, y.id);
      }
      case op_family::alias:
        return placed_pairs(id, t, k, value_[x]);
      case op_family::reshape: {
        t = placed(t, n.shape, inner_of(t, from_[x].shape));
        k.axis = same_axis(from_[x].shape, k.axis, n.shape);
        if (!t.exists || k.axis < 0) return fail(stream_fault::splits_time, id);
        return placed_pairs(id, t, k, emit_reshape(g_, value_[x], of_pairs(t, k).block_of(n.shape)));
      }
      case op_family::broadcast:
        t.axis += n.shape.rank - from_[x].shape.rank;
        k.axis += n.shape.rank - from_[x].shape.rank;
        return placed_pairs(id, t, k, emit_broadcast(g_, value_[x], of_pairs(t, k).block_of(n.shape)));
      case op_family::permute:
        for (int i = 0; i < n.shape.rank; ++i) {
          int const before = axis_behind(permutation_of(n), i);
          if (before == time_[x].axis) t.axis = i;
          if (before == keys_[x].axis) k.axis = i;
        }
        return placed_pairs(id, t, k, emit_permute(g_, value_[x], permutation_of(n)));
      case op_family::reduction:
        return reduced_pairs(id, n);
      case op_family::contraction:
        return weighted_keys(id, n);
      default:
        return fail(stream_fault::no_rule, id);
    }
  }
  constexpr int placed_pairs(int id, time const& t, keys_axis_of const& k, int value) {
    time_[id] = t;
    keys_[id] = k;
    return value;
  }
  /// A sum or maximum over keys leaves out those that are hidden.
  constexpr int reduced_pairs(int id, node const& n) {
    int const x = n.operand[0];
    extents const s = from_[x].shape;
    time t = time_[x];
    keys_axis_of k = keys_[x];
    unsigned axes = 0;
    for (int i = 0; i < s.rank; ++i)
      if (s.at[i] != n.shape.at[i]) axes |= 1u << i;
    if (axes >> t.axis & 1u) return fail(stream_fault::reduces_time, id);
    bool const of_keys = axes >> k.axis & 1u;
    if (of_keys && !leaves_out(id, k, n.op->identity)) return fail(stream_fault::attends_all, id);
    if (!of_keys && !k.hidden.is(n.op->identity)) k.hidden = {};
    if (of_keys) {
      t.low = least(t.low, k.step_low - t.stride * k.past);
      k = {};
    }
    extents const result = k.exists ? of_pairs(t, k).block_of(n.shape) : block_of(n.shape, t);
    return placed_pairs(id, t, k, g_.emit(node{n.op, {value_[x], 0, 0, 0}, graph::axes_attribute(axes), result}));
  }
  /// The sum of values by the weights of their keys.
  constexpr int weighted_keys(int id, node const& n) {
    auto const [ta, tb] = transposes_of(n);
    bool const weights_first = keys_[n.operand[0]].exists;
    int const w = n.operand[weights_first ? 0 : 1], v = n.operand[weights_first ? 1 : 0];
    time t = time_[w];
    keys_axis_of const k = keys_[w];
    auto const from_last = [&](int x, int axis) { return from_[x].shape.rank - 1 - axis; };
    int const summed_of_first = ta ? 1 : 0, summed_of_second = tb ? 0 : 1;
    int const summed_of_weights = weights_first ? summed_of_first : summed_of_second;
    int const summed_of_values = weights_first ? summed_of_second : summed_of_first;
    if (!streams(v) || keys_[v].exists || from_last(w, k.axis) != summed_of_weights ||
        from_last(w, t.axis) != 1 - summed_of_weights || from_last(v, time_[v].axis) != summed_of_values)
      return fail(stream_fault::multiplies_time, id);
    if (!leaves_out(id, k, 0)) return fail(stream_fault::attends_all, id);
    if (!are_keys(v, t)) return fail(stream_fault::mixes_rates, id);
    if (time_[v].first < t.first) return fail(stream_fault::early_keys, id);
    t.axis = n.shape.rank - (weights_first ? 2 : 1);
    t.low = least(t.low, least(time_[v].low, k.step_low) - t.stride * k.past);
    t.high = most(t.high, time_[v].high);
    if (time_[v].future > t.future) t.late = time_[v].late;
    t.future = most(t.future, time_[v].future);
    int const values = with_past(v, time_[w], k.past, false);
    int const weights = value_[w];
    return placed_pairs(
        id, t, {},
        with_operands(n, block_of(n.shape, t), weights_first ? weights : values, weights_first ? values : weights));
  }

  // ---- loops over the steps ----

  /// A block runs as many steps as it has. The state is kept from block to block; where the stream begins, it is the
  /// loop's initial one (`initial_states`). In a block of one step there is no loop: the nodes of the body are nodes of
  /// the program, and fuse with those around it.
  constexpr void loop_node(int id, node n) {
    graph::loop_node l = graph::loop_of(n);
    streamed_loop& loop = loops_[l.number];
    if (l.backwards) return void(fail(stream_fault::reverses_time, id));
    if (n.op->family == op_family::loop_slice) return loop_slice(id, n, loop);
    if (n.op->family == op_family::loop_final) return void(fail(stream_fault::takes_fixed_steps, id));
    l.steps = block_;
    n.attribute = graph::loop_attribute(l);
    if (n.op->family == op_family::loop_state) {
      if (!is_initial(n.operand[0])) return void(fail(stream_fault::initial_state, id));
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

  /// What a history without a place that moves is for the next block.
  constexpr int next_of(int i) {
    stream_history const& h = facts_.history[i];
    if (h.counts != 0) return next_count(h, first_buffer_ + 2 * i);
    if (h.ring != 0) {
      time from{};
      from.first = h.first;
      return with_past(h.id, from, h.rows, h.transposed);
    }
    return h.is_state ? final_state(h.id) : with_history(i);
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
  node_table const& from_;
  graph::program& program_;
  node_table& g_;
  stream_facts& facts_;
  int axis_, block_, context_, first_buffer_ = 0;
  keys_axis_of* keys_;    ///< by node: its axis of keys, if it has an element for each pair of steps
  int steps_ = 0;         ///< of the whole sequence
  time* time_;            ///< by node of the whole sequence
  int* value_;            ///< by node: its value for a block, or 0
  bool* varies_;          ///< by node: it depends on the input
  bool* in_body_;         ///< by node: it is in the body of a loop over the steps
  streamed_loop* loops_;  ///< by number
};

/// The program over blocks of a program over a sequence. The first runs find how long each history is.
struct streamed {
  graph::program program;
  stream_facts facts;
};
constexpr streamed stream(graph::program const& whole, int axis, int block, int context, int first_buffer) {
  streamed r{};
  // A run that finds longer windows than it was emitted with is repeated; windows that are combined become equal.
  do {
    graph::program measured{};
    r.facts.windows_changed = false;
    r.facts.history_count = r.facts.ring_count = 0;
    streamer one{whole, measured, r.facts, axis, block, context};
    one.run(first_buffer);
  } while (r.facts.windows_changed && r.facts.fault == stream_fault::none);
  if (r.facts.fault != stream_fault::none) return r;
  int sliding = 0;
  for (int i = 0; i < r.facts.history_count; ++i)
    if (stream_history const& h = r.facts.history[i];
        h.shape.at[0] == 1 && !h.is_state && h.ring == 0 && sliding < max_sliding)
      r.facts.history[i].slides = ++sliding;
  streamer second{whole, r.program, r.facts, axis, block, context};
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
