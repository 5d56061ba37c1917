// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <tuple>

#include "../shape/concatenate.hpp"
#include "movement.hpp"
#include "reshape.hpp"

namespace espalier {

namespace detail {

/// Concatenates two operands.
template <int Axis, class A, class B>
constexpr auto concatenate_two(A&& a, B&& b) {
  if constexpr (Handle<A>) {
    node_table& g = *a.nodes;
    extents s = g[a.id].shape;
    int const axis = Axis < 0 ? Axis + s.rank : Axis;
    s.at[axis] += g[b.id].shape.at[axis];
    return operation::emit<concatenate_>(g, s, graph::axis_attribute(axis), a.id, b.id);
  } else {
    using relation = concatenable<shape_of<A>, shape_of<B>, along<Axis>>;
    return make_node<concatenate_, graph::axis_attribute(relation::axis), shape_from<relation>>(static_cast<A&&>(a),
                                                                                                static_cast<B&&>(b));
  }
}
/// Concatenates operands First to First + Count - 1 by halves, so each element is copied once per level of the tree.
template <int Axis, std::size_t First, std::size_t Count, class Operands>
constexpr decltype(auto) concatenate_tree(Operands&& x) {
  using X = std::tuple_element_t<First, std::remove_cvref_t<Operands>>;
  if constexpr (Count == 1) return static_cast<X>(std::get<First>(x));
  else
    return concatenate_two<Axis>(
        concatenate_tree<Axis, First, Count / 2>(static_cast<Operands&&>(x)),
        concatenate_tree<Axis, First + Count / 2, Count - Count / 2>(static_cast<Operands&&>(x)));
}

/// type: the fault of a concatenation, or `agreed`: the first invalid operand, else the first misfit of shapes, mixed
/// elements or two devices. reported_fault: the fault that the public function asserts.
template <template <class, class, class> class Relation, int Axis, bool OnHandles, bool AnyInvalid, class... X>
struct concatenate_fault {
  using type = agreed;
  using reported_fault = agreed;
};
template <template <class, class, class> class Relation, int Axis, class... X>
struct concatenate_fault<Relation, Axis, false, true, X...> : first_invalid<std::remove_cvref_t<X>...> {
  using reported_fault = agreed;
};
template <template <class, class, class> class Relation, int Axis, class... X>
struct concatenate_fault<Relation, Axis, false, false, X...> {
  using shapes = typename first_misfit<Relation, along<Axis>, shape_of<X>...>::type;
  using elements =
      typename first_fault<same_element<typename common_element<element_of<X>...>::type, element_of<X>>...>::type;
  using devices = typename devices_relation<is_eager<X...>, X...>::type;
  using fault = typename first_fault<shapes, elements, devices>::type;
  using type = std::conditional_t<fault::agree, agreed, invalid<fault>>;
  using reported_fault = std::conditional_t<is_eager<X...>, type, agreed>;
};
template <template <class, class, class> class Relation, int Axis, class... X>
using concatenate_fault_of =
    concatenate_fault<Relation, Axis, (Handle<X> || ...), (is_invalid<std::remove_cvref_t<X>> || ...), X...>;

}  // namespace detail

/// concatenate<Axis>(a, b, ...): the operands in sequence along an axis.
/// shape   (..., N, ...), (..., M, ...), ... -> (..., N + M + ..., ...)
/// errors  does not compile if the other extents differ, an operand lacks the axis, float and double are mixed, or the
///         devices differ
/// saves   nothing; copies each element once per level of a balanced binary tree of the operands
/// gradient  each operand's part of dy
template <int Axis, Operand... X>
  requires(sizeof...(X) > 0)
constexpr auto concatenate(X&&... x) {
  using Fault = detail::concatenate_fault_of<concatenable, Axis, X...>;
  static_assert(
      holds<concatenable, typename Fault::reported_fault>,
      ESPALIER_SENTENCE(
          "concatenate<axis>(a, b, ...): all operands must have the axis, and their other extents must be equal",
          typename Fault::reported_fault));
  static_assert(
      holds<same_element, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("concatenate<axis>(a, b, ...): " ESPALIER_ELEMENTS_FIT, typename Fault::reported_fault));
  static_assert(
      holds<same_device, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("concatenate<axis>(a, b, ...): " ESPALIER_DEVICES_FIT, typename Fault::reported_fault));
  if constexpr (!Fault::type::agree) {
    return typename Fault::type{};
  } else if constexpr (sizeof...(X) == 1) {
    if constexpr ((Handle<X> && ...)) return handle{x...};
    else return detail::reshape_as(shape_of<X>{}..., static_cast<X&&>(x)...);
  } else {
    return detail::concatenate_tree<Axis, 0, sizeof...(X)>(std::forward_as_tuple(static_cast<X&&>(x)...));
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
