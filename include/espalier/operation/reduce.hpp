// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "mean.hpp"
#include "sum.hpp"

namespace espalier {

/// What a loss returns for a batch: the mean of its losses, their sum, or each loss by itself.
enum class reduce { mean, sum, none };

/// reduced<Reduction>(x): the mean of all elements, their sum, or x itself.
/// shape   S -> scalar, or S with reduce::none
/// saves   nothing
/// gradient  dx = dy / count, dy, or dy itself
template <reduce Reduction, Expression X>
constexpr auto reduced(X&& x) {
  if constexpr (Reduction == reduce::mean) return mean(static_cast<X&&>(x));
  else if constexpr (Reduction == reduce::sum) return sum(static_cast<X&&>(x));
  else return detail::keep(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
