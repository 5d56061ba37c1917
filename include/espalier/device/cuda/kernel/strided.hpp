// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../strides.hpp"
#include "result_kernel_base.hpp"

/// Copies from strided to row-major memory: permutations and strided broadcasts.
namespace espalier::on_cuda {

namespace detail {

using on_device::detail::broadcast_strides;
using on_device::detail::permuted;
using on_device::detail::broadcasted;
using on_device::detail::strides;
using on_device::detail::strides_of;

/// The extents and strides of axes, in row-major order. Axes of extent 1 are left out; two axes that have the offsets
/// of one are merged.
struct axes {
  int rank;
  int extent[max_rank];
  std::int64_t stride[max_rank];

  constexpr void push(int some, std::int64_t distance) {
    if (some == 1) return;
    if (rank > 0 && stride[rank - 1] == distance * some) {
      extent[rank - 1] *= some;
      stride[rank - 1] = distance;
    } else {
      extent[rank] = some;
      stride[rank++] = distance;
    }
  }
  constexpr std::int64_t size() const {
    std::int64_t n = 1;
    for (int k = 0; k < rank; ++k) n *= extent[k];
    return n;
  }
  /// Elements of the widest access along the last axis: it divides the last extent and all other strides.
  template <class T>
  constexpr int width() const {
    if (rank == 0 || stride[rank - 1] != 1) return 1;
    int n = access_width<T>(extent[rank - 1]);
    for (int k = 0; k < rank - 1; ++k)
      while (stride[k] % n != 0) n /= 2;
    return n;
  }
};
constexpr axes axes_of(extents const& s, on_device::detail::strides const& stride) {
  axes r{};
  for (int k = 0; k < s.rank; ++k) r.push(s.at[k], stride.at[k]);
  return r;
}

/// The offset of element `flat`. Axes::value: a constexpr axes; Axis: how many of them to use, from the first.
template <class Axes, int Axis = Axes::value.rank>
ESPALIER_HOST_DEVICE ESPALIER_INLINE index32 offset_in(index32 flat) {
  if constexpr (Axis == 0) {
    return 0;
  } else {
    constexpr index32 extent = static_cast<index32>(Axes::value.extent[Axis - 1]),
                      stride = static_cast<index32>(Axes::value.stride[Axis - 1]);
    if constexpr (Axis == 1) return flat * stride;
    else return flat % extent * stride + offset_in<Axes, Axis - 1>(flat / extent);
  }
}
/// The same axes without the last one.
template <class Axes>
struct outer_axes {
  static constexpr axes value = [] {
    axes r = Axes::value;
    if (r.rank > 0) --r.rank;
    return r;
  }();
};

/// y = x, read at strides. Strided: result (the extents of y), stride.
template <class T, class Strided>
struct strided_copy {
  static constexpr axes value = axes_of(Strided::result, Strided::stride);
  static constexpr int last = value.rank - 1;
  static constexpr int inner = value.rank > 0 ? value.extent[last < 0 ? 0 : last] : 1;
  static constexpr std::int64_t inner_stride = value.rank > 0 ? value.stride[last < 0 ? 0 : last] : 0;
  /// Neighbours that are read in one access, or that are the same element.
  static constexpr int width = inner_stride == 0 ? access_width<T>(inner) : value.template width<T>();
  /// Whether the elements of an access to the result differ only in the last index.
  static constexpr bool in_line = inner % full_width<T> == 0;

  ESPALIER_HOST_DEVICE static ESPALIER_INLINE T one(T const* x, index32 flat) {
    return x[offset_in<strided_copy>(flat)];
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE pack<T, full_width<T>> some(T const* x, index32 i) {
    constexpr int V = full_width<T>;
    pack<T, V> y;
    ESPALIER_UNROLL
    for (int v = 0; v < V; v += width) {
      index32 at;
      if constexpr (in_line) {
        constexpr index32 lines = static_cast<index32>(inner / V);
        at = offset_in<outer_axes<strided_copy>>(i / lines) +
             (i % lines * V + static_cast<index32>(v)) * static_cast<index32>(inner_stride);
      } else {
        at = offset_in<strided_copy>(i * V + static_cast<index32>(v));
      }
      if constexpr (inner_stride == 0) {
        T const same = x[at];
        ESPALIER_UNROLL
        for (int k = 0; k < width; ++k) y.at[v + k] = same;
      } else {
        pack<T, width> const part = fetch<T, width>(x + at);
        ESPALIER_UNROLL
        for (int k = 0; k < width; ++k) y.at[v + k] = part.at[k];
      }
    }
    return y;
  }
};

/// A tiled transpose, for neighbours in x and neighbours in y along different, long axes. Square tiles are transposed
/// in shared memory, so that both sides are accessed in runs of 128 bytes. 16-bit numbers move in pairs if possible.
template <class T, class Strided>
struct turning_copy {
  static constexpr axes value = axes_of(Strided::result, Strided::stride);
  static constexpr int last = value.rank > 0 ? value.rank - 1 : 0;
  /// The axis of the result along which x is contiguous; -1: none.
  static constexpr int along = [] {
    for (int k = 0; k < last; ++k)
      if (value.stride[k] == 1) return k;
    return -1;
  }();
  static constexpr int first = along < 0 ? 0 : along, height = value.extent[first], breadth = value.extent[last],
                       least = 16;
  static constexpr bool possible = along >= 0 && height >= least && breadth >= least && value.stride[last] != 0;

  static constexpr index32 source_stride = static_cast<index32>(value.stride[last]), result_stride = [] {
    std::int64_t n = 1;
    for (int k = first + 1; k < value.rank; ++k) n *= value.extent[k];
    return static_cast<index32>(n);
  }();
  static constexpr bool in_pairs = [] {
    bool r = sizeof(T) == 2 && height % 2 == 0 && breadth % 2 == 0;
    for (int k = 0; k < value.rank; ++k) r = r && (k == first || value.stride[k] % 2 == 0);
    return r;
  }();
  static constexpr int V = in_pairs ? 2 : 1, side = 32 * V, pitch = side + V, threads = 256, cluster = 1,
                       rows = threads / 32, turns = side / rows;
  static constexpr index32 squares_down = (height + side - 1) / side, squares_across = (breadth + side - 1) / side;

  /// All axes except these two, with their strides in x or in y.
  static constexpr axes others(bool in_x) {
    axes r{};
    std::int64_t stride[max_rank]{}, n = 1;
    for (int k = value.rank - 1; k >= 0; n *= value.extent[k--]) stride[k] = in_x ? value.stride[k] : n;
    for (int k = 0; k < value.rank; ++k)
      if (k != first && k != last) r.push(value.extent[k], stride[k]);
    return r;
  }
  struct of_x {
    static constexpr axes value = others(true);
  };
  struct of_y {
    static constexpr axes value = others(false);
  };
  static constexpr std::int64_t blocks = value.size() / height / breadth * squares_down * squares_across;

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, T const* x, T* y) {
    T* const square = c.template shared<T, side * pitch, 0>();  // (side, pitch): rows of x
    constexpr index32 down = static_cast<index32>(height), across = static_cast<index32>(breadth),
                      edge = static_cast<index32>(side);
    constexpr index32 row_length = static_cast<index32>(pitch);
    index32 const block = static_cast<index32>(c.block()), lane = static_cast<index32>(c.thread()) % 32 * V,
                  row = static_cast<index32>(c.thread()) / 32;
    index32 const beside = block / (squares_down * squares_across), i = block / squares_across % squares_down * edge,
                  j = block % squares_across * edge;
    x += offset_in<of_x>(beside) + j * source_stride + i;
    y += offset_in<of_y>(beside) + i * result_stride + j;
    pack<T, V> held[static_cast<std::size_t>(turns)];  // (turns, V)
    ESPALIER_UNROLL
    for (index32 k = 0; k < turns; ++k)
      if ((across % edge == 0 || j + row + k * rows < across) && (down % edge == 0 || i + lane < down))
        held[k] = fetch<T, V>(x + (row + k * rows) * source_stride + lane);
    ESPALIER_UNROLL
    for (index32 k = 0; k < turns; ++k)
      if ((across % edge == 0 || j + row + k * rows < across) && (down % edge == 0 || i + lane < down))
        put<T, V>(square + (row + k * rows) * row_length + lane, held[k]);
    c.barrier();
    ESPALIER_UNROLL
    for (index32 k = 0; k < turns; ++k)
      if ((down % edge == 0 || i + row + k * rows < down) && (across % edge == 0 || j + lane < across)) {
        pack<T, V> turned;
        ESPALIER_UNROLL
        for (index32 v = 0; v < V; ++v) turned.at[v] = square[(lane + v) * row_length + row + k * rows];
        put<T, V>(y + (row + k * rows) * result_stride + lane, turned);
      }
  }
};

/// Base of kernels that copy one operand at strides: a tiled transpose if possible, else element by element.
template <class Kernel, class T, class Strided, bool Turns = turning_copy<T, Strided>::possible>
struct copy_at_strides : result_kernel_base<Kernel, T, Strided::result.size(), full_width<T>, 2, 0,
                                            strided_copy<T, Strided>::width == full_width<T> ? 4 : 1> {
  using copy = strided_copy<T, Strided>;
  using table = kernel_table<2>;
  static constexpr int load_access =
      copy::width == full_width<T> && copy::inner_stride == 1 && Strided::result.size() >= full_width<T> ? 16 : 0;
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE T one(table const& t, index32 flat) {
    return copy::one(static_cast<T const*>(t.pointer[0]), flat);
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE pack<T, full_width<T>> some(table const& t, index32 i) {
    return copy::some(static_cast<T const*>(t.pointer[0]), i);
  }
};
template <class Kernel, class T, class Strided>
struct copy_at_strides<Kernel, T, Strided, true> {
  using copy = turning_copy<T, Strided>;
  using table = kernel_table<2>;
  static constexpr int threads = copy::threads, cluster = 1;
  static constexpr std::int64_t blocks = copy::blocks;
  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    copy::run(c, static_cast<T const*>(t.pointer[0]), static_cast<T*>(t.pointer[1]));
  }
};

}  // namespace detail

/// y = x with its axes permuted.
/// table   x, y
template <class T, class From, std::uint64_t Permutation>
struct permute_kernel
    : detail::copy_at_strides<permute_kernel<T, From, Permutation>, T, detail::permuted<From, Permutation>> {};

/// y = x, broadcast along axes in the middle of its shape.
/// table   x, y
template <class T, class From, class To>
struct strided_broadcast_kernel
    : detail::copy_at_strides<strided_broadcast_kernel<T, From, To>, T, detail::broadcasted<From, To>> {};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
