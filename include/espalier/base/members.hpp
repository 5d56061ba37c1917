// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include <array>
#include <tuple>
#include <utility>

#include "bare.hpp"

/// The members of aggregates: how many there are, and references to them. Their types need not be declared anywhere.
namespace espalier::detail {

/// Converts to every type: the number of members of an aggregate is the number of initialisers that it accepts.
struct anything {
  template <class T>
  operator T() const noexcept;
};
template <class M, std::size_t... I>
constexpr bool is_initializable(std::index_sequence<I...>) {
  return requires { M{(static_cast<void>(I), anything{})...}; };
}
/// Converts only to base classes of M: an aggregate that accepts it as its first initialiser has a base class.
template <class M>
struct a_base_of {
  template <class T>
    requires(std::is_base_of_v<T, M> && !std::is_same_v<T, M>)
  operator T() const noexcept;
};
template <class M, std::size_t Count = 0>
constexpr int member_count() {
  if constexpr (is_initializable<M>(std::make_index_sequence<Count + 1>{})) return member_count<M, Count + 1>();
  else return static_cast<int>(Count);
}
/// Whether an aggregate has Count members. They need no default value, unlike those that member_count counts.
template <class M, std::size_t Count>
constexpr bool has_members() {
  return is_initializable<M>(std::make_index_sequence<Count>{}) &&
         !is_initializable<M>(std::make_index_sequence<Count + 1>{});
}

/// How many members an aggregate may have whose members are found by structured bindings.
inline constexpr int max_struct_members = 16;

/// A std::tuple of references to the members of an aggregate that has Count of them, in order.
template <int Count, class S>
constexpr auto members_of_aggregate(S& s) {
  if constexpr (Count == 1) {
    auto& [a] = s;
    return std::tie(a);
  } else if constexpr (Count == 2) {
    auto& [a, b] = s;
    return std::tie(a, b);
  } else if constexpr (Count == 3) {
    auto& [a, b, c] = s;
    return std::tie(a, b, c);
  } else if constexpr (Count == 4) {
    auto& [a, b, c, d] = s;
    return std::tie(a, b, c, d);
  } else if constexpr (Count == 5) {
    auto& [a, b, c, d, e] = s;
    return std::tie(a, b, c, d, e);
  } else if constexpr (Count == 6) {
    auto& [a, b, c, d, e, f] = s;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (Count == 7) {
    auto& [a, b, c, d, e, f, g] = s;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (Count == 8) {
    auto& [a, b, c, d, e, f, g, h] = s;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (Count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = s;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (Count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (Count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (Count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (Count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (Count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (Count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else {
    static_assert(Count == max_struct_members);
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}

}  // namespace espalier::detail
#include "diagnostics_pop.hpp"
