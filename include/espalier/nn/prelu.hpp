// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/leaky_relu.hpp"
#include "module.hpp"

namespace espalier::nn {

/// Named relation: the last axis of the input of PReLU has as many features as its weight, or the weight is one number.
template <int Features, int Got>
struct rectified_features {
  ESPALIER_READS("expected {} features, got {}")
  static constexpr bool agree = Features == Got || Features == 1;
};

/// y = x where x > 0, else weight x, with a learned weight for each feature of the last axis, or one for all.
/// shape   (..., Features) -> the same; weight (1, Features). PReLU<1>: S -> S
/// errors  another last axis does not compile
/// saves   x
/// gradient  dx = dy where x > 0, else dy weight; d weight = the sum of dy x where x <= 0
/// start   weight 0.25
/// source  He, Zhang, Ren and Sun 2015; PyTorch's and Keras' PReLU
template <int Features = 1>
struct PReLU {
  parameter<shape<1, Features>, init::initialized_by<init::constant{0.25}>> weight{};
  ESPALIER_MODULE(PReLU, weight)
  using takes_single_values = void;
  /// (features)
  static constexpr axis_order in_pytorch(char const*, extents const&) { return axes_in_order(1); }
  static constexpr keras_layer in_keras() { return keras_layer{"prelu"}.add("weight"); }

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (is_invalid<X>) {
      return x;
    } else {
      using Fits = rectified_features<Features, shape_of<X>::value.at[shape_of<X>::rank - 1]>;
      if constexpr (!Fits::agree) return invalid<Fits, shape_of<X>>{};
      else return leaky_relu(x, weight);
    }
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
