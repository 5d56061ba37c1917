// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/structure.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// The groups of a program: what runs in one kernel, and where each value lies in it.
namespace espalier::plan {

using graph::family;
using graph::pattern;
using graph::program_builder;

/// What a group is to the device.
enum class kind : std::uint8_t { fused, contraction, permute, spread, gather, convert, draw, move, fold, join };

/// Where a value lies in a fused group's iteration space of rows times columns.
enum class place : std::uint8_t { none, full, row, column, single };

/// How a fused group runs: row by row, because columns of a row are reduced and used again, or column by column, because rows are.
enum class order : std::uint8_t { any, rows, columns };

inline constexpr int max_groups = 4096;
inline constexpr int max_steps = 48;
inline constexpr int max_epilogue = 16;

struct group {
  kind what;
  order how;
  bool reduces_rows;     ///< some value is a reduction of the columns of each row
  bool reduces_columns;  ///< some value is a reduction of the rows of each column
  bool windowed;         ///< reads its first operand through windows that are never written out
  int rows;              ///< 0: any split of the elements will do
  int columns;
  int segments;  ///< 1: a row is one run of memory; more: so many runs, each as far from the next as all rows' runs together are long
  std::int64_t size;
  int first;  ///< members, in the order of the program
  int last;
  int count;
};

struct grouping {
  group groups[max_groups];
  int group_count;
  bool full;  ///< there are more groups than this holds; the program is refused then
  int early;  ///< groups that need nothing but leaves and run first
  int group_of[graph::capacity];
  place place_of[graph::capacity];
  int next[graph::capacity];
  // What every pass asks of a node, found once: a call costs the compiler more than an element of an array.
  int holder_of[graph::capacity];  ///< the node that holds its data
  std::int64_t size_of[graph::capacity];
  family family_of[graph::capacity];
  bool needed[graph::capacity];
  bool open[graph::capacity];  ///< is a result, or is read by something that is no elementwise op of its size
  bool floating[graph::capacity];  ///< made of leaves alone: computed inside the first group that reads it
  int float_rows[graph::capacity];  ///< the split of its elements that a floating value takes for granted; 0: any
  int float_segments[graph::capacity];
};

/// Marks what the outputs need, and fills in what every pass asks of it.
constexpr void look_up_needed(program_builder const& g, grouping& r, graph::output const* outputs, int output_count) {
  for (int i = 0; i < output_count; ++i) r.needed[outputs[i].id] = true;
  for (int id = g.size; id > 0; --id) {
    if (!r.needed[id]) continue;
    graph::node const& n = g.nodes[id];
    r.needed[n.operand[0]] = true;
    if (n.operand[1] == 0 || n.op->kind == family::alias) continue;
    r.needed[n.operand[1]] = true;
    r.needed[n.operand[2]] = true;
  }
  for (int id = 1; id <= g.size; ++id) {
    if (!r.needed[id]) continue;
    graph::node const& n = g.nodes[id];
    family const f = n.op->kind;
    r.family_of[id] = f;
    r.size_of[id] = n.shape.size();
    r.holder_of[id] = f == family::reshape || f == family::alias ? r.holder_of[n.operand[0]] : id;
  }
}

/// A move that repeats elements. It is not written out where its reader can take them from the operand itself.
constexpr bool is_window(program_builder const& g, int id) {
  graph::node const& n = g[id];
  return n.op->kind == family::move && !is_one_to_one(g.maps[n.attribute], g[n.operand[0]].shape, n.shape);
}
/// Windows whose runs of memory are shorter are written out: too short to multiply in place.
inline constexpr int shortest_run = 8;
/// Can a product or a reduction read its first operand through the windows behind it?
constexpr bool reads_windows(program_builder const& g, int id) {
  graph::node const& n = g[id];
  int const window = data_of(g, n.operand[0]);
  if (!is_window(g, window)) return false;
  extents const& w = g[window].shape;
  index_map const& m = g.maps[g[window].attribute];
  // A product reads the taps of a kernel row as one run where they are next to each other.
  int const together = n.op->kind != family::reduction && m.step[4] == 1 ? w.at[4] * w.at[5] : w.at[5];
  if (!is_image_window(m) || together < shortest_run) return false;
  if (n.op->kind == family::reduction)
    return g[n.operand[0]].op->kind == family::move && n.shape.rank == 6 && n.shape.at[3] == 1 && n.shape.at[4] == 1 && n.shape.size() * w.at[3] * w.at[4] == w.size();
  extents const& a = g[n.operand[0]].shape;
  std::int64_t const batch = a.product(0, a.rank - 2);
  return !m.fills_with_lowest && !(n.attribute & 2u) && a.at[a.rank - 1] == w.at[3] * w.at[4] * w.at[5] && w.at[0] % batch == 0 && n.shape.product(0, n.shape.rank - 2) == batch;
}

constexpr bool is_leaf(family f) { return f < family::convert && f != family::draw; }

/// How many segments the rows have that a broadcast between these shapes repeats, or a reduction sums.
constexpr int segments_between(extents const& kept, extents const& full) {
  unsigned const lead = graph::leading_run(full, graph::repeated_axes(kept, full));
  int count = 1;
  for (int i = 0; i < full.rank; ++i)
    if (lead >> i & 1u) count *= full.at[i];
  return count;
}

}  // namespace espalier::plan
#pragma GCC diagnostic pop
