// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "node.hpp"

namespace espalier {

/// A module applied to expressions. Its body is traced in a scope of its own, in terms of its own arguments, so the type stays small.
template <class S, class M, class... X>
struct call;

template <class S, class M, class A>
struct call<S, M, A> {
  using shape_type = S;
  using is_expression = void;
  using element_type = element_of<A>;
  static constexpr bool eager = A::eager;
  M module;
  A a;
};

template <class S, class M, class A, class B>
struct call<S, M, A, B> {
  using shape_type = S;
  using is_expression = void;
  using element_type = element_of<A>;
  static constexpr bool eager = A::eager || B::eager;
  M module;
  A a;
  B b;
};

/// One formula for training, another for evaluation; resolved when a program is traced.
/// shape   S, S -> S
template <class S, class Training, class Evaluation>
struct mode_choice {
  using shape_type = S;
  using is_expression = void;
  using element_type = element_of<Training>;
  static constexpr bool eager = Training::eager;
  Training training;
  Evaluation evaluation;
};

/// y, and an update of a buffer that happens when the training program runs. The new value carries no gradient.
template <class S, class Y, class Buffer, class New>
struct updating {
  using shape_type = S;
  using is_expression = void;
  using element_type = element_of<Y>;
  static constexpr bool eager = false;
  Y y;
  Buffer buffer;
  New new_value;
};

/// The two branches of by_mode have one shape.
template <class Training, class Evaluation>
struct same_shape {
  static constexpr bool agree = std::is_same_v<Training, Evaluation>;
};

namespace graph {
template <class Training, class Evaluation>
constexpr int trace_choice(tracer& t, Training const& training, Evaluation const& evaluation);
template <class Y, class Buffer, class New>
constexpr int trace_update(tracer& t, Y const& y, Buffer const& buffer, New const& new_value);
/// The node of an expression that stands by itself, or of a traced value.
template <class X>
constexpr int trace_operand(tracer& t, X const& x);
}  // namespace graph
namespace detail {
template <class Training, class Evaluation>
constexpr auto chosen(Training const& training, Evaluation const& evaluation) {
  if constexpr (Traced<Training> || Traced<Evaluation>) {
    graph::tracer& t = tracer_of(training, evaluation);
    return traced<shape_of<Training>>{&t, graph::trace_choice(t, training, evaluation)};
  } else {
    return mode_choice<shape_of<Training>, Training, Evaluation>{training, evaluation};
  }
}
template <class Y, class Buffer, class New>
constexpr auto updated(Y const& y, Buffer const& buffer, New const& new_value) {
  if constexpr (Traced<Y> || Traced<New>) {
    graph::tracer& t = tracer_of(y, new_value);
    return traced<shape_of<Y>>{&t, graph::trace_update(t, y, buffer, new_value)};
  } else {
    return updating<shape_of<Y>, Y, Buffer, New>{y, buffer, new_value};
  }
}
}  // namespace detail

/// by_mode(training, evaluation): the expression of the mode in which the program is traced.
/// shape   S, S -> S
/// errors  shapes that differ are refused
template <Expression Training, Expression Evaluation>
constexpr auto by_mode(Training const& training, Evaluation const& evaluation) {
  if constexpr (is_refused<Training>) return Training{};
  else if constexpr (is_refused<Evaluation>) return Evaluation{};
  else if constexpr (!same_shape<shape_of<Training>, shape_of<Evaluation>>::agree)
    return refused<same_shape<shape_of<Training>, shape_of<Evaluation>>>{};
  else
    return detail::chosen(training, evaluation);
}

namespace graph {
constexpr bool trains(tracer const& t);
}
/// by_mode(x, training, evaluation): the same of what functions give, of which the traced body of x calls one: what is not chosen costs nothing.
template <class X, class Training, class Evaluation>
constexpr auto by_mode(X const& x, Training const& training, Evaluation const& evaluation) {
  using A = decltype(training());
  using B = decltype(evaluation());
  if constexpr (Traced<X> && !is_refused<A> && !is_refused<B>) {
    if constexpr (!same_shape<shape_of<A>, shape_of<B>>::agree) return refused<same_shape<shape_of<A>, shape_of<B>>>{};
    else return traced<shape_of<A>>{x.tracer, graph::trains(*x.tracer) ? graph::trace_operand(*x.tracer, training()) : graph::trace_operand(*x.tracer, evaluation())};
  } else {
    return by_mode(training(), evaluation());
  }
}

/// with_update(y, buffer, new_value): y; and `buffer` holds `new_value` after the training step.
/// shape   S, B, B -> S
/// slope   dy passes; none reaches new_value
template <Expression Y, Expression Buffer, Expression New>
constexpr auto with_update(Y const& y, Buffer const& buffer, New const& new_value) {
  if constexpr (is_refused<Y>) return Y{};
  else if constexpr (is_refused<New>) return New{};
  else if constexpr (!same_shape<shape_of<Buffer>, shape_of<New>>::agree) return refused<same_shape<shape_of<Buffer>, shape_of<New>>>{};
  else return detail::updated(y, buffer, new_value);
}

/// Named relation: the module has a forward that takes arguments of these shapes.
template <class Module, class... Shapes>
struct has_forward {
  ESPALIER_READS("{} has no forward that takes {...}")
  static constexpr bool agree = false;
};

namespace detail {
template <class S, class M, class... X>
struct device_of_impl<call<S, M, X...>> : common_device<device_of<X>...> {};

/// The body of a module applied to arguments of these shapes: what forward returns.
template <class M, class... X>
struct body_of {
  using type = refused<has_forward<M, shape_of<X>...>>;
};
template <class M, class... X>
  requires requires(M const& module, X... x) { module.forward(x...); }
struct body_of<M, X...> {
  using type = decltype(std::declval<M const&>().forward(std::declval<X>()...));
};
/// How a module's own text names its operand: by position, with the operand's shape and kind of data.
template <class X, int I>
using as_argument = argument<shape_of<X>, I, typename data_of<X>::type>;

/// Records a call, or passes a refusal on with the module's type added to its path.
template <class M, class... X>
constexpr auto record_call(M const& module, X const&... x) {
  if constexpr ((is_refused<X> || ...)) {
    return typename first_refused<X...>::type{};
  } else {
    using Body = typename body_of<M, as_traced<X>...>::type;
    if constexpr (is_refused<Body>) {
      if constexpr (requires { typename M::is_transparent; }) return Body{};
      else return through<M>(Body{});
    } else if constexpr ((Traced<X> || ...)) {
      graph::tracer& t = tracer_of(x...);
      return module.forward(as_traced<X>{&t, graph::trace_operand(t, x)}...);
    } else {
      return call<shape_of<Body>, M, kept<X const&>...>{module, keep(x)...};
    }
  }
}
}  // namespace detail

}  // namespace espalier
