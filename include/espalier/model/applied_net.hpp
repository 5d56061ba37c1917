// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/shapes.hpp"
#include "../tracing/trace.hpp"
#include "net_fault.hpp"

/// The results of a net on a batch, as a type. A batch is a shape, or `shapes` with one for each input.
namespace espalier::detail {

/// The value that a net receives as its input I while it is traced.
template <class Net, class S, int I = 0>
using input_of_net = traced<S, nn::input_element_of<Net, I>>;

/// Traces a net on operands of a program; returns what its forward returns. Defined in trace_net.hpp.
template <class Net, class... X>
constexpr auto value_of_net(tracing::tracer& t, X const&... x);

/// The results of a net as a list: a std::tuple inside a std::tuple, such as the state of an LSTM, stands for its
/// members.
template <class Result>
constexpr auto results_in_a_row(Result const& r) {
  return r;
}
template <class... R>
  requires(Structure<R> || ...)
constexpr auto results_in_a_row(std::tuple<R...> const& r) {
  return std::apply([](auto const&... leaf) { return std::tuple{leaf...}; }, flattened(r));
}

/// The results of a net that has a fault, as many as it would have.
template <class Net, std::size_t Inputs, class Invalid>
constexpr auto results_of_fault(Invalid found) {
  return results_in_a_row(results_without_a_body<Net, Inputs>(found));
}

/// Calls on the traced values of a net's inputs.
template <class Net, class Inputs, class Positions = std::make_integer_sequence<int, Inputs::count>>
struct traced_inputs;
template <class Net, class... S, int... I>
struct traced_inputs<Net, shapes<S...>, std::integer_sequence<int, I...>> {
  using probe = result_of_forward<Net, input_of_net<Net, S, I>...>;
  template <class M>
  using result = decltype(results_in_a_row(std::declval<M const&>()(std::declval<input_of_net<M, S, I>>()...)));
  static constexpr bool run() { return static_cast<void>(Net{}(input_of_net<Net, S, I>{}...)), true; }
  /// Adds the inputs to a program as arguments 0, 1, ... and traces the net on them.
  static constexpr auto results(tracing::tracer& t) {
    int const at[]{tracing::add_argument<stored_input<Net, float, I>>(t, I, S::value)...};
    return results_in_a_row(value_of_net<Net>(t, input_of_net<Net, S, I>{&t, at[I]}...));
  }
};

/// Traces a net on its inputs; returns what its forward returns.
template <class Net, class Batch>
constexpr auto results_in(tracing::tracer& t) {
  return traced_inputs<Net, listed_shapes<Batch>>::results(t);
}
template <class Net, class Batch>
constexpr bool traces() {
  graph::program p{};
  tracing::tracer t{p, tracing::mode::evaluation, false, 0, 0};
  static_cast<void>(results_in<Net, Batch>(t));
  return true;
}
/// Whether the compiler can run the bodies of a net. It tries values without a program first, which is cheap. If a body
/// does not accept those, it traces a program.
template <class Net, class Batch>
concept RunByCompiler = requires {
  typename std::bool_constant<traced_inputs<Net, listed_shapes<Batch>>::run()>;
}
|| requires { typename std::bool_constant<traces<Net, Batch>()>; };

/// What a forward returns, as a list. `formulas`: each is an expression or an invalid type.
template <class Result>
struct forward_results {
  static constexpr bool formulas = Expression<Result>;
  template <class Net>
  using checked = Result;
};
template <class... R>
struct forward_results<std::tuple<R...>> {
  static constexpr bool formulas = sizeof...(R) > 0 && ((Expression<R> || is_invalid<R>)&&...);
  template <class Net>
  static constexpr auto check() {
    if constexpr ((is_invalid<R> || ...)) return through<Net>(typename first_invalid<R...>::type{});
    else return std::tuple<R...>{};
  }
  template <class Net>
  using checked = decltype(check<Net>());
};
template <class Net, int Inputs>
constexpr auto input_elements_fault() {
  if constexpr (requires { std::tuple_size<typename Net::input_element>::value; })
    return input_elements_listed<Net, static_cast<int>(std::tuple_size<typename Net::input_element>::value), Inputs>{};
  else return agreed{};
}

template <class Net, class Batch>
constexpr auto results_on_batch() {
  using Inputs = listed_shapes<Batch>;
  using Elements = decltype(input_elements_fault<Net, Inputs::count>());
  using Result = typename traced_inputs<Net, Inputs>::template result<Net>;
  using Results = forward_results<Result>;
  if constexpr (is_invalid<Result>) return std::type_identity<Result>{};
  else if constexpr (!Elements::agree) return std::type_identity<invalid<Elements>>{};
  else if constexpr (!Results::formulas) return std::type_identity<decltype(fault_of_result<Net, Result>())>{};
  else if constexpr (is_invalid<typename Results::template checked<Net>>)
    return std::type_identity<typename Results::template checked<Net>>{};
  else if constexpr (!RunByCompiler<Net, Batch>) return std::type_identity<invalid<forward_is_constexpr<Net>>>{};
  else return std::type_identity<Result>{};
}
/// The first relation that a batch violates as a batch.
template <class Inputs>
struct batch_fault;
template <class... S>
struct batch_fault<shapes<S...>> {
  static constexpr bool sound = (is_sound_shape<S> && ...);
  using first = typename first_fault<is_batch<S>...>::type;
  using type = std::conditional_t<first::agree, invalid<already_reported>, invalid<first>>;
};
template <class Net, class Batch, bool Module = (net_fault<Net>::agree) && batch_fault<listed_shapes<Batch>>::sound>
struct results_of_net_impl {
  using type =
      std::conditional_t<!net_fault<Net>::agree, net_fault<Net>, typename batch_fault<listed_shapes<Batch>>::type>;
};
template <class Net, class Batch>
struct results_of_net_impl<Net, Batch, true> : decltype(results_on_batch<Net, Batch>()) {};
/// What a net returns for a batch: an expression, a std::tuple of them, or an `invalid` type.
template <class Net, class Batch>
using results_of_net = typename results_of_net_impl<Net, Batch>::type;

/// The shapes of these results as a list.
template <class Result>
struct result_shapes {
  using type = shapes<shape_of<Result>>;
};
template <class... R>
struct result_shapes<std::tuple<R...>> {
  using type = shapes<shape_of<R>...>;
};
template <class Net, class Result>
struct only_result {
  using type = Result;
};
template <class Net, class... R>
struct only_result<Net, std::tuple<R...>> {
  using type = invalid<forward_returns_one<Net, shape_of<R>...>>;
};
template <class Net, class Batch>
struct only_input : only_result<Net, results_of_net<Net, Batch>> {};
template <class Net, class... S>
struct only_input<Net, shapes<S...>> {
  using type = invalid<is_batch<shapes<S...>>>;
};
/// The type of a net of one input applied to a batch, as it is trained: its only result or an `invalid` type.
template <class Net, class Batch>
using applied_net = typename only_input<Net, Batch>::type;

/// The net of a model; void for other types.
template <class Model>
struct net_of {
  using type = void;
};
template <class Model>
  requires requires { typename Model::net_type; }
struct net_of<Model> {
  using type = typename Model::net_type;
};
/// A root instantiates this first, so that an error in the body of the user's forward has a short trace:
/// sizeof(detail::probe_forward<Net, Batch>).
template <class Net, class Batch>
using probe_forward = std::conditional_t<net_fault<Net>::agree && batch_fault<listed_shapes<Batch>>::sound,
                                         typename traced_inputs<Net, listed_shapes<Batch>>::probe, agreed>;

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
