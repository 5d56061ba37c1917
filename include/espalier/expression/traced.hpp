// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/sentence.hpp"
#include "leaf.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

namespace detail {

/// Fact for a refusal: what is asked of a value of this shape while its body is traced, when it has no numbers.
template <class S>
struct body_value {
  static constexpr bool has_numbers = false, has_elements = false, is_printed = false;
};
/// Fact for a refusal: x op= y keeps the shape of x.
template <class X, class Y>
struct stays_in_shape {
  ESPALIER_READS("{} becomes {}")
  static constexpr bool agree = std::is_same_v<X, Y>;
};
/// What printing a value gives, so that the rest of the line is no mistake of its own.
struct not_printed {
  template <class X>
  constexpr not_printed const& operator<<(X const&) const {
    return *this;
  }
};
/// Said once: x keeps its shape after such a mistake, so what follows in the body is no mistake of its own.
struct wrong_assignment {};
/// The fault of an assignment where none has been said, or `agreed`. X: what is assigned to and how, the same in no other function.
template <class Fault, class X>
struct unsaid_assignment {
  using type = agreed;
};
template <class Fault, class X>
  requires(!Fault::agree && !said_before<wrong_assignment, Fault(X)>())
struct unsaid_assignment<Fault, X> {
  using type = Fault;
};
template <class X, class... Path>
struct unsaid_assignment<refused<said_already, Path...>, X> {
  using type = agreed;
};
#define ESPALIER_ASSIGNED_FITS \
  "x = y: an op or a layer in y does not fit" ESPALIER_WHERE_IT_STANDS("; refused<...> holds what disagrees, then the way to it from the inside out")
template <class X, class Y>
constexpr auto& replace_value(X& x, Y const& y) {
  if constexpr (std::is_same_v<X, Y>) {
    x = y;
  } else if constexpr (is_refused<Y>) {
    using Fault = typename unsaid_assignment<Y, X*>::type;
    static_assert(Fault::agree, ESPALIER_SENTENCE(ESPALIER_ASSIGNED_FITS, Fault));
  } else {
    using Stays = typename unsaid_assignment<stays_in_shape<shape_of<X>, shape_of<Y>>, X*>::type;
    static_assert(Stays::agree, ESPALIER_SENTENCE("x += y (or -=, *=, /=) gives x another shape; write auto z = x + y", Stays));
  }
  return x;
}

}  // namespace detail

/// A value of the body that is being traced: a node that the program already has. Its type states its shape and nothing of its history, so a value
/// that is used twice costs no more than one that is used once. An op with such an operand emits its node at once and returns another one.
/// Data      void: real numbers of the program's element type; std::int32_t: class labels
/// Observer  void, or who records modules and ops as they are traced (drawings)
/// tracer    null for a value that was made of nothing that the traced program owns
template <class S, class Data = void, class Observer = void>
struct traced {
  using shape_type = S;
  using is_expression = void;
  using is_traced = void;
  using is_traced_value = void;
  using data_type = Data;
  using element_type = void;
  static constexpr bool eager = false;
  graph::tracer* tracer;
  int id;

  // What a value of a body cannot do, said where somebody asks for it.
  template <class Number>
    requires detail::is_arithmetic<Number>
  constexpr operator Number() const {
    static_assert(detail::body_value<S>::has_numbers && sizeof(Number) != 0,
                  ESPALIER_SENTENCE("a value has no numbers while its formula is traced: write where(c, a, b) for if, ?: and while, auto for float, a * b for &&, maximum(a, b) for std::max",
                                    detail::body_value<S>));
    return Number{};
  }
  template <class Index>
  constexpr refused<said_already> operator[](Index const&) const {
    static_assert(detail::body_value<S>::has_elements && sizeof(Index) != 0,
                  ESPALIER_SENTENCE("a value in a formula has no x[i]: write slice<Axis, From, To>(x), split<Axis>(x) or pick(x, labels)",
                                    detail::body_value<S>));
    return {};
  }
  template <class... Index>
  constexpr refused<said_already> operator()(Index const&...) const {
    static_assert(detail::body_value<S>::has_elements && sizeof...(Index) < 64,
                  ESPALIER_SENTENCE("a value in a formula has no x(i, j): write slice<Axis, From, To>(x), split<Axis>(x) or pick(x, labels)",
                                    detail::body_value<S>));
    return {};
  }
  template <class Out>
  friend constexpr detail::not_printed operator<<(Out&, traced const&) {
    static_assert(detail::body_value<S>::is_printed && sizeof(Out*) != 0,
                  ESPALIER_SENTENCE("a value cannot be printed while its formula is traced: return it, and print the tensor that a model or function gives",
                                    detail::body_value<S>));
    return {};
  }
  template <class Y>
    requires(!std::is_same_v<Y, traced> && requires { typename Y::is_traced_value; })
  constexpr auto& operator=(Y const&) {
    using Stays = typename detail::unsaid_assignment<detail::stays_in_shape<S, shape_of<Y>>, traced>::type;
    static_assert(Stays::agree, ESPALIER_SENTENCE("x = y gives x another shape, which is its type; write auto z = y", Stays));
    return *this;
  }
  template <class... Facts>
  constexpr auto& operator=(refused<Facts...> const&) {
    using Fault = typename detail::unsaid_assignment<refused<Facts...>, traced>::type;
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

/// What belongs to a program that is being traced: its values, and parameters, buffers and samples of the model.
template <class X>
concept Traced = requires { typename detail::bare<X>::is_traced; };
template <class X>
concept TracedValue = requires { typename detail::bare<X>::is_traced_value; };

/// x += y is x = x + y; so are the others.
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

namespace graph {
/// The node of an operand of a traced body; one that the program does not own is a fault of the program. Defined with the tracer.
template <class X>
constexpr int trace_operand(tracer& t, X const& x);
}  // namespace graph

namespace detail {

template <class X>
constexpr graph::tracer* tracer_in([[maybe_unused]] X const& x) {
  if constexpr (requires { x.stream; }) return x.stream.tracer;
  else if constexpr (Traced<X>) return x.tracer;
  else return nullptr;
}
/// The tracer of the first operand that has one.
template <class... X>
constexpr graph::tracer* tracer_of(X const&... x) {
  graph::tracer* t = nullptr;
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
/// How a body sees its operand.
template <class X>
using as_traced = traced<shape_of<kept<X>>, typename data_of<kept<X>>::type>;

/// Who observes one of some operands, or void.
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

/// What an op on operands X gives.
template <class S, class... X>
using traced_result = traced<S, void, typename observer_of<X...>::type>;

/// A result of a traced body as a value Y of its program, whatever the body returned: a value, a parameter, a tensor, a number's formula.
template <class Y, class X>
constexpr Y as_value(graph::tracer& t, X const& x) {
  if constexpr (std::is_same_v<X, Y>) return x;
  else if constexpr (requires { Y{}.vertex; }) return Y{{&t, graph::trace_operand(t, x)}, Y::observer_type::vertex_of(x)};
  else return Y{&t, graph::trace_operand(t, x)};
}

/// Reads a number, so that one that the compiler cannot read is found where a body is only tried.
template <class X>
constexpr bool reads_number([[maybe_unused]] X const& x) {
  if constexpr (is_arithmetic<X>) return x == x || x != x;
  else return true;
}
/// An op of which one operand at least is traced: its node is emitted here. Defined with the tracer.
template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr traced_result<S, X...> emit_traced(X const&... x);

}  // namespace detail

}  // namespace espalier
#pragma GCC diagnostic pop
