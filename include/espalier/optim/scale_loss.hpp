// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "loss_scale_error.hpp"
#include "optimizer.hpp"

namespace espalier::optim {

/// Dynamic loss scaling: gradients of 16 bits neither vanish nor overflow. The backward pass begins with a scale
/// instead of 1, so gradients have it when they are stored; the optimizer gets them divided by it. A gradient with an
/// infinity or a NaN skips the update, as skip_non_finite does, and multiplies the scale by backoff_factor. After
/// growth_interval updates in a row the scale is multiplied by growth_factor. It is a number in the trainer's memory:
/// trainer.loss_scale() reads it, and checkpoints save it.
///     esp::trainer trainer{model, loss, optim::scale_loss{optim::clip_by_norm{optim::Adam{}, 1.0}}, batch};
/// range   init_scale and the scale 2^-126 to 2^126: a change that would leave this range is not made. growth_factor
///         >= 1 and finite, backoff_factor in (0, 1), growth_interval 1 to 2^24. All but init_scale may change while
///         training
/// errors  loss_scale_error. Another wrapper around it, and an optim::updater, do not compile
/// cost    one more sweep over the gradients, which counts those that are not finite; one division per parameter
/// source  Micikevicius and others 2018; PyTorch's torch.amp.GradScaler
template <class O>
struct scale_loss {
  static_assert(wrapped<O>::agree,
                ESPALIER_SENTENCE("optim::scale_loss{optimizer}: the first member must be an optimizer", wrapped<O>));
  O optimizer{};
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;

  using scales_loss = void;
  static constexpr double least_scale = 0x1p-126, most_scale = 0x1p126;
  static constexpr int states = detail::wrapped_states<O>;
  static constexpr int scalars = 2;  ///< the scale, and the number of updates since it changed
  static constexpr int wrapper_hyperparameters = detail::wrapper_hyperparameters<O> + 3;
  static constexpr int own = detail::own_hyperparameters<O, 3>;  ///< growth_factor, backoff_factor, growth_interval
  static constexpr bool decays = Decaying<O>;

  hyperparameters hyperparameters_of(std::int64_t step) const {
    hyperparameters m = detail::wrapped_hyperparameters(optimizer, step);
    m.at[own] = growth_factor;
    m.at[own + 1] = backoff_factor;
    m.at[own + 2] = static_cast<double>(growth_interval);
    return m;
  }
  /// errors  loss_scale_error
  ESPALIER_INLINE void check() const {
    using espalier::detail::raise;
    // is_finite inspects the bits, so a NaN is found with -ffast-math, too.
    auto const inside = [](double x, double least, double most) {
      return math::is_finite(x) != 0 && x >= least && x <= most;
    };
    if (!inside(init_scale, least_scale, most_scale))
      raise(loss_scale_error("init_scale", "from 2^-126 to 2^126", init_scale));
    if (!inside(growth_factor, 1, most_scale))
      raise(loss_scale_error("growth_factor", "from 1 to 2^126", growth_factor));
    if (!inside(backoff_factor, 0, 1) || backoff_factor == 0 || backoff_factor == 1)
      raise(loss_scale_error("backoff_factor", "above 0 and below 1", backoff_factor));
    // A float counts to 2^24.
    if (growth_interval < 1 || growth_interval > 0x1000000)
      raise(loss_scale_error("growth_interval", "from 1 to 16777216", static_cast<double>(growth_interval)));
  }
  /// The scalars at the beginning of a training.
  constexpr double initial_scalar(int i) const { return i == 0 ? init_scale : 0; }

  /// Whether the optimizer applies the update. Numbers that overflow when they are divided by a small scale count, too.
  static constexpr auto condition(auto g) {
    auto const gradient = unscaled(g);
    if constexpr (requires { O::condition(gradient); }) return is_sound(gradient) * O::condition(gradient);
    else return is_sound(gradient);
  }
  static constexpr auto penalty(auto decaying) requires requires { O::penalty(decaying); }
  { return O::penalty(decaying); }
  static constexpr auto update(auto const& p, auto const& g, auto const&... state) {
    return detail::updated_whole<scale_loss>(p, g, state...);
  }
  static constexpr auto update_decaying(auto p, auto decaying, auto g, auto... state) {
    auto const gradient = unscaled(g);
    return detail::chosen(is_sound(gradient), boost::hana::make_tuple(p, state...),
                          detail::updated<O>(p, decaying, gradient, state...));
  }
  /// The scalars after a step.
  static constexpr auto next_scalars(auto g) {
    auto const sound = is_sound(unscaled(g));
    auto const scale = scalar<0>(g);
    auto const updates = scalar<1>(g) + 1;
    auto const larger = scale * hyperparameter<own>{};
    auto const smaller = scale * hyperparameter<own + 1>{};
    auto const is_due = updates >= hyperparameter<own + 2>{};
    return boost::hana::make_tuple(where(sound, where(is_due * (larger <= most_scale), larger, scale),
                                         where(smaller >= least_scale, smaller, scale)),
                                   where(sound * (1 - is_due), updates, 0));
  }

 private:
  /// Scalar I. Scalars are stored behind the states and the marks of decay_only.
  template <int I, class G>
  static constexpr auto scalar(G const& g) {
    using Number = buffer<shape<>, void>;
    if constexpr (requires { g.tracer; }) return Number{vectors<O> + I, g.tracer};
    else return Number{vectors<O> + I};
  }
  /// A quotient, not a product with 1 / scale: compilers fuse products with the sums that follow, so the optimizer
  /// would round otherwise than without a scale.
  static constexpr auto unscaled(auto g) { return g / scalar<0>(g); }
  static constexpr auto is_sound(auto gradient) { return equal(sum(1 - is_finite(gradient)), 0); }
};
template <class O>
scale_loss(O) -> scale_loss<O>;
template <class O>
scale_loss(O, double) -> scale_loss<O>;
template <class O>
scale_loss(O, double, double) -> scale_loss<O>;
template <class O>
scale_loss(O, double, double, double) -> scale_loss<O>;
template <class O>
scale_loss(O, double, double, double, std::int64_t) -> scale_loss<O>;

/// Whether an optimizer scales the loss of its trainer.
template <class O>
inline constexpr bool scales_loss = requires {
  typename O::scales_loss;
};

namespace detail {
template <class O>
constexpr bool has_scaling_inside() {
  if constexpr (requires(O o) { o.optimizer; })
    return scales_loss<decltype(O::optimizer)> || has_scaling_inside<decltype(O::optimizer)>();
  else return false;
}
}  // namespace detail
#define ESPALIER_SCALING_IS_OUTERMOST \
  "optim::scale_loss must be the outermost wrapper, so that every other one gets gradients without the scale"
/// Named relation: scale_loss is the outermost wrapper, in a trainer, which begins the backward pass with the scale.
template <class O, bool IsTrainer>
struct scaling_works {
  static constexpr bool agree = (!scales_loss<O> || IsTrainer) && !detail::has_scaling_inside<O>();
};

/// Named relation: the optimizer has a scale.
template <class O>
struct has_loss_scale {
  ESPALIER_READS("got {}")
  static constexpr bool agree = scales_loss<O>;
};
#define ESPALIER_HAS_LOSS_SCALE "the optimizer has no scale; wrap it: optim::scale_loss{optim::Adam{}}"

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
