// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <type_traits>

#include "sentence.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// The result of an op whose operands do not fit: carries the relation that failed and, as it travels up, the path of modules it came through.
/// Every op accepts it in silence, and it can be used as a tensor would be, so one mistake stays one error; only a root (model, trainer, predictor, output_shape, grad) asserts.
template <class... Facts>
struct refused {
  using shape_type = refused;
  using is_expression = void;
  static constexpr bool eager = false;
  static constexpr bool agree = false;
  constexpr refused operator()(auto const&...) const { return {}; }
  template <class X>
  constexpr refused& operator=(X const&) {
    return *this;
  }
  template <class X>  // not `auto const&`: beside such a friend nvcc finds no conversion to a number
  friend constexpr bool operator==(refused, X const&) {
    return true;
  }
  constexpr refused operator[](auto const&) const { return {}; }
  template <class Out>  // of a stream: what is refused prints nothing, so that it has one error
    requires requires(Out& out) { out.put('x'), out.precision(); }
  friend constexpr Out& operator<<(Out& out, refused) {
    return out;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr operator T() const {
    return {};
  }
};

/// Nothing to refuse.
struct agreed {
  static constexpr bool agree = true;
};

/// Said already, by an assertion or by the compiler itself: what follows is silent.
struct said_already {
  static constexpr bool agree = false;
};

/// The axis on which operands disagree, counted from the last (-1), as a fact of a refusal.
template <int Axis>
struct at_axis {};

template <class T>
inline constexpr bool is_refused = false;
template <class... Facts>
inline constexpr bool is_refused<refused<Facts...>> = true;

/// True for what a root may accept.
template <class T>
struct fits {
  static constexpr bool value = !is_refused<std::remove_cvref_t<T>>;
};

namespace detail {
/// Whether this compiler drops a `return` whose formula it cannot read (g++): a body with a misspelled op returns nothing then, and only the op is an error.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
inline constexpr bool drops_returns_in_error = true;
#else
inline constexpr bool drops_returns_in_error = false;
#endif

/// Facts for refusals: what is given has the shape, or the element type, that is wanted.
template <class Given, class Wanted>
struct shape_is {
  ESPALIER_READS("given {}, wanted {}")
  static constexpr bool agree = std::is_same_v<Given, Wanted>;
};
template <class Given, class Wanted>
struct element_is {
  ESPALIER_READS("given {}, wanted {}")
  static constexpr bool agree = std::is_same_v<Given, Wanted>;
};

/// The first of these that does not agree, or `agreed`.
template <class... Faults>
struct first_fault {
  using type = agreed;
};
template <class First, class... Rest>
struct first_fault<First, Rest...> : std::conditional_t<First::agree, first_fault<Rest...>, std::type_identity<First>> {};

/// A relation that is asked for where those before it agree, so that a call has one error.
template <class Relation, class... Before>
using behind = std::conditional_t<(Before::agree && ...), Relation, agreed>;

/// An object that is nowhere defined: what a variable template that is refused refers to. Its type asserts only where a member is asked for, and so the message
/// need not say by which way it came there, which takes clang three lines.
template <class T>
extern T const declared;

/// An object of a type that asserts where it is copied or compared.
template <class T>
inline constexpr T refused_object{};

// Who sees a fault first says it, and defines the friend that tells the others. Root: a type of the one who asks.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1301
#endif
template <class Fault>
struct fault_flag {
  friend constexpr auto was_said(fault_flag<Fault>);
};
#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
template <class Fault>
struct fault_said {
  friend constexpr auto was_said(fault_flag<Fault>) { return true; }
};
template <class Fault, class Root>
constexpr bool said_before() {
  if constexpr (requires(fault_flag<Fault> flag) { was_said(flag); }) return true;
  else return sizeof(fault_said<Fault>) == 0;
}
/// The same without saying it.
template <class Fault, class Root>
constexpr bool is_said() {
  return requires(fault_flag<Fault> flag) { was_said(flag); };
}

template <class... T>
struct first_refused;
template <class T, class... Rest>
struct first_refused<T, Rest...> : std::conditional_t<is_refused<T>, std::type_identity<T>, first_refused<Rest...>> {};
template <>
struct first_refused<> {};
}  // namespace detail

/// False for a refusal whose cause is this relation: what a static_assert asks for, with a sentence for the relation.
template <template <class...> class Relation, class Found>
inline constexpr bool holds = true;
template <template <class...> class Relation, class... Operands, class... Facts>
inline constexpr bool holds<Relation, refused<Relation<Operands...>, Facts...>> = false;

/// Position of a layer in a Sequential, as a fact of the path: layer 3 of 7 counts from 0.
template <int Position, int Count>
struct layer {};

/// Adds a fact (a module type, a position) to a refusal that travels up.
template <class Fact, class... Facts>
constexpr refused<Facts..., Fact> through(refused<Facts...>) {
  return {};
}

}  // namespace espalier
#pragma GCC diagnostic pop
