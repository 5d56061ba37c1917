// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "node.hpp"

/// What a body does in training and in evaluation: another formula, and updates of buffers.
namespace espalier {

/// Named relation of by_mode and with_update: both shapes are equal.
template <class Training, class Evaluation>
struct same_shape {
  static constexpr bool agree = std::is_same_v<Training, Evaluation>;
};

namespace tracing {
constexpr bool trains(tracer const& t);
/// Whether the program trains together with other processes, whose values the caller reads. It notes the caller.
constexpr bool combines_processes(tracer& t);
/// Makes node `id` the next value of buffer `slot` of `owner`. Defined in tracing/trace.hpp.
constexpr void trace_update(tracer& t, tracer const* owner, int id, int slot);
}  // namespace tracing

/// by_mode(x, training, evaluation): training() in a program that trains, else evaluation(). When a body is traced,
/// only one of the two functions is called, so the other branch costs nothing. x is a value of that body. Formulas of
/// tensors use evaluation().
///   by_mode(x, [&] { return x * mask; }, [&] { return x; })
/// shape   S, S -> S
/// errors  shapes that differ do not compile
template <Expression X, class Training, class Evaluation>
constexpr auto by_mode([[maybe_unused]] X const& x, Training const& training, Evaluation const& evaluation) {
  using A = decltype(training());
  using B = decltype(evaluation());
  if constexpr (is_invalid<X>) return X{};
  else if constexpr (is_invalid<A>) return A{};
  else if constexpr (is_invalid<B>) return B{};
  else if constexpr (!same_shape<shape_of<A>, shape_of<B>>::agree)
    return invalid<same_shape<shape_of<A>, shape_of<B>>>{};
  else if constexpr (!Traced<X>) return evaluation();
  else if constexpr (std::is_same_v<A, B>)
    return x.tracer != nullptr && tracing::trains(*x.tracer) ? training() : evaluation();
  else {
    using Y = detail::traced_result<shape_of<A>, X, A, B>;
    if (x.tracer == nullptr) return Y{};
    return tracing::trains(*x.tracer) ? detail::as_value<Y>(*x.tracer, training())
                                      : detail::as_value<Y>(*x.tracer, evaluation());
  }
}

/// by_mode(training, evaluation): the formula for the mode in which the program is traced. Both formulas are traced;
/// the overload with functions costs less. A module that both formulas call is called twice in training: it updates its
/// buffers twice.
/// shape   S, S -> S
/// errors  shapes that differ do not compile
template <Expression Training, Expression Evaluation>
constexpr auto by_mode(Training const& training, Evaluation const& evaluation) {
  auto const first = [&] { return training; };
  auto const second = [&] { return evaluation; };
  if constexpr (Traced<Training>) return by_mode(training, first, second);
  else return by_mode(evaluation, first, second);
}

/// with_update(y, buffer, new_value): returns y; `buffer` holds `new_value` after the training step.
/// order     later reads of `buffer` in forward read new_value, also those of a later update: a module that is called
///           twice updates its buffers twice, as in PyTorch. The last value is stored. Values that were computed from
///           `buffer` before do not change.
/// shape     S, B, B -> S
/// gradient  dy; no gradient flows to new_value, nor through a later read of `buffer`
/// errors    a new value of another shape does not compile
template <Expression Y, Expression Buffer, Expression New>
constexpr auto with_update(Y const& y, [[maybe_unused]] Buffer const& buffer, [[maybe_unused]] New const& new_value) {
  if constexpr (is_invalid<Y>) return Y{};
  else if constexpr (is_invalid<New>) return New{};
  else if constexpr (!same_shape<shape_of<Buffer>, shape_of<New>>::agree)
    return invalid<same_shape<shape_of<Buffer>, shape_of<New>>>{};
  else {
    if constexpr (Traced<Y> || Traced<New>)
      if (tracing::tracer* const t = detail::tracer_of(y, new_value, buffer); t != nullptr && tracing::trains(*t)) {
        (void)tracing::trace_operand(*t, buffer);  // a buffer of another model is a fault
        tracing::trace_update(*t, buffer.tracer, tracing::trace_operand(*t, new_value), buffer.slot);
      }
    return y;
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
