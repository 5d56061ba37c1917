// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/indexing.hpp"
#include "../shape/movements.hpp"
#include "movement.hpp"
#include "reshape.hpp"

/// Elements at positions that are integers known when the program runs. Three ops: two are each the adjoint of the
/// other, and one writes slices. The public functions (gather, index_select, ...) are these behind reshapes and slices.
namespace espalier {

/// y[..., k, ...] = x[..., index[..., k, ...], ...] along one axis. x has the extents of y on the other axes; those of
/// the index are equal or 1, and are then repeated.
struct index_gather_ {};
/// y[..., index[..., k, ...], ...] += x[..., k, ...], from zeros, in the order of the elements of x.
struct index_scatter_add_ {};
/// y = x, except y[..., index[..., k, ...], ...] = source[..., k, ...]: slices of equal index are summed. Operands: x,
/// index, source. Where y has the memory of x, only those slices are written.
struct index_copy_ {};

namespace operation {

/// The integers behind an index operand: an argument of integers, or a reshape of one. Returns 0 for any other value.
/// Indices are read as integers: the conversion of labels to real numbers is passed over, because float represents
/// whole numbers only up to 2^24.
constexpr int find_integers(node_table& g, int id) {
  extents const s = g[id].shape;
  while (g[id].op->family == op_family::reshape || g[id].op->family == op_family::alias ||
         g[id].op->family == op_family::convert)
    id = g[id].operand[0];
  if (g[id].op->family != op_family::label || label_of(g[id]).is_flag) return 0;
  return emit_reshape(g, id, s);
}
constexpr int emit_indexed(node_table& g, node const& n) {
  int const index = find_integers(g, n.operand[1]);
  if (index == 0) {
    g.report(graph::fault::computed_index);
    return emit_constant(g, 0, n.shape).id;
  }
  return g.add(node{n.op, {n.operand[0], index, n.operand[2], 0}, n.attribute, n.shape});
}
constexpr handle pull_back_indexed(node_table& g, int dy, int id, int which);
constexpr handle pull_back_index_copy(node_table& g, int dy, int id, int which);

}  // namespace operation

template <>
struct rule<index_gather_> {
  static constexpr char const* name = "gather";
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::index_gather, 2);
    d.emit = &operation::emit_indexed;
    d.pullback = &operation::pull_back_indexed;
    return d;
  }
};
template <>
struct rule<index_scatter_add_> {
  static constexpr char const* name = "scatter_add";
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::index_scatter_add, 2);
    d.emit = &operation::emit_indexed;
    d.pullback = &operation::pull_back_indexed;
    return d;
  }
};
template <>
struct rule<index_copy_> {
  static constexpr char const* name = "index_copy";
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::index_copy, 3);
    d.emit = &operation::emit_indexed;
    d.pullback = &operation::pull_back_index_copy;
    return d;
  }
};

namespace operation {
/// The adjoint for operand 0 is the other op with the same index.
constexpr handle pull_back_indexed(node_table& g, int dy, int id, int which) {
  node const n = g[id];
  if (which != 0) return handle{&g, 0};
  graph::descriptor const* const adjoint =
      n.op->family == op_family::index_gather ? &described<index_scatter_add_> : &described<index_gather_>;
  return handle{&g, emit_indexed(g, node{adjoint, {dy, n.operand[1], 0, 0}, n.attribute, g[n.operand[0]].shape})};
}
/// The adjoint of x is dy with zeros in the slices, that of the source is those slices.
constexpr handle pull_back_index_copy(node_table& g, int dy, int id, int which) {
  node const n = g[id];
  if (which == 1) return handle{&g, 0};
  extents const s = g[n.operand[2]].shape;
  if (which == 2)
    return handle{&g, emit_indexed(g, node{&described<index_gather_>, {dy, n.operand[1], 0, 0}, n.attribute, s})};
  int const zeros = emit_constant(g, 0, s).id;
  return handle{&g, emit_indexed(g, node{n.op, {dy, n.operand[1], zeros, 0}, n.attribute, n.shape})};
}
}  // namespace operation

/// Named relation: an index has the element type std::int32_t. A value inside a body has no element type; the program
/// finds out whether it is an argument of integers.
template <class Element>
struct integer_index {
  ESPALIER_READS("the index has elements of {}")
  static constexpr bool agree = std::is_same_v<Element, std::int32_t>;
};
template <class Index>
using index_element_fit = std::conditional_t<is_eager<Index>, integer_index<element_of<Index>>, agreed>;

#define ESPALIER_INDEX_ELEMENT "an index is a tensor of std::int32_t"

namespace detail {

/// type: the fault of an op with an index, or `agreed`; reported_fault: the fault that the public function asserts. X:
/// the operands, the index second.
template <class Relation, bool AnyInvalid, class... X>
struct indexing_fault : first_invalid<std::remove_cvref_t<X>...> {
  using reported_fault = agreed;
};
template <class Relation, class A, class Index, class... More>
struct indexing_fault<Relation, false, A, Index, More...> {
  using devices = typename devices_relation<is_eager<A, Index, More...>, A, Index, More...>::type;
  using fault = typename first_fault<index_element_fit<Index>, Relation,
                                     same_element<element_of<A>, element_of<More>>..., devices>::type;
  using type = std::conditional_t<fault::agree, agreed, invalid<fault>>;
  using reported_fault = std::conditional_t<is_eager<A, Index, More...>, type, agreed>;
};

template <class Relation, class... X>
using indexing_fault_of = indexing_fault<Relation, (is_invalid<std::remove_cvref_t<X>> || ...), X...>;

/// A movement to the shape S of the same rank: the first positions of each axis, and zeros behind the operand's end.
template <class S>
struct resized_to {
  static constexpr movement of(extents const& s) { return {identity_map(s.rank), S::value}; }
};
template <class S, class X>
constexpr auto resize_to(X&& x) {
  if constexpr (std::is_same_v<shape_of<X>, S>) return keep(static_cast<X&&>(x));
  else return moved_by<resized_to<S>>(static_cast<X&&>(x));
}

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
