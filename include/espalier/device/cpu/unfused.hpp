// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../unfused_kernel.hpp"
#include "kernel/concatenate.hpp"
#include "kernel/convert.hpp"
#include "kernel/grouped_product.hpp"
#include "kernel/index_copy.hpp"
#include "kernel/index_gather.hpp"
#include "kernel/index_scatter_add.hpp"
#include "kernel/move.hpp"
#include "kernel/product.hpp"
#include "kernel/random.hpp"
#include "kernel/scatter_add.hpp"
#include "kernel/strided_reduction.hpp"
#include "kernel/tap_sum_product.hpp"
#include "kernel/tap_sums.hpp"
#include "kernel/windows.hpp"
#include "kernel/winograd.hpp"

/// The kernels of unfused groups on the processor.
namespace espalier::on_cpu::detail {

/// A product of windows as it is written, by Winograd's method, in groups, or as sums over taps. Weight: the elements
/// of b. Transformed kernels and those of groups are float: they are values, or are permuted as they are traced.
template <class T, class Image, class Window, class Map, class B, class Y, std::uint64_t Attribute, class Arch,
          class Weight>
constexpr auto find_product_of_windows() {
  if constexpr (graph::uses_winograd(Attribute))
    return std::type_identity<winograd_product<T, Image, Window, Map, B, Y, Attribute, Arch>>{};
  else if constexpr (graph::groups_in(Attribute) > 1)
    return std::type_identity<grouped_product<T, Image, Window, Map, B, Y, Attribute, Arch>>{};
  else if constexpr (prefers_tap_sums<T, Image, Window, Map, B, Y, Attribute, Arch>())
    return std::type_identity<
        tap_sum_product<T, Image, Window, Map, Attribute, Y::template extent<-1>(), Arch, Weight>>{};
  else return std::type_identity<window_product<T, Image, Window, Map, B, Y, Attribute, Arch, Weight>>{};
}
/// A product as it is written, or in groups.
template <class T, class A, class B, class Y, std::uint64_t Attribute, class Arch, class Weight>
constexpr auto find_product() {
  if constexpr (graph::groups_in(Attribute) > 1) {
    using as = pixels_as_windows<A>;
    return std::type_identity<
        grouped_product<T, typename as::image, typename as::window, typename as::map, B, Y, Attribute, Arch>>{};
  } else {
    return std::type_identity<product_kernel<T, A, B, Y, Attribute, Arch, Weight>>{};
  }
}
/// The kernels of a convolution, of shape Plain: (taps channels, outputs).
template <class T, Shape Plain, std::uint64_t Attribute, class Arch, class From>
using winograd_kernels_kernel =
    winograd_kernels<T, graph::winograd_kernels_in(Attribute).tile,
                     Plain::value.at[0] / (graph::winograd_kernels_in(Attribute).tile.kernel_rows *
                                           graph::winograd_kernels_in(Attribute).tile.kernel_columns),
                     Plain::value.at[1], graph::winograd_kernels_in(Attribute).adjoint, Arch, From>;

/// The kernels that on_device::unfused_kernel chooses from. Read: the elements of the operand that may be stored in 16
/// bits. That is the right one of products, and the first one of gathers and of kernels that are transformed.
template <class T, class Arch, class Read = T>
struct unfused_kernels {
  /// The same for an operand that is stored in 16 bits, and widened as it is loaded.
  template <class Stored>
  using reading = unfused_kernels<T, Arch, Stored>;
  template <std::int64_t Size>
  using random_uniform = random_uniform_kernel<T, Size, Arch>;
  template <class From, std::int64_t Size>
  using convert = convert_kernel<T, From, Size, Arch>;
  template <class Image, class Window, class Map, class B, class Y, std::uint64_t Attribute>
  using window_product =
      typename decltype(find_product_of_windows<T, Image, Window, Map, B, Y, Attribute, Arch, Read>())::type;
  template <class From, class To, std::uint64_t Attribute>
  using winograd_kernels =
      winograd_kernels_kernel<T, std::conditional_t<graph::winograd_kernels_in(Attribute).adjoint, To, From>, Attribute,
                              Arch, Read>;
  template <class Op, class Image, class Window, class Map>
  using window_reduction = on_cpu::window_reduction<T, Op, Image, Window, Map, Arch>;
  template <class Image, class Window, class Map>
  using tap_sums = on_cpu::tap_sums<T, Image, Window, Map, Arch>;
  template <class Image, class Window, class Map>
  using position_sums = on_cpu::position_sums<T, Image, Window, Map, Arch>;
  template <class A, class B, class Y, std::uint64_t Attribute>
  using product = typename decltype(find_product<T, A, B, Y, Attribute, Arch, Read>())::type;
  template <class From, class To, class Map>
  using move = move_kernel<T, From, To, Map, Arch>;
  template <class From, class To, class Map>
  using scatter_add = scatter_add_kernel<T, From, To, Map, Arch>;
  template <class A, class B, int Axis>
  using concatenate = concatenate_kernel<T, A, B, Axis, Arch>;
  template <class From, class Index, class To, int Axis>
  using index_gather = index_gather_kernel<T, From, Index, To, Axis, Arch, Read>;
  template <class From, class Index, class To, int Axis>
  using index_scatter_add = index_scatter_add_kernel<T, From, Index, To, Axis, Arch>;
  template <class X, class Index, class Source, int Axis>
  using index_copy = index_copy_kernel<T, X, Index, Source, Axis, Arch>;
  template <class From, std::uint64_t Permutation>
  using permute = permute_kernel<T, From, Permutation, Arch>;
  template <class From, class To>
  using strided_broadcast = strided_broadcast_kernel<T, From, To, Arch>;
  template <class Op, class From, class To>
  using strided_reduction = strided_reduction_kernel<T, Op, From, To, Arch>;
};

}  // namespace espalier::on_cpu::detail
#include "../../base/diagnostics_pop.hpp"
