// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/reshape.hpp"
#include "module.hpp"

namespace espalier::nn {

/// Keeps the first axis (the batch) and merges the others into one.
/// shape   (N, ...) -> (N, product of the others)
/// saves   nothing
/// gradient  dx = dy in the shape of x
/// source  needle's Flatten
struct Flatten {
  ESPALIER_MODULE(Flatten)
  using takes_single_values = void;
  constexpr auto forward(auto x) const {
    if constexpr (is_invalid<decltype(x)>) return x;
    else return reshape<shape_of<decltype(x)>::template extent<0>(), -1>(x);
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
