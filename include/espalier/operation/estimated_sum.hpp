// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "detach.hpp"
#include "multiply.hpp"
#include "subtract.hpp"
#include "sum.hpp"

namespace espalier {

struct estimated_sum_ {};

/// An approximate sum used as a shift. If the operand is in memory, kernels use count times the median of its first,
/// middle and last element, which takes no sweep; otherwise the exact sum.
/// Divided by the count, it is subtracted before summing: sums of values that are large relative to their spread lose
/// digits, and sums of values shifted near their mean lose few. It is a median because a single element may be an
/// outlier or padding.
/// It has no gradient. A result must not depend on it: kernels and interpreter do not compute the same number.
template <>
struct rule<estimated_sum_> : rule<sum_> {
  static constexpr char const* name = "estimated_sum";
  static constexpr bool linear = false;
  static constexpr bool estimated = true;
  /// The estimate from three of `count` elements: their median times count.
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T of_three(T a, T b, T c, T count) {
    using math::minimum, math::maximum;
    return maximum(minimum(a, b), minimum(maximum(a, b), c)) * count;
  }
  static constexpr handle pullback(handle dy, handle, handle) { return handle{dy.nodes, 0}; }
};

/// A value near the mean over the axes of a mask, to be subtracted before summing. The axes stay with extent 1.
template <class X, class Mask>
constexpr auto shift_estimate(X const& x, Mask mask) {
  return detach(reduce_kept<estimated_sum_>(x, mask) * (1.0 / reduced_count(x, mask)));
}
/// x minus its shift estimate.
template <class X, class Mask>
constexpr auto shifted(X const& x, Mask mask) {
  return x - shift_estimate(x, mask);
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
