// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/derivative/reverse.hpp>
#include <espalier/operation/operation.hpp>

/// Programs drawn at random: elementwise ops, broadcasts, reductions over any axes, moved axes, slices, windows and
/// folds, products, composites, gradients, updates of state, and slices written by index if they are asked for. They
/// can be drawn by the compiler too, so that kernels are made of them.
namespace test {

namespace graph = espalier::graph;
namespace operation = espalier::operation;
using espalier::extents;
using espalier::handle;
using espalier::movement;

struct dice {
  std::uint64_t state;
  constexpr int operator()(int sides) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(sides));
  }
  constexpr double number() { return (*this)(2001) / 1000.0 - 1; }
};

/// One of four ops of one operand.
constexpr handle drawn_unary(dice& roll, handle x) {
  switch (roll(4)) {
    case 0:
      return tanh(x);
    case 1:
      return relu(x);
    case 2:
      return sigmoid(x);
    default:
      return x * 0.5 + 0.25;
  }
}
/// One of four ops of two operands, of which y broadcasts to x.
constexpr handle drawn_binary(dice& roll, handle x, handle y) {
  switch (roll(4)) {
    case 0:
      return x + y;
    case 1:
      return y - x;
    case 2:
      return x * y;
    default:
      return maximum(x, y);
  }
}

inline constexpr extents bases_of_shapes[] = {{2, {4, 6}},        {2, {8, 8}},          {3, {5, 1, 7}},
                                              {4, {2, 3, 4, 5}},  {2, {1, 1}},          {3, {3, 3, 3}},
                                              {1, {6}},           {2, {1, 9}},          {6, {2, 1, 2, 3, 1, 2}},
                                              {2, {9, 1}},        {4, {2, 1, 3, 1}},    {0, {}},
                                              {3, {4, 4, 2}},     {5, {2, 2, 1, 2, 2}}, {2, {17, 40}},
                                              {2, {33, 17}},      {3, {3, 20, 9}},      {2, {20, 20}},
                                              {1, {100}},         {4, {2, 5, 4, 9}},    {4, {1, 6, 7, 8}},
                                              {4, {2, 3, 3, 16}}, {4, {2, 4, 4, 3}}};

/// A program that grows at random.
class random_program {
 public:
  static constexpr int most_values = 64;
  /// Some node ids, in order.
  struct ids {
    int at[most_values]{};
    int count = 0;
    constexpr void push_back(int id) { at[count++] = id; }
    constexpr int const* begin() const { return at; }
    constexpr int const* end() const { return at + count; }
  };

  static constexpr int first_index = 8;  ///< the position of the first argument of indices

  constexpr random_program(graph::program& p, std::uint64_t seed, bool writes_slices = false)
      : p_{p}, g_{p.nodes}, roll_{seed * 2654435761u + 12345}, writes_slices_{writes_slices} {
    base_ = bases_of_shapes[roll_(static_cast<int>(sizeof(bases_of_shapes) / sizeof(extents)))];
    int const leaves = 1 + roll_(3);
    for (int i = 0; i < leaves; ++i)
      arguments_.push_back(leaf(&espalier::described<espalier::argument_>, i, shape_of_leaf(i == 0)));
    if (roll_(2)) parameters_.push_back(leaf(&espalier::described<espalier::parameter_>, 0, shape_of_leaf(false)));
    if (roll_(3) == 0) buffers_.push_back(leaf(&espalier::described<espalier::buffer_>, 0, shape_of_leaf(false)));
    if (roll_(6) == 0 && base_.rank > 0)
      pool_.push_back(g_.add({&espalier::described<espalier::column_index_>, {}, 0, base_}));
    int const length = 2 + roll_(14);
    for (int i = 0; i < length; ++i) grow();
    finish();
  }
  constexpr ids const& arguments() const { return arguments_; }
  constexpr ids const& parameters() const { return parameters_; }
  constexpr ids const& buffers() const { return buffers_; }
  /// The nodes that are the first to read an argument of indices, in the order of those.
  constexpr ids const& index_copies() const { return index_copies_; }

 private:
  constexpr int leaf(graph::descriptor const* op, int slot, extents const& s) {
    int const id = g_.add({op, {}, static_cast<std::uint64_t>(slot), s});
    pool_.push_back(id);
    return id;
  }
  constexpr extents shape_of_leaf(bool whole) {
    extents s = base_;
    if (whole || roll_(3) == 0) return s;
    for (int i = 0; i < s.rank; ++i)
      if (roll_(2)) s.at[i] = 1;
    int const drop = s.rank > 0 ? roll_(s.rank + 1) : 0;
    extents r{};
    for (int i = roll_(2) ? drop : 0; i < s.rank; ++i) r.push(s.at[i]);
    return r;
  }
  constexpr int any() {
    int const recent = pool_.count < 4 ? pool_.count : 4;
    return pool_.at[roll_(2) ? roll_(pool_.count) : pool_.count - 1 - roll_(recent)];
  }
  constexpr void keep(int id) {
    if (g_[id].shape.size() <= 4096 && pool_.count < most_values) pool_.push_back(id);
  }
  constexpr handle h(int id) { return handle{&g_, id}; }
  constexpr unsigned some_axes(extents const& s) {
    unsigned const mask = static_cast<unsigned>(roll_(1 << s.rank));
    return roll_(4) == 0 ? (1u << s.rank) - 1u : mask;
  }

  constexpr void grow() {
    int const x = any();
    extents const s = g_[x].shape;
    if (writes_slices_ && s.rank > 0 && roll_(4) == 0) return write_slices(x);
    if (s.rank == 4 && s.at[3] >= 8 && roll_(3) == 0) return windows(x, 1);
    switch (roll_(18)) {
      case 0:
        keep(tanh(h(x)).id);
        break;
      case 1:
        keep((h(x) * roll_.number() + roll_.number()).id);
        break;
      case 2:
        keep(sigmoid(h(x)).id);
        break;
      case 3:
        keep(relu(h(x)).id);
        break;
      case 4:
      case 5:
      case 6:
      case 7:
        combine(x);
        break;
      case 8:
      case 9:
        keep(reduce<espalier::sum_>(x));
        break;
      case 10:
        keep(roll_(2) ? reduce<espalier::max_>(x) : reduce<espalier::min_>(x));
        break;
      case 11:
      case 15:
      case 16:
        move(x);
        break;
      case 12:
        product(x);
        break;
      case 13:
        composite(x, some_axes(s));
        break;
      case 14:
        keep(operation::emit_broadcast(g_, x, wider(s)));
        break;
      default:
        keep(where(h(x) > 0, h(x) * h(x), 0.5).id);
        break;
    }
  }
  constexpr extents wider(extents const& s) {
    extents r = s;
    for (int i = 0; i < s.rank; ++i)
      if (s.at[i] == 1 && roll_(2)) r.at[i] = 2 + roll_(3);
    if (r.rank < 6 && roll_(3) == 0) {
      extents t{};
      t.push(2 + roll_(2));
      for (int i = 0; i < r.rank; ++i) t.push(r.at[i]);
      r = t;
    }
    return r.size() <= 2048 ? r : s;
  }
  /// x with another value that broadcasts to it, or whose sum does.
  constexpr void combine(int x) {
    int y = any();
    extents const s = g_[x].shape;
    for (int tries = 0; tries < 8 && espalier::broadcast_conflict(g_[y].shape, s) != -1 &&
                        espalier::broadcast_conflict(s, g_[y].shape) != -1;
         ++tries)
      y = any();
    if (espalier::broadcast_conflict(g_[y].shape, s) != -1 && espalier::broadcast_conflict(s, g_[y].shape) != -1)
      return;
    switch (roll_(5)) {
      case 0:
        keep((h(x) + h(y)).id);
        break;
      case 1:
        keep((h(x) - h(y)).id);
        break;
      case 2:
        keep((h(y) * h(x)).id);
        break;
      case 3:
        keep((h(x) / (h(y) * h(y) + 1.0)).id);
        break;
      default:
        keep(maximum(h(x), h(y)).id);
        break;
    }
  }
  template <class Op>
  constexpr int reduce(int x) {
    extents const s = g_[x].shape;
    unsigned const mask = some_axes(s);
    int const r = espalier::detail::reduce<Op>(g_, x, mask, espalier::reduced_extents(s, mask, roll_(3) != 0));
    return roll_(2) ? operation::emit_broadcast(
                          g_, operation::emit_reshape(g_, r, espalier::reduced_extents(s, mask, true)), s)
                    : r;
  }
  /// Slices of x itself, of another value or of a constant. Indices of one place may be equal.
  constexpr void write_slices(int x) {
    extents const s = g_[x].shape;
    int const axis = roll_(s.rank), picks = 1 + roll_(roll_(3) ? s.at[axis] : 1), y = any();
    extents from = s, positions{s.rank, {}};
    from.at[axis] = picks;
    for (int i = 0; i < s.rank; ++i) positions.at[i] = i == axis ? picks : 1;
    int source = operation::emit_constant(g_, 0.75, from).id;
    if (g_[y].shape == from) source = y;
    else if (espalier::broadcast_conflict(g_[y].shape, from) == -1) source = operation::emit_broadcast(g_, y, from);
    else if (roll_(3)) source = operation::emit_move(g_, x, espalier::identity_map(s.rank), from);
    int const index = g_.add({&espalier::described<espalier::label_>,
                              {},
                              graph::label_attribute({first_index + index_copies_.count, false}),
                              positions});
    int const written = operation::emit_indexed(
        g_, {&espalier::described<espalier::index_copy_>, {x, index, source, 0}, graph::axis_attribute(axis), s});
    index_copies_.push_back(written);
    keep(written);
  }
  constexpr void move(int x) {
    extents const s = g_[x].shape;
    if (s.rank == 0) return;
    if (roll_(2)) {
      add_operand(x);
    } else if (roll_(3)) {
      keep(operation::emit_permute(g_, x, espalier::swap_permutation(s.rank, roll_(s.rank), roll_(s.rank))));
    } else {
      extents r{};
      int const split = roll_(s.rank + 1);
      int left = 1, right = 1;
      for (int i = 0; i < s.rank; ++i) (i < split ? left : right) *= s.at[i];
      r.push(left);
      r.push(right);
      keep(operation::emit_reshape(g_, x, r));
    }
  }
  constexpr void keep_moved(int x, movement const& m) {
    if (m.shape.rank >= 0 && m.shape.size() <= 4096) keep(operation::emit_move(g_, x, m.map, m.shape));
  }
  /// A slice, some padding, a flip, a dilation, windows, a fold of windows, or two values one after the other.
  constexpr void add_operand(int x) {
    extents const s = g_[x].shape;
    int const axis = roll_(s.rank), n = s.at[axis];
    movement m{espalier::identity_map(s.rank), s};
    switch (roll_(9)) {
      case 0: {
        int const first = roll_(n), left = n - first, step = 1 + roll_(2);
        m.map.start[axis] = first;
        m.map.step[axis] = step;
        m.shape.at[axis] = 1 + roll_((left + step - 1) / step);
        keep_moved(x, m);
        break;
      }
      case 1: {
        int const before = roll_(3), after = roll_(3);
        m.map.start[axis] = -before;
        m.shape.at[axis] += before + after;
        keep_moved(x, m);
        break;
      }
      case 2: {  // padding below every number, for a maximum
        m.map.start[axis] = -1;
        m.map.fills_with_lowest = true;
        m.shape.at[axis] += 1 + roll_(2);
        if (m.shape.size() <= 4096) keep(maximum(handle{&g_, operation::emit_move(g_, x, m.map, m.shape)}, -1.5).id);
        break;
      }
      case 3: {
        m.map.start[axis] = n - 1;
        m.map.step[axis] = -1;
        keep_moved(x, m);
        break;
      }
      case 4: {
        m.map.divisor[axis] = 2 + roll_(2);
        m.shape.at[axis] *= m.map.divisor[axis];
        if (roll_(2)) m.map.start[axis] = roll_(2) ? 1 : -1;
        keep_moved(x, m);
        break;
      }
      case 5:
        concatenate(x, axis);
        break;
      default:
        windows(x, axis);
    }
  }
  constexpr void concatenate(int x, int axis) {
    extents s = g_[x].shape;
    int y = any();
    bool fits = g_[y].shape.rank == s.rank;
    for (int i = 0; fits && i < s.rank; ++i) fits = i == axis || g_[y].shape.at[i] == s.at[i];
    if (!fits) y = roll_(2) ? x : roll_(2) ? (h(x) * 0.5).id : operation::emit_constant(g_, 0.25, s).id;
    if (roll_(2)) std::swap(x, y);
    s.at[axis] = g_[x].shape.at[axis] + g_[y].shape.at[axis];
    if (s.size() <= 4096)
      keep(operation::emit<espalier::concatenate_>(g_, s, static_cast<std::uint64_t>(axis), x, y).id);
  }
  /// Windows along one axis, or of an image; as they are, summed up where they came from, reduced over their taps, or
  /// multiplied.
  constexpr void windows(int x, int axis) {
    extents const s = g_[x].shape;
    bool const image = s.rank == 4 && roll_(3) != 0;
    if (!image && s.rank == espalier::max_rank) return;
    movement m{espalier::identity_map(s.rank), extents{}};
    m.map.rank = image ? 6 : s.rank + 1;
    m.shape = extents{m.map.rank, {}};
    int const padding = roll_(2);
    if (image) {
      int const source[] = {0, 1, 2, 1, 2, 3};
      for (int i = 0; i < 6; ++i) {
        m.map.source[i] = source[i];
        m.map.step[i] = i > 0 && i < 5 ? 1 + (roll_(3) == 0) : 1;
        if (i > 2) m.shape.at[i] = i == 5 ? s.at[3] : 1 + roll_(3);
      }
      m.shape.at[0] = s.at[0];
      for (int a = 1; a < 3; ++a) set_windows(m, s, a, a, a + 2, padding);
    } else {
      for (int i = 0; i < m.map.rank; ++i) {
        m.map.source[i] = i <= axis ? i : i - 1;
        m.map.step[i] = i == axis || i == axis + 1 ? 1 + (roll_(3) == 0) : 1;
        m.shape.at[i] = i == axis + 1 ? 1 + roll_(3) : s.at[m.map.source[i]];
      }
      set_windows(m, s, axis, axis, axis + 1, padding);
    }
    for (int i = 0; i < m.map.rank; ++i)
      if (m.shape.at[i] < 1) return;
    if (m.shape.size() > 16384) return;
    int const w = operation::emit_move(g_, x, m.map, m.shape);
    switch (roll_(4)) {
      case 0:
        keep(w);
        break;
      case 1:
        keep(operation::emit_scatter_add(g_, tanh(h(w)).id, m.map, s));
        break;
      case 2: {
        unsigned const taps = image ? 24u : 2u << axis;
        keep(roll_(2)
                 ? espalier::detail::reduce<espalier::max_>(g_, w, taps, espalier::reduced_extents(m.shape, taps, true))
                 : espalier::detail::reduce<espalier::sum_>(g_, w, taps,
                                                            espalier::reduced_extents(m.shape, taps, roll_(2))));
        break;
      }
      default:
        if (image) multiply_windows(w);
    }
  }
  constexpr void set_windows(movement& m, extents const& s, int operand_axis, int walk, int taps, int padding) {
    m.map.start[operand_axis] = -padding;
    int const room = s.at[operand_axis] + 2 * padding - m.map.step[taps] * (m.shape.at[taps] - 1) - 1;
    m.shape.at[walk] = room < 0 ? 0 : room / m.map.step[walk] + 1;
    if (roll_(5) == 0) {  // spread out, as the gradient of a strided convolution asks for
      m.map.divisor[operand_axis] = 2;
      m.map.step[walk] = 1;
    }
  }
  constexpr void multiply_windows(int w) {
    extents const s = g_[w].shape;
    int const depth = s.at[3] * s.at[4] * s.at[5], outputs = 1 + roll_(9), pixels = static_cast<int>(s.product(0, 3));
    int kernels = arguments_.at[roll_(arguments_.count)];
    int const size = static_cast<int>(g_[kernels].shape.size());
    if (size >= depth + outputs) {  // any matrix of what there is
      movement m{espalier::identity_map(2), extents{2, {depth, outputs}}};
      m.map.source[1] = m.map.divisor[1] = 0;
      m.map.step[1] = size >= depth + 2 * outputs ? 2 : 1;
      kernels = operation::emit_move(g_, operation::emit_reshape(g_, kernels, extents{1, {size}}), m.map, m.shape);
    } else {
      kernels =
          operation::emit_broadcast(g_,
                                    operation::emit_move(g_, operation::emit_reshape(g_, kernels, extents{1, {size}}),
                                                         espalier::identity_map(1), extents{1, {1}}),
                                    extents{2, {depth, outputs}});
    }
    keep(operation::emit_reshape(
        g_,
        espalier::detail::emit_matmul(g_, operation::emit_reshape(g_, w, extents{2, {pixels, depth}}), kernels, false,
                                      false),
        extents{4, {s.at[0], s.at[1], s.at[2], outputs}}));
  }
  constexpr void product(int x) {
    extents const s = g_[x].shape;
    if (s.rank < 2) return;
    bool const first = roll_(2);
    keep(espalier::detail::emit_matmul(g_, x, roll_(2) ? x : tanh(h(x)).id, first, !first));
  }
  constexpr void composite(int x, unsigned mask) {
    using espalier::rule, espalier::described;
    if (mask == 0) return;
    auto const alias = [&](graph::descriptor const* op, handle value, int eps) {
      keep(g_.add({op, {value.id, x, eps, 0}, mask, g_[value.id].shape}));
    };
    switch (roll_(3)) {
      case 0:
        alias(&described<espalier::softmax_>, rule<espalier::softmax_>::expand(h(x), mask), 0);
        break;
      case 1:
        alias(&described<espalier::logsumexp_>, rule<espalier::logsumexp_>::expand(h(x), mask), 0);
        break;
      default: {
        handle const eps = operation::emit_constant(g_, 0.1, extents{});
        alias(&described<espalier::normalize_>,
              rule<espalier::scaled_by_deviation_<false>>::expand(espalier::shifted(h(x), mask), eps, mask), eps.id);
      }
    }
  }
  constexpr void finish() {
    int results = 0;
    int const expected = 1 + roll_(3);
    for (int i = 0; i < expected; ++i) p_.add_output(any(), graph::destination::result, results++);
    if (roll_(3)) {
      int y = any();
      if (roll_(2)) y = reduce_to_one(y);
      espalier::derivative::marks m{};
      espalier::derivative::adjoints a{};
      for (int id : arguments_) m.at[id] = espalier::derivative::mark::differentiated;
      for (int id : parameters_) m.at[id] = espalier::derivative::mark::differentiated;
      espalier::derivative::reverse(g_, y, operation::emit_constant(g_, 1, g_[y].shape).id, m, a);
      for (int id : arguments_)
        if (int const d = a.of[id]) p_.add_output(d, graph::destination::result, results++);
      for (int id : parameters_) {
        int const d = a.of[id];
        if (d == 0) continue;
        if (roll_(2)) p_.add_output(d, graph::destination::gradient, 0);
        else p_.add_output((h(id) - h(d) * 0.1).id, graph::destination::parameter, 0);
      }
    }
    for (int id : buffers_) {
      int y = any();
      if (espalier::broadcast_conflict(g_[id].shape, g_[y].shape) != -1) continue;
      y = espalier::detail::sum_to<espalier::sum_>(g_, y, g_[id].shape);
      if (roll_(2)) y = (h(id) * 0.9 + h(y) * 0.1).id;
      p_.add_output(y, graph::destination::buffer, 0);
    }
  }
  constexpr int reduce_to_one(int y) {
    return espalier::detail::reduce<espalier::sum_>(g_, y, (1u << g_[y].shape.rank) - 1u, extents{});
  }

  graph::program& p_;
  graph::node_table& g_;
  dice roll_;
  bool writes_slices_;
  extents base_{};
  ids pool_, arguments_, parameters_, buffers_, index_copies_;
};

}  // namespace test
