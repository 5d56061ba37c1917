// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "shape.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// Resolves a reshape: at most one wanted extent is -1 and is inferred; rank -1 in the result says that it does not fit.
constexpr extents reshape_extents(std::int64_t size, extents const& wanted) {
  std::int64_t known = 1;
  int inferred = -1;
  extents r = wanted;
  for (int i = 0; i < wanted.rank; ++i) {
    if (wanted.at[i] == -1 && inferred < 0) inferred = i;
    else if (wanted.at[i] < 1) return extents{-1, {}};
    else known *= wanted.at[i];
  }
  if (inferred >= 0) {
    if (size % known != 0) return extents{-1, {}};
    r.at[inferred] = static_cast<int>(size / known);
  } else if (known != size) {
    return extents{-1, {}};
  }
  return r;
}

/// The extents asked of a reshape, as a fact; -1 is inferred.
template <int... Extents>
struct to {};

/// Named relation of reshape<Extents...>(x): both have the same number of elements.
template <class S, class Wanted>
struct same_element_count;
template <class S, int... Extents>
struct same_element_count<S, to<Extents...>> {
  static constexpr extents value = reshape_extents(S::size, extents{static_cast<int>(sizeof...(Extents)), {Extents...}});
  static constexpr bool agree = value.rank >= 0;
};

/// A permutation of axes packed in four bits each: axis i of the result is axis (packed >> 4 i & 15) of the operand.
constexpr std::uint64_t swap_permutation(int rank, int first, int second) {
  std::uint64_t packed = 0;
  for (int i = 0; i < rank; ++i) {
    int const source = i == first ? second : i == second ? first : i;
    packed |= static_cast<std::uint64_t>(source) << (4 * i);
  }
  return packed;
}

constexpr extents permuted_extents(extents const& s, std::uint64_t packed) {
  extents r{};
  for (int i = 0; i < s.rank; ++i) r.push(s.at[packed >> (4 * i) & 15u]);
  return r;
}

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
#pragma GCC diagnostic pop
