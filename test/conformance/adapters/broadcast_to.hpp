// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

template <class Shape>
struct broadcast_to_function {
  constexpr auto operator()(auto const& x) const { return esp::broadcast_to<Shape>(x); }
};

template <class Case, class T>
void check_broadcast_to(case_run& run) {
  run_function<Case, T, broadcast_to_function<shape_attribute<Case>>>(run);
}

}  // namespace conformance
