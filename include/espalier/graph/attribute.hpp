// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/winograd.hpp"
#include "program.hpp"

/// The attribute of a node means something else in each op family. Each meaning has a function that encodes it and one
/// that reads it from a node, so that no other code depends on the bits.
///
/// | families                            | encode                        | read             |
/// |-------------------------------------|-------------------------------|------------------|
/// | argument, hyperparameter            | position_attribute            | position_of, is_wide |
/// | label                               | label_attribute               | label_of         |
/// | parameter, buffer                   | slot_attribute                | slot_of, is_narrow |
/// | constant                            | constant_attribute            | constant_of      |
/// | random                              | stream_attribute              | stream_of        |
/// | values                              | offset_attribute              | offset_of        |
/// | reduction as written, composite     | axes_attribute                | axes_of          |
/// | reduction and broadcast in programs | pattern_attribute             | pattern_of       |
/// | contraction                         | transposes_attribute, winograd_attribute, | transposes_of, |
/// |                                     | groups_attribute              | winograd_in, groups_in |
/// | winograd                            | kernels_attribute             | winograd_kernels_of |
/// | permute                             | a number, shape/permutation.hpp | permutation_of |
/// | move, scatter_add                   | map_attribute                 | map_of           |
/// | concatenate, index_gather,          | axis_attribute                | axis_of          |
/// | index_scatter_add, index_copy       |                               |                  |
/// | exchange                            | exchange_attribute            | exchange_of      |
/// | pack                                | pack_attribute                | pack_of          |
/// | part                                | part_attribute                | part_of          |
/// | alias of one operand                | copy_attribute                |                  |
/// | checkpoint, an alias                | block_attribute               | block_of         |
/// | loop_slice, ..., loop_stack         | loop_attribute                | loop_of          |
namespace espalier::graph {

namespace detail {
/// Reports a node of another family: in a constant evaluation the call is an error, at run time it ends the program.
/// Readers call only this, and nothing else, because the constant evaluator runs them for each node.
[[noreturn]] inline void wrong_family() { __builtin_trap(); }
}  // namespace detail

/// Position among the arguments of a program, or among its hyperparameters. wide: the number is stored in the type of
/// the computations, also where the program's elements are stored in 16 bits. The scale of a loss is.
constexpr std::uint64_t position_attribute(int position, bool wide = false) {
  return static_cast<std::uint64_t>(position) | std::uint64_t{wide} << 32;
}
constexpr int position_of(node const& n) {
  if (n.op->family != op_family::argument && n.op->family != op_family::hyperparameter) detail::wrong_family();
  return static_cast<int>(n.attribute);
}

constexpr bool is_wide(node const& n) {
  return (n.op->family == op_family::hyperparameter || n.op->family == op_family::argument) && n.attribute >> 32 != 0;
}

/// An argument of integers: its position, and whether its elements are booleans.
struct label_argument {
  int position;
  bool is_flag;
};
constexpr std::uint64_t label_attribute(label_argument x) {
  return static_cast<std::uint64_t>(x.position) * 2 + (x.is_flag ? 1 : 0);
}
constexpr label_argument label_of(node const& n) {
  if (n.op->family != op_family::label) detail::wrong_family();
  return {static_cast<int>(n.attribute / 2), n.attribute % 2 != 0};
}

/// Number of a parameter or buffer of the model, and whether its elements are stored in 16 bits in a program that
/// computes in float (plan/narrow_program.hpp).
constexpr std::uint64_t slot_attribute(int slot, bool narrow = false) {
  return static_cast<std::uint64_t>(slot) | std::uint64_t{narrow} << 32;
}
constexpr int slot_of(node const& n) {
  if (n.op->family != op_family::parameter && n.op->family != op_family::buffer) detail::wrong_family();
  return static_cast<int>(n.attribute);
}

constexpr bool is_narrow(node const& n) {
  return (n.op->family == op_family::parameter || n.op->family == op_family::buffer) && n.attribute >> 32 != 0;
}

/// Value of a constant. The kernel IR stores its bits, too.
constexpr std::uint64_t constant_attribute(double value) { return __builtin_bit_cast(std::uint64_t, value); }
constexpr double constant_in(std::uint64_t attribute) { return __builtin_bit_cast(double, attribute); }
constexpr std::uint64_t constant_bits_of(node const& n) {
  if (n.op->family != op_family::constant) detail::wrong_family();
  return n.attribute;
}
constexpr double constant_of(node const& n) {
  if (n.op->family != op_family::constant) detail::wrong_family();
  return constant_in(n.attribute);
}

/// Number of a random stream.
constexpr std::uint64_t stream_attribute(int stream) { return static_cast<std::uint64_t>(stream); }
constexpr std::uint64_t stream_of(node const& n) {
  if (n.op->family != op_family::random) detail::wrong_family();
  return n.attribute;
}

/// Where a tensor of constants begins among the values of the program.
constexpr std::uint64_t offset_attribute(int offset) { return static_cast<std::uint64_t>(offset); }
constexpr int offset_of(node const& n) {
  if (n.op->family != op_family::values) detail::wrong_family();
  return static_cast<int>(n.attribute);
}

/// Where a tensor is placed: the number of the vector, and the first element in it, a multiple of 16. What the vector
/// is for: the number of an updater among those of the program, and the slot of the parameters that it updates.
struct packed_tensor {
  int vector;
  std::int64_t offset;
  int updater = 0;
  int parameters = 0;
};
constexpr std::uint64_t pack_attribute(packed_tensor x) {
  return static_cast<std::uint64_t>(x.vector) << 56 | static_cast<std::uint64_t>(x.updater) << 48 |
         static_cast<std::uint64_t>(x.parameters) << 32 | static_cast<std::uint64_t>(x.offset);
}
constexpr packed_tensor pack_of(node const& n) {
  if (n.op->family != op_family::pack) detail::wrong_family();
  return {static_cast<int>(n.attribute >> 56), static_cast<std::int64_t>(n.attribute & 0xffffffff),
          static_cast<int>(n.attribute >> 48 & 0xff), static_cast<int>(n.attribute >> 32 & 0xffff)};
}
/// The first element of a part of a vector.
constexpr std::uint64_t part_attribute(std::int64_t offset) { return static_cast<std::uint64_t>(offset); }
constexpr std::int64_t part_of(node const& n) {
  if (n.op->family != op_family::part) detail::wrong_family();
  return static_cast<std::int64_t>(n.attribute);
}

/// Mask of the axes of a reduction before it is emitted, and of a composite's reductions.
constexpr std::uint64_t axes_attribute(unsigned mask) { return mask; }
constexpr unsigned axes_in(std::uint64_t attribute) { return static_cast<unsigned>(attribute); }
constexpr unsigned axes_of(node const& n) {
  if (n.op->family != op_family::reduction && n.op->family != op_family::alias) detail::wrong_family();
  return axes_in(n.attribute);
}

/// The axes that a piece of a broadcast repeats, or of a reduction reduces; the shape is seen as (rows, columns):
///   everything  all axes
///   row         the columns of each row
///   column      the rows of each column
///   middle      one run of axes in the middle
///   segments    all axes except one run in the middle, so rows consist of segments
enum class pattern : std::uint64_t { everything = 1, row = 2, column = 3, middle = 4, segments = 5 };
constexpr std::uint64_t pattern_attribute(pattern p) { return static_cast<std::uint64_t>(p); }
constexpr pattern pattern_of(node const& n) {
  if (n.op->family != op_family::reduction && n.op->family != op_family::broadcast) detail::wrong_family();
  return static_cast<pattern>(n.attribute);
}

/// Which operands of a product are transposed.
struct transposes {
  bool a, b;
  friend constexpr bool operator==(transposes, transposes) = default;
};
constexpr std::uint64_t transposes_attribute(transposes x) { return (x.a ? 1u : 0u) | (x.b ? 2u : 0u); }
constexpr transposes transposes_in(std::uint64_t attribute) { return {(attribute & 1u) != 0, (attribute & 2u) != 0}; }
/// Whether a product may leave out terms whose left factor is 0, whatever the right one is.
inline constexpr std::uint64_t leaves_out_zeros = 4;
/// Whether a product of windows reads kernels of another convolution, whose images' gradient it is: their taps are in
/// the opposite order, and their channels and outputs are exchanged. Only plan/winograd_program.hpp sets it.
inline constexpr std::uint64_t turned_kernels = 8;
constexpr transposes transposes_of(node const& n) {
  if (n.op->family != op_family::contraction) detail::wrong_family();
  return transposes_in(n.attribute);
}
/// The tile of a product of windows that is computed by Winograd's method (shape/winograd.hpp); the taps are those of
/// the windows. No rows: it is computed as written.
constexpr std::uint64_t winograd_attribute(winograd_tile const& t) {
  return static_cast<std::uint64_t>(t.rows) << 8 | static_cast<std::uint64_t>(t.columns) << 16;
}
constexpr winograd_tile winograd_in(std::uint64_t attribute, extents const& windows) {
  return {static_cast<int>(attribute >> 8 & 0xff), static_cast<int>(attribute >> 16 & 0xff), windows.at[3],
          windows.at[4]};
}
constexpr bool uses_winograd(std::uint64_t attribute) { return (attribute >> 8 & 0xffff) != 0; }
/// The groups of channels of a product of windows, which read and write their channels in place. a: windows of all
/// channels; b: (taps and channels of a group, outputs of all groups), or the gradient with respect to it.
constexpr std::uint64_t groups_attribute(int groups) { return static_cast<std::uint64_t>(groups) << 40; }
constexpr int groups_in(std::uint64_t attribute) {
  return attribute >> 40 == 0 ? 1 : static_cast<int>(attribute >> 40);
}

/// The kernels of a convolution by tiles. adjoint: from the gradient of transformed kernels to that of the kernels.
struct winograd_kernels_attribute {
  winograd_tile tile;
  bool adjoint;
};
constexpr std::uint64_t kernels_attribute(winograd_kernels_attribute const& x) {
  return winograd_attribute(x.tile) | static_cast<std::uint64_t>(x.tile.kernel_rows) << 24 |
         static_cast<std::uint64_t>(x.tile.kernel_columns) << 32 | (x.adjoint ? 1u : 0u);
}
constexpr winograd_kernels_attribute winograd_kernels_in(std::uint64_t attribute) {
  auto const number = [&](int bit) { return static_cast<int>(attribute >> bit & 0xff); };
  return {{number(8), number(16), number(24), number(32)}, (attribute & 1u) != 0};
}
constexpr winograd_kernels_attribute winograd_kernels_of(node const& n) {
  if (n.op->family != op_family::winograd) detail::wrong_family();
  return winograd_kernels_in(n.attribute);
}

/// A packed permutation (shape/permutation.hpp).
constexpr std::uint64_t permutation_of(node const& n) {
  if (n.op->family != op_family::permute) detail::wrong_family();
  return n.attribute;
}

/// Number of an index map of the program.
constexpr std::uint64_t map_attribute(int map) { return static_cast<std::uint64_t>(map); }
constexpr int map_of(node const& n) {
  if (n.op->family != op_family::move && n.op->family != op_family::scatter_add) detail::wrong_family();
  return static_cast<int>(n.attribute);
}

/// The axis along which operands are concatenated, or along which indices are positions.
constexpr std::uint64_t axis_attribute(int axis) { return static_cast<std::uint64_t>(axis); }
constexpr int axis_of(node const& n) {
  op_family const f = n.op->family;
  if (f != op_family::concatenate && f != op_family::index_gather && f != op_family::index_scatter_add &&
      f != op_family::index_copy)
    detail::wrong_family();
  return static_cast<int>(n.attribute);
}

/// How processes combine their values. moments 0: the mean over the samples of all processes. Otherwise a value begins
/// with so many means and so many variances, each over `count` elements in this process, which become those of all
/// elements; what follows is summed.
struct process_exchange {
  int moments;
  std::int64_t count = 0;
};
constexpr std::uint64_t exchange_attribute(process_exchange x) {
  return static_cast<std::uint64_t>(x.count) << 24 | static_cast<std::uint64_t>(x.moments);
}
inline constexpr int max_moments = (1 << 24) - 1;
constexpr process_exchange exchange_of(node const& n) {
  if (n.op->family != op_family::exchange) detail::wrong_family();
  return {static_cast<int>(n.attribute & 0xffffff), static_cast<std::int64_t>(n.attribute >> 24)};
}

/// A number that keeps copies of one value distinct. It is only compared.
constexpr std::uint64_t copy_attribute(int number) { return static_cast<std::uint64_t>(number); }

/// The first node of a block whose nodes end before this one.
constexpr std::uint64_t block_attribute(int first) { return static_cast<std::uint64_t>(first); }
constexpr int block_of(node const& n) {
  if (n.op->family != op_family::alias) detail::wrong_family();
  return static_cast<int>(n.attribute);
}

/// The loop that a node belongs to. index: of a state. is_loop: the node is the last loop_carry of its loop.
struct loop_node {
  int number, steps;
  bool backwards;  ///< from the last position of the sequences to the first
  int index = 0;
  bool is_loop = false;
};
inline constexpr int max_loop_steps = (1 << 30) - 1, max_loop_states = 1 << 10;
constexpr bool is_of_loop(op_family f) { return f >= op_family::loop_slice && f <= op_family::loop_stack; }
constexpr std::uint64_t loop_attribute(loop_node x) {
  return static_cast<std::uint64_t>(x.number) << 42 | static_cast<std::uint64_t>(x.index) << 32 |
         static_cast<std::uint64_t>(x.steps) << 2 | (x.backwards ? 2u : 0u) | (x.is_loop ? 1u : 0u);
}
constexpr loop_node loop_of(node const& n) {
  if (!is_of_loop(n.op->family)) detail::wrong_family();
  return {static_cast<int>(n.attribute >> 42), static_cast<int>(n.attribute >> 2 & 0x3fffffff), (n.attribute & 2u) != 0,
          static_cast<int>(n.attribute >> 32 & 0x3ff), (n.attribute & 1u) != 0};
}
constexpr bool is_loop(node const& n) { return n.op->family == op_family::loop_carry && (n.attribute & 1u) != 0; }

}  // namespace espalier::graph
#include "../base/diagnostics_pop.hpp"
