// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/reshape_transpose.hpp"
#include "rule.hpp"

/// The leaves of a graph, and the ops that only rename data. Emitting them simplifies: a reshape of a reshape is one
/// reshape, and a permuted constant is a constant.
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
struct permute_ {};

template <>
struct rule<argument_> : leaf_rule<op_family::argument> {
  static constexpr char const* name = "argument";
};
/// An argument of class labels.
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

namespace operation {

constexpr int emit_reshape(node_table& g, int id, extents const& s);
constexpr int emit_permute(node_table& g, int id, std::uint64_t packed);
constexpr handle emit_constant(node_table& g, double value, extents const& s) {
  return handle{&g, g.add(node{&described<constant_>, {}, graph::constant_attribute(value), s})};
}
}  // namespace operation

/// Converts integers (labels) to real numbers; not differentiable.
template <>
struct rule<convert_> {
  static constexpr char const* name = "convert";
  template <class Op>
  static constexpr graph::descriptor describe() {
    return operation::plain_descriptor(name, op_family::convert, 1);
  }
};

namespace operation {
/// A leaf of integers, or of numbers of 16 bits, as real numbers.
constexpr int emit_convert(node_table& g, int leaf) {
  return g.add(node{&described<convert_>, {leaf, 0, 0, 0}, 0, g[leaf].shape});
}
}  // namespace operation

template <>
struct rule<reshape_> {
  static constexpr char const* name = "reshape";
  static constexpr int emit(node_table& g, graph::node const& n) {
    return operation::emit_reshape(g, n.operand[0], n.shape);
  }
  static constexpr handle pullback(node_table& g, int dy, int id, int) {
    return handle{&g, operation::emit_reshape(g, dy, g[g[id].operand[0]].shape)};
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::reshape, 1);
    d.emit = &emit;
    d.pullback = &pullback;
    return d;
  }
};

template <>
struct rule<permute_> {
  static constexpr char const* name = "permute";
  static constexpr int emit(node_table& g, graph::node const& n) {
    return operation::emit_permute(g, n.operand[0], permutation_of(n));
  }
  static constexpr handle pullback(node_table& g, int dy, int id, int) {
    return handle{&g, operation::emit_permute(g, dy, inverse_permutation(permutation_of(g[id]), g[id].shape.rank))};
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::permute, 1);
    d.emit = &emit;
    d.pullback = &pullback;
    return d;
  }
};

namespace operation {

/// What a leaf is whose number, or tensor, a run provides, for passes that name no op.
inline constexpr graph::descriptor const* run_time_number = &described<hyperparameter_>;
inline constexpr graph::descriptor const* run_time_tensor = &described<argument_>;

constexpr int emit_reshape(node_table& g, int id, extents const& s) {
  node const& n = g[id];
  if (n.shape == s) return id;
  if (n.op->family == op_family::constant) return emit_constant(g, constant_of(n), s).id;
  if (n.op->family == op_family::reshape) return emit_reshape(g, n.operand[0], s);
  return g.add(node{&described<reshape_>, {id, 0, 0, 0}, 0, s});
}

constexpr int emit_permute(node_table& g, int id, std::uint64_t packed) {
  node const& n = g[id];
  extents const s = permuted_extents(n.shape, packed);
  if (n.op->family == op_family::constant) return emit_constant(g, constant_of(n), s).id;
  if (n.op->family == op_family::permute) {
    std::uint64_t const both = composed_permutation(permutation_of(n), packed, s.rank);
    return emit_permute(g, n.operand[0], both);
  }
  int last = -1;
  bool in_order = true;  // axes longer than 1 keep their order, so no data moves
  for (int i = 0; i < s.rank; ++i) {
    if (s.at[i] == 1) continue;
    int const source = axis_behind(packed, i);
    in_order = in_order && source > last;
    last = source;
  }
  if (in_order) return emit_reshape(g, id, s);
  return g.add(node{&described<permute_>, {id, 0, 0, 0}, packed, s});
}

}  // namespace operation

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
