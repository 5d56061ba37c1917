// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include "../base/math.hpp"
#include "../base/option_error.hpp"
#include "../base/small.hpp"
#include "../operation/operation.hpp"

/// The protocol of optimizers, so that you can write your own. An optimizer is an aggregate of hyperparameters (numbers
/// that may change while training) with these members:
///   states                       the number of state vectors, each as long as the parameters
///   hyperparameters_of(step)     the run-time scalars of step 1, 2, ...
///   update(p, g, states...)      static: a Hana tuple of expressions, the new parameters and then the new states
/// hyperparameter<I>{} is the I-th hyperparameter in an expression.
/// An optimizer with a decay has `decays = true` and a second function, update_decaying(p, decaying, g, states...).
/// `decaying` is p, or p with zeros for the exempt parameters (decay_only).
/// A wrapper has the optimizer that it wraps as its member `optimizer`.
/// A wrapper may have `scalars`, single numbers of a training that an update reads and changes: next_scalars(g) returns
/// their new values, and initial_scalar(i) the first ones (scale_loss).
/// check() is optional: it throws if a hyperparameter is outside its range (check_option). Trainers and updaters call
/// it for each wrapper and for the optimizer inside: at construction, and before each step.
/// `state_kind` is optional: text that says what the state vectors are. Files store it, and an optimizer of another
/// kind does not load them.
/// All trainable parameters are one contiguous vector, so an update is one fused sweep for every net.
namespace espalier::optim {

/// The size of the table of hyperparameters. An optimizer uses the first half; wrappers reserve entries from the end.
inline constexpr int max_hyperparameters = 24;

/// The run-time scalars of one step.
struct hyperparameters {
  double at[max_hyperparameters];
};

/// base to the power `step`, for bias corrections. For small programs the function without tables: those of C libraries
/// take 6 KB.
ESPALIER_INLINE double power(double base, std::int64_t step) {
#if ESPALIER_IS_SMALL
  return math::constant::pow(base, static_cast<double>(step));
#else
  return math::pow(base, static_cast<double>(step));
#endif
}

template <class O>
concept Optimizer = requires(O const& o) {
  O::states;
  o.hyperparameters_of(std::int64_t{1});
};

/// An optimizer with a decay, which decay_only can restrict.
template <class O>
concept Decaying = requires {
  requires O::decays;
};

namespace detail {

/// The number of entries at the end of the table that the wrappers in O already reserve. The next wrapper reserves the
/// entries before them.
template <class O>
inline constexpr int wrapper_hyperparameters = [] {
  if constexpr (requires { O::wrapper_hyperparameters; }) return O::wrapper_hyperparameters;
  else return 0;
}();

/// The first of the Count entries that a wrapper of O reserves.
template <class O, int Count>
inline constexpr int own_hyperparameters = [] {
  static_assert(wrapper_hyperparameters<O> + Count <= max_hyperparameters / 2,
                "too many wrappers around an optimizer: their hyperparameters are used up");
  return max_hyperparameters - wrapper_hyperparameters<O> - Count;
}();

/// The update of an optimizer whose decay applies to all parameters. A call without all of its states, or with a model,
/// is an error.
template <class O, class... X>
constexpr auto updated_whole(auto const& p, auto const& g, X const&... states) {
  constexpr bool agree =
      sizeof...(X) == O::states && Operand<decltype(p)> && Operand<decltype(g)> && (Operand<X> && ...);
  static_assert(agree,
                "update(p, g, states...): it is the formula of one step; train a model with esp::trainer{model, loss, "
                "optimizer, batch}, or step by gradients of your own with optim::updater{model, optimizer}");
  if constexpr (agree) return O::update_decaying(p, p, g, states...);
}

/// The update of O. If O has a decay, the decay applies only to `decaying`.
template <class O>
constexpr auto updated(auto p, [[maybe_unused]] auto decaying, auto g, auto... states) {
  if constexpr (Decaying<O>) return O::update_decaying(p, decaying, g, states...);
  else return O::update(p, g, states...);
}

template <class Condition, class Old, class... Next>
constexpr auto chosen_each(Condition const& condition, Old const& old, Next const&... next) {
  return boost::hana::unpack(
      old, [&](auto const&... before) { return boost::hana::make_tuple(where(condition, next, before)...); });
}
/// The elements of the tuple `next` where the condition holds, else those of `old`.
template <class Condition, class Old, class Next>
constexpr auto chosen(Condition const& condition, Old const& old, Next const& next) {
  return boost::hana::unpack(next, [&](auto const&... each) { return chosen_each(condition, old, each...); });
}

/// The selection (decay_only) of an optimizer, or of one that it wraps; void: none.
template <class O>
struct selection {
  using type = void;
};
template <class O>
  requires requires { typename O::selection; }
struct selection<O> {
  using type = typename O::selection;
};
template <class O>
  requires(
      requires(O o) { o.optimizer; } && !requires { typename O::selection; })
struct selection<O> : selection<decltype(O::optimizer)> {};

}  // namespace detail

/// The numbers that an optimizer stores for each parameter: its states, and a mark (1 or 0) if it has a selection.
template <class O>
inline constexpr int vectors = O::states + (std::is_void_v<typename detail::selection<O>::type> ? 0 : 1);

/// The single numbers that an optimizer's updates change, and the elements that they take: a multiple of 16, so that
/// what follows them stays aligned.
template <class O>
inline constexpr int scalars = [] {
  if constexpr (requires { O::scalars; }) return O::scalars;
  else return 0;
}();
template <class O>
inline constexpr int scalar_elements = (scalars<O> + 15) / 16 * 16;

/// The learning rate of an optimizer inside any number of wrappers; it may change while training.
template <class O>
constexpr auto& learning_rate(O& optimizer) {
  if constexpr (requires { optimizer.learning_rate; }) return optimizer.learning_rate;
  else return learning_rate(optimizer.optimizer);
}

/// Checks the hyperparameters of an optimizer and of what it wraps.
/// errors  those of its check(), such as option_error
template <class O>
ESPALIER_INLINE constexpr void check_hyperparameters(O const& optimizer) {
  if constexpr (requires { optimizer.check(); }) optimizer.check();
  if constexpr (requires { optimizer.optimizer; }) check_hyperparameters(optimizer.optimizer);
}

/// Named relation: a wrapper contains an optimizer.
template <class O>
struct wrapped {
  static constexpr bool agree = Optimizer<O>;
};
namespace detail {
/// The states of the optimizer in a wrapper; none of what is no optimizer, so that the wrapper is the only error.
template <class O>
inline constexpr int wrapped_states = 0;
template <Optimizer O>
inline constexpr int wrapped_states<O> = O::states;
/// Its hyperparameters, likewise.
template <class O>
hyperparameters wrapped_hyperparameters([[maybe_unused]] O const& optimizer, [[maybe_unused]] std::int64_t step) {
  if constexpr (Optimizer<O>) return optimizer.hyperparameters_of(step);
  else return {};
}
}  // namespace detail

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
