// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "apply.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

struct copied_ {};

/// The value once more, told apart by its number: a result that is an operand, or another result, is written by the group that reads it anyway.
template <>
struct rule<copied_> : elementwise {
  static constexpr char const* name = "copied";
  static constexpr bool cheap = true;
  template <class T>
  ESPALIER_EVERYWHERE static constexpr T apply(T a) {
    return a;
  }
  template <class T>
  static constexpr T pullback(T dy, T, T) {
    return dy;
  }
};

}  // namespace espalier
#pragma GCC diagnostic pop
