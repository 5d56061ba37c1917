// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include "../operation/operation.hpp"

/// Optimizers. One is an aggregate of magnitudes (numbers that may change while training) and says
///   states                       how many vectors it keeps, each as long as the parameters
///   magnitudes(step)             the run-time scalars of step 1, 2, ...
///   update(p, g, states...)      a tuple of expressions: the new parameters, then the new states; magnitude<I>{} is the I-th magnitude
/// All trainable parameters are one contiguous vector, so an update is one fused sweep, whatever the net.
namespace espalier::optim {

inline constexpr int max_magnitudes = 12;

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

/// Named relation: what wraps an optimizer is given one.
template <class O>
struct wrapped {
  static constexpr bool agree = Optimizer<O>;
};

}  // namespace espalier::optim
