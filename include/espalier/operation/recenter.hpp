// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "mean.hpp"
#include "subtract.hpp"

namespace espalier {

struct recentered_ {};

/// c - m for values c that are shifted near their mean m. It is an op of its own because only for such c may sum(a (c -
/// m)) become sum(a c) - m sum(a): for c that is large relative to its spread, this would cost digits. The gradient of
/// a norm's weight then needs no sweep after the mean.
template <>
struct rule<recentered_> : rule<subtract_> {
  static constexpr char const* name = "recenter";
  static constexpr auto summed = graph::within_sum::recenters;
};
template <class C, class Mask>
constexpr auto recentered(C const& c, Mask mask) {
  return apply<recentered_>(c, mean_kept(c, mask));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
