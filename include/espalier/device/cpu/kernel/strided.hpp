// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../strides.hpp"
#include "../thread/team.hpp"
#include "../vector/batches.hpp"

#include "../../../base/diagnostics_push.hpp"
/// Kernels that copy elements at strides: permuted axes, and broadcasts along middle axes.
namespace espalier::on_cpu {

namespace detail {

using namespace on_device::detail;

/// Calls body(i, offset) for every element i of `s`, row-major. The offset grows by `stride` along each axis.
template <class Body>
ESPALIER_INLINE void for_each_offset(extents const& s, std::int64_t const* stride, Body body) {
  int index[max_rank]{};
  std::int64_t offset = 0, flat = 0;
  int const last = s.rank - 1;
  while (true) {
    for (int i = 0; i < s.at[last]; ++i) body(flat++, offset + i * stride[last]);
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      offset += stride[axis];
      if (++index[axis] < s.at[axis]) break;
      offset -= stride[axis] * s.at[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

/// The extents s, except that the first one is replaced.
constexpr extents some_of(extents s, std::int64_t first_extent) {
  s.at[0] = static_cast<int>(first_extent);
  return s;
}

/// y = x read at strides. Parts are split along the first axis of y.
template <class T, class Strided>
struct strided_copy : independent_parts {
  static constexpr int rows = Strided::result.at[0], parts = parts_along(rows, Strided::result.size());

  ESPALIER_KERNEL static void run(T const* x, T const*, T* y) {
    for_each_offset(Strided::result, Strided::stride.at,
                    [&](std::int64_t i, std::int64_t offset) { y[i] = x[offset]; });
  }
  ESPALIER_KERNEL static void part(T const* x, T const*, T* y, T*, int which) {
    std::int64_t const begin = part_begin(rows, parts, which), count = part_begin(rows, parts, which + 1) - begin;
    x += begin * Strided::stride.at[0];
    y += begin * (Strided::result.size() / rows);
    for_each_offset(some_of(Strided::result, count), Strided::stride.at,
                    [&](std::int64_t i, std::int64_t offset) { y[i] = x[offset]; });
  }
};

}  // namespace detail

/// y = x with its axes permuted.
template <class T, Shape From, std::uint64_t Permutation>
struct permute_kernel : detail::strided_copy<T, detail::permuted<From, Permutation>> {};

/// y = x repeated along axes in the middle of its shape.
template <class T, Shape From, Shape To>
struct strided_broadcast_kernel : detail::strided_copy<T, detail::broadcasted<From, To>> {};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
