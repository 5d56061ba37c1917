// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../shape/index_map.hpp"
#include "descriptor.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::graph {

/// One operation of a program. Ids count from 1, so that a zero-initialised array is an empty program: both compilers keep the untouched rest of
/// such an array for free, which is why no struct here has default member initialisers.
struct node {
  descriptor const* op;
  int operand[4];
  std::uint64_t attribute;
  extents shape;
};

/// The largest program: 64 residual blocks with their backward pass take about 10,000 nodes.
inline constexpr int capacity = 32768;
/// Ids from there on are the table of leaves, which key_of spreads over the free end.
inline constexpr int most_nodes = capacity - 1024;
inline constexpr int max_outputs = 2048;
inline constexpr int max_maps = 4096, map_chains = 64;
/// Numbers that the constant tensors of a program have in all: a window of 4,096 samples and a table of 64 x 64 fit several times.
inline constexpr int max_values = 16384;
inline constexpr int max_tables = 256;

/// What makes a program wrong that only tracing it can find. The first one found is kept; a root refuses the program.
enum class fault : std::uint8_t {
  none,
  one_value_per_channel,  ///< a batch norm was traced for training with nothing to average
  foreign_parameter,      ///< a parameter, buffer or random stream that the traced model does not own
  unknown_tensor,         ///< a tensor in a body whose elements the compiler does not know
  too_many_values,        ///< constant tensors with more than max_values numbers in all
  too_many_nodes,         ///< more operations than a program holds
  too_many_groups,        ///< more kernels than a plan holds
  too_many_maps           ///< more than max_maps different movements
};

/// A program that grows: nodes in topological order, hash-consed (equal nodes are one node, so sharing is found, never asked for).
struct program_builder {
  node nodes[capacity];
  int chain_first[capacity];  ///< by highest operand: the newest node that uses it
  int chain_next[capacity];
  index_map maps[max_maps];   ///< the distinct maps of its movements
  int map_first[map_chains];  ///< by key: 1 + the number of the newest map that has it
  int map_next[max_maps];
  double values[max_values];  ///< the elements of its constant tensors
  int tables[max_tables];     ///< where each of them begins
  int size;
  int map_count;
  int value_count;
  int table_count;
  fault found;
  bool plain;  ///< keep what is written: no simplification
  bool backward;  ///< what is added belongs to a backward pass

  /// Adds the node, or finds the equal one. Linear in the number of nodes with the same newest operand, which is small.
  constexpr int add(node const& n) {
    int const key = key_of(n);
    for (int i = chain_first[key]; i != 0; i = chain_next[i]) {
      node const& m = nodes[i];
      if (m.attribute == n.attribute && m.operand[0] == n.operand[0] && m.operand[1] == n.operand[1] && m.operand[2] == n.operand[2] &&
          m.operand[3] == n.operand[3] && espalier::detail::same_address(m.op, n.op) && m.shape == n.shape)
        return i;
    }
    if (size == most_nodes) {  // the last node becomes a leaf of the wanted shape, so that what goes on tracing finds sound nodes
      report(fault::too_many_nodes);
      nodes[size] = node{nodes[1].op, {}, 0, n.shape};
      return size;
    }
    int const id = ++size;
    nodes[id] = n;
    chain_next[id] = chain_first[key];
    chain_first[key] = id;
    return id;
  }
  /// The newest operand. Leaves have none to be found by: their attribute and extents spread them over the free end of the table.
  static constexpr int key_of(node const& n) {
    int const* const x = n.operand;
    return x[0] == 0 ? capacity - 1 - static_cast<int>((n.attribute * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(n.shape.at[0] * 31 + n.shape.at[1])) >> 54)
           : x[0] > x[1] ? (x[0] > x[2] ? (x[0] > x[3] ? x[0] : x[3]) : (x[2] > x[3] ? x[2] : x[3]))
                         : (x[1] > x[2] ? (x[1] > x[3] ? x[1] : x[3]) : (x[2] > x[3] ? x[2] : x[3]));
  }
  /// The number of a map, which is the attribute of the nodes that use it.
  constexpr int number_of(index_map const& m) {
    // A sequence has a slice for each of its steps: they differ in where they start.
    int const key = static_cast<int>(static_cast<unsigned>(m.start[0] * 5 + m.start[1] * 3 + m.start[2] + m.step[0] + m.rank) % map_chains);
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
  /// Where some numbers begin among the values of the program's constant tensors; equal tensors are one.
  constexpr int place_of_values(double const* x, int count) {
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
  constexpr void report(fault f) {
    if (found == fault::none) found = f;
  }
  constexpr int emit(node const& n) { return n.op->emit(*this, n); }
  constexpr node const& operator[](int id) const { return nodes[id]; }
};

/// The node that holds the data of `id`: reshapes and aliases are names of the same memory.
constexpr int data_of(program_builder const& g, int id) {
  while (g[id].op->kind == family::reshape || g[id].op->kind == family::alias) id = g[id].operand[0];
  return id;
}

/// The constant tensors of a graph for a graph that is written anew, so that nodes keep their attributes.
constexpr void copy_values(program_builder const& from, program_builder& to) {
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
  bool reported;  ///< a number that the host alone reads, as the loss of a training step
};

/// A traced program: nodes and outputs. Its ids are those of the builder.
struct program {
  program_builder nodes;
  output outputs[max_outputs];
  int output_count;

  constexpr void add_output(int id, destination where, int index, bool reported = false) { outputs[output_count++] = output{id, where, index, reported}; }
};

}  // namespace espalier::graph
#pragma GCC diagnostic pop
