// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

/// Squares of numbers whose squares overflow, for formulas that need sums of squares.
namespace espalier {

struct square_of_large_ {};

namespace detail {

template <class T>
struct number_of_lane {
  using type = T;
};
template <class T>
  requires requires { typename T::value_type; }
struct number_of_lane<T> {
  using type = typename T::value_type;
};
/// Powers of two for the squares of a number type: a sum of 2^31 squares of large numbers is finite, and squares of
/// small numbers keep their digits. The exact sum is used from `least` on. `beside` is added to large numbers before
/// they are squared: 2^31 of its squares are below `from`, and the mean of 2^31 squares is above, if their sum
/// overflows.
template <class T, bool Double = (sizeof(typename number_of_lane<T>::type) > 4)>
struct square_range {
  static constexpr double large = 0x1p-80, beside = 0x1p-50, from = 0x1p-66;
  static constexpr double small = 0x1p90, least = 0x1p-86, largest = 0x1p47;
};
template <class T>
struct square_range<T, true> {
  static constexpr double large = 0x1p-560, beside = 0x1p-400, from = 0x1p-200;
  static constexpr double small = 0x1p600, least = 0x1p-800, largest = 0x1p400;
};

}  // namespace detail

/// (x 2^-k)^2, which does not overflow. A number far below those of which squares overflow is added to the root:
/// squares of usual numbers do not underflow then, which processors take a hundred cycles for.
template <>
struct rule<square_of_large_> : elementwise {
  static constexpr char const* name = "square_of_large";
  static constexpr bool cheap = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    using range = detail::square_range<T>;
    T const scaled = math::as_written(x * T(range::large) + T(range::beside));
    return scaled * scaled;
  }
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
