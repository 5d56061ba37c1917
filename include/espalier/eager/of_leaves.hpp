// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../derivative/derivative.hpp"

/// A function of structs as a function of tensors: each tensor of a struct is an argument of its own. Programs, plans
/// and runs of functions therefore know no structs.
namespace espalier {
namespace detail {

/// The number of leaves before argument I of arguments S.
template <std::size_t I, class... S>
inline constexpr std::size_t first_leaf_of = [] {
  constexpr std::size_t counts[] = {leaf_count_of<S>..., 0};
  std::size_t sum = 0;
  for (std::size_t i = 0; i < I; ++i) sum += counts[i];
  return sum;
}();

/// f as a function of the leaves of its arguments, which puts the structs together again. S: the arguments; only their
/// structure counts.
template <class F, class... S>
struct of_leaves {
  template <class... X>
  constexpr auto operator()(X const&... leaf) const {
    return call(std::index_sequence_for<S...>{}, std::tie(leaf...));
  }
  template <std::size_t... I, class Leaves>
  static constexpr auto call(std::index_sequence<I...>, Leaves const& leaves) {
    return with_references(rebuilt<S, first_leaf_of<I, S...>>(leaves)...);
  }
  /// f may take its arguments by value or by any reference, as without structs.
  template <class... X>
  static constexpr auto with_references(X const&... x) {
    return F{}(x...);
  }
};

/// The function that the user wrote.
template <class F>
struct written_function {
  using type = F;
};
template <class F, class... S>
struct written_function<of_leaves<F, S...>> {
  using type = F;
};

/// The arguments of a body that are made of these leaves.
template <class Leaves, class Positions, class... S>
struct body_arguments;
template <class Leaves, std::size_t... I, class... S>
struct body_arguments<Leaves, std::index_sequence<I...>, S...> {
  template <template <class...> class Of, class... First>
  using apply = Of<First..., decltype(rebuilt<S, first_leaf_of<I, S...>>(std::declval<Leaves const&>()))...>;
};

}  // namespace detail

template <class F, class... S>
struct captureless<detail::of_leaves<F, S...>> : captureless<F> {};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
