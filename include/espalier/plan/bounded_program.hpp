// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../graph/attribute.hpp"
#include "../operation/broadcast.hpp"
#include "grouped_convolutions.hpp"

/// Programs for a number of samples that is known at run time. A net is traced twice, for two numbers of samples that
/// no other extent is a multiple of. Whatever differs between the two programs depends on the number of samples: axes,
/// and constants such as the 1/n of a mean. The result is one program for the largest number, with the constants as
/// run-time numbers.
namespace espalier::plan {

using graph::node_table;
using graph::op_family;

/// What prevents a program from running for any number of samples.
enum class bounded_fault : std::uint8_t {
  none,
  differs,         ///< the two programs are not the same ops
  extent,          ///< an extent is no multiple of the number of samples
  not_leading,     ///< samples are not the first axis of a value
  mixes_samples,   ///< an op combines or moves samples in another way than by a reduction
  constant,        ///< a constant depends on the number of samples in an unknown way
  many_constants,  ///< more than max_sample_numbers of them
  groups,          ///< the groups of channels of a convolution are in front of its samples
  kernel,          ///< no kernel of this op runs for some of its samples
  large            ///< a value for the numbers of samples of the traces exceeds 2^31 - 1 elements
};

/// A number of the program that depends on the number of samples n.
struct sample_number {
  enum class form : std::uint8_t {
    reciprocal,      ///< 1 / (n a)
    divided,         ///< a / n
    multiplied,      ///< a n
    unbiased,        ///< n a / (n a - 1)
    scaled_unbiased  ///< b n a / (n a - 1)
  };
  form kind;
  double a, b;

  constexpr double at(double n) const {
    switch (kind) {
      case form::reciprocal:
        return 1.0 / (n * a);
      case form::divided:
        return a / n;
      case form::multiplied:
        return a * n;
      case form::unbiased:
        return n * a / (n * a - 1);
      default:
        return b * (n * a / (n * a - 1));
    }
  }
  friend constexpr bool operator==(sample_number const&, sample_number const&) = default;
};
inline constexpr int max_sample_numbers = 64;

/// A program for at most `most` samples.
struct bounded_program {
  graph::program program;  ///< as for `most` samples
  int most;
  std::int64_t per_sample[graph::capacity];   ///< by node: its elements for one sample; 0: samples do not change it
  sample_number numbers[max_sample_numbers];  ///< by hyperparameter of the program
  int number_count;
  bounded_fault fault;
  graph::descriptor const* op;  ///< the op that has the fault
};

namespace detail {

constexpr double distance(double a, double b) { return a < b ? b - a : a - b; }
constexpr bool is_close(double a, double b) { return distance(a, b) <= 1e-14 * (b < 0 ? -b : b); }
constexpr double whole(double x) { return static_cast<double>(static_cast<std::int64_t>(x < 0 ? x - 0.5 : x + 0.5)); }

/// Finds the form of a constant that is x for n and y for m samples. False: none is known.
constexpr bool find_form(double x, double y, double n, double m, sample_number& to) {
  using form = sample_number::form;
  if (x == 0 || y == 0) return false;
  double const rows = whole(1 / (x * n));
  if (rows != 0 && 1.0 / (n * rows) == x && 1.0 / (m * rows) == y) {
    to = {form::reciprocal, rows, 0};
    return true;
  }
  if (is_close(x * n, y * m)) {
    to = {form::divided, x * n, 0};
    return true;
  }
  if (is_close(x / n, y / m)) {
    to = {form::multiplied, x / n, 0};
    return true;
  }
  // b r / (r - 1) with r = n a: the quotient x / y determines a.
  double const quotient = x / y, a = whole((quotient * m - n) / (n * m * (quotient - 1)));
  if (!(a >= 1)) return false;
  to = {form::unbiased, a, 0};
  if (!is_close(to.at(n), x)) to = {form::scaled_unbiased, a, x / to.at(n)};
  return is_close(to.at(n), x) && is_close(to.at(m), y);
}

/// Builds a bounded program from two traces.
class sample_binder {
 public:
  constexpr sample_binder(graph::program const& a, graph::program const& b, int at_a, int at_b, bounded_program& to)
      : a_{a}, b_{b}, at_a_{at_a}, at_b_{at_b}, to_{to} {}

  constexpr void run() {
    node_table const &x = a_.nodes, &y = b_.nodes;
    node_table& out = to_.program.nodes;
    out.found = x.found;
    graph::copy_values(x, out);
    for (int i = 0; i < x.map_count; ++i) out.maps[i] = x.maps[i];
    out.map_count = x.map_count;
    find_needed();
    for (int id = 1; id <= x.size && id <= y.size; ++id) {
      add(id);
      if (to_.fault != bounded_fault::none) return;
    }
    if (x.size != y.size || a_.output_count != b_.output_count || x.value_count != y.value_count)
      return fail(bounded_fault::differs, x.size < y.size ? y[x.size + 1].op : x[y.size < x.size ? y.size + 1 : 1].op);
    for (int i = 0; i < a_.output_count; ++i) {
      graph::output o = a_.outputs[i];
      if (o.id != b_.outputs[i].id || o.index != b_.outputs[i].index || o.where != b_.outputs[i].where)
        return fail(bounded_fault::differs, x[o.id].op);
      o.id = id_of_[o.id];
      if (o.where != graph::destination::result && to_.per_sample[o.id] != 0)
        return fail(bounded_fault::mixes_samples, x[a_.outputs[i].id].op);
      to_.program.outputs[to_.program.output_count++] = o;
    }
  }

 private:
  constexpr void fail(bounded_fault f, graph::descriptor const* op) {
    to_.fault = f;
    to_.op = op;
  }
  constexpr int append(graph::node const& n) {
    node_table& out = to_.program.nodes;
    if (out.size == graph::most_nodes) {
      out.report(graph::fault::too_many_nodes);
      return out.size;
    }
    out.nodes[++out.size] = n;
    return out.size;
  }
  /// Marks the nodes that outputs depend on. Others, such as a transposition that became a property of a product, are
  /// in no kernel.
  constexpr void find_needed() {
    for (int i = 0; i < a_.output_count; ++i) needed_[a_.outputs[i].id] = true;
    for (int id = a_.nodes.size; id > 0; --id) {
      graph::node const& n = a_.nodes[id];
      if (!needed_[id]) continue;
      for (int k = 0; k < (n.op->family == op_family::alias ? 1 : 4); ++k) needed_[n.operand[k]] = true;
    }
  }
  /// Indices known when the program runs, also those that no result needs: only roots of fixed batches check them.
  static constexpr bool has_indices(graph::node const& n) {
    return n.op->family == op_family::index_gather || n.op->family == op_family::index_scatter_add ||
           n.op->family == op_family::index_copy;
  }
  constexpr bool varies(int id) const { return to_.per_sample[id_of_[id]] != 0; }

  /// The axis of samples in the shapes of both traces; -1: none, -2: a fault.
  constexpr int find_axis(extents const& s, extents const& t, graph::descriptor const* op) {
    if (s.rank != t.rank) return fail(bounded_fault::differs, op), -2;
    int axis = -1;
    std::int64_t before = 1;
    for (int i = 0; i < s.rank; ++i) {
      if (s.at[i] == t.at[i]) {
        if (axis == -1) before *= s.at[i];
        continue;
      }
      if (s.at[i] % at_a_ != 0 || std::int64_t{s.at[i] / at_a_} * at_b_ != t.at[i])
        return fail(bounded_fault::extent, op), -2;
      if (axis != -1 || before != 1) return fail(bounded_fault::not_leading, op), -2;
      axis = i;
    }
    return axis;
  }
  constexpr void add_number(graph::node n, graph::node const& m) {
    sample_number number{};
    if (!find_form(constant_of(n), constant_of(m), at_a_, at_b_, number)) return fail(bounded_fault::constant, n.op);
    int at = 0;
    while (at < to_.number_count && !(to_.numbers[at] == number)) ++at;
    if (at == max_sample_numbers) return fail(bounded_fault::many_constants, n.op);
    if (at == to_.number_count) to_.numbers[to_.number_count++] = number;
    // A leaf for each constant: equal shapes of two of them may depend on samples, and not.
    int const leaf = append({operation::run_time_number, {}, graph::position_attribute(at), extents{}});
    id_of_[source_] = operation::emit_broadcast(to_.program.nodes, leaf, n.shape);
  }
  constexpr void add(int id) {
    graph::node const &x = a_.nodes[id], &y = b_.nodes[id];
    source_ = id;
    graph::descriptor const* const op = x.op;
    if (has_indices(x)) return fail(bounded_fault::kernel, op);
    if (!needed_[id]) {
      graph::node n = x;
      for (int k = 0; k < 4; ++k) n.operand[k] = id_of_[x.operand[k]];
      id_of_[id] = append(n);
      return;
    }
    if (!espalier::detail::same_address(op, y.op)) return fail(bounded_fault::differs, op);
    for (int k = 0; k < 4; ++k)
      if (x.operand[k] != y.operand[k]) return fail(bounded_fault::differs, op);
    int const axis = find_axis(x.shape, y.shape, op);
    if (axis == -2) {
      if (to_.fault == bounded_fault::not_leading && moves_groups_in_front(a_.nodes, id))
        to_.fault = bounded_fault::groups;
      return;
    }
    graph::node n = x;
    if (axis >= 0) n.shape.at[axis] = x.shape.at[axis] / at_a_ * to_.most;
    std::int64_t const each = axis >= 0 ? n.shape.size() / to_.most : 0;
    for (int k = 0; k < 4; ++k) n.operand[k] = id_of_[x.operand[k]];
    if (x.attribute != y.attribute) {
      if (op->family != op_family::constant) return fail(bounded_fault::differs, op);
      add_number(n, y);
    } else {
      id_of_[id] = append(n);
    }
    to_.per_sample[id_of_[id]] = each;
    if (to_.fault == bounded_fault::none && mixes(x, y, axis)) fail(bounded_fault::mixes_samples, op);
  }
  /// Whether samples are the first axis of operand k of this node, as they are of the node.
  constexpr bool mixes(graph::node const& x, graph::node const& y, int axis) const {
    bool const own = axis >= 0;
    auto const operand_varies = [&](int k) { return x.operand[k] != 0 && varies(x.operand[k]); };
    switch (x.op->family) {
      case op_family::argument:
      case op_family::label:
      case op_family::random:
      case op_family::constant:
      case op_family::hyperparameter:
        return false;
      case op_family::column_index:
        return own && axis == x.shape.rank - 1;
      case op_family::parameter:
      case op_family::buffer:
      case op_family::values:
        return own;
      case op_family::convert:
      case op_family::reshape:
      case op_family::alias:
      case op_family::permute:
        return own != operand_varies(0);
      case op_family::elementwise:
        for (int k = 0; k < x.op->arity; ++k)
          if (own != operand_varies(k) && !(own && a_.nodes[x.operand[k]].op->family == op_family::constant))
            return true;
        return false;
      case op_family::reduction:
        return own && !operand_varies(0);
      case op_family::broadcast:
        return !own && operand_varies(0);
      case op_family::contraction:
        return own ? !operand_varies(0) : operand_varies(0) != operand_varies(1);
      case op_family::move:
      case op_family::scatter_add:
        return own != operand_varies(0) || (own && !keeps_samples(x, y, axis));
      case op_family::concatenate:
        return own != operand_varies(0) || own != operand_varies(1) || (own && axis_of(x) <= axis);
      default:
        return true;
    }
  }
  constexpr int axis_of_samples(int id) const {
    extents const &s = a_.nodes[id].shape, &t = b_.nodes[id].shape;
    int axis = 0;
    while (axis < s.rank && s.at[axis] == t.at[axis]) ++axis;
    return axis;
  }
  /// Whether a map reads each sample from the same sample of its operand.
  constexpr bool keeps_samples(graph::node const& x, graph::node const& y, int axis) const {
    index_map const &m = a_.nodes.maps[map_of(x)], &n = b_.nodes.maps[map_of(y)];
    int const from = axis_of_samples(x.operand[0]);
    if (!(m == n)) return false;
    // The map of a scatter-add is that of the move it is the adjoint of: its result is this node's operand.
    bool const scatters = x.op->family == op_family::scatter_add;
    int const of_result = scatters ? from : axis, of_operand = scatters ? axis : from;
    if (m.source[of_result] != of_operand || m.step[of_result] != 1 || m.start[of_operand] != 0 ||
        m.divisor[of_operand] != 1 || a_.nodes[x.operand[0]].shape.at[from] != x.shape.at[axis])
      return false;
    for (int i = 0; i < m.rank; ++i)
      if (i != of_result && m.source[i] == of_operand) {
        extents const& result = scatters ? a_.nodes[x.operand[0]].shape : x.shape;
        if (result.at[i] != 1) return false;
      }
    return true;
  }

  graph::program const &a_, &b_;
  int at_a_, at_b_;
  bounded_program& to_;
  int id_of_[graph::capacity]{};
  bool needed_[graph::capacity]{};
  int source_ = 0;
};

}  // namespace detail

/// The program for at most `most` samples, from its traces for at_a and at_b samples.
constexpr bounded_program bind_samples(graph::program const& a, graph::program const& b, int at_a, int at_b, int most) {
  bounded_program r{};
  r.most = most;
  detail::sample_binder{a, b, at_a, at_b, r}.run();
  return r;
}

/// The numbers of samples of the two traces for at most `most` samples: prime numbers that are not less. If another
/// extent happens to be such a prime, equal leaves of one trace may differ in the other, which is a fault. `fit`: no
/// value exceeds 2^31 - 1 elements.
struct traced_counts {
  int a, b;
  bool fit;
};
constexpr int prime_from(int n) {
  for (;; ++n) {
    bool prime = n % 2 != 0;
    for (int d = 3; prime && d * d <= n; d += 2) prime = n % d != 0;
    if (prime) return n;
  }
}
/// largest: the elements of the largest value for one sample. A backward pass has larger ones, such as the windows of a
/// gradient: 16 times as large, or nine for kernels of 3 x 3.
constexpr traced_counts counts_for(int most, std::int64_t largest = 1) {
  std::int64_t const room = 0x7fffffff / largest, several = room / 16;
  int const least = several > 251 ? 251 : several < 3 ? 3 : static_cast<int>(several);
  int const a = prime_from(most < least ? least : most), b = prime_from(a + 6);
  return {a, b, b <= room};
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
