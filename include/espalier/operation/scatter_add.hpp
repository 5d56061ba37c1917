// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "indexing.hpp"

namespace espalier {

/// scatter_add<Axis>(x, index, source): x plus the sum of the elements of source at their indices:
/// y[i, index[i, j, k], k] += source[i, j, k] along axis 1, and likewise along other axes. Elements of equal index are
/// summed in their order.
/// shape   x, index, source of as many axes -> the shape of x; no extent of index is larger than that of source or,
///         except along Axis, of x
/// errors  other shapes, an index of real numbers, and x and source of float and double do not compile. An index
///         outside 0..extent-1 throws index_error before anything is computed; negative indices do not count from the
///         end
/// saves   index
/// gradient  dx = dy; dsource = gather of dy at index, 0 behind the extents of index; none for the index
/// source  torch.Tensor.scatter_add
template <int Axis, Expression X, Expression Index, Expression Source>
constexpr auto scatter_add(X&& x, Index&& index, Source&& source) {
  using Relation = scatterable<shape_of<X>, shape_of<Index>, shape_of<Source>, along<Axis>>;
  using Fault = detail::indexing_fault_of<Relation, X, Index, Source>;
  static_assert(holds<integer_index, typename Fault::reported_fault>,
                ESPALIER_SENTENCE("scatter_add<axis>(x, index, source): " ESPALIER_INDEX_ELEMENT,
                                  typename Fault::reported_fault));
  static_assert(
      holds<scatterable, typename Fault::reported_fault>,
      ESPALIER_SENTENCE(
          "scatter_add<axis>(x, index, source): all must have as many axes, and index no larger extent than source or, except along the axis, than x",
          typename Fault::reported_fault));
  static_assert(
      holds<same_element, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("scatter_add<axis>(x, index, source): " ESPALIER_ELEMENTS_FIT, typename Fault::reported_fault));
  static_assert(
      holds<same_device, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("scatter_add<axis>(x, index, source): " ESPALIER_DEVICES_FIT, typename Fault::reported_fault));
  if constexpr (!Fault::type::agree) {
    return typename Fault::type{};
  } else {
    using Reached = shape_from<detail::with_axis_of<shape_of<X>, shape_of<Index>, Relation::axis>>;
    return static_cast<X&&>(x) +
           detail::resize_to<shape_of<X>>(
               detail::make_node<index_scatter_add_, graph::axis_attribute(Relation::axis), Reached>(
                   detail::resize_to<shape_of<Index>>(static_cast<Source&&>(source)), static_cast<Index&&>(index)));
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
