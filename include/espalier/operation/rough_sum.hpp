// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "detach.hpp"
#include "multiply.hpp"
#include "subtract.hpp"
#include "sum.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

struct rough_sum_ {};

/// The sum, or where the elements lie in memory the median of three of them (the first, one in the midst, the last) times their number, which takes no
/// sweep. Divided by the number it is there to be subtracted: sums of values that are large beside their spread lose digits, and what is left of values
/// that are taken from one near their mean loses few. The median, because one element by itself may be an outlier, or padding.
/// It has no slope, and what it is used for must not depend on it: kernels and interpreter do not give the same number.
template <>
struct rule<rough_sum_> : rule<sum_> {
  static constexpr char const* name = "rough_sum";
  static constexpr bool linear = false;
  static constexpr bool roughly = true;
  /// What kernels take from three of count elements.
  template <class T>
  ESPALIER_EVERYWHERE static constexpr T of_three(T a, T b, T c, T count) {
    using math::minimum, math::maximum;
    return maximum(minimum(a, b), minimum(maximum(a, b), c)) * count;
  }
  static constexpr handle pullback(handle dy, handle, handle) { return handle{dy.program, 0}; }
};

/// A value near the mean over the axes of a mask, which stay with extent 1.
template <class X, class Mask>
constexpr auto rough_mean(X const& x, Mask mask) {
  return detach(reduce_kept<rough_sum_>(x, mask) * (1.0 / reduced_count(x, mask)));
}
/// x minus about its mean.
template <class X, class Mask>
constexpr auto shifted(X const& x, Mask mask) {
  return x - rough_mean(x, mask);
}

}  // namespace espalier
#pragma GCC diagnostic pop
