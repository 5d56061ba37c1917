// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "kernels.hpp"
#include "pack.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Where every value lives: a program's bases (workspace, parameters, arguments, ...) and offsets in them, decided before it runs.
namespace espalier::plan {

struct memory {
  location of[graph::capacity];
  bool stored[graph::capacity];   ///< by node: its value has memory
  int last_use[graph::capacity];  ///< by node: the last group that reads it
  bool late[graph::capacity];     ///< by node: it is stored in the last sweep
  final_copy copies[graph::max_outputs];
  int copy_count;
  std::int64_t workspace;   ///< elements
  std::int64_t peak_live;   ///< elements live at once at most: no plan of this schedule can need less
};

/// Gives workspace to what has no place of its own. c: with the outputs of each group.
constexpr memory allocate(graph::program const& p, grouping const& r, code const& c, destinations const& to) {
  memory m{};
  for (int id = 1; id <= p.nodes.size; ++id) {
    m.of[id] = to.of[id];
    m.stored[id] = to.live.stored[id];
    m.last_use[id] = to.live.last_use[id];
    m.late[id] = to.late[id];
  }
  int piece[graph::capacity]{};
  packer pack{};
  for (int x = 1; x <= r.group_count; ++x) {
    group_code const& k = c.groups[x];
    for (int i = 0; i < k.outputs; ++i) {
      int const id = c.outputs[k.first_output + i];
      if (to.direct[id]) continue;
      int const last = to.live.last_use[id] > x ? to.live.last_use[id] : x;
      if (to.in_place_of[id] != 0) {
        piece[id] = piece[to.in_place_of[id]];
        pack.extend(piece[id], last);
      } else {
        piece[id] = pack.add(rounded(r.size_of[id]), x, last);
      }
    }
  }
  pack.place(r.group_count);
  for (int x = 1; x <= r.group_count; ++x) {
    group_code const& k = c.groups[x];
    for (int i = 0; i < k.outputs; ++i) {
      int const id = c.outputs[k.first_output + i];
      if (!to.direct[id]) m.of[id] = location{base::workspace, pack.offset(piece[id])};
    }
  }
  m.workspace = pack.end();
  m.peak_live = pack.peak();
  // A value that ends up where it belongs, as one that two buffers become, is not copied.
  for (int i = 0; i < to.copy_count; ++i) {
    final_copy copy = to.copies[i];
    if (copy.from.where < 0) copy.from = m.of[copy.from.offset];
    if (copy.from.where != copy.to.where || copy.from.offset != copy.to.offset) m.copies[m.copy_count++] = copy;
  }
  return m;
}

}  // namespace espalier::plan
#pragma GCC diagnostic pop
