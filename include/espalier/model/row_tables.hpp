// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "net_programs.hpp"

/// Tables whose gradient has few rows: parameters that a net only looks up, once (index_select along axis 0), as an
/// Embedding does. A training step then computes the rows of the gradient, and fills no gradient of the table's size.
namespace espalier::detail {

inline constexpr int max_row_tables = 16;

/// A parameter that is only looked up.
struct row_table {
  int output;                ///< of the training program: its gradient
  int node;                  ///< the rows of its gradient, one for each index
  int argument;              ///< has the indices
  std::int64_t indices;      ///< their number
  std::int32_t extent;       ///< the number of the table's rows
  std::int64_t row, offset;  ///< elements of a row; where the table begins among the parameters
};
/// In the order of their offsets.
struct row_tables {
  row_table at[max_row_tables];
  int count;
};

/// always: also tables with fewer rows than twice the indices of a step, whose whole gradient is filled as fast.
/// A table that is looked up twice has a sum of gradients. Its rows would be summed in another order, with other
/// rounding, so it is none of these.
constexpr row_tables find_row_tables(graph::program const& p, tensor_slots const& parameters, bool always) {
  row_tables r{};
  node_table const& g = p.nodes;
  for (int i = 0; i < p.output_count && r.count < max_row_tables; ++i) {
    graph::output const& o = p.outputs[i];
    if (o.where != graph::destination::gradient || g[o.id].op->family != op_family::index_scatter_add) continue;
    graph::node const& n = g[o.id];
    extents const &indices = g[n.operand[1]].shape, &s = parameters.shape[o.index];
    if (axis_of(n) != 0 || indices.size() != indices.at[0] || !(n.shape == s)) continue;
    if (!always && 2 * indices.size() > s.at[0]) continue;
    r.at[r.count++] = row_table{i,
                                n.operand[0],
                                graph::label_of(g[graph::data_of(g, n.operand[1])]).position,
                                indices.size(),
                                s.at[0],
                                s.size() / s.at[0],
                                parameters.offset[o.index]};
  }
  return r;
}
template <class Net, class Loss, class Batch, bool Always>
inline constexpr row_tables row_tables_of = find_row_tables(plan::graph_of<training_program<Net, Loss, Batch>>,
                                                            slots_of<Net>.parameters, Always);

/// The training program without the gradients of its row tables: result 1 + k is the rows of table k.
template <class Net, class Loss, class Batch, bool Always>
struct row_training_program {
  using subject = Net;
  static constexpr graph::program build() {
    graph::program p = plan::graph_of<training_program<Net, Loss, Batch>>;
    row_tables const& found = row_tables_of<Net, Loss, Batch, Always>;
    int kept = 0, table = 0;
    for (int i = 0; i < p.output_count; ++i) {
      if (table < found.count && found.at[table].output == i) ++table;
      else p.outputs[kept++] = p.outputs[i];
    }
    p.output_count = kept;
    for (int k = 0; k < found.count; ++k) tracing::add_result(p, found.at[k].node, 1 + k);
    return p;
  }
  static constexpr plan::storage_layout layout() { return net_layout<Net>::value; }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
