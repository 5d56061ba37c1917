// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "add.hpp"
#include "composite.hpp"
#include "indexing.hpp"
#include "where.hpp"
#include "zeros.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier {

template <int Axis>
struct index_copy_ {};

/// Where a slice was written is the scatter_add of ones, and the slices are that of source. The choice between them and
/// x is one sweep over x, which may run in place.
template <int Axis>
struct rule<index_copy_<Axis>> : composite {
  static constexpr char const* name = "index_copy";
  static constexpr int arity = 3;
  static constexpr auto expand(auto x, auto index, auto source, auto) {
    using S = shape_of<decltype(x)>;
    using Relation = copyable<S, shape_of<decltype(index)>, shape_of<decltype(source)>, along<Axis>>;
    using Positions = shape_from<typename Relation::positions>;
    using On = shape_from<detail::index_along_axis<Relation, S, shape_of<decltype(index)>>>;
    constexpr auto axis = graph::axis_attribute(Relation::axis);
    auto const at = detail::reshape_as(On{}, index);
    auto const written = detail::make_node<index_scatter_add_, axis, Positions>(zeros<On>(source) + 1.0, at);
    return where(written, detail::make_node<index_scatter_add_, axis, S>(source, at), x);
  }
};

/// index_copy<Axis>(x, index, source): x with the slices of source at some positions of an axis: the slice of y at
/// index[k] is slice k of source, and every other slice is that of x. Use it to write to a cache at a position that is
/// known when the program runs.
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
  if constexpr (!Fault::type::agree) return typename Fault::type{};
  else
    return detail::make_node<index_copy_<Axis>, 0, shape_of<X>>(static_cast<X&&>(x), static_cast<Index&&>(index),
                                                                static_cast<Source&&>(source));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
