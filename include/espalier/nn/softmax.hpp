// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/softmax.hpp"
#include "module.hpp"

namespace espalier::nn {

/// y = exp(x) / sum(exp(x)) along an axis, the last by default.
/// shape   S -> S
/// errors  an axis that does not exist does not compile
/// saves   y
/// gradient  dx = y (dy - sum(dy y))
/// source  Bridle 1990
template <int Axis = -1>
struct Softmax {
  ESPALIER_MODULE(Softmax)
  using takes_single_values = void;
  static constexpr keras_layer in_keras() requires(Axis == -1) { return keras_layer{"softmax"}; }
  constexpr auto forward(auto x) const { return softmax<Axis>(x); }
};

/// y = x - logsumexp(x) along an axis, the last by default.
/// shape   S -> S
/// errors  an axis that does not exist does not compile
/// saves   exp(x - max), its sum
/// gradient  dx = dy - softmax(x) sum(dy)
/// source  needle's LogSoftmax
template <int Axis = -1>
struct LogSoftmax {
  ESPALIER_MODULE(LogSoftmax)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return log_softmax<Axis>(x); }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
