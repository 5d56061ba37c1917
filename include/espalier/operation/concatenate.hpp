// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <tuple>

#include "../shape/join.hpp"
#include "movement.hpp"
#include "reshape.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

namespace detail {

/// Two operands one after the other.
template <int Axis, class A, class B>
constexpr auto join_two(A&& a, B&& b) {
  if constexpr (Handle<A>) {
    program_builder& g = *a.program;
    extents s = g[a.id].shape;
    int const axis = Axis < 0 ? Axis + s.rank : Axis;
    s.at[axis] += g[b.id].shape.at[axis];
    return graph::emit<join_>(g, s, static_cast<std::uint64_t>(axis), a.id, b.id);
  } else {
    using relation = joinable<shape_of<A>, shape_of<B>, along<Axis>>;
    return make_node<join_, static_cast<std::uint64_t>(relation::axis), shape_from<relation>>(static_cast<A&&>(a), static_cast<B&&>(b));
  }
}
/// Operands First to First + Count - 1, joined in halves: each element is copied as often as the tree is deep.
template <int Axis, std::size_t First, std::size_t Count, class Operands>
constexpr decltype(auto) join_tree(Operands&& x) {
  using X = std::tuple_element_t<First, std::remove_cvref_t<Operands>>;
  if constexpr (Count == 1) return static_cast<X>(std::get<First>(x));
  else return join_two<Axis>(join_tree<Axis, First, Count / 2>(static_cast<Operands&&>(x)), join_tree<Axis, First + Count / 2, Count - Count / 2>(static_cast<Operands&&>(x)));
}

/// What is wrong with the operands of a join (the first refusal among them, the first misfit, mixed elements, two devices), or `agreed`; said_here: what the public
/// function has to assert.
template <template <class, class, class> class Relation, int Axis, bool OnHandles, bool Refused, class... X>
struct join_fault {
  using type = agreed;
  using said_here = agreed;
};
template <template <class, class, class> class Relation, int Axis, class... X>
struct join_fault<Relation, Axis, false, true, X...> : first_refused<std::remove_cvref_t<X>...> {
  using said_here = agreed;
};
template <template <class, class, class> class Relation, int Axis, class... X>
struct join_fault<Relation, Axis, false, false, X...> {
  using shapes = typename first_misfit<Relation, along<Axis>, shape_of<X>...>::type;
  using elements = typename first_fault<same_element<typename common_element<element_of<X>...>::type, element_of<X>>...>::type;
  using devices = typename devices_relation<is_eager<X...>, X...>::type;
  using fault = typename first_fault<shapes, elements, devices>::type;
  using type = std::conditional_t<fault::agree, agreed, refused<fault>>;
  using said_here = std::conditional_t<is_eager<X...>, type, agreed>;
};
template <template <class, class, class> class Relation, int Axis, class... X>
using join_fault_of = join_fault<Relation, Axis, (Handle<X> || ...), (is_refused<std::remove_cvref_t<X>> || ...), X...>;

}  // namespace detail

/// concatenate<Axis>(a, b, ...): the operands one after the other along an axis.
/// shape   (..., N, ...), (..., M, ...), ... -> (..., N + M + ..., ...)
/// errors  operands whose other extents differ, an axis that they lack, float and double together, and tensors of two devices do not compile
/// saves   nothing; copies each element as often as a balanced tree of the operands is deep
/// slope   each operand's part of dy
template <int Axis, Operand... X>
  requires(sizeof...(X) > 0)
constexpr auto concatenate(X&&... x) {
  using Fault = detail::join_fault_of<joinable, Axis, X...>;
  static_assert(holds<joinable, typename Fault::said_here>,
                ESPALIER_SENTENCE("concatenate<axis>(a, b, ...): the extents must be equal but along the axis, which all operands have",
                                  typename Fault::said_here));
  static_assert(holds<same_element, typename Fault::said_here>,
                ESPALIER_SENTENCE("concatenate<axis>(a, b, ...): " ESPALIER_ELEMENTS_FIT, typename Fault::said_here));
  static_assert(holds<same_device, typename Fault::said_here>,
                ESPALIER_SENTENCE("concatenate<axis>(a, b, ...): " ESPALIER_DEVICES_FIT, typename Fault::said_here));
  if constexpr (!Fault::type::agree) {
    return typename Fault::type{};
  } else if constexpr (sizeof...(X) == 1) {
    if constexpr ((Handle<X> && ...)) return handle{x...};
    else return detail::reshape_as(shape_of<X>{}..., static_cast<X&&>(x)...);
  } else {
    return detail::join_tree<Axis, 0, sizeof...(X)>(std::forward_as_tuple(static_cast<X&&>(x)...));
  }
}

}  // namespace espalier
#pragma GCC diagnostic pop
