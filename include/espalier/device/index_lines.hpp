// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/host_device.hpp"
#include "../shape/shape.hpp"

namespace espalier::on_device {

/// How a gather or scatter-add by index walks its elements, for every device. X: the extents of the operand with the
/// indexed axis; Index: those of the indices; Y: those of the elements, one for each index or one for each repetition
/// of it. A line is a run of elements of Y with one index, contiguous in X and in Y: a row of a table, or one element.
/// Lines are numbered in the order of Y: line = (outer, pick, inner).
template <Shape X, Shape Index, Shape Y, int Axis>
struct index_lines {
  static constexpr int rank = Y::rank;
  /// The axes from run_axis on are repetitions of the index.
  static constexpr int run_axis = [] {
    int a = rank;
    while (a > Axis + 1 && Index::value.at[a - 1] == 1) --a;
    return a;
  }();
  static constexpr std::int64_t run = Y::value.product(run_axis, rank), inner = Y::value.product(Axis + 1, run_axis),
                                picks = Y::value.at[Axis], outer = Y::value.product(0, Axis),
                                lines = outer * picks * inner;
  /// The extent of the indexed axis, and the elements of X between two of its positions.
  static constexpr std::int64_t extent = X::value.at[Axis], stride = inner * run;

  /// The element of X where a line begins that has this index.
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE constexpr std::int64_t begin_in_x(std::int64_t o, std::int64_t index,
                                                                                std::int64_t i) {
    return ((o * extent + index) * inner + i) * run;
  }
  /// The position of a line's index.
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE constexpr std::int64_t index_at(std::int64_t o, std::int64_t k,
                                                                              std::int64_t i) {
    constexpr std::int64_t step = stride_of(Axis);
    return offset<0, Axis>(o) + k * step + offset<Axis + 1, run_axis>(i);
  }

 private:
  /// Whether the indices have the extents of Y on the axes from First until Last, or repeat there.
  template <int First, int Last>
  static constexpr bool is_whole = [] {
    for (int a = First; a < Last; ++a)
      if (Index::value.at[a] != Y::value.at[a]) return false;
    return true;
  }();
  template <int First, int Last>
  static constexpr bool repeats = [] {
    for (int a = First; a < Last; ++a)
      if (Index::value.at[a] != 1) return false;
    return true;
  }();
  /// The distance, in indices, of two positions of an axis.
  static constexpr std::int64_t stride_of(int axis) {
    return Index::value.at[axis] == 1 ? 0 : Index::value.product(axis + 1, rank);
  }
  /// The offset of the index at position `flat` of the axes from First until Last.
  template <int First, int Last>
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE constexpr std::int64_t offset(std::int64_t flat) {
    if constexpr (repeats<First, Last>) {
      return 0;
    } else if constexpr (is_whole<First, Last>) {
      constexpr std::int64_t step = Index::value.product(Last, rank);
      return flat * step;
    } else {
      constexpr std::int64_t own = Y::value.at[Last - 1], step = stride_of(Last - 1);
      return flat % own * step + offset<First, Last - 1>(flat / own);
    }
  }
};

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
