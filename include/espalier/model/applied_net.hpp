// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../tracing/trace.hpp"
#include "net_fault.hpp"

#include "../base/diagnostics_push.hpp"
/// The result of a net on a batch, as a type.
namespace espalier::detail {

/// The type of a net applied to a batch: its result or an `invalid` type.
template <class Net, class Batch, bool Module = (net_fault<Net>::agree) && is_sound_shape<Batch>>
struct applied_net_impl {
  using type = std::conditional_t<
      !net_fault<Net>::agree, net_fault<Net>,
      std::conditional_t<is_batch<Batch>::agree, invalid<already_reported>, invalid<is_batch<Batch>>>>;
};
/// The value that a net receives as its input while it is traced.
template <class Net, class Batch>
using input_of_net = traced<Batch, nn::input_element_of<Net>>;

/// Traces a net on operand x of a program; returns the node of its value. Defined in trace_net.hpp.
template <class Net, class Batch>
constexpr int trace_net(tracing::tracer& t, int x);
template <class Net, class Batch>
constexpr bool traces() {
  graph::program p{};
  tracing::tracer t{p, tracing::mode::evaluation, false, 0, 0};
  trace_net<Net, Batch>(t, tracing::add_argument<stored_input<Net, float>>(t, 0, Batch::value));
  return true;
}
/// Whether the compiler can run the bodies of a net. It tries values without a program first, which is cheap. If a body
/// does not accept those, it traces a program.
template <class Net, class Batch>
concept RunByCompiler = requires {
  typename std::bool_constant<(static_cast<void>(Net{}(input_of_net<Net, Batch>{})), true)>;
}
|| requires { typename std::bool_constant<traces<Net, Batch>()>; };
template <class Net, class Batch>
constexpr auto applied_to_batch() {
  using Result = decltype(std::declval<Net const&>()(std::declval<input_of_net<Net, Batch>>()));
  if constexpr (is_invalid<Result>) return std::type_identity<Result>{};
  else if constexpr (!Expression<Result>) return std::type_identity<decltype(fault_of_result<Net, Result>())>{};
  else if constexpr (!RunByCompiler<Net, Batch>) return std::type_identity<invalid<forward_is_constexpr<Net>>>{};
  else return std::type_identity<Result>{};
}
template <class Net, class Batch>
struct applied_net_impl<Net, Batch, true> : decltype(applied_to_batch<Net, Batch>()) {};
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
using probe_forward = std::conditional_t<net_fault<Net>::agree && is_sound_shape<Batch>,
                                         result_of_forward<Net, input_of_net<Net, Batch>>, agreed>;
template <class Net, class Batch>
using applied_net = typename applied_net_impl<Net, Batch>::type;

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
