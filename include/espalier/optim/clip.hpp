// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "optimizer.hpp"

namespace espalier::optim {

/// Scales the gradient so that its norm over all parameters is at most max_norm, then calls the optimizer:
/// gradient * min(1, max_norm / (norm + 1e-6)).
/// range   max_norm > 0; infinity does not limit the norm; a norm that the element type cannot hold is clipped, too
/// errors  as Adam
/// source  Pascanu, Mikolov and Bengio 2013; PyTorch's clip_grad_norm_
template <class O>
struct clip_by_norm {
  static_assert(wrapped<O>::agree,
                ESPALIER_SENTENCE("optim::clip_by_norm{optimizer, max_norm}: the first member must be an optimizer",
                                  wrapped<O>));
  O optimizer{};
  double max_norm = 1;

  static constexpr int states = detail::wrapped_states<O>;
  static constexpr int wrapper_hyperparameters = detail::wrapper_hyperparameters<O> + 1;
  static constexpr int own = detail::own_hyperparameters<O, 1>;  ///< the wrapped optimizer's hyperparameters come first
  static constexpr bool decays = Decaying<O>;

  /// errors  option_error
  ESPALIER_INLINE constexpr void check() const {
    using espalier::detail::check_option, espalier::detail::option_range;
    check_option("optim::clip_by_norm", "max_norm", max_norm, option_range::above_0);
  }
  auto hyperparameters_of(std::int64_t step) const {
    hyperparameters m = detail::wrapped_hyperparameters(optimizer, step);
    m.at[own] = max_norm;
    return m;
  }
  /// An update that the wrapped optimizer skips is skipped.
  static constexpr auto condition(auto g) requires requires { O::condition(g); }
  { return O::condition(g); }
  static constexpr auto penalty(auto decaying) requires requires { O::penalty(decaying); }
  { return O::penalty(decaying); }
  static constexpr auto update(auto const& p, auto const& g, auto const&... state) {
    return detail::updated_whole<clip_by_norm>(p, g, state...);
  }
  static constexpr auto update_decaying(auto p, auto decaying, auto g, auto... state) {
    // Norm and gradient are multiplied by n.scale, a power of two that is 1 unless squares leave the range.
    auto const n = scaled_norm_of(g, axes_constant<axis_mask<>(shape_of<decltype(g)>::rank)>{});
    auto const scale = minimum(hyperparameter<own>{} / (n.root + 1e-6 * n.scale), 1 / n.scale);
    return detail::updated<O>(p, decaying, (g * n.scale) * scale, state...);
  }
};
template <class O>
clip_by_norm(O) -> clip_by_norm<O>;
template <class O>
clip_by_norm(O, double) -> clip_by_norm<O>;

/// Limits every element of the gradient to [-max_value, max_value], then calls the optimizer.
/// range   max_value > 0; infinity does not limit the elements
/// errors  as Adam
/// source  PyTorch's clip_grad_value_
template <class O>
struct clip_by_value {
  static_assert(wrapped<O>::agree,
                ESPALIER_SENTENCE("optim::clip_by_value{optimizer, max_value}: the first member must be an optimizer",
                                  wrapped<O>));
  O optimizer{};
  double max_value = 1;

  static constexpr int states = detail::wrapped_states<O>;
  static constexpr int wrapper_hyperparameters = detail::wrapper_hyperparameters<O> + 1;
  static constexpr int own = detail::own_hyperparameters<O, 1>;
  static constexpr bool decays = Decaying<O>;

  /// errors  option_error
  ESPALIER_INLINE constexpr void check() const {
    using espalier::detail::check_option, espalier::detail::option_range;
    check_option("optim::clip_by_value", "max_value", max_value, option_range::above_0);
  }
  auto hyperparameters_of(std::int64_t step) const {
    hyperparameters m = detail::wrapped_hyperparameters(optimizer, step);
    m.at[own] = max_value;
    return m;
  }
  static constexpr auto condition(auto g) requires requires { O::condition(g); }
  { return O::condition(g); }
  static constexpr auto penalty(auto decaying) requires requires { O::penalty(decaying); }
  { return O::penalty(decaying); }
  static constexpr auto update(auto const& p, auto const& g, auto const&... state) {
    return detail::updated_whole<clip_by_value>(p, g, state...);
  }
  static constexpr auto update_decaying(auto p, auto decaying, auto g, auto... state) {
    auto const limited = minimum(maximum(g, -hyperparameter<own>{}), hyperparameter<own>{});
    return detail::updated<O>(p, decaying, limited, state...);
  }
};
template <class O>
clip_by_value(O) -> clip_by_value<O>;
template <class O>
clip_by_value(O, double) -> clip_by_value<O>;

/// Skips an update whose gradient contains an infinity or a NaN: parameters, states and step count stay unchanged.
/// In a trainer's step the running statistics stay unchanged, too.
template <class O>
struct skip_non_finite {
  static_assert(wrapped<O>::agree,
                ESPALIER_SENTENCE("optim::skip_non_finite{optimizer}: the first member must be an optimizer",
                                  wrapped<O>));
  O optimizer{};

  static constexpr int states = detail::wrapped_states<O>;
  static constexpr int wrapper_hyperparameters = detail::wrapper_hyperparameters<O>;
  static constexpr bool decays = Decaying<O>;

  auto hyperparameters_of(std::int64_t step) const { return detail::wrapped_hyperparameters(optimizer, step); }
  /// 1 where every element of g is finite, also with -ffast-math: the sum counts the elements that are not.
  static constexpr auto condition(auto g) { return equal(sum(1 - is_finite(g)), 0); }
  static constexpr auto penalty(auto decaying) requires requires { O::penalty(decaying); }
  { return O::penalty(decaying); }
  static constexpr auto update(auto const& p, auto const& g, auto const&... state) {
    return detail::updated_whole<skip_non_finite>(p, g, state...);
  }
  static constexpr auto update_decaying(auto p, auto decaying, auto g, auto... state) {
    return detail::chosen(condition(g), boost::hana::make_tuple(p, state...),
                          detail::updated<O>(p, decaying, g, state...));
  }
};
template <class O>
skip_non_finite(O) -> skip_non_finite<O>;

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
