// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <memory>
#include <vector>

#include <espalier/derivative/reverse.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/plan/address.hpp>
#include <espalier/tracing/trace.hpp>

#include "random_program.hpp"

/// Random programs that are hard on the memory plan: concatenations inside concatenations, runs and slices of values,
/// flips, padding, windows, products, reductions, indices, loops, several results, gradients, and new values of
/// parameters and buffers.
namespace test {

/// What a random program may have. largest: elements of a value.
struct memory_program_options {
  std::int64_t largest;
  bool loops;
  bool slices_by_index;  ///< index_copy is among the ops
  int steps;
};

class memory_program {
 public:
  std::vector<int> arguments, parameters, buffers, labels;
  std::vector<int> positions;  ///< by label: the number of its possible positions
  std::int64_t parameter_offsets[8]{}, buffer_offsets[8]{};

  memory_program(graph::program& p, std::uint64_t seed, memory_program_options const& options)
      : p_{p}, g_{p.nodes}, options_{options}, roll_{seed * 2654435761u + 97} {
    choose_base();
    concatenates_often_ = roll_(3) == 0;
    add_leaves(&espalier::described<espalier::argument_>, arguments, 1 + roll_(4), nullptr);
    add_leaves(&espalier::described<espalier::parameter_>, parameters, roll_(4), parameter_offsets);
    add_leaves(&espalier::described<espalier::buffer_>, buffers, roll_(4), buffer_offsets);
    for (int i = 3 + roll_(options.steps); i > 0; --i) grow();
    add_results();
    add_gradients();
    for (std::size_t i = 0; i < buffers.size(); ++i)
      if (roll_(4) != 0) update_buffer(static_cast<int>(i));
  }
  espalier::plan::storage_layout layout() const { return {parameter_offsets, buffer_offsets}; }
  std::int64_t size(int id) const { return g_[id].shape.size(); }
  int roll(int sides) { return roll_(sides); }

 private:
  // ---- extents and leaves
  int extent() {
    static constexpr int multiples[] = {8, 16, 24, 32, 40, 64};
    switch (roll_(8)) {
      case 0:
        return 1;
      case 1:
      case 2:
        return 1 + roll_(20);
      case 7:
        if (options_.largest > 50000) return 8 * (8 + roll_(60));
        [[fallthrough]];
      default:
        return multiples[roll_(6)];
    }
  }
  void choose_base() {
    switch (roll_(6)) {
      case 0:
        base_ = {1, {extent() * extent()}};
        break;
      case 1:
        base_ = {3, {1 + roll_(4), extent(), extent()}};
        break;
      case 2:
        base_ = {4, {1 + roll_(3), 3 + roll_(6), 3 + roll_(6), 1 + roll_(16)}};
        break;
      default:
        base_ = {2, {extent(), extent()}};
    }
    while (base_.size() > options_.largest / 4)
      for (int i = 0; i < base_.rank; ++i) base_.at[i] = (base_.at[i] + 1) / 2;
  }
  void add_leaves(graph::descriptor const* op, std::vector<int>& to, int count, std::int64_t* offsets) {
    std::int64_t end = 0;
    for (int i = 0; i < count; ++i) {
      extents s = base_;
      if ((i > 0 || offsets != nullptr) && roll_(2) == 0)
        for (int a = 0; a < s.rank; ++a)
          if (roll_(2)) s.at[a] = 1;
      to.push_back(keep(g_.add({op, {}, static_cast<std::uint64_t>(i), s})));
      if (offsets == nullptr) continue;
      offsets[i] = end;
      end += (s.size() + 15) / 16 * 16;
    }
  }

  // ---- values
  handle h(int id) { return {&g_, id}; }
  int keep(int id) {
    if (size(id) > 0 && size(id) <= options_.largest && g_.size < 3000) pool_.push_back(id);
    return id;
  }
  int any() {
    int const n = static_cast<int>(pool_.size()), recent = n < 6 ? n : 6;
    return pool_[static_cast<std::size_t>(roll_(3) ? n - 1 - roll_(recent) : roll_(n))];
  }
  bool fits(int id, extents const& s) const { return espalier::broadcast_conflict(g_[id].shape, s) == -1; }
  /// Any value in a shape: one that has it, is broadcast to it, or has so many elements; else one number repeated.
  int like(extents const& s) {
    for (int i = 0; i < 10; ++i) {
      int const y = any();
      if (g_[y].shape == s) return y;
      if (fits(y, s) && roll_(2)) return operation::emit_broadcast(g_, y, s);
      if (size(y) == s.size() && roll_(2)) return operation::emit_reshape(g_, y, s);
    }
    int const x = any(),
              one = operation::emit_move(g_, operation::emit_reshape(g_, x, {1, {static_cast<int>(size(x))}}),
                                         espalier::identity_map(1), {1, {1}});
    return operation::emit_broadcast(g_, operation::emit_reshape(g_, one, {0, {}}), s);
  }
  static int first_axis(extents const& s) {
    for (int i = 0; i < s.rank; ++i)
      if (s.at[i] != 1) return i;
    return 0;
  }
  int slice(int x, int axis, int first, int count, int step = 1) {
    movement m{espalier::identity_map(g_[x].shape.rank), g_[x].shape};
    m.map.start[axis] = first;
    m.map.step[axis] = step;
    m.shape.at[axis] = count;
    return operation::emit_move(g_, x, m.map, m.shape);
  }
  int slice_of(int x, int axis) {
    int const n = g_[x].shape.at[axis];
    int first = roll_(n);
    if (roll_(2)) first = first / 8 * 8;
    int count = 1 + roll_(n - first);
    if (count > 8 && roll_(2)) count = count / 8 * 8;
    return slice(x, axis, first, count);
  }
  int concatenated(int a, int b, int axis) {
    extents s = g_[a].shape;
    s.at[axis] += g_[b].shape.at[axis];
    if (s.size() > options_.largest) return a;
    return operation::emit<espalier::concatenate_>(g_, s, static_cast<std::uint64_t>(axis), a, b).id;
  }

  // ---- steps
  void grow() {
    int const x = any();
    extents const s = g_[x].shape;
    int const axis = s.rank > 0 ? roll_(s.rank) : 0, front = roll_(3) ? first_axis(s) : axis;
    int const step = concatenates_often_ && roll_(2) ? 14 + roll_(6) : roll_(25);
    if (step > 4 && s.rank == 0) return;
    switch (step) {
      case 0:
        return void(keep(drawn_unary(roll_, h(x)).id));
      case 1:
      case 2:
      case 3:
      case 4:
        return void(keep(binary(x)));
      case 5:
      case 6:
        return reduce(x);
      case 7:
        return void(keep(espalier::rule<espalier::softmax_>::expand(h(x), 1u << (s.rank - 1)).id));
      case 8:
      case 9:
        return multiply(x);
      case 10:
        return void(
            keep(operation::emit_permute(g_, x, espalier::swap_permutation(s.rank, roll_(s.rank), roll_(s.rank)))));
      case 11:
        return reshape(x);
      case 12:
        return void(keep(slice(x, axis, s.at[axis] - 1, s.at[axis], -1)));
      case 13:
        return pad(x, axis);
      case 14:
      case 15:
      case 16:
        return concatenate(x, front);
      case 17:
      case 18:
        return void(keep(slice_of(x, front)));
      case 19:
        return split(x, front);
      case 20:
        return void(keep(slice(x, axis, 0, (s.at[axis] + 1) / 2, 2)));
      case 21:
        return s.rank == 4 ? image_windows(x) : windows(x, axis);
      case 22:
        return index(x, axis);
      default:
        if (options_.loops) loop(x);
    }
  }
  int binary(int x) {
    extents const s = g_[x].shape;
    int y = roll_(3) ? any() : like(s);
    if (!fits(y, s)) {
      if (fits(x, g_[y].shape)) std::swap(x, y);
      else y = like(s);
    }
    return drawn_binary(roll_, h(x), h(y)).id;
  }
  template <class Op>
  int reduced(int x, unsigned mask, bool kept) {
    return espalier::detail::reduce<Op>(g_, x, mask, espalier::reduced_extents(g_[x].shape, mask, kept));
  }
  void reduce(int x) {
    extents const s = g_[x].shape;
    unsigned const mask = static_cast<unsigned>(roll_(1 << s.rank));
    if (mask == 0) return;
    bool const kept = roll_(3) != 0;
    int const r = keep(roll_(3) ? reduced<espalier::sum_>(x, mask, kept) : reduced<espalier::max_>(x, mask, kept));
    extents const whole = espalier::reduced_extents(s, mask, true);
    if (roll_(2)) keep((h(x) - h(operation::emit_broadcast(g_, operation::emit_reshape(g_, r, whole), s))).id);
  }
  void multiply(int x) {
    extents const s = g_[x].shape;
    if (s.rank != 2 || s.at[0] > 600 || s.at[1] > 600) return;
    bool const first = roll_(2);
    int const r = keep(espalier::detail::emit_matmul(g_, x, roll_(2) ? x : like(s), first, !first));
    if (roll_(2)) keep((tanh(h(r)) + h(like(g_[r].shape))).id);
  }
  void reshape(int x) {
    extents const s = g_[x].shape;
    int const cut = roll_(s.rank + 1);
    keep(operation::emit_reshape(
        g_, x, extents{2, {static_cast<int>(s.product(0, cut)), static_cast<int>(s.product(cut, s.rank))}}));
  }
  void pad(int x, int axis) {
    movement m{espalier::identity_map(g_[x].shape.rank), g_[x].shape};
    int const before = roll_(9), behind = roll_(9);
    m.map.start[axis] = -before;
    m.shape.at[axis] += before + behind;
    if (m.shape.size() <= options_.largest) keep(operation::emit_move(g_, x, m.map, m.shape));
  }
  /// Up to four levels, each of which may be used elsewhere, too.
  void concatenate(int x, int axis) {
    int y = x;
    for (int i = 1 + roll_(concatenates_often_ ? 4 : 2); i > 0; --i) {
      int z = roll_(3) ? like(g_[x].shape) : roll_(2) ? slice_of(x, axis) : (h(x) * (0.5 + i)).id;
      if (roll_(3) == 0) z = relu(h(z)).id;
      y = roll_(2) ? concatenated(y, z, axis) : concatenated(z, y, axis);
      if (roll_(2)) keep(y);
    }
    keep(y);
  }
  void split(int x, int axis) {
    int const n = g_[x].shape.at[axis];
    if (n < 2) return;
    int const cut = n >= 32 && roll_(2) ? n / 16 * 8 : n / 2;
    int const a = keep(slice(x, axis, 0, cut)), b = keep(slice(x, axis, cut, n - cut));
    if (roll_(2)) keep(concatenated(tanh(h(b)).id, roll_(2) ? a : (h(a) * 2.0).id, axis));
  }
  void windows(int x, int axis) {
    extents const s = g_[x].shape;
    if (s.rank >= espalier::max_rank - 1) return;
    movement m{{}, {s.rank + 1, {}}};
    m.map.rank = s.rank + 1;
    for (int i = 0; i < m.map.rank; ++i) {
      m.map.source[i] = i <= axis ? i : i - 1;
      m.map.step[i] = m.map.divisor[i] = 1;
      m.shape.at[i] = i == axis + 1 ? 1 + roll_(3) : s.at[m.map.source[i]];
    }
    int const padding = roll_(2);
    m.map.start[axis] = -padding;
    m.shape.at[axis] = s.at[axis] + 2 * padding - m.shape.at[axis + 1] + 1;
    use_windows(x, m, 2u << axis);
  }
  void image_windows(int x) {
    extents const s = g_[x].shape;
    static constexpr int source[] = {0, 1, 2, 1, 2, 3};
    movement m{{}, {6, {s.at[0], 0, 0, 1 + roll_(3), 1 + roll_(3), s.at[3]}}};
    m.map.rank = 6;
    int const padding = roll_(2);
    bool const tiles = roll_(3) == 0;
    for (int i = 0; i < 6; ++i) {
      m.map.source[i] = source[i];
      m.map.step[i] = m.map.divisor[i] = 1;
    }
    for (int a = 1; a < 3; ++a) {
      int const taps = m.shape.at[a + 2];
      m.map.start[a] = tiles ? 0 : -padding;
      m.map.step[a] = tiles ? taps : 1;
      m.shape.at[a] = tiles ? s.at[a] / taps : s.at[a] + 2 * padding - taps + 1;
    }
    use_windows(x, m, 24u);
  }
  void use_windows(int x, movement const& m, unsigned taps) {
    for (int i = 0; i < m.map.rank; ++i)
      if (m.shape.at[i] < 1) return;
    if (m.shape.size() > 4 * options_.largest) return;
    int const w = operation::emit_move(g_, x, m.map, m.shape);
    extents const t = g_[w].shape;
    switch (roll_(4)) {
      case 0:
        return void(keep(w));
      case 1:
        return void(keep(operation::emit_scatter_add(g_, tanh(h(w)).id, m.map, g_[x].shape)));
      case 2:
        return void(keep(roll_(2) ? reduced<espalier::max_>(w, taps, true) : reduced<espalier::sum_>(w, taps, true)));
      default:
        if (t.rank != 6) return;
        int const depth = t.at[3] * t.at[4] * t.at[5], channels = 1 + roll_(9);
        int const product = espalier::detail::emit_matmul(
            g_, operation::emit_reshape(g_, w, extents{2, {static_cast<int>(t.product(0, 3)), depth}}),
            like({2, {depth, channels}}), false, false);
        keep(operation::emit_reshape(g_, product, extents{4, {t.at[0], t.at[1], t.at[2], channels}}));
    }
  }
  void index(int x, int axis) {
    if (labels.size() == 12) return;
    extents const s = g_[x].shape;
    int const count = 1 + roll_(s.at[axis] < 40 ? s.at[axis] : 40);
    extents from = s, of_labels{s.rank, {}};
    from.at[axis] = count;
    for (int i = 0; i < s.rank; ++i) of_labels.at[i] = i == axis ? count : 1;
    int const at =
        g_.add({&espalier::described<espalier::label_>,
                {},
                graph::label_attribute({random_program::first_index + static_cast<int>(labels.size()), false}),
                of_labels});
    labels.push_back(at);
    positions.push_back(s.at[axis]);
    auto const indexed = [&](graph::descriptor const* op, int a, int b, extents const& shape) {
      return operation::emit_indexed(g_, {op, {a, at, b, 0}, graph::axis_attribute(axis), shape});
    };
    if (!options_.slices_by_index || roll_(3) == 0)
      return void(keep(indexed(&espalier::described<espalier::index_gather_>, x, 0, from)));
    int y = roll_(2) ? x : tanh(h(x)).id;
    for (int i = 1 + roll_(2); i > 0; --i)
      y = keep(indexed(&espalier::described<espalier::index_copy_>, y, like(from), s));
  }
  /// A loop along the first axis, with one or two states.
  void loop(int x) {
    extents const s = g_[x].shape;
    if (s.rank < 2 || s.at[0] < 2 || g_.loop_count > 2) return;
    int const outside = any();
    extents one{};
    for (int i = 1; i < s.rank; ++i) one.push(s.at[i]);
    int const initial[] = {like(one), like(one)};
    operation::open_loop const l = operation::begin_loop(g_, s.at[0], roll_(2), 0);
    int const slice_of_x = operation::emit_slice(g_, l, x);
    int const states[] = {operation::emit_state(g_, l, initial[0], 0), operation::emit_state(g_, l, initial[1], 1)};
    int const count = 1 + roll_(2);
    std::vector<int> body{slice_of_x, states[0]};
    if (count > 1) body.push_back(states[1]);
    if (fits(outside, one)) body.push_back(outside);
    auto const pick = [&] { return body[static_cast<std::size_t>(roll_(static_cast<int>(body.size())))]; };
    for (int i = 2 + roll_(5); i > 0; --i) {
      int const a = pick(), b = pick(), axis = first_axis(one);
      bool const whole = g_[a].shape == one && g_[b].shape == one;
      int r = 0;
      switch (roll_(5)) {
        case 0:
          r = (h(a) * h(b)).id;
          break;
        case 1:
          if (whole) r = slice(concatenated(a, b, axis), axis, one.at[axis] / 2, one.at[axis]);
          break;
        case 2:
          if (whole && one.rank == 2)
            r = espalier::detail::emit_matmul(g_, espalier::detail::emit_matmul(g_, a, b, false, true), a, false,
                                              false);
          break;
        case 3:
          r = relu(h(a) - h(b)).id;
          break;
        default:
          r = tanh(h(a) + h(b)).id;
      }
      if (r != 0 && g_[r].shape == one) body.push_back(r);
    }
    auto const or_else = [&](int id, int other) { return g_[id].shape == one ? id : other; };
    int next[] = {or_else(body.back(), states[0]), count > 1 ? or_else(pick(), states[1]) : 0};
    int results[] = {or_else(pick(), next[0]), or_else(pick(), next[0])};
    operation::nothing_replaced const same{};
    operation::loop_builder b{g_, l};
    b.close(states, next, count, results, 2, same);
    b.stack(results, 2, same);
    for (int i = 0; i < count; ++i) keep(operation::emit_final(g_, b.loop(), states[i]));
    for (int r : results) keep(r);
  }

  // ---- outputs
  void add_results() {
    for (int i = 1 + roll_(4); i > 0; --i) espalier::tracing::add_result(p_, any(), results_++);
  }
  void add_gradients() {
    if (roll_(2) == 0 || g_.size > 600) return;
    int y = any();
    if (roll_(2)) y = espalier::detail::reduce<espalier::sum_>(g_, y, (1u << g_[y].shape.rank) - 1u, extents{});
    auto const m = std::make_unique<espalier::derivative::marks>();
    auto const adjoints = std::make_unique<espalier::derivative::adjoints>();
    for (std::vector<int> const* leaves : {&arguments, &parameters})
      for (int id : *leaves) m->at[id] = espalier::derivative::mark::differentiated;
    espalier::derivative::reverse(g_, y, operation::emit_constant(g_, 1, g_[y].shape).id, *m, *adjoints);
    for (int id : arguments)
      if (int const d = adjoints->of[id]; d != 0 && roll_(2)) espalier::tracing::add_result(p_, d, results_++);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      int const id = parameters[i], d = adjoints->of[id];
      if (d == 0) continue;
      if (roll_(2)) p_.add_output(d, graph::destination::gradient, static_cast<int>(i));
      else p_.add_output((h(id) - h(d) * 0.1).id, graph::destination::parameter, static_cast<int>(i));
    }
  }
  /// The new value is any of its shape, or a sum of what may read the old one.
  void update_buffer(int slot) {
    int const id = buffers[static_cast<std::size_t>(slot)];
    extents const s = g_[id].shape;
    int y = 0;
    for (int k = 0; k < 20 && y == 0; ++k) {
      int z = any();
      if (z == id || espalier::broadcast_conflict(s, g_[z].shape) != -1) continue;
      if (roll_(2) && !(g_[z].shape == s)) {
        z = roll_(2) ? (h(z) + h(id)).id : tanh(h(z) * h(id)).id;
        if (roll_(2) && g_[z].shape.rank > 0)
          z = espalier::rule<espalier::softmax_>::expand(h(z), 1u << (g_[z].shape.rank - 1)).id;
        if (roll_(2)) espalier::tracing::add_result(p_, z, results_++);
      }
      y = g_[z].shape == s ? z : espalier::detail::sum_to<espalier::sum_>(g_, z, s);
    }
    if (y == 0) return;
    if (roll_(3) == 0) y = (h(id) * 0.9 + h(y) * 0.1).id;
    graph::node const& data = g_[graph::data_of(g_, y)];
    if (data.op->family == graph::op_family::buffer && slot_of(data) != slot)
      y = g_.add({&espalier::described<espalier::copied_>,
                  {y, 0, 0, 0},
                  graph::copy_attribute(graph::max_outputs + slot),
                  g_[y].shape});
    p_.add_output(y, graph::destination::buffer, slot);
  }

  graph::program& p_;
  graph::node_table& g_;
  memory_program_options options_;
  dice roll_;
  extents base_{};
  std::vector<int> pool_;
  bool concatenates_often_ = false;
  int results_ = 0;
};

}  // namespace test
