// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../strides.hpp"
#include "../thread/team.hpp"
#include "../vector/batches.hpp"
#include "copy_run.hpp"
#include "turn.hpp"

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

/// Whether a walk over Strided::result meets runs along the last axis that are contiguous in the operand, too.
template <class Strided>
constexpr bool has_runs() {
  constexpr int last = Strided::result.rank - 1;
  return last > 0 && Strided::result.at[last] >= 4 && Strided::stride.at[last] == 1;
}
/// Calls body(i, offset) for the first element of each such run, row-major, for `count` indices of the first axis.
template <class Strided, int Axis = 0, class Body>
ESPALIER_INLINE void for_each_run(int count, std::int64_t i, std::int64_t offset, Body const& body) {
  constexpr extents s = Strided::result;
  if constexpr (Axis == s.rank - 1) {
    body(i, offset);
  } else {
    for (int k = 0; k < count; ++k, i += s.product(Axis + 1, s.rank), offset += Strided::stride.at[Axis])
      for_each_run<Strided, Axis + 1>(s.at[Axis + 1], i, offset, body);
  }
}

/// The axis of a result that is contiguous in the operand, if the last one is not, or -1: the two are transposed.
template <class Strided>
constexpr int find_turned_axis() {
  constexpr int last = Strided::result.rank - 1;
  if (last < 1 || Strided::stride.at[last] < 2) return -1;
  for (int axis = last - 1; axis >= 0; --axis)
    if (Strided::stride.at[axis] == 1 && Strided::result.at[axis] > 1) return axis;
  return -1;
}

/// y = x read at strides. Parts are split along the first axis of y.
template <class T, class Strided, class Arch>
struct strided_copy : independent_parts {
  static constexpr int rows = Strided::result.at[0], parts = parts_along(rows, Strided::result.size());

  ESPALIER_KERNEL static void run(T const* x, T const*, T* y) { some(x, y, rows); }
  ESPALIER_KERNEL static void part(T const* x, T const*, T* y, T*, int which) {
    std::int64_t const begin = part_begin(rows, parts, which), count = part_begin(rows, parts, which + 1) - begin;
    some(x + begin * Strided::stride.at[0], y + begin * (Strided::result.size() / rows), static_cast<int>(count));
  }
  /// The first `count` indices of the first axis of y.
  static ESPALIER_INLINE void some(T const* x, T* y, int count) {
    if constexpr (has_runs<Strided>()) {
      for_each_run<Strided>(count, 0, 0, [&](std::int64_t i, std::int64_t offset) {
        copy_run<T, Arch, result.at[result.rank - 1]>(y + i, x + offset);
      });
    } else {
      if constexpr (turned >= 0 && result.at[result.rank - 1] >= side)
        if ((turned == 0 ? count : result.at[turned]) >= side) return turn_squares(x, y, count);
      for_each_offset(some_of(result, count), Strided::stride.at,
                      [&](std::int64_t i, std::int64_t offset) { y[i] = x[offset]; });
    }
  }

 private:
  using V = pack<T, Arch>;
  static constexpr extents result = Strided::result;
  static constexpr int turned = find_turned_axis<Strided>(), side = V::size;

  /// Transposes squares whose sides fill a register. Element by element, every load or store would be of another line
  /// of the cache, and of few sets if extents are powers of two.
  template <int Axis = 0>
  static ESPALIER_INLINE void turn_squares(T const* x, T* y, int count) {
    constexpr int last = result.rank - 1;
    if constexpr (Axis == last) {
      int const rows = turned == 0 ? count : result.at[turned];
      for (int r = 0; r < rows; r += side) {
        int const row = r + side <= rows ? r : rows - side;  // squares at the end overlap
        for (int c = 0; c < result.at[last]; c += side) {
          int const column = c + side <= result.at[last] ? c : result.at[last] - side;
          turn_square(x + row + column * Strided::stride.at[last],
                      y + row * result.product(turned + 1, result.rank) + column, indices_below<side>{});
        }
      }
    } else if constexpr (Axis == turned) {
      turn_squares<Axis + 1>(x, y, count);
    } else {
      for (int i = 0; i < (Axis == 0 ? count : result.at[Axis]); ++i)
        turn_squares<Axis + 1>(x + i * Strided::stride.at[Axis], y + i * result.product(Axis + 1, result.rank), count);
    }
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void turn_square(T const* x, T* y, indices<I...>) {
    V square[] = {V::load(x + I * Strided::stride.at[result.rank - 1])...};
    turn(square);
    (square[I].store(y + I * result.product(turned + 1, result.rank)), ...);
  }
};

}  // namespace detail

/// y = x with its axes permuted.
template <class T, Shape From, std::uint64_t Permutation, class Arch>
struct permute_kernel : detail::strided_copy<T, detail::permuted<From, Permutation>, Arch> {};

/// y = x repeated along axes in the middle of its shape.
template <class T, Shape From, Shape To, class Arch>
struct strided_broadcast_kernel : detail::strided_copy<T, detail::broadcasted<From, To>, Arch> {};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
