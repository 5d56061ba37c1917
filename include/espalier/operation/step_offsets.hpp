// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "compare.hpp"
#include "minimum.hpp"
#include "multiply.hpp"
#include "negate.hpp"
#include "rule.hpp"
#include "structure.hpp"
#include "subtract.hpp"

/// Which pairs of steps a condition on their positions allows. A mask of attention compares the position of a query
/// with that of a key; what counts for a stream is how far the key is behind the query.
namespace espalier::operation {

/// The axes of a value with an element for each pair of a query and a key, both of `steps` positions. Element t of the
/// rows is at index (o steps + t) inner + i of their axis. -1: the value has no such axis.
struct axes_of_pairs {
  int rows, inner, keys;
  int steps;
};
/// The number of an axis behind a reshape from `from` to `to`; -1 if that divides the axis or merges it with others.
constexpr int same_axis(extents const& from, int axis, extents const& to) {
  if (axis < 0) return -1;
  std::int64_t const inner = from.product(axis + 1, from.rank);
  std::int64_t behind = 1;
  for (int i = to.rank - 1; i >= 0; behind *= to.at[i--])
    if (behind == inner && to.at[i] == from.at[axis] && to.at[i] != 1) return i;
  return -1;
}

/// Offsets, key - query, that a condition allows: those from low to high. None: the condition is of another form.
struct step_offsets {
  static constexpr int unbounded = 1 << 28;
  bool exists = false;
  int low = -unbounded, high = unbounded;

  constexpr step_offsets both(step_offsets const& o) const {
    if (!exists || !o.exists) return {};
    return {true, low > o.low ? low : o.low, high < o.high ? high : o.high};
  }
};

/// A sum of the positions of query and key and a constant.
struct sum_of_positions {
  bool exists = false;
  int query = 0, key = 0;
  double constant = 0;
};
constexpr bool is_op(node const& n, graph::descriptor const* op) { return espalier::detail::same_address(n.op, op); }

/// The axes in the operand of a broadcast or reshape.
constexpr axes_of_pairs axes_before(node_table const& g, node const& n, axes_of_pairs a) {
  extents const& from = g[n.operand[0]].shape;
  int const more = n.shape.rank - from.rank;
  for (int* const axis : {&a.rows, &a.keys})
    if (n.op->family == op_family::reshape) *axis = same_axis(n.shape, *axis, from);
    else *axis = *axis < more || from.at[*axis - more] == 1 ? -1 : *axis - more;
  return a;
}

constexpr sum_of_positions positions_of(node_table const& g, int id, axes_of_pairs const& a) {
  node const& n = g[id];
  switch (n.op->family) {
    case op_family::constant:
      return {true, 0, 0, constant_of(n)};
    case op_family::column_index: {
      int const last = n.shape.rank - 1;
      if (n.shape.at[last] != a.steps || (last == a.rows && a.inner != 1) || (last != a.rows && last != a.keys))
        return {};
      return {true, last == a.rows, last == a.keys, 0};
    }
    case op_family::convert:
    case op_family::alias:
      return positions_of(g, n.operand[0], a);
    case op_family::broadcast:
    case op_family::reshape:
      return positions_of(g, n.operand[0], axes_before(g, n, a));
    default:
      break;
  }
  bool const adds = is_op(n, &graph::described<add_>), subtracts = is_op(n, &graph::described<subtract_>),
             negates = is_op(n, &graph::described<negate_>);
  if (!adds && !subtracts && !negates) return {};
  sum_of_positions const zero{true, 0, 0, 0};
  sum_of_positions const x = negates ? zero : positions_of(g, n.operand[0], a),
                         y = positions_of(g, n.operand[negates ? 0 : 1], a);
  int const sign = adds ? 1 : -1;
  return {x.exists && y.exists, x.query + sign * y.query, x.key + sign * y.key, x.constant + sign * y.constant};
}

/// Offsets d with d <= bound (at_most) or d >= bound; `strict`: without the bound.
constexpr step_offsets offsets_to(bool at_most, bool strict, double bound) {
  if (!(bound > -step_offsets::unbounded && bound < step_offsets::unbounded)) return {};
  int whole = static_cast<int>(bound);
  if (whole > bound) --whole;  // rounded down
  bool const is_whole = whole == bound;
  step_offsets r{true};
  if (at_most) r.high = strict && is_whole ? whole - 1 : whole;
  else r.low = strict || !is_whole ? whole + 1 : whole;
  return r;
}

/// The offsets at which a condition holds, or does not hold if `negated`.
constexpr step_offsets offsets_of(node_table const& g, int id, axes_of_pairs const& a, bool negated) {
  node const& n = g[id];
  if (n.op->family == op_family::convert || n.op->family == op_family::alias)
    return offsets_of(g, n.operand[0], a, negated);
  if (n.op->family == op_family::broadcast || n.op->family == op_family::reshape)
    return offsets_of(g, n.operand[0], axes_before(g, n, a), negated);
  if (n.op->family != op_family::elementwise) return {};
  if (!negated && (is_op(n, &graph::described<multiply_>) || is_op(n, &graph::described<minimum_>)))
    return offsets_of(g, n.operand[0], a, false).both(offsets_of(g, n.operand[1], a, false));
  bool const less = is_op(n, &graph::described<less_>), less_equal = is_op(n, &graph::described<less_equal_>),
             greater = is_op(n, &graph::described<greater_>),
             greater_equal = is_op(n, &graph::described<greater_equal_>), equal = is_op(n, &graph::described<equal_>);
  if (!less && !less_equal && !greater && !greater_equal && !(equal && !negated)) return {};
  sum_of_positions const x = positions_of(g, n.operand[0], a), y = positions_of(g, n.operand[1], a);
  int const query = x.query - y.query, key = x.key - y.key;
  if (!x.exists || !y.exists || query * key != -1) return {};
  // key d + c is compared with 0.
  double const bound = (y.constant - x.constant) * key;
  if (equal) return offsets_to(true, false, bound).both(offsets_to(false, false, bound));
  bool const at_most = ((less || less_equal) != negated) == (key > 0);
  return offsets_to(at_most, (less || greater) != negated, bound);
}

}  // namespace espalier::operation
#include "../base/diagnostics_pop.hpp"
