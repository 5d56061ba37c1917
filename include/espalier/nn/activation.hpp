// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/hard_tanh.hpp"
#include "../operation/leaky_relu.hpp"
#include "../operation/relu.hpp"
#include "../operation/sigmoid.hpp"
#include "../operation/tanh.hpp"
#include "module.hpp"

namespace espalier::nn {

/// y = x.
/// shape   S -> S
/// saves   nothing
/// gradient  dx = dy
/// source  needle's Identity
struct Identity {
  ESPALIER_MODULE(Identity)
  using takes_single_values = void;
  static constexpr keras_layer in_keras() { return keras_layer{}; }
  constexpr auto forward(auto x) const { return x; }
};

/// y = max(x, 0).
/// shape   S -> S
/// saves   y
/// gradient  dx = dy where y > 0, else 0
/// source  needle's ReLU
struct ReLU {
  ESPALIER_MODULE(ReLU)
  using takes_single_values = void;
  static constexpr keras_layer in_keras() { return keras_layer{"relu"}; }
  constexpr auto forward(auto x) const { return relu(x); }
};

/// y = tanh(x).
/// shape   S -> S
/// saves   y
/// gradient  dx = dy (1 - y^2)
/// source  needle's Tanh
struct Tanh {
  ESPALIER_MODULE(Tanh)
  using takes_single_values = void;
  static constexpr keras_layer in_keras() { return keras_layer{"tanh"}; }
  constexpr auto forward(auto x) const { return tanh(x); }
};

/// y = 1 / (1 + exp(-x)).
/// shape   S -> S
/// saves   y
/// gradient  dx = dy y (1 - y)
/// source  needle's Sigmoid
struct Sigmoid {
  ESPALIER_MODULE(Sigmoid)
  using takes_single_values = void;
  static constexpr keras_layer in_keras() { return keras_layer{"sigmoid"}; }
  constexpr auto forward(auto x) const { return sigmoid(x); }
};

/// y = x where x > 0, else NegativeSlope x.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy where x > 0, else dy NegativeSlope
/// source  Maas, Hannun and Ng 2013
template <real NegativeSlope = 0.01>
struct LeakyReLU {
  ESPALIER_MODULE(LeakyReLU)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return leaky_relu(x, NegativeSlope.value); }
};

/// y = min(max(x, -1), 1).
/// shape   S -> S
/// saves   x
/// gradient  dx = dy where -1 < x < 1, else 0
/// source  Collobert 2004
struct HardTanh {
  ESPALIER_MODULE(HardTanh)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return hard_tanh(x); }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
