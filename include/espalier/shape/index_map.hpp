// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "shape.hpp"

/// Index maps: one description for slices, padding, flips, dilation and windows.
namespace espalier {

/// The source of each element of a moved tensor: slices, padding, flips, dilation and windows all have this form. The
/// element of the result at index i is read from the operand; its index along axis a of the operand is
///   (start[a] + sum over the result's axes k with source[k] == a of step[k] i[k]) / divisor[a]
/// If that is no integer, or is out of range, the element is 0 (or the lowest number, for maxima).
struct index_map {
  int rank;              ///< of the result
  int source[max_rank];  ///< by axis of the result: the operand's axis that it runs along; ascending except for windows
  int step[max_rank];    ///< by axis of the result
  int start[max_rank];   ///< by axis of the operand
  int divisor[max_rank];
  bool fills_with_lowest;

  friend constexpr bool operator==(index_map const& a, index_map const& b) {
    if (a.rank != b.rank || a.fills_with_lowest != b.fills_with_lowest) return false;
    for (int i = 0; i < max_rank; ++i)
      if (a.source[i] != b.source[i] || a.step[i] != b.step[i] || a.start[i] != b.start[i] ||
          a.divisor[i] != b.divisor[i])
        return false;
    return true;
  }
};

/// A map and the extents of its result.
struct movement {
  index_map map;
  extents shape;
};

/// The map that moves nothing.
constexpr index_map identity_map(int rank) {
  index_map m{};
  m.rank = rank;
  for (int i = 0; i < rank; ++i) {
    m.source[i] = i;
    m.step[i] = m.divisor[i] = 1;
  }
  return m;
}

/// The smallest and largest numerator along an axis of the operand.
struct index_range {
  int low, high;
};
constexpr index_range range_of(index_map const& m, extents const& result, int axis) {
  index_range r{m.start[axis], m.start[axis]};
  for (int i = 0; i < m.rank; ++i) {
    if (m.source[i] != axis) continue;
    int const reach = m.step[i] * (result.at[i] - 1);
    (reach < 0 ? r.low : r.high) += reach;
  }
  return r;
}
/// True if every element of the result is an element of the operand.
constexpr bool is_total(index_map const& m, extents const& from, extents const& result) {
  for (int a = 0; a < from.rank; ++a) {
    index_range const r = range_of(m, result, a);
    if (m.divisor[a] != 1 || r.low < 0 || r.high >= from.at[a]) return false;
  }
  return true;
}
/// True if no two axes of the result run along the same axis of the operand. Axes of extent 1 do not count.
constexpr bool is_one_to_one(index_map const& m, extents const& from, extents const& result) {
  int walks[max_rank]{};
  for (int i = 0; i < m.rank; ++i)
    if (result.at[i] != 1) ++walks[m.source[i]];
  for (int a = 0; a < from.rank; ++a)
    if (walks[a] > 1) return false;
  return true;
}
/// True if the result has the operand's elements in the same order; only the extents may differ.
constexpr bool renames(index_map const& m, extents const& from, extents const& result) {
  if (from.size() != result.size() || !is_total(m, from, result) || !is_one_to_one(m, from, result)) return false;
  int last = -1;
  for (int i = 0; i < m.rank; ++i) {
    if (result.at[i] == 1) continue;
    if (m.step[i] != 1 || m.source[i] <= last) return false;
    last = m.source[i];
  }
  return true;
}
constexpr int greatest_common_divisor(int a, int b) {
  while (b != 0) {
    int const rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}
/// The map with reduced quotients: step 2 with divisor 2 becomes step 1.
constexpr index_map reduced_map(index_map m) {
  for (int a = 0; a < max_rank; ++a) {
    if (m.divisor[a] < 2) continue;
    int common = greatest_common_divisor(m.divisor[a], m.start[a]);
    for (int i = 0; i < m.rank; ++i)
      if (m.source[i] == a) common = greatest_common_divisor(common, m.step[i]);
    if (common < 2) continue;
    m.divisor[a] /= common;
    m.start[a] /= common;
    for (int i = 0; i < m.rank; ++i)
      if (m.source[i] == a) m.step[i] /= common;
  }
  return m;
}
/// The map of `outer` after `inner`, for an outer map that never fills.
constexpr index_map composed(index_map const& outer, index_map const& inner) {
  index_map m{};
  m.rank = outer.rank;
  m.fills_with_lowest = inner.fills_with_lowest;
  for (int a = 0; a < max_rank; ++a) {
    m.start[a] = inner.start[a];
    m.divisor[a] = inner.divisor[a];
  }
  for (int k = 0; k < inner.rank; ++k) m.start[inner.source[k]] += inner.step[k] * outer.start[k];
  for (int i = 0; i < outer.rank; ++i) {
    m.source[i] = inner.source[outer.source[i]];
    m.step[i] = outer.step[i] * inner.step[outer.source[i]];
  }
  return reduced_map(m);
}
/// The adjoint of a one-to-one map, whose axes are those of the operand in their order.
constexpr index_map inverted(index_map const& m) {
  index_map r = identity_map(m.rank);
  for (int i = 0; i < m.rank; ++i) {
    int const sign = m.step[i] < 0 ? -1 : 1;
    r.step[i] = sign * m.divisor[i];
    r.start[i] = -sign * m.start[i];
    r.divisor[i] = sign * m.step[i];
  }
  return r;
}

/// Is the map one of windows of images: (N, H, W, C) viewed as (N, rows, columns, kernel rows, kernel columns, C)? The
/// windows have all images and channels: kernels and gradients number both as the images do.
constexpr bool is_image_window(index_map const& m, extents const& image, extents const& window) {
  return image.rank == 4 && window.rank == 6 && window.at[0] == image.at[0] && window.at[5] == image.at[3] &&
         m.rank == 6 && m.source[0] == 0 && m.source[1] == 1 && m.source[2] == 2 && m.source[3] == 1 &&
         m.source[4] == 2 && m.source[5] == 3 && m.step[0] == 1 && m.step[5] == 1 && m.start[0] == 0 &&
         m.start[3] == 0 && m.divisor[0] == 1 && m.divisor[3] == 1;
}

/// The offset in the operand of element `flat` of the result; -1 if the element is filled.
constexpr std::int64_t moved_offset(index_map const& m, extents const& from, extents const& result, std::int64_t flat) {
  int at[max_rank]{};
  for (int a = 0; a < from.rank; ++a) at[a] = m.start[a];
  for (int i = m.rank - 1; i >= 0; --i) {
    at[m.source[i]] += m.step[i] * static_cast<int>(flat % result.at[i]);
    flat /= result.at[i];
  }
  std::int64_t offset = 0;
  for (int a = 0; a < from.rank; ++a) {
    if (at[a] % m.divisor[a] != 0) return -1;
    int const k = at[a] / m.divisor[a];
    if (k < 0 || k >= from.at[a]) return -1;
    offset = offset * from.at[a] + k;
  }
  return offset;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
