// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "leaf.hpp"

namespace espalier {

/// An op applied to operands: the type says op, attribute and shape; the operands are kept by value.
/// A value used twice is spelled twice in the type, so bodies with sharing are calls (call.hpp) or composites, each traced in a scope of its own.
template <class Op, std::uint64_t Attribute, class S, class... X>
struct node;

template <class Op, std::uint64_t Attribute, class S, class A>
struct node<Op, Attribute, S, A> {
  using shape_type = S;
  using is_expression = void;
  using element_type = element_of<A>;
  static constexpr bool eager = A::eager;
  A a;
};

template <class Op, std::uint64_t Attribute, class S, class A, class B>
struct node<Op, Attribute, S, A, B> {
  using shape_type = S;
  using is_expression = void;
  using element_type = typename detail::common_element<element_of<A>, element_of<B>>::type;
  static constexpr bool eager = A::eager || B::eager;
  A a;
  B b;
};

template <class Op, std::uint64_t Attribute, class S, class A, class B, class C>
struct node<Op, Attribute, S, A, B, C> {
  using shape_type = S;
  using is_expression = void;
  using element_type =
      typename detail::common_element<element_of<A>, typename detail::common_element<element_of<B>, element_of<C>>::type>::type;
  static constexpr bool eager = A::eager || B::eager || C::eager;
  A a;
  B b;
  C c;
};

namespace detail {
template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr auto make_node(X&&... x) {
  return node<Op, Attribute, S, kept<X>...>{keep(static_cast<X&&>(x))...};
}
}  // namespace detail

/// True where an expression reads tensors directly: a mistake is then said on the spot.
template <class... X>
inline constexpr bool is_eager = (detail::kept<X>::eager || ...);

}  // namespace espalier
