// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "shape.hpp"

/// Permutations of axes as numbers, so that they can be template arguments and attributes of nodes: four bits for each
/// axis of the result, which hold the operand's axis.
namespace espalier {

/// The operand's axis that becomes `axis` of the result.
constexpr int axis_behind(std::uint64_t packed, int axis) { return static_cast<int>(packed >> (4 * axis) & 15u); }
/// The bits of a permutation whose result has the operand's axis `source` at `axis`.
constexpr std::uint64_t packed_axis(int axis, int source) { return static_cast<std::uint64_t>(source) << (4 * axis); }

/// The permutation whose result has these axes of the operand, in this order.
template <class... Axis>
constexpr std::uint64_t packed_permutation(Axis... source) {
  std::uint64_t packed = 0;
  int axis = 0;
  ((packed |= packed_axis(axis++, static_cast<int>(source))), ...);
  return packed;
}
constexpr std::uint64_t swap_permutation(int rank, int first, int second) {
  std::uint64_t packed = 0;
  for (int i = 0; i < rank; ++i) packed |= packed_axis(i, i == first ? second : i == second ? first : i);
  return packed;
}
constexpr std::uint64_t inverse_permutation(std::uint64_t packed, int rank) {
  std::uint64_t inverse = 0;
  for (int i = 0; i < rank; ++i) inverse |= packed_axis(axis_behind(packed, i), i);
  return inverse;
}
/// `first`, followed by `second`.
constexpr std::uint64_t composed_permutation(std::uint64_t first, std::uint64_t second, int rank) {
  std::uint64_t both = 0;
  for (int i = 0; i < rank; ++i) both |= packed_axis(i, axis_behind(first, axis_behind(second, i)));
  return both;
}

constexpr extents permuted_extents(extents const& s, std::uint64_t packed) {
  extents r{};
  for (int i = 0; i < s.rank; ++i) r.push(s.at[axis_behind(packed, i)]);
  return r;
}
/// Maps a mask of axes of a permuted value to the axes of the unpermuted value.
constexpr unsigned axes_behind(std::uint64_t packed, int rank, unsigned mask) {
  unsigned r = 0;
  for (int i = 0; i < rank; ++i)
    if (mask >> i & 1u) r |= 1u << axis_behind(packed, i);
  return r;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
