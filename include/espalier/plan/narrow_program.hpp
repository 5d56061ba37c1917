// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../graph/copy.hpp"
#include "../operation/structure.hpp"
#include "index_arguments.hpp"
#include "plan.hpp"

/// Programs that compute in float and read parameters and buffers of 16 bits. A tensor of 16 bits is a leaf of its own
/// kind (graph::is_narrow). Kernels that widen what they load or pack read it as it is: products, convolutions and
/// gathers. All other ops read a conversion of it, which is a copy in the workspace.
namespace espalier::plan {

/// Whether the processor's kernel of node `id` widens operand k, if that is stored in 16 bits.
constexpr bool widens(node_table const& nodes, int id, int k) {
  graph::node const& n = nodes[id];
  if (n.op->family == op_family::index_gather) return k == 0;
  if (n.op->family != op_family::contraction || k != 1) return false;
  // A product of a transposed operand may be computed transposed, with the right operand on the left.
  bool const turns = transposes_of(n).a && n.shape.at[n.shape.rank - 2] > 1;
  return !turns && graph::groups_in(n.attribute) == 1 && !graph::uses_winograd(n.attribute);
}

/// The program `from`, for parameters and buffers of which Slots::parameter(slot) and Slots::buffer(slot) are stored in
/// 16 bits. Slots::changed(output) is true for a result that such a program cannot have: a gradient of a tensor of 16
/// bits, or its new value.
template <class Slots>
class narrow_reader {
 public:
  constexpr narrow_reader(graph::program const& from, graph::program& to)
      : from_{from.nodes},
        to_{to.nodes},
        ids_{zeros<int>()},
        is_in_loop_{zeros<bool>()},
        is_narrow_{zeros<bool>(2)},
        wide_{zeros<int>(2)} {}
  constexpr ~narrow_reader() {
    delete[] ids_;
    delete[] is_in_loop_;
    delete[] is_narrow_;
    delete[] wide_;
  }
  narrow_reader(narrow_reader const&) = delete;
  narrow_reader& operator=(narrow_reader const&) = delete;

  constexpr void run(graph::program const& from, graph::program& to) {
    graph::copy_tables(from_, to_);
    if (!Slots::are_of_one_type) to_.report(graph::fault::two_narrow_types);
    mark_loops();
    for (int id = 1; id <= from_.size; ++id) ids_[id] = copied(id);
    for (int i = 0; i < from.output_count; ++i) {
      graph::output o = from.outputs[i];
      if (Slots::changed(o)) to_.report(graph::fault::narrow_is_changed);
      o.id = widened(ids_[o.id]);
      to.outputs[to.output_count++] = o;
    }
  }

 private:
  /// One entry for each node, and for the nodes that widen it.
  template <class Entry>
  constexpr Entry* zeros(int times = 1) const {
    return new Entry[static_cast<std::size_t>(times) * static_cast<std::size_t>(from_.size) + 2]{};
  }
  /// What a loop reads is in float: its body is a program of its own.
  constexpr void mark_loops() {
    if (from_.loop_count == 0) return;
    for (int loop = 1; loop <= from_.size; ++loop) {
      if (!graph::is_loop(from_[loop])) continue;
      graph::loop_nodes const body{from_, loop, from_.size};
      for (int id = body.first(); id <= from_.size; ++id) is_in_loop_[id] = is_in_loop_[id] || body.has(id);
    }
  }
  static constexpr bool is_stored_narrow(graph::node const& n) {
    return n.op->family == op_family::parameter ? Slots::parameter(graph::slot_of(n))
                                                : n.op->family == op_family::buffer && Slots::buffer(graph::slot_of(n));
  }
  constexpr int copied(int id) {
    graph::node n = graph::renumbered(from_[id], ids_);
    bool const narrow = is_stored_narrow(n), renames = n.op->family == op_family::reshape,
               is_alias = n.op->family == op_family::alias;
    if (narrow) n.attribute = graph::slot_attribute(graph::slot_of(n), true);
    // Only operand 0 of an alias is read.
    for (int k = 0; k < 4; ++k) {
      if (!renames && !is_alias && (is_in_loop_[id] || !widens(from_, id, k))) n.operand[k] = widened(n.operand[k]);
    }
    int const added = to_.add(n);
    is_narrow_[added] = narrow || ((renames || is_alias) && is_narrow_[n.operand[0]]);
    return added;
  }
  /// The value in float of a node of the new program.
  constexpr int widened(int id) {
    if (!is_narrow_[id]) return id;
    if (wide_[id] != 0) return wide_[id];
    if (is_leaf(to_[id].op->family)) return wide_[id] = operation::emit_convert(to_, id);
    graph::node n = to_[id];
    n.operand[0] = widened(n.operand[0]);
    return wide_[id] = to_.add(n);
  }

  node_table const& from_;
  node_table& to_;
  int* ids_;          ///< by node: that of the new program
  bool* is_in_loop_;  ///< by node: it belongs to the body of a loop
  bool* is_narrow_;   ///< by node of the new program: its elements are stored in 16 bits
  int* wide_;         ///< by such a node: its value in float, or 0
};

/// The first Parameters parameters and the first Buffers buffers, which are those of a model. Others are float.
template <int Parameters, int Buffers>
struct first_slots {
  static constexpr bool are_of_one_type = true;
  static constexpr bool parameter(int slot) { return slot < Parameters; }
  static constexpr bool buffer(int slot) { return slot < Buffers; }
  static constexpr bool changed(graph::output const& o) {
    return o.where == graph::destination::buffer ? buffer(o.index)
                                                 : o.where != graph::destination::result && parameter(o.index);
  }
};
using all_slots = first_slots<graph::max_outputs, graph::max_outputs>;
/// All of them, for a program whose gradients are results with memory of their own.
struct read_slots : all_slots {
  static constexpr bool changed(graph::output const&) { return false; }
};

/// A program definition for parameters and buffers that are stored as Stored, half or bfloat16. All other values are
/// float.
template <class Program, class Stored, class Slots = all_slots>
struct narrow_program {
  using subject = typename subject_of<Program>::type;
  using stored = Stored;
  static constexpr graph::program build() {
    graph::program r{};
    narrow_reader<Slots>{graph_of<Program>, r}.run(graph_of<Program>, r);
    return r;
  }
  static constexpr storage_layout layout() { return Program::layout(); }
};
template <class Program, class Stored, class Slots>
  requires requires { Program::checked_arguments; }
inline constexpr int checked_arguments<narrow_program<Program, Stored, Slots>> = Program::checked_arguments;

namespace detail {
template <class Program, class T, class Slots>
struct program_for {
  using type = Program;
};
template <class Program, class T, class Slots>
  requires(espalier::detail::is_narrow<T>)
struct program_for<Program, T, Slots> {
  using type = narrow_program<Program, T, Slots>;
};
}  // namespace detail

/// The program as a model runs it that stores T and computes in Computed: a graphics processor computes in what it
/// stores.
template <class Program, class T, class Computed, class Slots = all_slots>
using program_for =
    typename detail::program_for<Program, std::conditional_t<std::is_same_v<T, Computed>, void, T>, Slots>::type;

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
