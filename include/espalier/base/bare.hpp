// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "supported.hpp"

/// Type traits that every op uses for every operand. Each costs one instantiation; the standard library's traits need
/// two to seven, and a net has thousands.
namespace espalier::detail {

template <class X>
struct bare_type {
  using type = X;
};
template <class X>
struct bare_type<X const> {
  using type = X;
};
template <class X>
struct bare_type<X&> {
  using type = X;
};
template <class X>
struct bare_type<X const&> {
  using type = X;
};
template <class X>
struct bare_type<X&&> {
  using type = X;
};
template <class X>
struct bare_type<X const&&> {
  using type = X;
};
/// X without reference and const.
template <class X>
using bare = typename bare_type<X>::type;

/// True if X, without reference and const, is an arithmetic type.
template <class X>
inline constexpr bool is_arithmetic = false;
template <class X>
inline constexpr bool is_arithmetic<X const> = is_arithmetic<X>;
template <class X>
inline constexpr bool is_arithmetic<X&> = is_arithmetic<X>;
template <class X>
inline constexpr bool is_arithmetic<X const&> = is_arithmetic<X>;
template <class X>
inline constexpr bool is_arithmetic<X&&> = is_arithmetic<X>;
template <class X>
inline constexpr bool is_arithmetic<X const&&> = is_arithmetic<X>;
template <>
inline constexpr bool is_arithmetic<float> = true;
template <>
inline constexpr bool is_arithmetic<double> = true;
template <>
inline constexpr bool is_arithmetic<long double> = true;
template <>
inline constexpr bool is_arithmetic<bool> = true;
template <>
inline constexpr bool is_arithmetic<char> = true;
template <>
inline constexpr bool is_arithmetic<signed char> = true;
template <>
inline constexpr bool is_arithmetic<unsigned char> = true;
template <>
inline constexpr bool is_arithmetic<wchar_t> = true;
template <>
inline constexpr bool is_arithmetic<char8_t> = true;
template <>
inline constexpr bool is_arithmetic<char16_t> = true;
template <>
inline constexpr bool is_arithmetic<char32_t> = true;
template <>
inline constexpr bool is_arithmetic<short> = true;
template <>
inline constexpr bool is_arithmetic<unsigned short> = true;
template <>
inline constexpr bool is_arithmetic<int> = true;
template <>
inline constexpr bool is_arithmetic<unsigned> = true;
template <>
inline constexpr bool is_arithmetic<long> = true;
template <>
inline constexpr bool is_arithmetic<unsigned long> = true;
template <>
inline constexpr bool is_arithmetic<long long> = true;
template <>
inline constexpr bool is_arithmetic<unsigned long long> = true;

}  // namespace espalier::detail
#include "diagnostics_pop.hpp"
