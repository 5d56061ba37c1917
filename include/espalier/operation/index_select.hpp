// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "indexing.hpp"

namespace espalier {

/// index_select<Axis>(x, index): the slices of x at some positions of an axis, as rows of a table by their numbers. The
/// axes of index take the place of the axis.
/// shape   (..., N, ...), (K...) -> (..., K..., ...)
/// errors  an axis that does not exist, a result of more than six axes and an index of real numbers do not compile. An
///         index outside 0..N-1 throws index_error before anything is computed; negative indices do not count from the
///         end
/// saves   index
/// gradient  dx = the sum of dy where that slice was read, in the order of the indices; none for the index
/// source  torch.index_select, numpy.take
template <int Axis, Expression X, Expression Index>
constexpr auto index_select(X&& x, Index&& index) {
  using Relation = selectable<shape_of<X>, shape_of<Index>, along<Axis>>;
  using Fault = detail::indexing_fault_of<Relation, X, Index>;
  static_assert(
      holds<integer_index, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("index_select<axis>(x, index): " ESPALIER_INDEX_ELEMENT, typename Fault::reported_fault));
  static_assert(
      holds<selectable, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("index_select<axis>(x, index): x has no such axis, or the result has more than 6 axes",
                        typename Fault::reported_fault));
  static_assert(
      holds<same_device, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("index_select<axis>(x, index): " ESPALIER_DEVICES_FIT, typename Fault::reported_fault));
  if constexpr (!Fault::type::agree) {
    return typename Fault::type{};
  } else {
    using On = shape_from<detail::index_along_axis<Relation, shape_of<X>, shape_of<Index>>>;
    using Selected = shape_from<detail::selected_along_axis<Relation, shape_of<X>, shape_of<Index>>>;
    return detail::reshape_as(shape_from<Relation>{},
                              detail::make_node<index_gather_, graph::axis_attribute(Relation::axis), Selected>(
                                  static_cast<X&&>(x), detail::reshape_as(On{}, static_cast<Index&&>(index))));
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
