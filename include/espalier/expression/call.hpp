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
    return mode_choice<shape_of<Training>, Training, Evaluation>{training, evaluation};
}

/// with_update(y, buffer, new_value): y; and `buffer` holds `new_value` after the training step.
/// shape   S, B, B -> S
/// slope   dy passes; none reaches new_value
template <Expression Y, Expression Buffer, Expression New>
constexpr auto with_update(Y const& y, Buffer const& buffer, New const& new_value) {
  if constexpr (is_refused<Y>) return Y{};
  else if constexpr (is_refused<New>) return New{};
  else if constexpr (!same_shape<shape_of<Buffer>, shape_of<New>>::agree) return refused<same_shape<shape_of<Buffer>, shape_of<New>>>{};
  else return updating<shape_of<Y>, Y, Buffer, New>{y, buffer, new_value};
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
template <class X>
struct data_of {
  using type = void;
};
template <class S, int I, class E>
struct data_of<argument<S, I, E>> {
  using type = E;
};
template <class S, class Device>
struct data_of<borrowed<std::int32_t, S, Device>> {
  using type = std::int32_t;
};

/// How a module's own text names its operand: by position, with the operand's shape and kind of data.
template <class X, int I>
using as_argument = argument<shape_of<X>, I, typename data_of<X>::type>;

template <class I, class M, class... X>
struct call_body;
template <std::size_t... I, class M, class... X>
struct call_body<std::index_sequence<I...>, M, X...> : body_of<M, as_argument<X, static_cast<int>(I)>...> {};

/// Records a call, or passes a refusal on with the module's type added to its path.
template <class M, class... X>
constexpr auto record_call(M const& module, X const&... x) {
  if constexpr ((is_refused<X> || ...)) {
    return typename first_refused<X...>::type{};
  } else {
    using Body = typename call_body<std::index_sequence_for<X...>, M, X...>::type;
    if constexpr (is_refused<Body>) {
      if constexpr (requires { typename M::is_transparent; }) return Body{};
      else return through<M>(Body{});
    } else {
      return call<shape_of<Body>, M, kept<X const&>...>{module, keep(x)...};
    }
  }
}
}  // namespace detail

}  // namespace espalier
