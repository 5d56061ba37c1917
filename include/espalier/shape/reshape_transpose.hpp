// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "permutation.hpp"

/// Shapes and relations of reshape and transpose.
namespace espalier {

/// Resolves a reshape: at most one requested extent is -1 and is inferred. Rank -1 in the result means that the
/// elements do not fit.
constexpr extents reshape_extents(std::int64_t size, extents const& requested) {
  std::int64_t product = 1;
  int inferred = -1;
  extents r = requested;
  for (int i = 0; i < requested.rank; ++i) {
    if (requested.at[i] == -1 && inferred < 0) inferred = i;
    else if (requested.at[i] < 1) return extents{-1, {}};
    else product *= requested.at[i];
  }
  if (inferred >= 0) {
    if (size % product != 0) return extents{-1, {}};
    r.at[inferred] = static_cast<int>(size / product);
  } else if (product != size) {
    return extents{-1, {}};
  }
  return r;
}

/// The requested extents of a reshape, as a fact that errors show; -1 is inferred.
template <int... Extents>
struct to {};

/// Named relation of reshape<Extents...>(x): both have the same number of elements.
template <class S, class Requested>
struct same_element_count;
template <class S, int... Extents>
struct same_element_count<S, to<Extents...>> {
  static constexpr extents value =
      reshape_extents(S::size, extents{static_cast<int>(sizeof...(Extents)), {Extents...}});
  static constexpr bool agree = value.rank >= 0;
};

/// Named relation of transpose<First, Second>(x): both axes exist.
template <class S, int First, int Second>
struct transposable_axes {
  ESPALIER_READS("{} with axes {} and {}")
  static constexpr int first = First < 0 ? First + S::rank : First;
  static constexpr int second = Second < 0 ? Second + S::rank : Second;
  static constexpr bool agree = first >= 0 && first < S::rank && second >= 0 && second < S::rank;
  static constexpr std::uint64_t permutation = agree ? swap_permutation(S::rank, first, second) : 0;
  static constexpr extents value = agree ? permuted_extents(S::value, permutation) : S::value;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
