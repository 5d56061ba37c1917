// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../expression/mode.hpp"
#include "../operation/compare.hpp"
#include "../operation/multiply.hpp"
#include "../operation/number_range.hpp"
#include "module.hpp"

namespace espalier {

namespace detail {
template <class X, class Mask>
constexpr auto dropped(X const& x, Mask const& mask, double p) {
  return x * (mask * (1.0 / (1.0 - p)));
}
}  // namespace detail

/// dropout(x, mask, p): x / (1 - p) where the mask is 1, and 0 where it is 0. The expectation over masks is x.
/// shape   S, S -> S
/// range   p in [0, 1)
/// errors  shapes that do not broadcast to one of them, a mix of float and double, and tensors of two devices do not
///         compile; option_error for another p, which does not compile in a function
/// saves   mask
/// gradient  dx = dy mask / (1 - p)
/// source  Srivastava et al. 2014
template <Operand X, Operand Mask>
constexpr auto dropout(X const& x, Mask const& mask, double p) {
  detail::check_number("dropout(x, mask, p)", "p", p, detail::option_range::below_1, x, mask);
  return detail::dropped(x, mask, p);
}

namespace nn {

/// Named relation: the probability of dropping an element is in [0, 1).
template <real P>
struct drop_probability {
  static constexpr bool agree = P.value >= 0 && P.value < 1;
};

/// Training keeps every element with probability 1 - P and scales it by 1 / (1 - P), so its expectation stays the same.
/// Evaluation returns x. The mask is `u <= 1 - P`, u uniform in [0, 1). Each call has its own mask, new at each step,
/// also where a forward calls one module several times.
/// streams  the first call in a forward uses the module's own random stream; each later call, in the order of calls,
///          uses a stream numbered after those of all modules
/// shape   S -> S
/// range   P in [0, 1)
/// errors  another P does not compile
/// saves   the random numbers
/// gradient  dx = dy mask / (1 - P)
/// source  Srivastava et al. 2014; needle's Dropout
template <real P>
struct Dropout {
  static constexpr bool numbers_fit = drop_probability<P>::agree;
  random_stream stream = nn::detail::numbers_reported<number_report::report()>{};
  ESPALIER_MODULE(Dropout, stream)
  using takes_single_values = void;
  static constexpr keras_layer in_keras() { return keras_layer{}; }

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (P.value == 0 || is_invalid<X>) return x;
    else
      return by_mode(
          x,
          [&] { return espalier::detail::dropped(x, random_uniform<shape_of<X>>{stream} <= 1.0 - P.value, P.value); },
          [&] { return x; });
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(drop_probability<P>::agree,
                    ESPALIER_SENTENCE("nn::Dropout<P>: the probability P of dropping an element must be in [0, 1)",
                                      drop_probability<P>));
      return true;
    }
  };
};

/// Dropout with a mask of the user: the buffer `mask` (1: kept, 0: dropped) has the shape of one batch.
/// shape   S -> S
/// range   P in [0, 1)
/// errors  another P, and x of another shape than S, do not compile
/// saves   the mask
/// gradient  dx = dy mask / (1 - P); none for the mask
/// source  as of Dropout
template <real P, class S>
struct MaskedDropout {
  static constexpr bool numbers_fit = drop_probability<P>::agree;
  buffer<S, init::initialized_by<init::ones{}>> mask = nn::detail::numbers_reported<number_report::report()>{};
  ESPALIER_MODULE(MaskedDropout, mask)
  using takes_single_values = void;

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (is_invalid<X>) return x;
    else if constexpr (!same_shape<shape_of<X>, S>::agree) return invalid<same_shape<shape_of<X>, S>>{};
    else
      return by_mode(
          x, [&] { return espalier::detail::dropped(x, mask, P.value); }, [&] { return x; });
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          drop_probability<P>::agree,
          ESPALIER_SENTENCE("nn::MaskedDropout<P, S>: the probability P of dropping an element must be in [0, 1)",
                            drop_probability<P>));
      return true;
    }
  };
};

}  // namespace nn
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
