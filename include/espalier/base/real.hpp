// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "supported.hpp"

namespace espalier::nn {

/// A floating-point number as a template argument: Dropout<0.1>. A template parameter of type double is unknown to
/// clang before version 18; a class with one is not.
struct real {
  double value;
  constexpr real(double v) : value{v} {}
  constexpr operator double() const { return value; }
};

}  // namespace espalier::nn
#include "diagnostics_pop.hpp"
