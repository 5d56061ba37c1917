// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

namespace detail {
/// x / |x|_p along an axis, and 0 where x is. The root of the mean of squares is |x|_2 / sqrt(count).
template <int Axis, int P>
struct lp_norm {
  static_assert(P == 1 || P == 2);
  constexpr auto operator()(auto const& x) const {
    if constexpr (P == 1) {
      auto const length = esp::sum<Axis>(esp::abs(x), esp::keepdims);
      return x / (length + equal(length, 0));
    } else {
      auto const length = esp::sum<Axis>(x * x, esp::keepdims);
      return where(
          length > 0,
          esp::rms_normalize<Axis>(x, 0) / esp::math::sqrt(esp::shape_of<decltype(x)>::template extent<Axis>() * 1.0),
          x);
    }
  }
};
}  // namespace detail

template <class Case, class T>
void check_lp_norm(case_run& run) {
  run_function<Case, T, detail::lp_norm<attribute_or<Case, "axis", int>(-1), attribute_or<Case, "p", int>(2)>>(run);
}

}  // namespace conformance
