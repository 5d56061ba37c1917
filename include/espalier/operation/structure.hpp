// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../shape/move.hpp"
#include "hoist_permutations.hpp"
#include "rule.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// The leaves of a graph, and the ops that only rename or repeat data. Emitting them simplifies: a reshape of a reshape
/// is one reshape, and a broadcast constant is a constant. Every broadcast is split into pieces that a row or column
/// loop can absorb.
namespace espalier {

struct argument_ {};
struct label_ {};
struct parameter_ {};
struct buffer_ {};
struct hyperparameter_ {};
struct constant_ {};
struct random_uniform_ {};
struct column_index_ {};
struct values_ {};
struct convert_ {};
struct reshape_ {};
struct broadcast_ {};
struct permute_ {};

template <>
struct rule<argument_> : leaf_rule<op_family::argument> {
  static constexpr char const* name = "argument";
};
/// An argument of class labels; attribute: twice the position, plus one for booleans.
template <>
struct rule<label_> : leaf_rule<op_family::label> {
  static constexpr char const* name = "labels";
};
template <>
struct rule<parameter_> : leaf_rule<op_family::parameter> {
  static constexpr char const* name = "parameter";
};
template <>
struct rule<buffer_> : leaf_rule<op_family::buffer> {
  static constexpr char const* name = "buffer";
};
template <>
struct rule<hyperparameter_> : leaf_rule<op_family::hyperparameter> {
  static constexpr char const* name = "hyperparameter";
};
template <>
struct rule<constant_> : leaf_rule<op_family::constant> {
  static constexpr char const* name = "constant";
};
template <>
struct rule<random_uniform_> : leaf_rule<op_family::random> {
  static constexpr char const* name = "random_uniform";
};
template <>
struct rule<column_index_> : leaf_rule<op_family::column_index> {
  static constexpr char const* name = "column_index";
};
/// A constant tensor: its elements are compile-time constants.
template <>
struct rule<values_> : leaf_rule<op_family::values> {
  static constexpr char const* name = "values";
};

namespace graph {

/// The axes that a piece of a broadcast repeats, or of a reduction reduces; the shape is seen as (rows, columns):
///   everything  all axes
///   row         the columns of each row
///   column      the rows of each column
///   middle      one run of axes in the middle
///   segments    all axes except one run in the middle, so rows consist of segments
enum class pattern : std::uint64_t { everything = 1, row = 2, column = 3, middle = 4, segments = 5 };

constexpr handle emit_constant(program_builder& g, double value, extents const& s) {
  return handle{&g, g.add(node{&described<constant_>, {}, std::bit_cast<std::uint64_t>(value), s})};
}
/// The runs of masked and of unmasked axes, from the last axis backwards; axes of extent 1 are skipped. last_begin is
/// the first axis of the last run.
struct runs {
  int count;
  bool last_masked;
  int last_begin;
  bool first_masked;
};
constexpr runs runs_of(extents const& s, unsigned mask) {
  runs r{0, false, 0, false};
  bool current = false;
  for (int i = s.rank - 1; i >= 0; --i) {
    if (s.at[i] == 1) continue;
    bool const masked = mask >> i & 1u;
    if (r.count == 0 || masked != current) {
      if (r.count == 0) r.last_masked = masked;
      ++r.count;
      current = masked;
    }
    if (r.count == 1) r.last_begin = i;
    r.first_masked = masked;
  }
  return r;
}
/// The mask of the leading run of masked axes.
constexpr unsigned leading_run(extents const& s, unsigned mask) {
  unsigned lead = 0;
  for (int i = 0; i < s.rank; ++i) {
    if (s.at[i] == 1) continue;
    if (!(mask >> i & 1u)) break;
    lead |= 1u << i;
  }
  return lead;
}
constexpr unsigned axes_from(int begin, int rank) { return ((1u << rank) - 1u) & ~((1u << begin) - 1u); }

}  // namespace graph

namespace detail {

constexpr int fitted(program_builder& g, int id, extents const& s) {
  return g.nodes[id].shape == s ? id : graph::emit_broadcast(g, id, s);
}

/// An equal, cheaper node, or 0. It has few statements because it runs for every elementwise node, and clang limits the
/// steps of constant evaluation.
template <class Op>
constexpr int simplified(program_builder& g, graph::node& n) {
  using R = rule<Op>;
  int const* const x = n.operand;
  bool const a = g.nodes[x[0]].op->family == op_family::constant,
             b = R::arity > 1 && g.nodes[x[1]].op->family == op_family::constant,
             c = R::arity > 2 && g.nodes[x[2]].op->family == op_family::constant;
  if (a && (b || R::arity < 2) && (c || R::arity < 3))
    return graph::emit_constant(g,
                                evaluate<Op, double>(graph::constant_at(g, x[0]), b ? graph::constant_at(g, x[1]) : 0,
                                                     c ? graph::constant_at(g, x[2]) : 0),
                                n.shape)
        .id;
  if constexpr (R::arity == 2) {
    // NaN means no neutral element and compares unequal to everything.
    if (a && graph::constant_at(g, x[0]) == R::neutral_left) return x[1];
    if (b && graph::constant_at(g, x[1]) == R::neutral_right) return x[0];
    if (R::commutative && x[0] > x[1]) n = graph::node{n.op, {x[1], x[0], 0, 0}, n.attribute, n.shape};
  }
  if constexpr (requires { R::simplify(g, n); }) return R::simplify(g, n);
  return 0;
}

template <class Op>
constexpr int elementwise_emit(program_builder& g, graph::node const& written) {
  using R = rule<Op>;
  int const* const x = written.operand;
  graph::node n{written.op,
                {fitted(g, x[0], written.shape), R::arity > 1 ? fitted(g, x[1], written.shape) : 0,
                 R::arity > 2 ? fitted(g, x[2], written.shape) : 0, 0},
                written.attribute,
                written.shape};
  if (!g.plain) {
    if (int const simpler = simplified<Op>(g, n)) return simpler;
    if (graph::moves_nothing(g, n.operand[0]) || (R::arity > 1 && graph::moves_nothing(g, n.operand[1])) ||
        (R::arity > 2 && graph::moves_nothing(g, n.operand[2])))
      if (int const elsewhere = graph::hoist_permutations(g, n)) return elsewhere;
  }
  return g.add(n);
}

}  // namespace detail

/// Converts integers (labels) to real numbers; not differentiable.
template <>
struct rule<convert_> {
  static constexpr char const* name = "convert";
  template <class Op>
  static constexpr graph::descriptor describe() {
    return graph::plain_descriptor(name, op_family::convert, 1);
  }
};

template <>
struct rule<reshape_> {
  static constexpr char const* name = "reshape";
  static constexpr int emit(program_builder& g, graph::node const& n) {
    return graph::emit_reshape(g, n.operand[0], n.shape);
  }
  static constexpr handle pullback(program_builder& g, int dy, int id, int) {
    return handle{&g, graph::emit_reshape(g, dy, g[g[id].operand[0]].shape)};
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = graph::plain_descriptor(name, op_family::reshape, 1);
    d.emit = &emit;
    d.pullback = &pullback;
    return d;
  }
};

template <>
struct rule<permute_> {
  static constexpr char const* name = "permute";
  static constexpr int emit(program_builder& g, graph::node const& n) {
    return graph::emit_permute(g, n.operand[0], n.attribute);
  }
  static constexpr handle pullback(program_builder& g, int dy, int id, int) {
    return handle{&g, graph::emit_permute(g, dy, graph::inverse_permutation(g[id].attribute, g[id].shape.rank))};
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = graph::plain_descriptor(name, op_family::permute, 1);
    d.emit = &emit;
    d.pullback = &pullback;
    return d;
  }
};

template <>
struct rule<broadcast_> {
  static constexpr char const* name = "broadcast_to";
  static constexpr int emit(program_builder& g, graph::node const& n) {
    return graph::emit_broadcast(g, n.operand[0], n.shape);
  }
  /// Sums the repeated axes; defined in sum.hpp.
  static constexpr handle pullback(program_builder& g, int dy, int id, int which);
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = graph::plain_descriptor(name, op_family::broadcast, 1);
    d.emit = &emit;
    d.pullback = &pullback;
    return d;
  }
};

namespace graph {

constexpr int emit_reshape(program_builder& g, int id, extents const& s) {
  node const& n = g[id];
  if (n.shape == s) return id;
  if (n.op->family == op_family::constant) return emit_constant(g, std::bit_cast<double>(n.attribute), s).id;
  if (n.op->family == op_family::reshape) return emit_reshape(g, n.operand[0], s);
  return g.add(node{&described<reshape_>, {id, 0, 0, 0}, 0, s});
}

/// The axes of `to` that a broadcast from `from` repeats.
constexpr unsigned repeated_axes(extents const& from, extents const& to) {
  unsigned mask = 0;
  int const lead = to.rank - from.rank;
  for (int i = 0; i < to.rank; ++i)
    if (to.at[i] != 1 && (i < lead || from.at[i - lead] != to.at[i])) mask |= 1u << i;
  return mask;
}

constexpr int emit_broadcast(program_builder& g, int id, extents const& s) {
  node const& n = g[id];
  if (n.shape == s) return id;
  if (n.op->family == op_family::constant) return emit_constant(g, std::bit_cast<double>(n.attribute), s).id;
  extents const from = n.shape;
  if (from.size() == s.size()) return emit_reshape(g, id, s);
  auto const piece = [&](int operand, pattern p, extents const& shape) {
    return g.add(node{&described<broadcast_>, {operand, 0, 0, 0}, static_cast<std::uint64_t>(p), shape});
  };
  if (from.size() == 1) return piece(id, pattern::everything, s);
  // Most values are matrices, which need no search for runs: either their columns are repeated or their rows.
  if (s.rank == 2) return piece(id, from.rank == 2 && from.at[0] == s.at[0] ? pattern::row : pattern::column, s);
  unsigned mask = repeated_axes(from, s);
  extents t = s;  // the shape so far: axes not yet repeated have extent 1
  for (int i = 0; i < s.rank; ++i)
    if (mask >> i & 1u) t.at[i] = 1;
  runs r = runs_of(s, mask);
  if (r.count == 3 && r.first_masked) return piece(id, pattern::segments, s);
  if (r.last_masked) {
    unsigned const last = mask & axes_from(r.last_begin, s.rank);
    for (int i = 0; i < s.rank; ++i)
      if (last >> i & 1u) t.at[i] = s.at[i];
    id = piece(id, pattern::row, t);
    mask &= ~last;
    r = runs_of(s, mask);
  }
  if (mask == 0) return id;
  unsigned const lead = r.first_masked ? leading_run(s, mask) : 0;
  if (unsigned const inner = mask & ~lead) {
    for (int i = 0; i < s.rank; ++i)
      if (inner >> i & 1u) t.at[i] = s.at[i];
    id = piece(id, pattern::middle, t);
  }
  return lead ? piece(id, pattern::column, s) : id;
}

constexpr int emit_permute(program_builder& g, int id, std::uint64_t packed) {
  node const& n = g[id];
  extents const s = permuted_extents(n.shape, packed);
  if (n.op->family == op_family::constant) return emit_constant(g, std::bit_cast<double>(n.attribute), s).id;
  if (n.op->family == op_family::permute) {
    std::uint64_t both = 0;
    for (int i = 0; i < s.rank; ++i) both |= (n.attribute >> (4 * (packed >> (4 * i) & 15u)) & 15u) << (4 * i);
    return emit_permute(g, n.operand[0], both);
  }
  int last = -1;
  bool in_order = true;  // axes longer than 1 keep their order, so no data moves
  for (int i = 0; i < s.rank; ++i) {
    if (s.at[i] == 1) continue;
    int const source = static_cast<int>(packed >> (4 * i) & 15u);
    in_order = in_order && source > last;
    last = source;
  }
  if (in_order) return emit_reshape(g, id, s);
  return g.add(node{&described<permute_>, {id, 0, 0, 0}, packed, s});
}

}  // namespace graph

}  // namespace espalier

#include "reduction.hpp"  // the pullback of a broadcast is a sum
#pragma GCC diagnostic pop
