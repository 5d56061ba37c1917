// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/text.hpp"
#include "shape.hpp"

/// The axis orders in which other libraries store tensors.
namespace espalier {

/// How another library stores a tensor: its axis i is the tensor's axis at[i]. Axes of extent 1 may be left out.
struct axis_order {
  static constexpr int unknown = -1;
  int rank = unknown;
  int at[max_rank]{};

  [[nodiscard]] constexpr bool is_known() const { return rank != unknown; }
};

/// axes_in_order(1, 0): the transposed order of two axes.
constexpr axis_order axes_in_order(auto... axis) {
  axis_order r{static_cast<int>(sizeof...(axis)), {}};
  int i = 0;
  ((r.at[i++] = static_cast<int>(axis)), ...);
  return r;
}
/// The order of the tensor's own axes.
constexpr axis_order own_order(extents const& shape) {
  axis_order r{shape.rank, {}};
  for (int i = 0; i < shape.rank; ++i) r.at[i] = i;
  return r;
}
/// True if an order fits a shape: it names axes of the shape, each at most once, and all whose extent is not 1.
constexpr bool is_order_of(axis_order const& order, extents const& shape) {
  bool used[max_rank]{};
  for (int i = 0; i < order.rank; ++i) {
    if (order.at[i] < 0 || order.at[i] >= shape.rank || used[order.at[i]]) return false;
    used[order.at[i]] = true;
  }
  for (int i = 0; i < shape.rank; ++i)
    if (!used[i] && shape.at[i] != 1) return false;
  return order.is_known();
}
/// The extents in that order.
constexpr extents in_order(axis_order const& order, extents const& shape) {
  extents r{};
  for (int i = 0; i < order.rank; ++i) r.push(shape.at[order.at[i]]);
  return r;
}

namespace detail {
/// The order of a member whose module declares none: a vector has only one order, that of another tensor is unknown.
constexpr axis_order order_of_vector(extents const& shape) {
  int longer = 0;
  for (int i = 0; i < shape.rank; ++i) longer += shape.at[i] != 1;
  return longer <= 1 ? own_order(shape) : axis_order{};
}
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
