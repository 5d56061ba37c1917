// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/index_map.hpp"
#include "descriptor.hpp"

/// A program as a graph of nodes, built in the constant evaluator.
namespace espalier::graph {

/// One op of a program. Ids count from 1, so that a zero-initialised array is an empty program. Both compilers keep the
/// unused rest of such an array at no cost; therefore no struct here has default member initialisers.
struct node {
  descriptor const* op;
  int operand[4];
  std::uint64_t attribute;
  extents shape;
};

/// The largest number of nodes. For comparison, 64 residual blocks with their backward pass have about 10,000 nodes.
#if defined(ESPALIER_TEST_NODES)
// Tests that plan many small programs when they run: all tables are cleared for each, which is nearly all that they do.
inline constexpr int capacity = ESPALIER_TEST_NODES;
#else
inline constexpr int capacity = 32768;
#endif
/// The first chains are hash buckets of leaves (key_of). Low numbers: clang's evaluator writes out an array up to the
/// last element that was set, and with buckets at the end each graph cost it 8 ms.
inline constexpr int leaf_chains = 256;
/// The largest id of a node. Its chain follows those of the leaves.
inline constexpr int most_nodes = capacity - 1024;
static_assert(most_nodes + leaf_chains < capacity);
inline constexpr int max_outputs = 2048;
inline constexpr int max_maps = 4096, map_chains = 64;
/// The largest number of elements of all constant tensors of a program. A window of 4,096 samples and a table of 64 x
/// 64 fit several times.
inline constexpr int max_values = 16384;
inline constexpr int max_tables = 256;
/// The most results of all loops of a program, and the loops whose first nodes are known.
inline constexpr int max_loop_results = 4096, max_known_loops = 1024;

/// Errors in a program that only tracing can find. The first one is stored, and a root reports it as a compile-time
/// error.
enum class fault : std::uint8_t {
  none,
  one_value_per_channel,  ///< a batch norm was traced for training with one value per channel: nothing to average
  foreign_parameter,      ///< a parameter, buffer or random stream that the traced model does not own
  /// a tensor in a body whose elements are not compile-time constants
  unknown_tensor,
  too_many_values,  ///< constant tensors with more than max_values numbers in all
  too_many_nodes,   ///< more operations than a program holds
  too_many_groups,  ///< more kernels than a plan holds
  too_many_maps,    ///< more than max_maps different movements
  /// a composite with a closed form, differentiated for another operand than the first
  no_closed_form,
  const_model,            ///< a function changes a model that is const
  update_in_derivative,   ///< a function that is differentiated updates a model
  too_many_updates,       ///< more updates of one updater than a function may have
  update_of_a_value,      ///< what is updated is not a model, but made of one
  update_of_another_net,  ///< an updater or assign gets a model, gradients or values of another net
  two_kinds_of_update,    ///< one model is changed by an optimizer and by assign
  computed_index,         ///< an index that is no argument of integers
  number_out_of_range,    ///< an op is given a number outside the range that its documentation states
  real_labels,            ///< class labels that are an argument of real numbers
  random_in_vmap,         ///< the function of one sample uses random numbers
  update_in_vmap,         ///< the function of one sample updates a model
  not_batched,            ///< an op of the function of one sample has no form for all samples
  count_in_vmap,          ///< the count of a loop varies from sample to sample
  exchange_in_loop,       ///< the step of a loop reads a value of other processes
  update_in_loop,         ///< the step of a loop updates a buffer or a model
  value_leaves_loop,      ///< a value of the step of a loop is used outside of it
  computed_count,         ///< the number of steps of a loop that is no argument of integers
  two_narrow_types,       ///< a function reads models of half and of bfloat16 on a device that computes in float
  narrow_is_changed       ///< a function changes a model of 16-bit parameters on a device that computes in float
};

/// The nodes of a program, in topological order, with the index maps and constant tensors that they refer to. Nodes are
/// hash-consed: equal nodes are one node, so common subexpressions are shared automatically.
struct node_table {
  node nodes[capacity];
  int chain_first[capacity];  ///< by chain: its newest node
  int chain_next[capacity];
  index_map maps[max_maps];   ///< the distinct maps of its movements
  int map_first[map_chains];  ///< by key: 1 + the number of the newest map that has it
  int map_next[max_maps];
  double values[max_values];  ///< the elements of its constant tensors
  int tables[max_tables];     ///< where each tensor begins in `values`
  int size;
  int map_count;
  int value_count;
  int table_count;
  int loop_count;                      ///< loops have the numbers 1 to loop_count
  int loop_first[max_known_loops];     ///< by number: its first slice or state, or 0
  int loop_results[max_loop_results];  ///< the results of all loops, the oldest first
  int loop_result_count;
  int backward_passes;  ///< number of backward passes that have begun
  fault found;
  descriptor const* op_with_fault;  ///< the op of a fault that names one, or null
  bool plain;                       ///< no simplification: nodes stay as they are written
  bool keeps_taps;                  ///< taps of windows stay although they read only padding: a stream has steps there
  bool backward;                    ///< new nodes belong to a backward pass
  bool among_processes;             ///< values are combined with those of other processes; elsewhere they stay
  bool combines_processes;          ///< what was traced combines values of processes, if there are several

  /// Adds the node, or returns the equal one. Linear in the number of nodes with the same newest operand, which is
  /// small.
  constexpr int add(node const& n) {
    int const key = key_of(n);
    for (int i = chain_first[key]; i != 0; i = chain_next[i]) {
      node const& m = nodes[i];
      if (m.attribute == n.attribute && m.operand[0] == n.operand[0] && m.operand[1] == n.operand[1] &&
          m.operand[2] == n.operand[2] && m.operand[3] == n.operand[3] && espalier::detail::same_address(m.op, n.op) &&
          m.shape == n.shape)
        return i;
    }
    // The last node becomes a leaf of the requested shape, so that tracing continues with valid nodes.
    if (size == most_nodes) {
      report(fault::too_many_nodes);
      nodes[size] = node{nodes[1].op, {}, 0, n.shape};
      return size;
    }
    int const id = ++size;
    nodes[id] = n;
    chain_next[id] = chain_first[key];
    chain_first[key] = id;
    if (n.op->family >= op_family::loop_slice && n.op->family <= op_family::loop_stack) note_loop(id);
    return id;
  }
  /// Keeps what is asked of loops often, so that no pass over all nodes finds it.
  constexpr void note_loop(int id) {
    op_family const f = nodes[id].op->family;
    int const number = static_cast<int>(nodes[id].attribute >> 42);
    if (f == op_family::loop_final || f == op_family::loop_stack) {
      if (loop_result_count == max_loop_results) report(fault::too_many_nodes);
      else loop_results[loop_result_count++] = id;
    } else if (number < max_known_loops && loop_first[number] == 0) {
      loop_first[number] = id;
    }
  }
  /// The number of a node's hash chain: that of its newest operand. Leaves have no operand: a hash of attribute and
  /// extents selects one of the first chains.
  static constexpr int key_of(node const& n) {
    int const* const x = n.operand;
    if (x[0] == 0)
      return static_cast<int>((n.attribute * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(n.shape.at[0]) * 31u +
                               static_cast<std::uint64_t>(n.shape.at[1])) >>
                              56);
    return leaf_chains + (x[0] > x[1] ? (x[0] > x[2] ? (x[0] > x[3] ? x[0] : x[3]) : (x[2] > x[3] ? x[2] : x[3]))
                                      : (x[1] > x[2] ? (x[1] > x[3] ? x[1] : x[3]) : (x[2] > x[3] ? x[2] : x[3])));
  }
  /// The newest node that has `id` as its newest operand; chain_next is the one before it.
  constexpr int newest_user(int id) const { return chain_first[leaf_chains + id]; }
  /// The number of a map, which is the attribute of the nodes that use it.
  constexpr int number_of(index_map const& m) {
    // A loop over a sequence has one slice per time step; the slices differ in where they start.
    int const key = static_cast<int>(
        static_cast<unsigned>(m.start[0] * 5 + m.start[1] * 3 + m.start[2] + m.step[0] + m.rank) % map_chains);
    for (int i = map_first[key]; i != 0; i = map_next[i - 1])
      if (maps[i - 1] == m) return i - 1;
    if (map_count == max_maps) {
      report(fault::too_many_maps);
      return 0;
    }
    maps[map_count] = m;
    map_next[map_count] = map_first[key];
    map_first[key] = ++map_count;
    return map_count - 1;
  }
  /// Stores the elements of a constant tensor and returns where they begin in `values`. Equal tensors are stored once.
  constexpr int offset_of_values(double const* x, int count) {
    for (int k = 0; k < table_count; ++k) {
      int const at = tables[k];
      int same = 0;
      while (same < count && at + same < value_count && values[at + same] == x[same]) ++same;
      if (same == count) return at;
    }
    if (value_count + count > max_values || table_count == max_tables) {
      report(fault::too_many_values);
      return 0;
    }
    int const at = tables[table_count++] = value_count;
    for (int i = 0; i < count; ++i) values[at + i] = x[i];
    value_count += (count + 15) / 16 * 16;  // each begins at an aligned address
    return at;
  }
  constexpr void report(fault f, descriptor const* op = nullptr) {
    if (found != fault::none) return;
    found = f;
    op_with_fault = op;
  }
  constexpr int emit(node const& n) { return n.op->emit(*this, n); }
  constexpr node const& operator[](int id) const { return nodes[id]; }
};

/// The node that holds the data of `id`: reshapes and aliases refer to the memory of their operand.
constexpr int data_of(node_table const& g, int id) {
  while (g[id].op->family == op_family::reshape || g[id].op->family == op_family::alias) id = g[id].operand[0];
  return id;
}

/// Copies the constant tensors to a graph that is rebuilt, so that attributes of nodes stay valid.
constexpr void copy_values(node_table const& from, node_table& to) {
  for (int i = 0; i < from.value_count; ++i) to.values[i] = from.values[i];
  for (int i = 0; i < from.table_count; ++i) to.tables[i] = from.tables[i];
  to.value_count = from.value_count;
  to.table_count = from.table_count;
}

/// Where a result of a program goes.
enum class destination : std::uint8_t { result, gradient, parameter, buffer };

struct output {
  int id;
  destination where;
  int index;
  bool reported;  ///< a number that only the host reads, such as the loss of a training step
};

/// A traced program: nodes and outputs.
struct program {
  node_table nodes;
  output outputs[max_outputs];
  int output_count;

  constexpr void add_output(int id, destination where, int index, bool reported = false) {
    outputs[output_count++] = output{id, where, index, reported};
  }
};

}  // namespace espalier::graph
#include "../base/diagnostics_pop.hpp"
