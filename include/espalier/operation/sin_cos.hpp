// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "multiply.hpp"
#include "negate.hpp"

/// The rules of sin and cos. They share a header because each is in the other's pullback.
namespace espalier {

struct sin_ {};
struct cos_ {};

template <>
struct rule<sin_> : elementwise {
  static constexpr char const* name = "sin";
  static constexpr bool expensive = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::sin(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return dy * espalier::apply<cos_>(x);
  }
};

template <>
struct rule<cos_> : elementwise {
  static constexpr char const* name = "cos";
  static constexpr bool expensive = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::cos(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return -(dy * espalier::apply<sin_>(x));
  }
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
