// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/elu.hpp"
#include "../operation/gelu.hpp"
#include "../operation/gelu_tanh.hpp"
#include "../operation/silu.hpp"
#include "../operation/softplus.hpp"
#include "module.hpp"

namespace espalier::nn {

/// y = x where x > 0, else Alpha (exp(x) - 1).
/// shape   S -> S
/// saves   x, y
/// gradient  dx = dy where x > 0, else dy (y + Alpha)
/// source  Clevert, Unterthiner and Hochreiter 2016
template <real Alpha = 1.0>
struct ELU {
  ESPALIER_MODULE(ELU)
  using takes_single_values = void;
  static constexpr keras_layer in_keras() requires(Alpha.value == 1) { return keras_layer{"elu"}; }
  constexpr auto forward(auto x) const { return elu(x, Alpha.value); }
};

/// y = x P(x), where P is the standard normal distribution function.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy (P(x) + x p(x)), where p is the normal density
/// source  Hendrycks and Gimpel 2016
struct GELU {
  ESPALIER_MODULE(GELU)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return gelu(x); }
};

/// y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): the approximation of GELU that many published nets use.
/// shape   S -> S
/// saves   x
/// gradient  as of gelu_tanh
/// source  Hendrycks and Gimpel 2016, section 2
struct GELUTanh {
  ESPALIER_MODULE(GELUTanh)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return gelu_tanh(x); }
};

/// y = x sigmoid(x).
/// shape   S -> S
/// saves   x, y
/// gradient  dx = dy (s + y (1 - s)), with s = sigmoid(x)
/// source  Elfwing, Uchibe and Doya 2018
struct SiLU {
  ESPALIER_MODULE(SiLU)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return silu(x); }
};

/// y = log(1 + exp(x)).
/// shape   S -> S
/// saves   x
/// gradient  dx = dy sigmoid(x)
/// source  Dugas et al. 2001
struct Softplus {
  ESPALIER_MODULE(Softplus)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return softplus(x); }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
