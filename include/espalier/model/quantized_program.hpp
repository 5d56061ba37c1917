// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/add.hpp"
#include "../operation/relu.hpp"
#include "../plan/grouping.hpp"
#include "fold_columns.hpp"
#include "net_programs.hpp"
#include "split_program.hpp"

/// Finds the products of a frozen net that run with integers of 8 bits, and cuts its program at them. What lies between
/// two products is a program in float, planned like every other.
namespace espalier::detail {

/// A product of an activation with a constant factor. Node ids are those of the running program.
struct quantized_product {
  int node;        ///< the product, or the sum of products of a group for each channel
  int source;      ///< whose elements become integers: images before their windows are taken, or a matrix
  int result;      ///< the product, the sum with its bias, or that behind ReLU
  int slot, bias;  ///< constants of the running program: weights; one number per column, or -1
  bool relu, windowed, by_channel;
  index_map map;          ///< of windows
  extents image, window;  ///< windowed: (N, H, W, C) and (N, rows, columns, kernel rows, kernel columns, C)
  int groups;             ///< products of a batch; each has its own weights
  std::int64_t rows;      ///< of a product
  int depth, columns;     ///< terms of a sum; results of a row
};

inline constexpr int max_quantized = 256, max_stored = 1024;
/// The most terms of a sum: 32768 times 255 times 127 and a bias of the same size fit into 32 bits.
inline constexpr int max_int8_depth = 32768;

/// A value that outlives the part of the program that computes it.
struct stored_value {
  int node;
  int birth, death;     ///< times: part k of the program in float runs at 2 k, product k (from 1) at 2 k - 1
  std::int64_t offset;  ///< in floats, among all stored values
};

/// The products of a net, and the values between the parts of its program.
struct quantized_split {
  quantized_product products[max_quantized];
  int count;
  stored_value stored[max_stored];
  int stored_count;
  std::int64_t stored_size;  ///< in floats
  bool full;                 ///< more products or values than fit
  bool has_loops;
};

class quantized_finder {
 public:
  constexpr quantized_finder(split_program const& from, quantized_split& to)
      : p_{from.running}, g_{from.running.nodes}, r_{to} {
    find_facts(p_, facts_);
  }

  constexpr void run() {
    r_.has_loops = g_.loop_count > 0;
    if (r_.has_loops) return;
    for (int id = 1; id <= g_.size; ++id)
      for (int k = 0; k < operands_of(g_[id]); ++k)
        if (facts_.needed[id]) reader_[g_[id].operand[k]] = id;
    for (int id = 1; id <= g_.size; ++id)
      if (facts_.needed[id]) add(id);
    find_parts();
    find_stored();
    allocate();
  }

 private:
  /// The slot of a constant, or -1.
  constexpr int slot_of_constant(int id) const {
    int const data = graph::data_of(g_, id);
    return g_[data].op->family == op_family::parameter ? slot_of(g_[data]) : -1;
  }
  constexpr void add(int id) {
    quantized_product x{};
    x.node = x.result = id;
    x.bias = -1;
    if (!find_matrix_product(id, x) && !find_channel_sums(id, x)) return;
    if (x.depth > max_int8_depth) return;
    if (r_.count == max_quantized) {
      r_.full = true;
      return;
    }
    find_epilogue(x);
    r_.products[r_.count++] = x;
    number_[x.result] = r_.count;
  }
  constexpr bool find_matrix_product(int id, quantized_product& x) const {
    graph::node const& n = g_[id];
    if (n.op->family != op_family::contraction || n.attribute != 0 || !facts_.varies[n.operand[0]]) return false;
    extents const &a = g_[n.operand[0]].shape, &b = g_[n.operand[1]].shape, &y = n.shape;
    x.slot = slot_of_constant(n.operand[1]);
    if (x.slot < 0 || a.rank != y.rank || b.rank != y.rank) return false;
    x.groups = static_cast<int>(y.product(0, y.rank - 2));
    if (b.product(0, b.rank - 2) != x.groups || a.product(0, a.rank - 2) != x.groups) return false;
    x.rows = y.at[y.rank - 2];
    x.columns = y.at[y.rank - 1];
    x.depth = a.at[a.rank - 1];
    x.source = graph::data_of(g_, n.operand[0]);
    find_windows(x);
    return true;
  }
  /// Whether the rows of the product are windows of images, which are then read in place.
  constexpr void find_windows(quantized_product& x) const {
    graph::node const& n = g_[x.source];
    if (n.op->family != op_family::move || n.shape.rank != 6) return;
    index_map const& m = g_.maps[map_of(n)];
    if (!plan_reads(m, g_[n.operand[0]].shape, n.shape) || n.shape.product(3, 6) != x.depth ||
        n.shape.product(0, 3) != x.rows * x.groups)
      return;
    take_windows(x.source, x);
  }
  static constexpr bool plan_reads(index_map const& m, extents const& image, extents const& window) {
    return is_image_window(m, image, window) && !m.fills_with_lowest && m.divisor[1] == 1 && m.divisor[2] == 1 &&
           m.step[1] > 0 && m.step[2] > 0 && m.step[3] > 0 && m.step[4] > 0;
  }
  constexpr void take_windows(int window, quantized_product& x) const {
    x.windowed = true;
    x.map = g_.maps[map_of(g_[window])];
    x.window = g_[window].shape;
    x.image = g_[g_[window].operand[0]].shape;
    x.source = graph::data_of(g_, g_[window].operand[0]);
  }
  constexpr bool find_channel_sums(int id, quantized_product& x) const {
    if (g_[id].op->family != op_family::reduction) return false;
    plan::window_sum const s = plan::find_window_sum(g_, id);
    if (s.product == 0 || s.over_positions || !facts_.varies[s.window]) return false;
    x.slot = slot_of_constant(s.factor);
    graph::node const& window = g_[s.window];
    if (x.slot < 0 || !plan_reads(g_.maps[map_of(window)], g_[window.operand[0]].shape, window.shape)) return false;
    take_windows(s.window, x);
    x.by_channel = true;
    x.groups = 1;
    x.rows = x.window.product(0, 3);
    x.columns = x.window.at[5];
    x.depth = x.window.at[3] * x.window.at[4];
    return true;
  }
  /// A bias and a ReLU behind a product are part of it if nothing else reads the values between them.
  constexpr void find_epilogue(quantized_product& x) const {
    for (int id = x.node; facts_.uses[id] == 1 && reader_[id] != 0;) {
      int const next = reader_[id];
      graph::node const& n = g_[next];
      if (n.op->family == op_family::reshape || (n.op->family == op_family::alias && n.operand[0] == id)) {
        id = next;
        continue;
      }
      if (espalier::detail::same_address(n.op, &described<relu_>)) {
        x.relu = true;
        x.result = next;
        return;
      }
      if (x.bias >= 0 || x.groups != 1 || !espalier::detail::same_address(n.op, &described<add_>)) return;
      int const slot = slot_of_column(n.operand[n.operand[0] == id ? 1 : 0], x.columns);
      if (slot < 0) return;
      x.bias = slot;
      x.result = id = next;
    }
  }
  /// The slot of a constant with one number for each of the last axis' elements, repeated along all other axes; or -1.
  constexpr int slot_of_column(int id, int columns) const {
    extents const& s = g_[id].shape;
    if (s.rank == 0 || s.at[s.rank - 1] != columns) return -1;
    int source = graph::data_of(g_, id);
    while (g_[source].op->family == op_family::broadcast) {
      int const from = g_[source].operand[0];
      extents const &small = g_[from].shape, &all = g_[source].shape;
      if (small.rank == 0 || small.size() != columns || small.at[small.rank - 1] != columns ||
          all.at[all.rank - 1] != columns)
        return -1;
      source = graph::data_of(g_, from);
    }
    return g_[source].op->family == op_family::parameter && g_[source].shape.size() == columns ? slot_of(g_[source])
                                                                                               : -1;
  }

  /// Part k of the program runs behind product k: part_[id] is the first in which the value is known.
  constexpr void find_parts() {
    for (int id = 1; id <= g_.size; ++id) {
      if (!facts_.needed[id]) continue;
      for (int k = 0; k < operands_of(g_[id]); ++k)
        if (int const x = g_[id].operand[k]; x != 0 && part_[x] > part_[id]) part_[id] = part_[x];
      if (number_[id] != 0) part_[id] = number_[id];
    }
  }
  constexpr bool is_name(int id) const {
    op_family const f = g_[id].op->family;
    return f == op_family::reshape || f == op_family::alias || f == op_family::broadcast;
  }
  constexpr bool is_leaf(int id) const { return plan::is_leaf(g_[id].op->family); }
  /// last_[id]: the last part that reads the value, or -1.
  constexpr void find_stored() {
    for (int id = 1; id <= g_.size; ++id) last_[id] = -1;
    auto const read = [&](int id, int part) {
      if (last_[id] < part) last_[id] = part;
    };
    for (int i = 0; i < p_.output_count; ++i) read(p_.outputs[i].id, part_[p_.outputs[i].id]);
    for (int k = 0; k < r_.count; ++k) {
      int const source = r_.products[k].source;
      if (is_leaf(source)) continue;
      read(source, part_[source]);
      source_until_[source] = 2 * (k + 1) - 1;
    }
    for (int id = g_.size; id > 0; --id) {
      if (last_[id] < 0 || is_leaf(id) || number_[id] != 0) continue;
      for (int k = 0; k < operands_of(g_[id]); ++k)
        if (g_[id].operand[k] != 0) read(g_[id].operand[k], is_name(id) ? last_[id] : part_[id]);
    }
    for (int id = 1; id <= g_.size; ++id) {
      if (is_leaf(id) || (last_[id] < 0 && number_[id] == 0)) continue;
      bool const outlives = last_[id] > part_[id] && !is_name(id);
      if (number_[id] == 0 && source_until_[id] == 0 && !outlives) continue;
      if (r_.stored_count == max_stored) {
        r_.full = true;
        return;
      }
      int const birth = 2 * part_[id] - (number_[id] != 0 ? 1 : 0);
      int const read_last = 2 * last_[id] > source_until_[id] ? 2 * last_[id] : source_until_[id];
      r_.stored[r_.stored_count++] = {id, birth, read_last > birth ? read_last : birth, 0};
    }
  }
  /// Each value gets the first free memory that is free while it lives.
  constexpr void allocate() {
    for (int i = 0; i < r_.stored_count; ++i) {
      std::int64_t const size = plan::rounded(g_[r_.stored[i].node].shape.size());
      std::int64_t at = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (int j = 0; j < i; ++j) {
          stored_value const& other = r_.stored[j];
          std::int64_t const end = other.offset + plan::rounded(g_[other.node].shape.size());
          bool const together = other.birth <= r_.stored[i].death && r_.stored[i].birth <= other.death;
          if (together && other.offset < at + size && at < end) {
            at = end;
            moved = true;
          }
        }
      }
      r_.stored[i].offset = at;
      if (r_.stored_size < at + size) r_.stored_size = at + size;
    }
  }

  graph::program const& p_;
  node_table const& g_;
  quantized_split& r_;
  node_facts facts_{};
  int reader_[graph::capacity]{};
  int number_[graph::capacity]{};  ///< by result of a product: its number, from 1
  int part_[graph::capacity]{};
  int last_[graph::capacity]{};
  int source_until_[graph::capacity]{};
};

/// The evaluation program of a net, with norms folded into their products. Convolutions stay products of windows.
template <class Net, class Batch>
inline constexpr graph::program quantizable_evaluation = folded(plan::graph_of<evaluation_program<Net, Batch>>);
template <class Net, class Batch>
inline constexpr split_program quantizable_parts = split(quantizable_evaluation<Net, Batch>);
template <class Net, class Batch>
inline constexpr quantized_split quantized_split_of = [] {
  quantized_split r{};
  quantized_finder{quantizable_parts<Net, Batch>, r}.run();
  return r;
}();

/// Where the constants of a net are, in floats; the last entry is their size.
struct constant_offsets {
  std::int64_t at[max_slots + 1];
};
template <class Net, class Batch>
inline constexpr constant_offsets constants_of = [] {
  split_program const& s = quantizable_parts<Net, Batch>;
  constant_offsets r{};
  for (int i = 0; i < s.count; ++i)
    r.at[i + 1] = r.at[i] + plan::rounded(quantizable_evaluation<Net, Batch>.nodes[s.node[i]].shape.size());
  return r;
}();
template <class Net, class Batch>
inline constexpr std::int64_t constants_size = constants_of<Net, Batch>.at[quantizable_parts<Net, Batch>.count];

/// Computes the constants of a net: its outputs are gradients in slots behind the parameters.
template <class Net, class Batch>
struct constants_program {
  using subject = Net;
  static constexpr int parameters = slots_of<Net>.parameters.count;
  static constexpr graph::program build() {
    graph::program p = quantizable_evaluation<Net, Batch>;
    p.output_count = 0;
    split_program const& s = quantizable_parts<Net, Batch>;
    for (int i = 0; i < s.count; ++i) p.add_output(s.node[i], graph::destination::gradient, parameters + i);
    return p;
  }
  struct places {
    std::int64_t of[2 * max_slots];
  };
  static constexpr places numbered = [] {
    places r{};
    for (int i = 0; i < parameters; ++i) r.of[i] = slots_of<Net>.parameters.offset[i];
    for (int i = 0; i < quantizable_parts<Net, Batch>.count; ++i) r.of[parameters + i] = constants_of<Net, Batch>.at[i];
    return r;
  }();
  static constexpr plan::storage_layout layout() { return {numbered.of, slots_of<Net>.buffers.offset}; }
};

/// Constants, then stored values: where the parts of a program find them, all behind one pointer.
template <class Net, class Batch>
struct stored_places {
  struct places {
    std::int64_t of[max_slots + max_stored];
  };
  static constexpr int constants = quantizable_parts<Net, Batch>.count;
  static constexpr places numbered = [] {
    places r{};
    for (int i = 0; i < constants; ++i) r.of[i] = constants_of<Net, Batch>.at[i];
    quantized_split const& s = quantized_split_of<Net, Batch>;
    for (int i = 0; i < s.stored_count; ++i) r.of[constants + i] = constants_size<Net, Batch> + s.stored[i].offset;
    return r;
  }();
  static constexpr plan::storage_layout layout() { return {numbered.of, nullptr}; }
};

/// Evaluation in float that also writes what the integer products will read, or if Results what they will return. The
/// outputs are gradients in slots, with memory one after the other.
template <class Net, class Batch, bool Results = false>
struct calibrated_program {
  using subject = Net;
  static constexpr quantized_split const& split = quantized_split_of<Net, Batch>;
  static constexpr int constants = quantizable_parts<Net, Batch>.count;
  static constexpr int recorded(int k) { return Results ? split.products[k].result : split.products[k].source; }
  static constexpr graph::program build() {
    graph::program p = quantizable_parts<Net, Batch>.running;
    for (int k = 0; k < split.count; ++k) p.add_output(recorded(k), graph::destination::gradient, constants + k);
    return p;
  }
  struct places {
    std::int64_t of[max_slots + max_quantized + 1];
  };
  static constexpr std::int64_t size_of(int k) {
    return quantizable_parts<Net, Batch>.running.nodes[recorded(k)].shape.size();
  }
  static constexpr places numbered = [] {
    places r{};
    for (int i = 0; i < constants; ++i) r.of[i] = constants_of<Net, Batch>.at[i];
    r.of[constants] = constants_size<Net, Batch>;
    for (int k = 0; k < split.count; ++k) r.of[constants + k + 1] = r.of[constants + k] + plan::rounded(size_of(k));
    return r;
  }();
  static constexpr std::int64_t size = numbered.of[constants + split.count];
  static constexpr plan::storage_layout layout() { return {numbered.of, nullptr}; }
};

/// Builds part Part of a program: what is computed in float behind product Part, before the next.
class part_builder {
 public:
  constexpr part_builder(split_program const& from, quantized_split const& split, int part, graph::program& to)
      : p_{from.running}, g_{from.running.nodes}, split_{split}, constants_{from.count}, part_{part}, to_{to} {}

  constexpr void run() {
    graph::copy_values(g_, to_.nodes);
    for (int i = 0; i < split_.stored_count; ++i) number_[split_.stored[i].node] = i + 1;
    for (int k = 0; k < split_.count; ++k) product_[split_.products[k].result] = k + 1;
    find_parts();
    for (int i = 0; i < split_.stored_count; ++i)
      if (split_.stored[i].birth == 2 * part_) wanted_[split_.stored[i].node] = true;
    for (int i = 0; i < p_.output_count; ++i)
      if (of_part_[p_.outputs[i].id] == part_) wanted_[p_.outputs[i].id] = true;
    for (int id = g_.size; id > 0; --id)
      if (wanted_[id] && !is_read(id))
        for (int k = 0; k < operands_of(g_[id]); ++k) wanted_[g_[id].operand[k]] = true;
    for (int id = 1; id <= g_.size; ++id)
      if (wanted_[id]) new_id_[id] = is_read(id) ? read(id) : copy(id);
    for (int i = 0; i < split_.stored_count; ++i)
      if (split_.stored[i].birth == 2 * part_)
        to_.add_output(new_id_[split_.stored[i].node], graph::destination::gradient, constants_ + i);
    for (int i = 0; i < p_.output_count; ++i) {
      graph::output const& o = p_.outputs[i];
      if (of_part_[o.id] == part_) to_.add_output(new_id_[o.id], o.where, o.index);
    }
  }

 private:
  constexpr void find_parts() {
    for (int id = 1; id <= g_.size; ++id) {
      for (int k = 0; k < operands_of(g_[id]); ++k)
        if (int const x = g_[id].operand[k]; x != 0 && of_part_[x] > of_part_[id]) of_part_[id] = of_part_[x];
      if (product_[id] != 0) of_part_[id] = product_[id];
    }
  }
  /// A value that another part or a product has stored is a leaf.
  constexpr bool is_read(int id) const { return number_[id] != 0 && (of_part_[id] < part_ || product_[id] != 0); }
  constexpr int read(int id) {
    return to_.nodes.add(
        graph::node{&described<parameter_>, {}, graph::slot_attribute(constants_ + number_[id] - 1), g_[id].shape});
  }
  constexpr int copy(int id) {
    graph::node n = g_[id];
    for (int k = 0; k < 4; ++k) n.operand[k] = k < operands_of(n) ? new_id_[n.operand[k]] : 0;
    if (n.op->family == op_family::move || n.op->family == op_family::scatter_add)
      n.attribute = graph::map_attribute(to_.nodes.number_of(g_.maps[map_of(n)]));
    return to_.nodes.add(n);
  }

  graph::program const& p_;
  node_table const& g_;
  quantized_split const& split_;
  int constants_, part_;
  graph::program& to_;
  int number_[graph::capacity]{};
  int product_[graph::capacity]{};
  int of_part_[graph::capacity]{};
  bool wanted_[graph::capacity]{};
  int new_id_[graph::capacity]{};
};
template <class Net, class Batch, int Part>
struct part_program {
  using subject = Net;
  static constexpr graph::program build() {
    graph::program p{};
    part_builder{quantizable_parts<Net, Batch>, quantized_split_of<Net, Batch>, Part, p}.run();
    return p;
  }
  static constexpr plan::storage_layout layout() { return stored_places<Net, Batch>::layout(); }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
