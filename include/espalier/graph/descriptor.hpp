// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/address.hpp"
#include "../shape/shape.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// The protocol of an op (operation/rule.hpp); the graph only knows that there is one.
template <class Op>
struct rule;

namespace graph {
struct program_builder;
}

/// A node of a program under construction, as pullback rules compute with it. Id 0: there is none.
struct handle {
  using is_handle = void;
  graph::program_builder* program;
  int id;
};

namespace graph {

/// What an op can be to the planner and the devices. They dispatch on the family and never on the op.
enum class family : std::uint8_t {
  argument,      ///< attribute: position
  label,         ///< integers; attribute: twice the position, plus one for booleans
  parameter,     ///< attribute: slot
  buffer,        ///< attribute: slot
  magnitude,     ///< attribute: position
  constant,      ///< attribute: the bits of a double
  draw,          ///< attribute: slot of the random stream
  column_index,  ///< 0, 1, 2, ... along the last axis
  values,        ///< a tensor whose elements the compiler knows; attribute: where they begin among the program's values
  convert,       ///< integers to real numbers
  elementwise,
  reduction,    ///< attribute: bit mask of the reduced axes
  contraction,  ///< attribute: bit 0 transposes a, bit 1 transposes b
  reshape,
  broadcast,
  permute,   ///< attribute: packed permutation
  move,      ///< attribute: number of an index map
  fold,      ///< the adjoint of a move; attribute as there
  join,      ///< attribute: axis
  alias,     ///< operand 0 under a rule of its own (composites with a closed form, detach)
  composite  ///< expanded while tracing
};

struct node;

/// What a sum may do with an op that it sums.
enum class within_sum : std::uint8_t {
  stays,
  multiplies,  ///< sum(k x) = k sum(x), where k is the same for all that is added
  recenters,   ///< sum(a (c - m)) = sum(a c) - m sum(a), likewise for m; said where that costs no digits
  expands      ///< a composite: its value may be looked into where no slope will be asked for under its own rule
};

/// What a library's matrix product can do as it stores its result.
enum class as_stored : std::uint8_t { nothing, adds, cuts_at_zero };

/// Everything that can be known about an op without its type, so that one pass can treat nodes as values.
struct descriptor {
  char const* name;
  family kind;
  int arity;
  /// Emits a node with the family's simplifications (neutral elements, constants, nested reshapes); returns its id.
  int (*emit)(program_builder&, node const&);
  /// The adjoint of operand `which`, given the adjoint dy of the node; a handle with id 0 where the op has no slope there.
  handle (*pullback)(program_builder&, int dy, int id, int which);
  double (*evaluate)(double, double, double);
  float (*evaluate_single)(float, float, float);
  /// The value that, as operand 0 or 1, leaves the other operand unchanged; NaN where there is none.
  double neutral[2];
  /// A reduction's start.
  double identity;
  bool commutative;
  /// Costs about as much as an addition: computing it again beats writing it to memory and reading it.
  bool cheap;
  within_sum summed;
  as_stored stored;
};

/// The one constexpr descriptor of each op; a node names its op by the address of this.
template <class Op>
inline constexpr descriptor described = rule<Op>::template describe<Op>();

/// The way back from a descriptor's address to the op's type, for forming kernel types: declared here, defined by op_registration.
/// It costs one look-up instead of a search through a list of ops, and a user's op needs no registry.
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
#pragma GCC diagnostic pop
