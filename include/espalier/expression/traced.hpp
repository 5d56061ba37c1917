// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/reported_once.hpp"
#include "../base/sentence.hpp"
#include "leaf.hpp"

/// Values of a body while it is traced, and the errors for operations that they do not support.
namespace espalier {

namespace detail {

/// A constraint that errors name: what a value of this shape does not have while its body is traced.
template <class S>
struct body_value {
  static constexpr bool has_numbers = false, has_elements = false, is_printed = false;
};
/// A constraint that errors name: x op= y keeps the shape of x.
template <class X, class Y>
struct stays_in_shape {
  ESPALIER_READS("{} becomes {}")
  static constexpr bool agree = std::is_same_v<X, Y>;
};
/// The fault of code that needs a value as a number.
struct value_as_number {};
template <class S>
constexpr double number_of_a_value() {
  static_assert(
      body_value<S>::has_numbers,
      ESPALIER_SENTENCE(
          "a value has no elements while its formula is traced: write where(c, a, b) for if, ?: and while, auto for float, a * b for &&, maximum(a, b) for std::max, exp(a) for std::exp",
          body_value<S>));
  return 0;
}
/// In the exception specification of a conversion to a number, which is looked at where it is called, before what it
/// returns has caused other errors. g++ looks at the conversion itself later, and would say how it came there.
template <class S>
constexpr bool reports_number() {
#if !defined(__clang__)
  static_cast<void>(number_of_a_value<S>());
#endif
  return report_first<value_as_number, S>();
}
/// The result of printing a value. It accepts the rest of the line, so that one mistake causes one error.
struct not_printed {
  template <class X>
  constexpr not_printed const& operator<<(X const&) const {
    return *this;
  }
};
/// Tag of an invalid assignment, which is reported once. x keeps its shape after it, so errors that follow in the body
/// are not reported.
struct wrong_assignment {};
/// The fault of an assignment, or `agreed` if one was reported before. X: the target and form of the assignment, unique
/// to the calling function.
template <class Fault, class X>
struct unreported_assignment {
  using type = agreed;
};
template <class Fault, class X>
  requires(!Fault::agree && report_first<wrong_assignment, Fault(X)>())
struct unreported_assignment<Fault, X> {
  using type = Fault;
};
template <class X, class... Path>
struct unreported_assignment<invalid<already_reported, Path...>, X> {
  using type = agreed;
};
#define ESPALIER_ASSIGNED_FITS                                                   \
  "x = y: the operands of an op or a layer in y do not fit" ESPALIER_FACTS_HINT( \
      "; invalid<...> holds the violated relation, then the path to it from the inside out")
template <class X, class Y>
constexpr auto& replace_value(X& x, Y const& y) {
  if constexpr (std::is_same_v<X, Y> || requires { typename X::template is_held<Y>; }) {
    x = y;
  } else if constexpr (is_invalid<Y>) {
    using Fault = typename unreported_assignment<Y, X*>::type;
    static_assert(Fault::agree, ESPALIER_SENTENCE(ESPALIER_ASSIGNED_FITS, Fault));
  } else {
    using Stays = typename unreported_assignment<stays_in_shape<shape_of<X>, shape_of<Y>>, X*>::type;
    static_assert(Stays::agree,
                  ESPALIER_SENTENCE("x += y (or -=, *=, /=) would change the shape of x; write auto z = x + y", Stays));
  }
  return x;
}

}  // namespace detail

/// A value of the body that is being traced: a node that the program already has. Its type contains its shape but not
/// its history, so a value that is used twice costs no more than one that is used once. An op with such an operand
/// emits its node immediately and returns another traced value.
/// Data      void: real numbers of the program's element type; std::int32_t: class labels
/// Observer  void, or a type that records modules and ops while they are traced (drawings)
/// tracer    null for a value that depends on nothing that the traced program owns
template <class S, class Data = void, class Observer = void>
struct traced {
  using shape_type = S;
  using is_expression = void;
  using is_traced = void;
  using is_traced_value = void;
  using data_type = Data;
  using element_type = void;
  static constexpr bool eager = false;
  tracing::tracer* tracer;
  int id;

  // Operations that a value of a body does not support; the error is reported where one is used. Not a template for any
  // number: calls of std::sin and std::abs, which have several overloads, are unambiguous.
  constexpr operator double() const noexcept(detail::reports_number<S>()) { return detail::number_of_a_value<S>(); }
  constexpr explicit operator bool() const noexcept(detail::reports_number<S>()) {
    return detail::number_of_a_value<S>() != 0;
  }
  template <class Index>
  constexpr invalid<already_reported> operator[](Index const&) const {
    static_assert(
        detail::body_value<S>::has_elements && sizeof(Index) != 0,
        ESPALIER_SENTENCE(
            "a value in a formula has no x[i]: write slice<Axis, From, To>(x), split<Axis>(x) or pick(x, labels)",
            detail::body_value<S>));
    return {};
  }
  /// For a range-based for; end() comes second, so that the fault is said once.
  constexpr invalid<already_reported> const* begin() const {
    static_assert(detail::body_value<S>::has_elements,
                  ESPALIER_SENTENCE("a value in a formula has no elements for a loop: write sum<Axis>(x) or another "
                                    "reduction, or std::apply with split<Axis>(x)",
                                    detail::body_value<S>));
    return nullptr;
  }
  constexpr invalid<already_reported> const* end() const { return nullptr; }
  template <class... Index>
  constexpr invalid<already_reported> operator()(Index const&...) const {
    static_assert(
        detail::body_value<S>::has_elements && sizeof...(Index) < 64,
        ESPALIER_SENTENCE(
            "a value in a formula has no x(i, j): write slice<Axis, From, To>(x), split<Axis>(x) or pick(x, labels)",
            detail::body_value<S>));
    return {};
  }
  template <class Out>
  friend constexpr detail::not_printed operator<<(Out&, traced const&) {
    static_assert(
        detail::body_value<S>::is_printed && sizeof(Out*) != 0,
        ESPALIER_SENTENCE(
            "a value cannot be printed while its formula is traced: return it, and print the tensor that a model or function returns",
            detail::body_value<S>));
    return {};
  }
  template <class Y>
    requires(!std::is_base_of_v<traced, Y> && requires { typename Y::is_traced_value; })
  constexpr auto& operator=(Y const&) {
    using Stays = typename detail::unreported_assignment<detail::stays_in_shape<S, shape_of<Y>>, traced>::type;
    static_assert(
        Stays::agree,
        ESPALIER_SENTENCE("x = y would change the shape of x, which is part of its type; write auto z = y", Stays));
    return *this;
  }
  /// Not of a number that stands for a value, such as std::tanh(x): that was reported.
  template <class Number>
    requires detail::is_arithmetic<Number>
  constexpr auto& operator=(Number) {
    static_assert(
        detail::body_value<S>::has_numbers || !detail::report_first<detail::value_as_number, Number traced::*>(),
        ESPALIER_SENTENCE(
            "x = number: a value keeps its shape; write auto z = zeros<S>(x) + number, with the shape S of x",
            detail::body_value<S>));
    return *this;
  }
  template <class... Facts>
  constexpr auto& operator=(invalid<Facts...> const&) {
    using Fault = typename detail::unreported_assignment<invalid<Facts...>, traced>::type;
    static_assert(Fault::agree, ESPALIER_SENTENCE(ESPALIER_ASSIGNED_FITS, Fault));
    return *this;
  }
};
/// vertex  the observer's number for the value
template <class S, class Data, class Observer>
  requires(!std::is_void_v<Observer>)
struct traced<S, Data, Observer> : traced<S, Data> {
  using observer_type = Observer;
  using traced<S, Data>::operator=;
  int vertex;
};

/// Operands that belong to a program that is being traced: its values, and the parameters, buffers and random numbers
/// of the model.
template <class X>
concept Traced = requires {
  typename detail::bare<X>::is_traced;
};
template <class X>
concept TracedValue = requires {
  typename detail::bare<X>::is_traced_value;
};

/// x += y is x = x + y; the other operators are defined in the same way.
template <TracedValue X, class Y>
constexpr auto& operator+=(X& x, Y const& y) {
  return detail::replace_value(x, x + y);
}
template <TracedValue X, class Y>
constexpr auto& operator-=(X& x, Y const& y) {
  return detail::replace_value(x, x - y);
}
template <TracedValue X, class Y>
constexpr auto& operator*=(X& x, Y const& y) {
  return detail::replace_value(x, x * y);
}
template <TracedValue X, class Y>
constexpr auto& operator/=(X& x, Y const& y) {
  return detail::replace_value(x, x / y);
}

namespace tracing {
/// The node of an operand of a traced body; an operand that the program does not own is a fault of the program. Defined
/// in tracing/trace.hpp.
template <class X>
constexpr int trace_operand(tracer& t, X const& x);
}  // namespace tracing

namespace detail {

template <class X>
constexpr tracing::tracer* tracer_in([[maybe_unused]] X const& x) {
  if constexpr (requires { x.stream; }) return x.stream.tracer;
  else if constexpr (Traced<X>) return x.tracer;
  else return nullptr;
}
/// The tracer of the first operand that has one.
template <class... X>
constexpr tracing::tracer* tracer_of(X const&... x) {
  tracing::tracer* t = nullptr;
  ((t = t != nullptr ? t : tracer_in(x)), ...);
  return t;
}

template <class X>
struct data_of {
  using type = void;
};
template <class S, class Data, class Observer>
struct data_of<traced<S, Data, Observer>> {
  using type = Data;
};
template <class S, class Device>
struct data_of<borrowed<std::int32_t, S, Device>> {
  using type = std::int32_t;
};
/// The type that a body receives for an operand.
template <class X>
using as_traced = traced<shape_of<kept<X>>, typename data_of<kept<X>>::type>;

/// What a body receives for an argument X of its function. Specialized where an argument is more than one tensor.
template <class X>
struct body_argument {
  using type = as_traced<X>;
};
template <class X>
using in_body = typename body_argument<X>::type;

/// The observer of the first operand that has one, or void.
template <class... X>
struct observer_of {
  using type = void;
};
template <class First, class... X>
struct observer_of<First, X...> : observer_of<X...> {};
template <class First, class... X>
  requires requires { typename First::observer_type; }
struct observer_of<First, X...> {
  using type = typename First::observer_type;
};

/// The result type of an op on operands X.
template <class S, class... X>
using traced_result = traced<S, void, typename observer_of<X...>::type>;

/// Converts the result of a traced body to a value Y of its program. The body may return a value, a parameter, a tensor
/// or the formula of a number.
template <class Y, class X>
constexpr Y as_value(tracing::tracer& t, X const& x) {
  if constexpr (std::is_same_v<X, Y>) return x;
  else if constexpr (requires { Y{}.vertex; })
    return Y{{&t, tracing::trace_operand(t, x)}, Y::observer_type::vertex_of(x)};
  else return Y{&t, tracing::trace_operand(t, x)};
}

/// Reads a number. A number that is no compile-time constant is thus found while a body is only probed.
template <class X>
constexpr bool reads_number([[maybe_unused]] X const& x) {
  if constexpr (is_arithmetic<X>) return x == x || x != x;
  else return true;
}
/// Emits the node of an op with at least one traced operand. Defined in tracing/trace.hpp.
template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr traced_result<S, X...> emit_traced(X const&... x);

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
