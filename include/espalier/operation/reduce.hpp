// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "mean.hpp"
#include "sum.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// What a loss gives for a batch: the mean of its losses, their sum, or each by itself.
enum class reduce { mean, sum, none };

/// reduced<How>(x): the mean of all elements, their sum, or x itself.
/// shape   S -> scalar, or S with reduce::none
/// saves   nothing
/// slope   dx = dy / count, dy, or dy itself
template <reduce How, Expression X>
constexpr auto reduced(X&& x) {
  if constexpr (How == reduce::mean) return mean(static_cast<X&&>(x));
  else if constexpr (How == reduce::sum) return sum(static_cast<X&&>(x));
  else return detail::keep(static_cast<X&&>(x));
}

}  // namespace espalier
#pragma GCC diagnostic pop
