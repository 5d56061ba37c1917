// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "optimizer.hpp"

namespace espalier::optim {

namespace detail {
/// Named relation: lazy contains an optimizer that is no wrapper, and has no condition or penalty of its own: these may
/// depend on all gradients or parameters.
template <class O>
struct lazily_wrapped {
  static constexpr bool agree = Optimizer<O> && !requires(O o) { o.optimizer; }
  &&!requires { O::condition(traced<shape<1>>{}); }
  &&!requires { O::penalty(traced<shape<1>>{}); }
  &&!requires { typename O::selection; };
};
}  // namespace detail

/// Updates only the rows that a step has read, of the tables that a net looks up once (Embedding; index_select along
/// axis 0) and uses in no other way. The other rows keep parameter and states: momentum and decay rest until a row is
/// read again. All other parameters are updated by the optimizer as always, tables that are read elsewhere too, and
/// tables behind the first 16. The step count is that of all steps. Without lazy, plain SGD does this by itself.
///     esp::trainer trainer{model, loss, optim::lazy{optim::Adam{}}, esp::batch<32, 16>{}};
/// range   that of the optimizer
/// errors  lazy of a wrapper or inside one, of an optimizer that combines parameters, for a net without such a table,
///         in a trainer on a graphics processor or of 16-bit parameters, and in an updater do not compile
/// cost    time of a step is that of the rows it reads, instead of the whole table
/// source  PyTorch's SparseAdam
template <class O>
struct lazy {
  static_assert(detail::lazily_wrapped<O>::agree,
                ESPALIER_SENTENCE("optim::lazy{optimizer}: expected an optimizer that is no wrapper, such as Adam",
                                  detail::lazily_wrapped<O>));
  O optimizer{};

  using is_lazy = void;
  static constexpr int states = detail::wrapped_states<O>;
  static constexpr int wrapper_hyperparameters = detail::wrapper_hyperparameters<O>;

  auto hyperparameters_of(std::int64_t step) const { return detail::wrapped_hyperparameters(optimizer, step); }
  static constexpr auto update(auto p, auto g, auto... state) { return O::update(p, g, state...); }
  constexpr bool keeps_unread_rows() const { return true; }
};
template <class O>
lazy(O) -> lazy<O>;

template <class O>
inline constexpr bool is_lazy = requires {
  typename O::is_lazy;
};
/// Whether an optimizer can tell (keeps_unread_rows) that an update with gradient 0 changes nothing: plain SGD without
/// decay, and lazy by its definition. An inherited member does not count: the derived class may have another update.
template <class O>
inline constexpr bool keeps_unread_rows = requires {
  requires std::is_same_v<decltype(&O::keeps_unread_rows), bool (O::*)() const>;
};

namespace detail {
template <class O>
constexpr bool has_lazy_inside() {
  if constexpr (requires(O o) { o.optimizer; })
    return is_lazy<decltype(O::optimizer)> || has_lazy_inside<decltype(O::optimizer)>();
  else return false;
}
}  // namespace detail
/// Named relation: lazy is the outermost wrapper, where rows can be updated by themselves.
template <class O, bool UpdatesRows>
struct lazy_works {
  static constexpr bool agree = (!is_lazy<O> || UpdatesRows) && !detail::has_lazy_inside<O>();
};

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
