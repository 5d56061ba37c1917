// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include "../operation/operation.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Optimizers. One is an aggregate of magnitudes (numbers that may change while training) and says
///   states                       how many vectors it keeps, each as long as the parameters
///   magnitudes_of(step)          the run-time scalars of step 1, 2, ...
///   update(p, g, states...)      static: a Hana tuple of expressions: the new parameters, then the new states; magnitude<I>{} is the I-th magnitude
/// One whose parameters decay has `decays = true` and says the same with one argument more: update_decaying(p, decaying, g, states...), where
/// `decaying` is p, or p with zeros in place of what is exempt (decay_only). One that wraps another has it as its member `optimizer`.
/// All trainable parameters are one contiguous vector, so an update is one fused sweep, whatever the net.
namespace espalier::optim {

/// An optimizer has the first half for itself; what is wrapped around it takes from the end.
inline constexpr int max_magnitudes = 24;

/// The run-time scalars of one step.
struct magnitudes {
  double at[max_magnitudes];
};

/// base to the power `step`, for bias corrections.
inline double power(double base, std::int64_t step) { return __builtin_pow(base, static_cast<double>(step)); }

template <class O>
concept Optimizer = requires(O const& o) {
  O::states;
  o.magnitudes_of(std::int64_t{1});
};

/// An optimizer with a decay, which decay_only can restrict.
template <class O>
concept Decaying = requires {
  requires O::decays;
};

namespace detail {

/// How many of the last magnitudes belong to what is wrapped around an optimizer already; the next wrapper takes those before them.
template <class O>
inline constexpr int taken_from_above = [] {
  if constexpr (requires { O::taken_from_above; }) return O::taken_from_above;
  else return 0;
}();

/// The first of the magnitudes that a wrapper of O takes for itself.
template <class O, int Count>
inline constexpr int own_magnitudes = [] {
  static_assert(taken_from_above<O> + Count <= max_magnitudes / 2, "too many wrappers around an optimizer: their magnitudes are used up");
  return max_magnitudes - taken_from_above<O> - Count;
}();

/// O's update, where it decays with the decay of `decaying` alone.
template <class O>
constexpr auto updated(auto p, [[maybe_unused]] auto decaying, auto g, auto... states) {
  if constexpr (Decaying<O>) return O::update_decaying(p, decaying, g, states...);
  else return O::update(p, g, states...);
}

/// Which parameters an optimizer, or one that it wraps, singles out; void: none.
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

/// How many numbers an optimizer keeps for each parameter: its states, and 1 or 0 where parameters are singled out.
template <class O>
inline constexpr int vectors = O::states + (std::is_void_v<typename detail::selection<O>::type> ? 0 : 1);

/// The learning rate of an optimizer, however it is wrapped; it may change while training.
template <class O>
constexpr auto& learning_rate(O& optimizer) {
  if constexpr (requires { optimizer.learning_rate; }) return optimizer.learning_rate;
  else return learning_rate(optimizer.optimizer);
}

/// Named relation: what wraps an optimizer is given one.
template <class O>
struct wrapped {
  static constexpr bool agree = Optimizer<O>;
};

}  // namespace espalier::optim
#pragma GCC diagnostic pop
