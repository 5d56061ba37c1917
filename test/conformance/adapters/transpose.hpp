// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

/// Two axes to swap; none: the last two; a permutation: result axis i is axis Perm[i] of x.
template <class Axes, class Permutation>
struct transpose_function;
template <>
struct transpose_function<nothing, nothing> {
  constexpr auto operator()(auto const& x) const { return transpose(x); }
};
template <int I, int J>
struct transpose_function<integers<I, J>, nothing> {
  constexpr auto operator()(auto const& x) const { return esp::transpose<I, J>(x); }
};
template <int... Permutation>
struct transpose_function<nothing, integers<Permutation...>> {
  constexpr auto operator()(auto const& x) const { return esp::permute<Permutation...>(x); }
};

template <class Case, class T>
void check_transpose(case_run& run) {
  run_function<Case, T, transpose_function<attribute_of<Case, "axes">, attribute_of<Case, "perm">>>(run);
}

}  // namespace conformance
