// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "mean.hpp"
#include "subtract.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

struct recentered_ {};

/// c - m for values c that are shifted near their mean m: an op of its own because a sum of a (c - m) may become sum(a c) - m sum(a), which would cost
/// digits where c is large beside its spread. The slope of a norm's weight then needs no sweep after the mean.
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
#pragma GCC diagnostic pop
