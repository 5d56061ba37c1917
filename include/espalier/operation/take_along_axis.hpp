// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "broadcast_to.hpp"
#include "indexing.hpp"

namespace espalier {

namespace detail {
template <class S, class X>
constexpr auto broadcast_if_smaller(X&& x) {
  if constexpr (std::is_same_v<shape_of<X>, S>) return keep(static_cast<X&&>(x));
  else return broadcast_to<S>(static_cast<X&&>(x));
}
}  // namespace detail

/// take_along_axis<Axis>(x, index): as gather<Axis>(x, index), but on the other axes x and index are broadcast to each
/// other.
/// shape   x, index of as many axes, equal or 1 except along Axis -> the larger extents; along Axis, that of index
/// errors  other shapes and an index of real numbers do not compile. An index outside 0..extent-1 throws index_error
///         before anything is computed; negative indices do not count from the end
/// saves   index
/// gradient  dx = scatter_add of dy at index, in the order of the indices; none for the index
/// source  numpy.take_along_axis, torch.take_along_dim
template <int Axis, Expression X, Expression Index>
constexpr auto take_along_axis(X&& x, Index&& index) {
  using Relation = takeable<shape_of<X>, shape_of<Index>, along<Axis>>;
  using Fault = detail::indexing_fault_of<Relation, X, Index>;
  static_assert(
      holds<integer_index, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("take_along_axis<axis>(x, index): " ESPALIER_INDEX_ELEMENT, typename Fault::reported_fault));
  static_assert(
      holds<takeable, typename Fault::reported_fault>,
      ESPALIER_SENTENCE(
          "take_along_axis<axis>(x, index): index must have as many axes as x, and equal extents or 1 except along the axis",
          typename Fault::reported_fault));
  static_assert(
      holds<same_device, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("take_along_axis<axis>(x, index): " ESPALIER_DEVICES_FIT, typename Fault::reported_fault));
  if constexpr (!Fault::type::agree) {
    return typename Fault::type{};
  } else {
    return detail::make_node<index_gather_, graph::axis_attribute(Relation::axis), shape_from<Relation>>(
        detail::broadcast_if_smaller<shape_from<detail::reached_by<Relation>>>(static_cast<X&&>(x)),
        static_cast<Index&&>(index));
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
