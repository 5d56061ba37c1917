// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "indexing.hpp"

namespace espalier {

/// gather<Axis>(x, index): y[i, j, k] = x[i, index[i, j, k], k] along axis 1, and likewise along other axes. Indices
/// are integers; they may repeat.
/// shape   x, index of as many axes -> the shape of index; except along Axis, its extents are at most those of x
/// errors  other shapes and an index of real numbers do not compile. An index outside 0..extent-1 throws index_error
///         before anything is computed; negative indices do not count from the end
/// saves   index
/// gradient  dx = scatter_add of dy at index, in the order of the indices; none for the index
/// source  torch.gather
template <int Axis, Expression X, Expression Index>
constexpr auto gather(X&& x, Index&& index) {
  using Relation = gatherable<shape_of<X>, shape_of<Index>, along<Axis>>;
  using Fault = detail::indexing_fault_of<Relation, X, Index>;
  static_assert(holds<integer_index, typename Fault::reported_fault>,
                ESPALIER_SENTENCE("gather<axis>(x, index): " ESPALIER_INDEX_ELEMENT, typename Fault::reported_fault));
  static_assert(
      holds<gatherable, typename Fault::reported_fault>,
      ESPALIER_SENTENCE(
          "gather<axis>(x, index): index must have as many axes as x, and no larger extent except along the axis",
          typename Fault::reported_fault));
  static_assert(holds<same_device, typename Fault::reported_fault>,
                ESPALIER_SENTENCE("gather<axis>(x, index): " ESPALIER_DEVICES_FIT, typename Fault::reported_fault));
  if constexpr (!Fault::type::agree) {
    return typename Fault::type{};
  } else {
    using Reached = shape_from<detail::with_axis_of<shape_of<X>, shape_of<Index>, Relation::axis>>;
    return detail::make_node<index_gather_, graph::axis_attribute(Relation::axis), shape_of<Index>>(
        detail::resize_to<Reached>(static_cast<X&&>(x)), static_cast<Index&&>(index));
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
