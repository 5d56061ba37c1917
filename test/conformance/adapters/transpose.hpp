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

namespace detail {
/// Swaps axes until the axes from First on stand as the permutation wants them.
template <int First, int... Perm>
constexpr auto permuted(auto const& x) {
  constexpr int count = static_cast<int>(sizeof...(Perm));
  if constexpr (First + 1 >= count) {
    return x;
  } else {
    constexpr int wanted[] = {Perm...};
    if constexpr (wanted[First] == First) {
      return permuted<First + 1, Perm...>(x);
    } else {
      // After the swap of First and wanted[First], the axis that stood at First is at wanted[First].
      constexpr int taken = wanted[First];
      return permuted<First + 1, (Perm == First ? taken : Perm == taken ? First : Perm)...>(esp::transpose<First, taken>(x));
    }
  }
}
}  // namespace detail
template <int... Perm>
struct transpose_function<nothing, integers<Perm...>> {
  constexpr auto operator()(auto const& x) const { return detail::permuted<0, Perm...>(x); }
};

template <class Case, class T>
void check_transpose(case_run& run) {
  run_function<Case, T, transpose_function<attribute_of<Case, "axes">, attribute_of<Case, "perm">>>(run);
}

}  // namespace conformance
