// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/address.hpp"
#include "../shape/shape.hpp"

/// Describes ops as values, so that the planner and the devices need no op types.
namespace espalier {

/// The protocol of an op, defined in operation/rule.hpp. The graph needs only this declaration.
template <class Op>
struct rule;

struct label_range;

namespace graph {
struct node_table;
}

/// A node of a program that is being traced, as a value that pullback rules compute with. Id 0: no node.
struct handle {
  using is_handle = void;
  graph::node_table* nodes;
  int id;
};

namespace graph {

/// What the planner and the devices dispatch on: the family of an op, never the op itself.
/// graph/attribute.hpp lists what the attribute of a node means in each family.
enum class op_family : std::uint8_t {
  argument,
  label,  ///< an argument of integers
  parameter,
  buffer,
  hyperparameter,
  constant,
  random,
  column_index,  ///< 0, 1, 2, ... along the last axis
  values,        ///< a tensor of compile-time constants
  convert,       ///< integers to real numbers
  elementwise,
  reduction,
  contraction,
  winograd,  ///< the kernels of a convolution, transformed for Winograd's method, or the adjoint
  reshape,
  broadcast,
  permute,
  move,
  scatter_add,  ///< the adjoint of a move
  concatenate,
  pack,               ///< operand 1, a vector, with operand 0 at its place in it; without operand 1, a vector of zeros
  part,               ///< the elements of a vector from a place on, as a tensor
  index_gather,       ///< elements whose positions along an axis are integers known when the program runs
  index_scatter_add,  ///< the adjoint of an index_gather
  index_copy,         ///< operand 0 with the slices at the positions of operand 1 replaced by those of operand 2
  exchange,           ///< operand 0, combined with that of the other processes of a training
  loop_slice,         ///< in the body of a loop: one position of a sequence
  loop_state,         ///< in the body of a loop: its state; operand 0 is the initial one
  loop_carry,         ///< the next value of a state; the last one of a loop is the loop itself
  loop_final,         ///< a state after the last step
  loop_stack,         ///< the values that a node of the body has in all steps
  alias               ///< operand 0 with its own pullback rule (composites with a closed form, detach)
};

struct node;

/// How the sum over an op's results may be simplified.
enum class within_sum : std::uint8_t {
  stays,
  multiplies,  ///< sum(k x) = k sum(x), if k is constant along the reduced axes
  recenters,   ///< sum(a (c - m)) = sum(a c) - m sum(a), likewise for m; only for ops where that loses no precision
  /// a composite: its expansion may be simplified if no gradient will be computed by its own rule
  expands
};

/// What a library's matrix product can do when it stores its result.
enum class as_stored : std::uint8_t { nothing, adds, cuts_at_zero };

/// What an alias is to a block that the backward pass recomputes: its result, or a value from which it is recomputed.
enum class of_block : std::uint8_t { nothing, result, source };

/// All properties of an op without its type, so that one pass can treat nodes as values.
struct descriptor {
  char const* name;
  op_family family;
  int arity;
  /// Emits a node with the family's simplifications (neutral elements, constants, nested reshapes); returns its id.
  int (*emit)(node_table&, node const&);
  /// The adjoint of operand `which`, computed from the adjoint dy of the node; a handle with id 0 if the op has no
  /// gradient for that operand.
  handle (*pullback)(node_table&, int dy, int id, int which);
  double (*evaluate)(double, double, double);
  float (*evaluate_single)(float, float, float);
  /// The value that, as operand 0 or 1, leaves the other operand unchanged; NaN if there is none.
  double neutral[2];
  /// The initial value of a reduction.
  double identity;
  bool commutative;
  /// True if the op costs about as much as an addition: recomputing its value is faster than storing and loading it.
  bool cheap;
  within_sum summed;
  as_stored stored;
  of_block block = of_block::nothing;
  /// The labels that operand 0 may have, if the op marks it as class labels; null for all other ops.
  label_range const* labels = nullptr;
  /// True for a reduction that is the sum of its elements.
  bool adds = false;
};

/// The only constexpr descriptor of each op; a node refers to its op by the address of this variable.
template <class Op>
inline constexpr descriptor described = rule<Op>::template describe<Op>();

/// Maps a descriptor's address back to the op's type, from which kernel types are formed. It is declared here and
/// defined by op_registration. This costs one look-up instead of a search through a list of ops, and a user's op needs
/// no registry.
template <descriptor const* Address>
struct op_key {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1301
#endif
  friend constexpr auto op_behind(op_key<Address>);
#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
};
template <class Op>
struct op_registration {
  friend constexpr auto op_behind(op_key<&described<Op>>) { return std::type_identity<Op>{}; }
};
template <descriptor const* Address>
using op_of = typename decltype(op_behind(op_key<Address>{}))::type;

}  // namespace graph

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
