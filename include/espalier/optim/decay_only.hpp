// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/text.hpp"
#include "optimizer.hpp"

namespace espalier::optim {

/// The facts by which decay_only selects parameters; all are compile-time constants.
struct parameter_facts {
  char const* path;  ///< "3.fc1.weight"
  extents shape;
  bool begins_as_ones;  ///< its initializer is init::ones, as for the gain of a norm layer

  /// The last part of the path: "weight".
  constexpr char const* name() const {
    char const* last = path;
    for (char const* c = path; *c != 0; ++c)
      if (*c == '.') last = c + 1;
    return last;
  }
  constexpr bool is_named(char const* expected) const { return espalier::detail::same_text(name(), expected); }
};

/// Selects the weights of layers. A parameter is exempt if it starts as ones (a gain), is named "bias" or has fewer
/// than two axes. Leading extents of 1 do not count, so (F) and (1, F) are exempt. A (1, F) named "weight" is selected:
/// it belongs to a layer of one input.
struct weights {
  static constexpr bool selects(parameter_facts const& p) {
    int leading = 0;
    while (leading < p.shape.rank && p.shape.at[leading] == 1) ++leading;
    return !p.begins_as_ones && !p.is_named("bias") &&
           (p.shape.rank - leading >= 2 || (p.shape.rank >= 2 && p.is_named("weight")));
  }
};

/// Named relation: the selection has a static member function selects(parameter_facts const&) that returns bool.
template <class Which>
struct chooses_parameters {
  ESPALIER_READS("got {}")
  static constexpr bool agree = requires(parameter_facts const& p) {
    requires(std::is_same_v<decltype(Which::selects(p)), bool>);
  };
};
/// Named relation: the optimizer inside decay_only has a decay, and no other decay_only restricts it.
template <class O>
struct has_decay {
  static constexpr bool agree = Decaying<O> && std::is_void_v<typename detail::selection<O>::type>;
};

#define ESPALIER_CHOOSES_PARAMETERS \
  "optim::decay_only<Which>(optimizer): Which has no static constexpr bool selects(parameter_facts const&)"
#define ESPALIER_HAS_DECAY \
  "optim::decay_only<Which>(optimizer): the optimizer has no decay, or another decay_only already restricts it"

/// decay_only<Which>(optimizer): limits the decay and the penalties of an optimizer to the parameters that Which
/// selects. For all others both are zero, so norms and biases follow only their gradients.
///     optim::decay_only<optim::weights>(optim::AdamW{.weight_decay = 0.05})
///     struct convolutions {
///       static constexpr bool selects(optim::parameter_facts const& p) { return p.shape.rank == 4; }
///     };
/// range   that of the optimizer
/// memory  one number per parameter, so that the update stays one sweep over all of them
template <class Which, class O>
struct decay_only_of {
  static_assert(chooses_parameters<Which>::agree,
                ESPALIER_SENTENCE(ESPALIER_CHOOSES_PARAMETERS, chooses_parameters<Which>));
  static_assert(has_decay<O>::agree, ESPALIER_SENTENCE(ESPALIER_HAS_DECAY, has_decay<O>));
  O optimizer{};

  using selection = Which;
  static constexpr int states = detail::wrapped_states<O>;
  static constexpr int wrapper_hyperparameters = detail::wrapper_hyperparameters<O>;

  hyperparameters hyperparameters_of(std::int64_t step) const {
    return detail::wrapped_hyperparameters(optimizer, step);
  }
  static constexpr auto condition(auto g) requires requires { O::condition(g); }
  { return O::condition(g); }
  static constexpr auto penalty(auto p) requires requires { O::penalty(p); }
  { return O::penalty(chosen(p)); }
  static constexpr auto update(auto p, auto g, auto... state) { return O::update_decaying(p, chosen(p), g, state...); }

 private:
  /// p where Which selects a parameter, else 0. The marks, ones and zeros, are stored after the states.
  static constexpr auto chosen(auto p) {
    using Marks = buffer<shape_of<decltype(p)>, void>;
    if constexpr (requires { p.tracer; }) return where(Marks{states, p.tracer}, p, 0);
    else return where(Marks{states}, p, 0);
  }
};

template <class Which, class O>
constexpr auto decay_only(O optimizer) {
  static_assert(chooses_parameters<Which>::agree,
                ESPALIER_SENTENCE(ESPALIER_CHOOSES_PARAMETERS, chooses_parameters<Which>));
  static_assert(has_decay<O>::agree, ESPALIER_SENTENCE(ESPALIER_HAS_DECAY, has_decay<O>));
  if constexpr (chooses_parameters<Which>::agree && has_decay<O>::agree) return decay_only_of<Which, O>{optimizer};
  else return optimizer;
}

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
