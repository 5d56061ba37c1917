// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "stream_values.hpp"

namespace espalier::operation {

/// Pairs of steps in the program over a block: products of queries and keys, what is computed from them, and sums over
/// keys. Keys of earlier steps are kept. Masks say how many, and that none of them come later. Attention to all earlier
/// steps looks at the last `context` of them, the present one included.
class stream_attention : protected stream_values {
 protected:
  constexpr stream_attention(node_table const& from, node_table& g, stream_facts& facts, int block, int context)
      : stream_values{from, g, facts, block, context},
        keys_{new keys_axis_of[static_cast<std::size_t>(from_.size) + 1]{}},
        varies_{new bool[static_cast<std::size_t>(from_.size) + 1]{}} {}
  constexpr ~stream_attention() {
    delete[] keys_;
    delete[] varies_;
  }

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
    int const history =
        ring_history({x, false, past, t.block, kept, 0, false, 0, false, 1 + ring, of_rows.first, transposed});
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
    if (n.op->family == op_family::broadcast || n.op->family == op_family::reshape) return moved_mask(x, n, t, k);
    return {repeated(x, of_pairs(t, k)), {}};
  }
  /// A broadcast or reshape of what is the same for all inputs: a mask for all heads.
  constexpr pair_operand moved_mask(int x, node const& n, time const& t, keys_axis_of const& k) {
    bool const broadcasts = n.op->family == op_family::broadcast;
    extents const from = from_[n.operand[0]].shape, s = of_pairs(t, k).block_of(n.shape);
    step_axes before = of_pairs(t, k);
    if (broadcasts) {
      before = before_broadcast(before, from, n.shape);
    } else {
      before.t.axis = t.inner == 1 ? same_axis(n.shape, t.axis, from) : -1;
      before.has_time = before.t.axis >= 0;
      before.keys = same_axis(n.shape, k.axis, from);
    }
    if (!before.has_time || before.keys < 0) return {repeated(x, of_pairs(t, k)), {}};
    keys_axis_of in_operand = k;
    in_operand.axis = before.keys;
    pair_operand y = in_pairs(n.operand[0], before.t, in_operand);
    y.id = broadcasts ? emit_broadcast(g_, y.id, s) : emit_reshape(g_, y.id, s);
    return y;
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
  /// 1 for the pairs of a block at the offsets that are looked at, if the key is in the sequence; else 0. Key number j,
  /// in order, is that of the block's first step, minus past, plus j.
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

  keys_axis_of* keys_;  ///< by node: its axis of keys, if it has an element for each pair of steps
  bool* varies_;        ///< by node: it depends on the input
};

}  // namespace espalier::operation
#include "../base/diagnostics_pop.hpp"
