// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/members.hpp"
#include "traced.hpp"

/// Structs of tensors or values: std::tuple, std::pair, std::array, and aggregates of a class template with exactly one
/// member for each template argument. The same template with other arguments is the struct of other values, so a struct
/// of tensors becomes a struct of values in a body, and a struct of gradients behind it. Members may be structs.
namespace espalier {

/// The member of a struct of gradients in the place of a tensor without a gradient: an integer tensor, or constant(x).
struct no_gradient {};

namespace detail {

template <class... X>
struct member_types {
  static constexpr std::size_t count = sizeof...(X);
};
template <template <class...> class>
struct same_template {};
template <std::size_t Count>
struct same_array {};

/// True for classes of the library that are values or modules, whatever members they have.
template <class S>
concept MarkedClass = marked_expression<S> || requires {
  typename S::is_module;
} || requires {
  typename S::is_constant_argument;
};
/// Whether S is an aggregate whose members have these types.
template <class S, class... X>
constexpr bool has_exactly_members() {
  if constexpr (sizeof...(X) == 0 || sizeof...(X) > max_struct_members) return false;
  else if constexpr (!std::is_aggregate_v<S> || MarkedClass<S>) return false;
  else if constexpr (!has_members<S, sizeof...(X)>()) return false;
  else if constexpr (requires { S{a_base_of<S>{}}; }) return false;
  else
    return std::is_same_v<decltype(members_of_aggregate<static_cast<int>(sizeof...(X))>(std::declval<S&>())),
                          std::tuple<X&...>>;
}
template <class S, class... X>
concept HasExactlyMembers = has_exactly_members<S, X...>();

/// members        the types of the members
/// kind           the template, as a type
/// make(y...)     the same template with other members
/// members_of(s)  a std::tuple of references to the members
template <class S>
struct structure {
  static constexpr bool exists = false;
};
template <template <class...> class T, class... X>
  requires HasExactlyMembers<T<X...>, X...>
struct structure<T<X...>> {
  static constexpr bool exists = true;
  using members = member_types<X...>;
  using kind = same_template<T>;
  template <class... Y>
  static constexpr auto make(Y... y) {
    return T<Y...>{std::move(y)...};
  }
  template <class S>
  static constexpr auto members_of(S& s) {
    return members_of_aggregate<static_cast<int>(sizeof...(X))>(s);
  }
};
template <class... X>
struct structure<std::tuple<X...>> {
  static constexpr bool exists = true;
  using members = member_types<X...>;
  using kind = same_template<std::tuple>;
  template <class... Y>
  static constexpr auto make(Y... y) {
    return std::tuple<Y...>{std::move(y)...};
  }
  template <class S>
  static constexpr auto members_of(S& s) {
    return std::apply([](auto&... x) { return std::tie(x...); }, s);
  }
};
template <class A, class B>
struct structure<std::pair<A, B>> {
  static constexpr bool exists = true;
  using members = member_types<A, B>;
  using kind = same_template<std::pair>;
  template <class C, class D>
  static constexpr auto make(C a, D b) {
    return std::pair<C, D>{std::move(a), std::move(b)};
  }
  template <class S>
  static constexpr auto members_of(S& s) {
    return std::tie(s.first, s.second);
  }
};
/// An array whose members become different types is a std::tuple.
template <class X, std::size_t Count>
struct structure<std::array<X, Count>> {
  static constexpr bool exists = true;
  template <class Positions>
  struct repeated;
  template <std::size_t... I>
  struct repeated<std::index_sequence<I...>> {
    using type = member_types<std::conditional_t<(I < Count), X, void>...>;
  };
  using members = typename repeated<std::make_index_sequence<Count>>::type;
  using kind = same_array<Count>;
  template <class... Y>
  static constexpr auto make(Y... y) {
    return std::tuple<Y...>{std::move(y)...};
  }
  template <class Y, class... Rest>
    requires(std::is_same_v<Y, Rest>&&...)
  static constexpr auto make(Y y, Rest... rest) { return std::array<Y, Count>{{std::move(y), std::move(rest)...}}; }
  template <class S>
  static constexpr auto members_of(S& s) {
    return std::apply([](auto&... x) { return std::tie(x...); }, s);
  }
};

template <class S>
concept Structure = !marked_expression<bare<S>> && structure<bare<S>>::exists;
template <class S>
using members_of_structure = typename structure<bare<S>>::members;

/// The leaves of a value: itself, or those of the members of a struct, as a list of types.
template <class... List>
struct joined_members;
template <class... X>
struct joined_members<member_types<X...>> {
  using type = member_types<X...>;
};
template <>
struct joined_members<> {
  using type = member_types<>;
};
template <class... X, class... Y, class... Rest>
struct joined_members<member_types<X...>, member_types<Y...>, Rest...>
    : joined_members<member_types<X..., Y...>, Rest...> {};
template <class X>
struct leaf_types {
  using type = member_types<X>;
};
template <class Members>
struct leaves_of_members;
template <class... X>
struct leaves_of_members<member_types<X...>> {
  using type = member_types<bare<X>...>;
};
template <class... X>
  requires(Structure<X> || ...)
struct leaves_of_members<member_types<X...>> : joined_members<typename leaf_types<bare<X>>::type...> {};
template <Structure S>
struct leaf_types<S> : leaves_of_members<members_of_structure<S>> {};
template <class X>
using leaves_of = typename leaf_types<bare<X>>::type;
template <class X>
inline constexpr std::size_t leaf_count_of = 1;
template <Structure X>
inline constexpr std::size_t leaf_count_of<X> = leaves_of<X>::count;
/// The leaves of several values.
template <class... X>
using all_leaves_of = typename joined_members<leaves_of<X>...>::type;

template <class Members>
inline constexpr bool has_structs = false;
template <class... X>
inline constexpr bool has_structs<member_types<X...>> = (Structure<X> || ...);
/// A std::tuple of references to the leaves of a value.
template <class X>
constexpr auto flattened(X& x) {
  if constexpr (!Structure<X>) return std::tie(x);
  else if constexpr (!has_structs<members_of_structure<X>>) return structure<bare<X>>::members_of(x);
  else
    return std::apply([](auto&... member) { return std::tuple_cat(flattened(member)...); },
                      structure<bare<X>>::members_of(x));
}

template <class S, std::size_t First, class Leaves>
constexpr auto rebuilt(Leaves&& leaves);
/// The number of leaves of the members X in front of one.
template <class... X>
constexpr std::size_t leaves_before(std::size_t member) {
  std::size_t const counts[] = {leaf_count_of<X>...};
  std::size_t sum = 0;
  for (std::size_t i = 0; i < member; ++i) sum += counts[i];
  return sum;
}
template <class S, std::size_t First, class... X, std::size_t... I, class Leaves>
constexpr auto rebuilt_members(member_types<X...>, std::index_sequence<I...>, Leaves&& leaves) {
  return structure<S>::make(rebuilt<bare<X>, First + leaves_before<X...>(I)>(static_cast<Leaves&&>(leaves))...);
}
/// A struct like S of other leaves: those of a std::tuple from number First on, which are moved from a temporary one.
template <class S, std::size_t First, class Leaves>
constexpr auto rebuilt(Leaves&& leaves) {
  if constexpr (std::is_same_v<S, std::tuple<>>) return S{};
  else if constexpr (Structure<S>)
    return rebuilt_members<S, First>(members_of_structure<S>{},
                                     std::make_index_sequence<members_of_structure<S>::count>{},
                                     static_cast<Leaves&&>(leaves));
  else return std::get<First>(static_cast<Leaves&&>(leaves));
}
/// A struct like S whose leaves are f(leaf).
template <class S, class F>
constexpr auto map_leaves(S const& s, F const& f) {
  if constexpr (Structure<S>)
    return std::apply([&](auto const&... leaf) { return rebuilt<S, 0>(std::tuple{f(leaf)...}); }, flattened(s));
  else return f(s);
}

/// Whether two values are structs of the same kind, at all depths, or neither is a struct.
template <class A, class B>
inline constexpr bool same_structure = !Structure<A> && !Structure<B>;
template <class A, class B>
inline constexpr bool same_members = false;
template <class... A, class... B>
  requires(sizeof...(A) == sizeof...(B))
inline constexpr bool same_members<member_types<A...>, member_types<B...>> = (same_structure<bare<A>, bare<B>> && ...);
template <Structure A, Structure B>
inline constexpr bool same_structure<A, B> = std::is_same_v<typename structure<A>::kind, typename structure<B>::kind>&&
    same_members<members_of_structure<A>, members_of_structure<B>>;

/// Whether one of the leaves of a value is invalid, and the first that is.
template <class Leaves>
inline constexpr bool any_invalid = false;
template <class... X>
inline constexpr bool any_invalid<member_types<X...>> = (is_invalid<X> || ...);
template <class X>
concept HoldsInvalid = is_invalid<X> ||(Structure<X>&& any_invalid<leaves_of<X>>);
template <class Leaves>
struct first_invalid_leaf;
template <class... X>
struct first_invalid_leaf<member_types<X...>> : first_invalid<X...> {};
template <class... X>
using first_invalid_of = typename first_invalid_leaf<all_leaves_of<X...>>::type;
/// A struct like S with `found` in the place of each leaf, so that a structured binding of it has its number of names.
template <class S, class Invalid>
constexpr auto invalid_values(Invalid found) {
  if constexpr (Structure<S>) {
    return []<class... X>(member_types<X...>, Invalid leaf) {
      return rebuilt<bare<S>, 0>(std::tuple{((void)sizeof(std::type_identity<X>), leaf)...});
    }(leaves_of<S>{}, found);
  } else {
    return found;
  }
}

/// A body receives a struct of values for a struct of tensors.
template <class Leaves>
struct body_leaves;
template <class... X>
struct body_leaves<member_types<X...>> {
  using type = std::tuple<typename body_argument<X>::type...>;
};
template <Structure S>
struct body_argument<S> {
  using type = decltype(rebuilt<S, 0>(std::declval<typename body_leaves<leaves_of<S>>::type const&>()));
};

/// The tracer of the first value of a struct that has one.
template <Structure S>
constexpr tracing::tracer* tracer_in_structure(S const& s) {
  return std::apply([](auto const&... leaf) { return tracer_of(leaf...); }, flattened(s));
}

}  // namespace detail
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
