// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/hard_tanh.hpp"
#include "../operation/leaky_relu.hpp"
#include "../operation/relu.hpp"
#include "../operation/sigmoid.hpp"
#include "../operation/tanh.hpp"
#include "module.hpp"

namespace espalier::nn {

/// y = x.
/// shape   S -> S
struct Identity {
  ESPALIER_MODULE(Identity)
  constexpr auto forward(auto x) const { return x; }
};

/// y = max(x, 0).
/// shape   S -> S
/// saves   y
struct ReLU {
  ESPALIER_MODULE(ReLU)
  constexpr auto forward(auto x) const { return relu(x); }
};

/// y = tanh(x).
/// shape   S -> S
/// saves   y
struct Tanh {
  ESPALIER_MODULE(Tanh)
  constexpr auto forward(auto x) const { return tanh(x); }
};

/// y = 1 / (1 + exp(-x)).
/// shape   S -> S
/// saves   y
struct Sigmoid {
  ESPALIER_MODULE(Sigmoid)
  constexpr auto forward(auto x) const { return sigmoid(x); }
};

/// y = x where x > 0, else Slope x.
/// shape   S -> S
/// saves   x
template <real Slope = 0.01>
struct LeakyReLU {
  ESPALIER_MODULE(LeakyReLU)
  constexpr auto forward(auto x) const { return leaky_relu(x, Slope.value); }
};

/// y = min(max(x, -1), 1).
/// shape   S -> S
/// saves   x
struct HardTanh {
  ESPALIER_MODULE(HardTanh)
  constexpr auto forward(auto x) const { return hard_tanh(x); }
};

}  // namespace espalier::nn
