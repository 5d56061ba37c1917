// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "sentence.hpp"

namespace espalier {

template <class... Facts>
struct invalid;
struct already_reported;
template <class T>
class span;

namespace detail {
/// A fact of the path: std::get<I> of an invalid value.
struct one_of_the_results {};
template <class T>
using eight_results = std::tuple<T, T, T, T, T, T, T, T>;
/// Accepts std::get<I> of an invalid value, as of the results of a module that returns several, of which eight are
/// enough; twice, for the state of an LSTM.
template <bool Nested, class... Facts>
struct results_of_invalid {};
template <class... Facts>
struct results_of_invalid<true, Facts...> : eight_results<invalid<Facts..., one_of_the_results>> {};
/// Right programs name invalid<> and invalid<already_reported>: they are spared the tuples.
template <class... Facts>
inline constexpr bool in_right_programs = false;
template <>
inline constexpr bool in_right_programs<> = true;
template <>
inline constexpr bool in_right_programs<already_reported> = true;
template <class... Facts>
using gettable_results =
    results_of_invalid<!in_right_programs<Facts...> && (0 + ... + int{std::is_same_v<Facts, one_of_the_results>}) < 2,
                       Facts...>;
}  // namespace detail

/// The result of an op whose operands do not fit. It contains the violated relation and the path of modules that it
/// came through. Every op accepts it without an error, and it can be used like a tensor, so that one mistake causes one
/// error. Roots assert: what a program names at its outside (a model, a trainer, a plan, summary, grad, ...). So does
/// what has no result of its own, in a body: an assignment, and ops on tensors.
template <class... Facts>
struct invalid : detail::gettable_results<Facts...> {
  using shape_type = invalid;
  using is_expression = void;
  static constexpr bool eager = false;
  static constexpr bool agree = false;
  constexpr invalid operator()(auto const&...) const { return {}; }
  template <class X>
  constexpr invalid& operator=(X const&) {
    return *this;
  }
  template <class X>
  constexpr invalid& operator+=(X const&) {
    return *this;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  friend constexpr T& operator+=(T& number, invalid) { return number; }
  template <class X>
  constexpr invalid& operator-=(X const&) {
    return *this;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  friend constexpr T& operator-=(T& number, invalid) { return number; }
  template <class X>
  constexpr invalid& operator*=(X const&) {
    return *this;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  friend constexpr T& operator*=(T& number, invalid) { return number; }
  template <class X>
  constexpr invalid& operator/=(X const&) {
    return *this;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  friend constexpr T& operator/=(T& number, invalid) { return number; }
  template <class X>  // not `auto const&`: beside such a friend nvcc finds no conversion to a number
  friend constexpr bool operator==(invalid, X const&) {
    return true;
  }
  constexpr invalid operator[](auto const&) const { return {}; }
  /// As of a tensor without elements: what is done with a result needs no error of its own.
  static constexpr std::int64_t size() { return 0; }
  static constexpr float* data() { return nullptr; }
  static constexpr float* begin() { return nullptr; }
  static constexpr float* end() { return nullptr; }
  template <class T = float>
  static constexpr espalier::span<T> span() {
    return {};
  }
  constexpr void fill(auto const&) const {}
  template <class Out>  // of a stream: an invalid value prints nothing, so that it has one error
    requires requires(Out& out) { out.put('x'), out.precision(); }
  friend constexpr Out& operator<<(Out& out, invalid) { return out; }
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr operator T() const { return {}; }
};

/// No relation is violated.
struct agreed {
  static constexpr bool agree = true;
};

/// The error was already reported, by an assertion or by the compiler itself: nothing more is reported.
struct already_reported {
  static constexpr bool agree = false;
};

/// The axis on which operands disagree, counted from the last (-1), as a fact that errors show.
template <int Axis>
struct at_axis {};

template <class T>
inline constexpr bool is_invalid = false;
template <class... Facts>
inline constexpr bool is_invalid<invalid<Facts...>> = true;

namespace detail {
/// True for an invalid value whose cause was reported where it was found.
template <class T>
inline constexpr bool was_reported_before = false;
template <class... Path>
inline constexpr bool was_reported_before<invalid<already_reported, Path...>> = true;

/// True if this compiler drops a `return` whose formula does not compile (g++). A body with a misspelled op then
/// returns nothing, and only the op is an error.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
inline constexpr bool drops_returns_in_error = true;
#else
inline constexpr bool drops_returns_in_error = false;
#endif

/// Constraints that errors name: the shape, or the element type, is the expected one.
template <class Actual, class Expected>
struct shape_is {
  ESPALIER_READS("got {}, expected {}")
  static constexpr bool agree = std::is_same_v<Actual, Expected>;
};
template <class Actual, class Expected>
struct element_is {
  ESPALIER_READS("got {}, expected {}")
  static constexpr bool agree = std::is_same_v<Actual, Expected>;
};

/// The first of these relations that does not agree, or `agreed`.
template <class... Faults>
struct first_fault {
  using type = agreed;
};
template <class First, class... Rest>
struct first_fault<First, Rest...> : std::conditional_t<First::agree, first_fault<Rest...>, std::type_identity<First>> {
};

/// A relation that is checked only if those before it agree, so that a call has one error.
template <class Relation, class... Before>
using behind = std::conditional_t<(Before::agree && ...), Relation, agreed>;

/// An object without a definition, to which an invalid variable template refers. Its type asserts only when a member is
/// used. The message then needs no trace of how it came there, which takes clang three lines.
template <class T>
extern T const declared;

/// An object of a type that asserts when it is copied or compared.
template <class T>
inline constexpr T invalid_object{};

template <class... T>
struct first_invalid;
template <class T, class... Rest>
struct first_invalid<T, Rest...> : std::conditional_t<is_invalid<T>, std::type_identity<T>, first_invalid<Rest...>> {};
template <>
struct first_invalid<> {};
}  // namespace detail

/// False for an `invalid` type whose cause is this relation. A static_assert tests it, with a sentence for the
/// relation.
template <template <class...> class Relation, class Found>
inline constexpr bool holds = true;
template <template <class...> class Relation, class... Operands, class... Facts>
inline constexpr bool holds<Relation, invalid<Relation<Operands...>, Facts...>> = false;

/// Position of a layer in a Sequential, as a fact of the path: layer 3 of 7 counts from 0.
template <int Position, int Count>
struct layer {};

/// Adds a fact (a module type, a position) to the path of an `invalid` type.
template <class Fact, class... Facts>
constexpr invalid<Facts..., Fact> through(invalid<Facts...>) {
  return {};
}

namespace detail {

/// A parameter that takes any argument, behind every other function: one error instead of a list of candidates.
struct any_argument {
  template <class T>
  constexpr any_argument(T&&) noexcept {}
};

}  // namespace detail

}  // namespace espalier
#include "diagnostics_pop.hpp"
