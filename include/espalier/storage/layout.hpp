// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cassert>
#include <cstdint>
#include <initializer_list>

#include "../shape/shape.hpp"

namespace espalier {

/// Row-major strides in elements, one per axis; the stride of the last axis is 1.
constexpr extents strides(extents const& s) {
  extents r{};
  r.rank = s.rank;
  int step = 1;
  for (int axis = s.rank - 1; axis >= 0; --axis) {
    r.at[axis] = step;
    step *= s.at[axis];
  }
  return r;
}

/// The position in row-major memory of the element at the given coordinates (one per axis).
constexpr std::int64_t flat_index(extents const& s, extents const& at) {
  std::int64_t flat = 0;
  for (int axis = 0; axis < s.rank; ++axis) flat = flat * s.at[axis] + at.at[axis];
  return flat;
}

/// The coordinates of the element at a position in row-major memory: the inverse of flat_index.
constexpr extents coordinates(extents const& s, std::int64_t flat) {
  extents r{};
  r.rank = s.rank;
  for (int axis = s.rank - 1; axis >= 0; --axis) {
    r.at[axis] = static_cast<int>(flat % s.at[axis]);
    flat /= s.at[axis];
  }
  return r;
}

namespace detail {

/// A constraint that errors name: element access has one index per axis.
template <class S, int Count>
struct indices {
  ESPALIER_READS("the shape is {}, the number of indices is {}")
  static constexpr bool agree = S::rank == Count;
  static constexpr extents value = S::value;
};

/// The position of the element at some indices; 0 where their number is wrong.
template <class Indices, class... I>
constexpr std::int64_t position(I... index) {
  std::int64_t flat = 0;
  if constexpr (sizeof...(I) > 0 && Indices::agree) {
    int axis = 0;
    for (std::int64_t const i : {static_cast<std::int64_t>(index)...}) {
      assert(i >= 0 && i < Indices::value.at[axis]);
      flat = flat * Indices::value.at[axis++] + i;
    }
  }
  return flat;
}

}  // namespace detail
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
