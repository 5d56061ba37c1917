// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>

#include "../shape/permutation.hpp"

/// Strides of the operands of movement kernels: one for each axis of the result, computed from the shapes alone.
namespace espalier::on_device::detail {

struct strides {
  std::int64_t at[max_rank];
};
/// Strides of a contiguous, row-major tensor.
constexpr strides strides_of(extents const& s) {
  strides r{};
  std::int64_t stride = 1;
  for (int axis = s.rank - 1; axis >= 0; --axis) {
    r.at[axis] = stride;
    stride *= s.at[axis];
  }
  return r;
}
/// Strides that read `from` in the order of `to`. The last axes are aligned, and axes of extent 1 are repeated.
constexpr strides broadcast_strides(extents const& from, extents const& to) {
  strides const own = strides_of(from);
  strides r{};
  for (int f = from.rank - 1, axis = to.rank - 1; f >= 0; --f, --axis) r.at[axis] = from.at[f] == 1 ? 0 : own.at[f];
  return r;
}

/// The result and the operand strides of a permutation of axes.
template <Shape From, std::uint64_t Permutation>
struct permuted {
  static constexpr extents result = permuted_extents(From::value, Permutation);
  static constexpr strides stride = [] {
    strides const own = strides_of(From::value);
    strides r{};
    for (int i = 0; i < result.rank; ++i) r.at[i] = own.at[axis_behind(Permutation, i)];
    return r;
  }();
};
/// The result and the operand strides of a broadcast.
template <Shape From, Shape To>
struct broadcasted {
  static constexpr extents result = To::value;
  static constexpr strides stride = broadcast_strides(From::value, To::value);
};

}  // namespace espalier::on_device::detail
#include "../base/diagnostics_pop.hpp"
