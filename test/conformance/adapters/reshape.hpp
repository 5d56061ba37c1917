// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

template <class Extents>
struct reshape_function;
/// One extent may be -1.
template <int... Extents>
struct reshape_function<integers<Extents...>> {
  constexpr auto operator()(auto const& x) const { return esp::reshape<Extents...>(x); }
};

template <class Case, class T>
void check_reshape(case_run& run) {
  run_function<Case, T, reshape_function<attribute_of<Case, "shape">>>(run);
}

}  // namespace conformance
