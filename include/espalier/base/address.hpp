// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "supported.hpp"

#include <type_traits>

/// Comparisons of addresses in constant expressions. Under -fsanitize=undefined, g++ 12 assumes that the address of a
/// function or variable may be null. Neither `p == nullptr` nor `p == q` of two such addresses is then a constant
/// expression (GCC bug 71962). It is one only if both are the same or both are null; a program can test whether it is
/// one.
namespace espalier::detail {

template <class T>
inline constexpr T has_an_address{};

template <class T>
concept addresses_compare = requires {
  typename std::bool_constant<(&has_an_address<T> == nullptr)>;
  typename std::bool_constant<(&has_an_address<T> == &has_an_address<T const>)>;
};

template <class T>
constexpr bool same_address(T* a, T* b) {
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)  // nvcc (13) fails on this test
  if constexpr (!addresses_compare<int>)
    if (std::is_constant_evaluated()) return __builtin_constant_p(a == b) && a == b;
#endif
  return a == b;
}
template <class T>
constexpr bool is_null(T* a) {
  return same_address<T>(a, nullptr);
}

}  // namespace espalier::detail
#include "diagnostics_pop.hpp"
