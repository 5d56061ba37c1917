// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

struct copied_ {};

/// A copy of a value. A program result that is an operand or another result needs one; the group that reads the value
/// anyway writes the copy. The attribute is a number that keeps copies of one value distinct.
template <>
struct rule<copied_> : elementwise {
  static constexpr char const* name = "copied";
  static constexpr bool cheap = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a) {
    return a;
  }
  template <class T>
  static constexpr T pullback(T dy, T, T) {
    return dy;
  }
};

namespace operation {
/// What a copy is, for passes that name no op.
inline constexpr graph::descriptor const* copy_of_value = &described<copied_>;
}  // namespace operation

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
