// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "bounded_loops.hpp"
#include "concatenate.hpp"
#include "grouped_product.hpp"
#include "move.hpp"
#include "scatter_add.hpp"
#include "strided_reduction.hpp"
#include "tap_sums.hpp"
#include "windows.hpp"

/// The kernels of movements, windows and middle axes of a bounded program: run(a, b, y, extent) for the first `extent`
/// indices of the axis of samples, which is the first one.
namespace espalier::on_cpu {

template <class T, class From, class To, class Map, class Arch>
struct bounded_kernel<move_kernel<T, From, To, Map, Arch>> {
  ESPALIER_KERNEL static void run(T const* x, T const*, T* y, int extent) {
    move_kernel<T, From, To, Map, Arch>::some(x, y, 0, extent);
  }
};
template <class T, class From, class To, class Map, class Arch>
struct bounded_kernel<scatter_add_kernel<T, From, To, Map, Arch>> {
  using kernel = scatter_add_kernel<T, From, To, Map, Arch>;
  static_assert(kernel::rows_are_independent);
  ESPALIER_KERNEL static void run(T const* x, T const*, T* y, int extent) { kernel::some(x, y, 0, extent); }
};
template <class T, class A, class B, int Axis, class Arch>
struct bounded_kernel<concatenate_kernel<T, A, B, Axis, Arch>> {
  using kernel = concatenate_kernel<T, A, B, Axis, Arch>;
  ESPALIER_KERNEL static void run(T const* a, T const* b, T* y, int extent) {
    constexpr std::int64_t runs = kernel::count / A::value.at[0];  // of one index of the first axis
    kernel::some(a, b, y, 0, extent * runs);
  }
};

template <class T, class From, std::uint64_t Permutation, class Arch>
struct bounded_kernel<permute_kernel<T, From, Permutation, Arch>> {
  ESPALIER_KERNEL static void run(T const* x, T const*, T* y, int extent) {
    permute_kernel<T, From, Permutation, Arch>::some(x, y, extent);
  }
};
template <class T, class From, class To, class Arch>
struct bounded_kernel<strided_broadcast_kernel<T, From, To, Arch>> {
  ESPALIER_KERNEL static void run(T const* x, T const*, T* y, int extent) {
    strided_broadcast_kernel<T, From, To, Arch>::some(x, y, extent);
  }
};
template <class T, class Op, class From, class To, class Arch>
struct bounded_kernel<strided_reduction_kernel<T, Op, From, To, Arch>> {
  using kernel = strided_reduction_kernel<T, Op, From, To, Arch>;
  static_assert(kernel::rows_are_independent);
  ESPALIER_KERNEL static void run(T const* x, T const*, T* y, int extent) { kernel::some(x, y, extent); }
};

template <class T, class Image, class Window, class Map, class B, class Y, std::uint64_t Transposes, class Arch>
struct bounded_kernel<window_product<T, Image, Window, Map, B, Y, Transposes, Arch>> {
  template <class After = detail::no_epilogue>
  static void run(T const* x, T const* b, T* y, int images, After const& after = {}) {
    window_product<T, Image, Window, Map, B, Y, Transposes, Arch>::run_images(x, b, y, images, after);
  }
};
template <class T, class Image, class Window, class Map, std::uint64_t Attribute, int Outputs, class Arch>
struct bounded_kernel<tap_sum_product<T, Image, Window, Map, Attribute, Outputs, Arch>> {
  template <class After = detail::no_epilogue>
  static void run(T const* x, T const* b, T* y, int images, After const& after = {}) {
    tap_sum_product<T, Image, Window, Map, Attribute, Outputs, Arch>::run_images(x, b, y, images, after);
  }
};
template <class T, class Image, class Window, class Map, class Arch>
struct bounded_kernel<tap_sums<T, Image, Window, Map, Arch>> {
  using kernel = tap_sums<T, Image, Window, Map, Arch>;
  ESPALIER_KERNEL static void run(T const* x, T const* factor, T* y, int images) {
    room_on_stack<T, kernel::room_size> own;
    kernel::some(own, x, factor, y, 0, std::int64_t{images} * kernel::facts::rows);
  }
};
template <class T, class Image, class Window, class Map, class Arch>
struct bounded_kernel<position_sums<T, Image, Window, Map, Arch>> {
  using kernel = position_sums<T, Image, Window, Map, Arch>;
  ESPALIER_KERNEL static void run(T const* x, T const* factor, T* y, int images) {
    room_on_stack<T, kernel::room_size> own;
    kernel::some(own, x, factor, y, images, 0, kernel::registers);
  }
};
template <class T, class Op, class Image, class Window, class Map, class Arch>
struct bounded_kernel<window_reduction<T, Op, Image, Window, Map, Arch>> {
  using kernel = window_reduction<T, Op, Image, Window, Map, Arch>;
  ESPALIER_KERNEL static void run(T const* x, T const*, T* y, int images) {
    kernel::some(x, y, 0, std::int64_t{images} * kernel::facts::rows);
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
