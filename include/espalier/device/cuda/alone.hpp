// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../group_types.hpp"
#include "convolution.hpp"
#include "draw.hpp"
#include "fold.hpp"
#include "gather.hpp"
#include "numbers.hpp"
#include "strided.hpp"
#include "windows.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Groups of one node: what the machine has a library for, and a kernel for each kind of movement.
namespace espalier::on_cuda {

/// A batch of matrix products of known shapes; y has no gaps. An operand without a batch axis, or with extent 1 there, is used again.
template <Shape A, Shape B, Shape Y, std::uint64_t Transposes>
struct product_of {
  static constexpr bool transpose_a = Transposes & 1u, transpose_b = Transposes & 2u;
  static constexpr int rows = Y::template extent<-2>(), columns = Y::template extent<-1>();
  static constexpr int inner = transpose_a ? A::template extent<-2>() : A::template extent<-1>();
  static constexpr std::int64_t count = Y::size / (std::int64_t{rows} * columns);
  /// Elements from the first matrix of an operand to the one that matrix i of the result needs.
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

/// The product of one pass over the images of a window_product: of each group of images, or of a part of one.
template <class Windows, class B>
struct product_of_pass {
  static constexpr bool transpose_a = Windows::transposed, transpose_b = false;
  static constexpr int images = Windows::together < Windows::in_group ? Windows::together : Windows::in_group;
  static constexpr std::int64_t pixels = images * Windows::pixels;
  static constexpr int rows = static_cast<int>(transpose_a ? Windows::depth : pixels), inner = static_cast<int>(transpose_a ? pixels : Windows::depth);
  static constexpr int columns = Windows::outputs;
  static constexpr std::int64_t count = Windows::together / images;
  static constexpr std::int64_t a_offset(std::int64_t i) { return i * pixels * Windows::depth; }
  static constexpr std::int64_t b_offset(std::int64_t i) { return i * b_of_group; }
  static constexpr std::int64_t inner_of_group = transpose_a ? Windows::in_group * Windows::pixels : Windows::depth;
  static constexpr std::int64_t b_of_group = B::rank > 2 && B::size > inner_of_group * columns ? inner_of_group * columns : 0;
  static constexpr std::int64_t group_of(int pass) { return std::int64_t{pass} * Windows::together / Windows::in_group; }
};

/// The kernel, or what the machine's product is told, of group X that stands alone.
template <class Source, class T, int X>
constexpr auto alone_kernel() {
  constexpr auto const& g = plan::program_of<Source>.nodes;
  constexpr auto const& group = plan::plan_of<Source>.groups.groups[X];
  constexpr int id = group.first;
  constexpr graph::node const& n = g.nodes[id];
  using fused::node_map, fused::shape_of_node;
  using Y = shape_of_node<Source, id>;
  if constexpr (group.what == plan::kind::draw) {
    return std::type_identity<draw_kernel<T, group.size>>{};
  } else if constexpr (group.what == plan::kind::convert) {
    constexpr bool flags = g.nodes[n.operand[0]].attribute & 1u;
    return std::type_identity<numbers_kernel<T, std::conditional_t<flags, bool, std::int32_t>, group.size>>{};
  } else if constexpr (group.windowed) {
    constexpr int window = graph::data_of(g, n.operand[0]);
    using Image = shape_of_node<Source, g.nodes[window].operand[0]>;
    using Window = shape_of_node<Source, window>;
    if constexpr (group.what == plan::kind::contraction) return std::type_identity<window_product<T, Image, Window, node_map<Source, window>, Y, n.attribute>>{};
    else return std::type_identity<window_reduction<T, graph::op_of<plan::program_of<Source>.nodes.nodes[id].op>, Image, Window, node_map<Source, window>>>{};
  } else {
    using A = shape_of_node<Source, n.operand[0]>;
    if constexpr (group.what == plan::kind::contraction) return std::type_identity<product_of<A, shape_of_node<Source, n.operand[1]>, Y, n.attribute>>{};
    else if constexpr (group.what == plan::kind::move) return std::type_identity<move_kernel<T, A, Y, node_map<Source, id>>>{};
    else if constexpr (group.what == plan::kind::fold) return std::type_identity<fold_kernel<T, A, Y, node_map<Source, id>>>{};
    else if constexpr (group.what == plan::kind::join) return std::type_identity<join_kernel<T, A, shape_of_node<Source, n.operand[1]>, static_cast<int>(n.attribute)>>{};
    else if constexpr (group.what == plan::kind::permute) return std::type_identity<permute_kernel<T, A, n.attribute>>{};
    else if constexpr (group.what == plan::kind::spread) return std::type_identity<spread_kernel<T, A, Y>>{};
    else return std::type_identity<gather_kernel<T, graph::op_of<plan::program_of<Source>.nodes.nodes[id].op>, A, Y>>{};
  }
}
template <class Source, class T, int X>
using alone_kernel_of = typename decltype(alone_kernel<Source, T, X>())::type;

template <class Source, class T, int X>
constexpr std::int64_t scratch_of_alone() {
  constexpr auto const& group = plan::plan_of<Source>.groups.groups[X];
  if constexpr (group.windowed && group.what == plan::kind::contraction) {
    using windows = alone_kernel_of<Source, T, X>;
    using B = fused::shape_of_node<Source, plan::program_of<Source>.nodes.nodes[group.first].operand[1]>;
    constexpr std::int64_t kernels = convolution_of<windows, B>::reordered * static_cast<std::int64_t>(sizeof(T));
    return windows::scratch > kernels ? windows::scratch : kernels;
  } else {
    return 0;
  }
}

/// With the machine's convolutions where it has one for this, else with its products.
template <class Windows, class B, class T, class Machine>
void run_windows(Machine& m, T const* image, T const* b, T* y, void* scratch) {
  using convolution = convolution_of<Windows, B>;
  if constexpr (convolution::known && requires { m.template convolves<T, convolution>(); })
    if (m.template convolves<T, convolution>()) return run_convolution<T, convolution>(m, image, b, y, scratch);
  using product = product_of_pass<Windows, B>;
  for (int pass = 0; pass < Windows::passes; ++pass) {
    T const* const from = image + pass * Windows::together * Windows::image;
    T const* windows = from;
    if constexpr (!Windows::in_place) {
      windows = static_cast<T const*>(scratch);
      m.template launch<typename Windows::rows_kernel>({{const_cast<T*>(from), scratch}, {}});
    }
    m.template product<T, product>(windows, b + product::group_of(pass) * product::b_of_group, y + pass * product::count * product::rows * product::columns);
  }
}

/// Runs group X of a program, but for what follows a product.
template <class Source, class T, int X, class Machine>
void run_alone(Machine& m, void* const* base, [[maybe_unused]] void* scratch) {
  constexpr auto const& plan = plan::plan_of<Source>;
  constexpr auto const& group = plan.groups.groups[X];
  constexpr graph::node const& n = plan::program_of<Source>.nodes.nodes[group.first];
  using kernel = alone_kernel_of<Source, T, plan.codes.groups[X].kernel>;
  using fused::at, fused::operand_place, fused::place_of, fused::shape_of_node;
  if constexpr (group.what == plan::kind::draw) {
    m.template launch<kernel>({{base[plan::base::key], at<T>(base, place_of<Source, group.first>)}, {n.attribute}});
  } else if constexpr (group.what == plan::kind::contraction) {
    T const *const a = at<T>(base, operand_place<Source, X, 0>), *const b = at<T>(base, operand_place<Source, X, 1>);
    T* const y = at<T>(base, fused::sums_place<Source, X>);
    if constexpr (group.windowed) run_windows<kernel, shape_of_node<Source, n.operand[1]>>(m, a, b, y, scratch);
    else m.template product<T, kernel>(a, b, y);
  } else if constexpr (group.what == plan::kind::join) {
    m.template launch<kernel>({{at<T>(base, operand_place<Source, X, 0>), at<T>(base, operand_place<Source, X, 1>), at<T>(base, place_of<Source, group.first>)}, {}});
  } else if constexpr (group.what == plan::kind::convert) {
    m.template launch<kernel>({{at<char>(base, operand_place<Source, X, 0>), at<T>(base, place_of<Source, group.first>)}, {}});
  } else {
    m.template launch<kernel>({{at<T>(base, operand_place<Source, X, 0>), at<T>(base, place_of<Source, group.first>)}, {}});
  }
}

}  // namespace detail

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
