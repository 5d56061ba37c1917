// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../unfused_kernel.hpp"
#include "library/convolution.hpp"
#include "kernel/random.hpp"
#include "kernel/index_copy.hpp"
#include "kernel/index_gather.hpp"
#include "kernel/index_scatter_add.hpp"
#include "kernel/move.hpp"
#include "kernel/scatter_add.hpp"
#include "kernel/strided_reduction.hpp"
#include "kernel/concatenate.hpp"
#include "kernel/convert.hpp"
#include "kernel/strided.hpp"
#include "kernel/tap_sums.hpp"
#include "kernel/windows.hpp"

/// Runs unfused groups: products and convolutions by the backend's libraries, other nodes by a kernel each.
namespace espalier::on_cuda {

/// A batch of matrix products of static shapes; y is contiguous. An operand without a batch axis, or with extent 1
/// there, is used for every matrix.
template <Shape A, Shape B, Shape Y, std::uint64_t Transposes>
struct product_of {
  static constexpr bool transpose_a = graph::transposes_in(Transposes).a,
                        transpose_b = graph::transposes_in(Transposes).b;
  static constexpr int rows = Y::template extent<-2>(), columns = Y::template extent<-1>();
  static constexpr int inner = transpose_a ? A::template extent<-2>() : A::template extent<-1>();
  static constexpr std::int64_t count = Y::size / (std::int64_t{rows} * columns);
  /// The offset, in elements, of the operand's matrix that matrix i of the result reads.
  static constexpr std::int64_t a_offset(std::int64_t i) { return offset(A::value, i) * rows * inner; }
  static constexpr std::int64_t b_offset(std::int64_t i) { return offset(B::value, i) * inner * columns; }

 private:
  static constexpr std::int64_t offset(extents const& from, std::int64_t i) {
    std::int64_t at = 0, stride = 1;
    for (int axis = Y::rank - 3, f = from.rank - 3; axis >= 0; --axis, --f) {
      if (f >= 0 && from.at[f] != 1) at += i % Y::value.at[axis] * stride;
      if (f >= 0) stride *= from.at[f];
      i /= Y::value.at[axis];
    }
    return at;
  }
};

namespace detail {

/// The products of one pass of a window_product: one for each of its groups of images, or one of a part of a group.
template <class Windows, class B>
struct product_of_pass {
  static constexpr bool transpose_a = Windows::transposed, transpose_b = false;
  static constexpr int images =
      Windows::images_per_pass < Windows::in_group ? Windows::images_per_pass : Windows::in_group;
  static constexpr std::int64_t pixels = images * Windows::pixels;
  static constexpr int rows = static_cast<int>(transpose_a ? Windows::depth : pixels),
                       inner = static_cast<int>(transpose_a ? pixels : Windows::depth);
  static constexpr int columns = Windows::outputs;
  static constexpr std::int64_t count = Windows::images_per_pass / images;
  static constexpr std::int64_t a_offset(std::int64_t i) { return i * pixels * Windows::depth; }
  static constexpr std::int64_t b_offset(std::int64_t i) { return i * b_of_group; }
  static constexpr std::int64_t inner_of_group = transpose_a ? Windows::in_group * Windows::pixels : Windows::depth;
  static constexpr std::int64_t b_of_group =
      B::rank <= 2 || B::size <= (inner_of_group * columns) ? 0 : inner_of_group * columns;
  static constexpr std::int64_t group_of(int pass) {
    return std::int64_t{pass} * Windows::images_per_pass / Windows::in_group;
  }
};

/// The kernels that on_device::unfused_kernel chooses from, and the types that describe products to the backend.
template <class T>
struct unfused_kernels {
  template <std::int64_t Size>
  using random_uniform = random_uniform_kernel<T, Size>;
  template <class From, std::int64_t Size>
  using convert = convert_kernel<T, From, Size>;
  template <class Image, class Window, class Map, class, class Y, std::uint64_t Transposes>
  using window_product = on_cuda::window_product<T, Image, Window, Map, Y, Transposes>;
  template <class Op, class Image, class Window, class Map>
  using window_reduction = on_cuda::window_reduction<T, Op, Image, Window, Map>;
  template <class Image, class Window, class Map>
  using tap_sums = on_cuda::tap_sums<T, Image, Window, Map>;
  template <class Image, class Window, class Map>
  using position_sums = on_cuda::position_sums<T, Image, Window, Map>;
  template <class A, class B, class Y, std::uint64_t Transposes>
  using product = product_of<A, B, Y, Transposes>;
  template <class From, class To, class Map>
  using move = move_kernel<T, From, To, Map>;
  template <class From, class To, class Map>
  using scatter_add = scatter_add_kernel<T, From, To, Map>;
  template <class A, class B, int Axis>
  using concatenate = concatenate_kernel<T, A, B, Axis>;
  template <class From, class Index, class To, int Axis>
  using index_gather = index_gather_kernel<T, From, Index, To, Axis>;
  template <class From, class Index, class To, int Axis>
  using index_scatter_add = index_scatter_add_kernel<T, From, Index, To, Axis>;
  template <class X, class Index, class Source, int Axis>
  using index_copy = index_copy_kernel<T, X, Index, Source, Axis>;
  template <class From, std::uint64_t Permutation>
  using permute = permute_kernel<T, From, Permutation>;
  template <class From, class To>
  using strided_broadcast = strided_broadcast_kernel<T, From, To>;
  template <class Op, class From, class To>
  using strided_reduction = strided_reduction_kernel<T, Op, From, To>;
};
template <class Program, class T, int X>
using unfused_kernel_of = on_device::unfused_kernel<unfused_kernels<T>, Program, X>;

template <class Program, class T, int X>
constexpr std::int64_t scratch_of_unfused() {
  constexpr auto const& group = plan::plan_of<Program>.groups.groups[X];
  if constexpr (group.windowed && group.kind == plan::kernel_kind::contraction) {
    using windows = unfused_kernel_of<Program, T, X>;
    using B = on_device::shape_of_node<Program, plan::graph_of<Program>.nodes.nodes[group.first].operand[1]>;
    constexpr std::int64_t kernels = convolution_of<windows, B>::reordered * static_cast<std::int64_t>(sizeof(T));
    return windows::scratch > kernels ? windows::scratch : kernels;
  } else {
    return 0;
  }
}

/// Runs a product with windows: as a convolution if the backend supports it, else as matrix products.
template <class Windows, class B, class T, class Backend>
void run_windows(Backend& backend, T const* image, T const* b, T* y, void* scratch) {
  using convolution = convolution_of<Windows, B>;
  if constexpr (convolution::supported && requires { backend.template convolves<T, convolution>(); })
    if (backend.template convolves<T, convolution>())
      return run_convolution<T, convolution>(backend, image, b, y, scratch);
  using product = product_of_pass<Windows, B>;
  for (int pass = 0; pass < Windows::passes; ++pass) {
    T const* const from = image + pass * Windows::images_per_pass * Windows::image;
    T const* windows = from;
    if constexpr (!Windows::in_place) {
      windows = static_cast<T const*>(scratch);
      backend.template launch<typename Windows::rows_kernel>({{const_cast<T*>(from), scratch}, {}});
    }
    backend.template product<T, product>(windows, b + product::group_of(pass) * product::b_of_group,
                                         y + pass * product::count * product::rows * product::columns);
  }
}

/// Runs unfused group X of a program, except the instructions behind a product.
template <class Program, class T, int X, class Backend>
void run_unfused(Backend& backend, void* const* base, [[maybe_unused]] void* scratch) {
  constexpr plan::kernel_kind kind = plan::plan_of<Program>.groups.groups[X].kind;
  constexpr int first = plan::plan_of<Program>.groups.groups[X].first;
  using kernel = unfused_kernel_of<Program, T, plan::plan_of<Program>.ir.groups[X].kernel>;
  using on_device::at, on_device::operand_address, on_device::address_of, on_device::shape_of_node;
  if constexpr (kind == plan::kernel_kind::random) {
    constexpr auto stream = stream_of(plan::graph_of<Program>.nodes.nodes[first]);
    backend.template launch<kernel>({{base[plan::base::random], at<T>(base, address_of<Program, first>)}, {stream}});
  } else if constexpr (kind == plan::kernel_kind::contraction) {
    T const *const a = at<T>(base, operand_address<Program, X, 0>), *const b =
                                                                        at<T>(base, operand_address<Program, X, 1>);
    T* const y = at<T>(base, on_device::sums_address<Program, X>);
    if constexpr (plan::plan_of<Program>.groups.groups[X].windowed) {
      using windows = shape_of_node<Program, plan::graph_of<Program>.nodes.nodes[first].operand[1]>;
      run_windows<kernel, windows>(backend, a, b, y, scratch);
    } else {
      backend.template product<T, kernel>(a, b, y);
    }
  } else if constexpr (kind == plan::kernel_kind::concatenate || kind == plan::kernel_kind::window_sum) {
    backend.template launch<kernel>(
        {{at<T>(base, operand_address<Program, X, 0>), at<T>(base, operand_address<Program, X, 1>),
          at<T>(base, address_of<Program, first>)},
         {}});
  } else if constexpr (kind == plan::kernel_kind::index_gather || kind == plan::kernel_kind::index_scatter_add) {
    backend.template launch<kernel>(
        {{at<T>(base, operand_address<Program, X, 0>), at<std::int32_t>(base, operand_address<Program, X, 1>),
          at<T>(base, address_of<Program, first>)},
         {}});
  } else if constexpr (kind == plan::kernel_kind::index_copy) {
    T *const x = at<T>(base, operand_address<Program, X, 0>), *const y = at<T>(base, address_of<Program, first>);
    if (x != y) backend.copy(y, x, static_cast<std::size_t>(plan::plan_of<Program>.groups.groups[X].size) * sizeof(T));
    backend.template launch<kernel>(
        {{at<std::int32_t>(base, operand_address<Program, X, 1>), at<T>(base, operand_address<Program, X, 2>), y}, {}});
  } else if constexpr (kind == plan::kernel_kind::convert) {
    using source = typename kernel::source;
    backend.template launch<kernel>(
        {{at<source>(base, operand_address<Program, X, 0>), at<T>(base, address_of<Program, first>)}, {}});
  } else {
    backend.template launch<kernel>(
        {{at<T>(base, operand_address<Program, X, 0>), at<T>(base, address_of<Program, first>)}, {}});
  }
}

}  // namespace detail

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
