// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "indexing.hpp"

namespace espalier {

/// index_copy<Axis>(x, index, source): x with the slices of source at some positions of an axis: the slice of y at
/// index[k] is slice k of source, and every other slice is that of x. Use it to write to a cache at a position that is
/// known when the program runs. Nothing but these slices is read or written if x dies there, is a state that becomes
/// the result, or is an argument whose memory you pass for the result; otherwise x is copied.
/// shape   (..., N, ...), (K), (..., K, ...) -> (..., N, ...)
/// range   each index once: slices of equal index are summed
/// errors  an axis that does not exist, a source of another shape, an index of real numbers, and x and source of float
///         and double do not compile. An index outside 0..N-1 throws index_error before anything is computed; negative
///         indices do not count from the end
/// saves   index
/// gradient  dx = dy, 0 where a slice was written; dsource = the slices of dy at the indices; none for the index
/// source  torch.Tensor.index_copy
template <int Axis, Expression X, Expression Index, Expression Source>
constexpr auto index_copy(X&& x, Index&& index, Source&& source) {
  using Relation = copyable<shape_of<X>, shape_of<Index>, shape_of<Source>, along<Axis>>;
  using Fault = detail::indexing_fault_of<Relation, X, Index, Source>;
  static_assert(
      holds<integer_index, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("index_copy<axis>(x, index, source): " ESPALIER_INDEX_ELEMENT, typename Fault::reported_fault));
  static_assert(
      holds<copyable, typename Fault::reported_fault>,
      ESPALIER_SENTENCE(
          "index_copy<axis>(x, index, source): index has one axis, and source has the shape of x with one slice for each index",
          typename Fault::reported_fault));
  static_assert(
      holds<same_element, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("index_copy<axis>(x, index, source): " ESPALIER_ELEMENTS_FIT, typename Fault::reported_fault));
  static_assert(
      holds<same_device, typename Fault::reported_fault>,
      ESPALIER_SENTENCE("index_copy<axis>(x, index, source): " ESPALIER_DEVICES_FIT, typename Fault::reported_fault));
  if constexpr (!Fault::type::agree) {
    return typename Fault::type{};
  } else {
    using On = shape_from<detail::index_along_axis<Relation, shape_of<X>, shape_of<Index>>>;
    return detail::make_node<index_copy_, graph::axis_attribute(Relation::axis), shape_of<X>>(
        static_cast<X&&>(x), detail::reshape_as(On{}, static_cast<Index&&>(index)), static_cast<Source&&>(source));
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
