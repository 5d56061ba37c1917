// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include <type_traits>

#include "bits.hpp"
#include "constant_math.hpp"

/// The functions for rules of ops: one body works for numbers, packs of numbers, device threads and graph handles.
///
/// float, double   in a constant expression those of constant_math.hpp (within 2 ulp), at run time the platform's, or
///                 with ESPALIER_SEPARATE_ROUNDING again those of constant_math.hpp
/// other types     the function of that type, found by argument-dependent look-up:
///                 exp log sqrt tanh sigmoid pow abs maximum minimum erf sin cos floor is_finite select greater
///                 greater_equal less less_equal equal not_equal
///                 each takes and returns T; comparisons return 1 or 0, select(c, a, b) reads c as "not 0"
/// nan             maximum and minimum return nan if an operand is nan (later checks for non-finite values rely on
///                 this)
ESPALIER_PRECISE_BEGIN
namespace espalier::math {

namespace found {
// An inner scope with these names, so that look-up stops here and adds only functions of the argument's namespace.
struct nobody {};
void exp(nobody) = delete;
void log(nobody) = delete;
void sqrt(nobody) = delete;
void tanh(nobody) = delete;
void sigmoid(nobody) = delete;
void abs(nobody) = delete;
void erf(nobody) = delete;
void sin(nobody) = delete;
void cos(nobody) = delete;
void floor(nobody) = delete;
void is_finite(nobody) = delete;
void pow(nobody) = delete;
void maximum(nobody) = delete;
void minimum(nobody) = delete;
void select(nobody) = delete;
void greater(nobody) = delete;
void greater_equal(nobody) = delete;
void less(nobody) = delete;
void less_equal(nobody) = delete;
void equal(nobody) = delete;
void not_equal(nobody) = delete;

#define ESPALIER_FOUND_UNARY(name)                                              \
  template <class T>                                                            \
  ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto call_##name(T const& x) { \
    return name(x);                                                             \
  }
#define ESPALIER_FOUND_BINARY(name)                                                         \
  template <class T, class U>                                                               \
  ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto call_##name(T const& a, U const& b) { \
    return name(a, b);                                                                      \
  }
ESPALIER_FOUND_UNARY(exp)
ESPALIER_FOUND_UNARY(log)
ESPALIER_FOUND_UNARY(sqrt)
ESPALIER_FOUND_UNARY(tanh)
ESPALIER_FOUND_UNARY(sigmoid)
ESPALIER_FOUND_UNARY(abs)
ESPALIER_FOUND_UNARY(erf)
ESPALIER_FOUND_UNARY(sin)
ESPALIER_FOUND_UNARY(cos)
ESPALIER_FOUND_UNARY(floor)
ESPALIER_FOUND_UNARY(is_finite)
ESPALIER_FOUND_BINARY(pow)
ESPALIER_FOUND_BINARY(maximum)
ESPALIER_FOUND_BINARY(minimum)
ESPALIER_FOUND_BINARY(greater)
ESPALIER_FOUND_BINARY(greater_equal)
ESPALIER_FOUND_BINARY(less)
ESPALIER_FOUND_BINARY(less_equal)
ESPALIER_FOUND_BINARY(equal)
ESPALIER_FOUND_BINARY(not_equal)
#undef ESPALIER_FOUND_UNARY
#undef ESPALIER_FOUND_BINARY

template <class C, class A, class B>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto call_select(C const& c, A const& a, B const& b) {
  return select(c, a, b);
}
}  // namespace found

// The platform's functions without <cmath>, which costs 0.3 s to include. Device code has them under their C names.
#if defined(__CUDA_ARCH__)
#define ESPALIER_PLATFORM(name) ::name
#else
#define ESPALIER_PLATFORM(name) __builtin_##name
#endif

// Whether a function is that of constant_math.hpp: in a constant expression, and with ESPALIER_SEPARATE_ROUNDING for
// the arguments of a range, because each platform rounds in its own way. Device code has its own functions in any case.
#if defined(ESPALIER_SEPARATE_ROUNDING) && !defined(__CUDACC__)
namespace detail {
ESPALIER_INLINE constexpr bool every_number(double) { return true; }
ESPALIER_INLINE constexpr bool below_one_million(double x) { return constant::abs(x) <= 1e6; }
/// Every platform rounds the function correctly.
ESPALIER_INLINE constexpr bool no_number(double) { return false; }
}  // namespace detail
#define ESPALIER_OWN_FUNCTION(range, x) (__builtin_is_constant_evaluated() || detail::range(static_cast<double>(x)))
#else
#define ESPALIER_OWN_FUNCTION(range, x) __builtin_is_constant_evaluated()
#endif

#define ESPALIER_UNARY(name, range)                                                                        \
  template <class T>                                                                                       \
  ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto name(T const& x) {                                   \
    if constexpr (std::is_arithmetic_v<T>) {                                                               \
      static_assert(std::is_floating_point_v<T>, "math::" #name "(x): x must be float or double");         \
      if (ESPALIER_OWN_FUNCTION(range, x)) return constant::to<T>(constant::name(static_cast<double>(x))); \
      if constexpr (std::is_same_v<T, float>) return ESPALIER_PLATFORM(name##f)(x);                        \
      else return ESPALIER_PLATFORM(name)(x);                                                              \
    } else {                                                                                               \
      return found::call_##name(x);                                                                        \
    }                                                                                                      \
  }
ESPALIER_UNARY(exp, every_number)
ESPALIER_UNARY(log, every_number)
ESPALIER_UNARY(sqrt, no_number)
ESPALIER_UNARY(tanh, every_number)
ESPALIER_UNARY(erf, every_number)
ESPALIER_UNARY(sin, below_one_million)
ESPALIER_UNARY(cos, below_one_million)
ESPALIER_UNARY(floor, no_number)
#undef ESPALIER_UNARY

/// |x|; the sign of -0 and of nan is cleared.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto abs(T const& x) {
  if constexpr (std::is_floating_point_v<T>) {
    if (__builtin_is_constant_evaluated()) return constant::to<T>(constant::abs(static_cast<double>(x)));
    if constexpr (std::is_same_v<T, float>) return ESPALIER_PLATFORM(fabsf)(x);
    else return ESPALIER_PLATFORM(fabs)(x);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return x < 0 ? -x : x;
  } else {
    return found::call_abs(x);
  }
}

/// 1 / (1 + e^-x); exact limits 0 and 1, never nan for a number.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto sigmoid(T const& x) {
  if constexpr (std::is_arithmetic_v<T>) {
    static_assert(std::is_floating_point_v<T>, "math::sigmoid(x): x must be float or double");
    if (__builtin_is_constant_evaluated()) return constant::to<T>(constant::sigmoid(static_cast<double>(x)));
    return static_cast<T>(T(1) / (T(1) + math::exp(-x)));
  } else {
    return found::call_sigmoid(x);
  }
}

/// x^y with C's special cases.
template <class T, class U>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto pow(T const& x, U const& y) {
  if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<U>) {
    static_assert(std::is_floating_point_v<T>, "math::pow(x, y): x must be float or double");
    if (ESPALIER_OWN_FUNCTION(every_number, x))
      return constant::to<T>(constant::pow(static_cast<double>(x), static_cast<double>(y)));
    if constexpr (std::is_same_v<T, float>) return ESPALIER_PLATFORM(powf)(x, static_cast<float>(y));
    else return ESPALIER_PLATFORM(pow)(x, static_cast<double>(y));
  } else {
    return found::call_pow(x, y);
  }
}
#undef ESPALIER_OWN_FUNCTION
#undef ESPALIER_PLATFORM

namespace detail {
/// b if it is selected or nan, else a. The result is nan if either is nan, for any result of the comparison under
/// -ffast-math.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr T extreme(T a, T b, bool selects_b) {
  if constexpr (std::is_floating_point_v<T>) {
#if ESPALIER_FINITE_MATH
    if (math::isnan(a)) return a;
#endif
    if (math::isnan(b)) return b;
  }
  return selects_b ? b : a;
}
}  // namespace detail

/// The larger of two; nan if either is.
template <class T, class U>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto maximum(T const& a, U const& b) {
  if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<U>)
    return detail::extreme(a, static_cast<T>(b), a < static_cast<T>(b));
  else return found::call_maximum(a, b);
}

/// The smaller of two; nan if either is.
template <class T, class U>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto minimum(T const& a, U const& b) {
  if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<U>)
    return detail::extreme(a, static_cast<T>(b), a > static_cast<T>(b));
  else return found::call_minimum(a, b);
}

/// a if the condition is not 0, else b. Both are evaluated.
template <class C, class A, class B>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto where(C const& condition, A const& a, B const& b) {
  if constexpr (std::is_arithmetic_v<C>) return condition != 0 ? a : static_cast<A>(b);
  else return found::call_select(condition, a, b);
}

#define ESPALIER_COMPARISON(name, op)                                                                              \
  template <class T, class U>                                                                                      \
  ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto name(T const& a, U const& b) {                               \
    if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<U>) return a op static_cast<T>(b) ? T(1) : T(0); \
    else return found::call_##name(a, b);                                                                          \
  }
ESPALIER_COMPARISON(greater, >)
ESPALIER_COMPARISON(greater_equal, >=)
ESPALIER_COMPARISON(less, <)
ESPALIER_COMPARISON(less_equal, <=)
ESPALIER_COMPARISON(equal, ==)
ESPALIER_COMPARISON(not_equal, !=)
#undef ESPALIER_COMPARISON

/// True unless x is nan or infinite.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr bool isfinite(T x) {
  static_assert(std::is_arithmetic_v<T>, "math::isfinite(x): x must be a number");
  if constexpr (std::is_floating_point_v<T>)
    return (detail::bits_of(x) & detail::float_bits<T>::exponent) != detail::float_bits<T>::exponent;
  else return true;
}
/// The same in generic bodies: 1 or 0.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto is_finite(T const& x) {
  if constexpr (std::is_arithmetic_v<T>) return math::isfinite(x) ? T(1) : T(0);
  else return found::call_is_finite(x);
}

/// A literal in a generic body: T(c) for numbers, and a double for packs and handles, whose operators take one.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr auto number(double c) {
  if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(c);
  else return c;
}

}  // namespace espalier::math
ESPALIER_PRECISE_END
#include "diagnostics_pop.hpp"
