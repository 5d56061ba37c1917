// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "broadcast_to.hpp"
#include "class_labels.hpp"
#include "compare.hpp"
#include "relu.hpp"
#include "reshape.hpp"
#include "sum.hpp"

namespace espalier {

namespace detail {
template <class S, int Classes>
struct one_hot_shape;
template <int... Extents, int Classes>
struct one_hot_shape<shape<Extents...>, Classes> {
  using type = shape<Extents..., Classes>;
  using column = shape<Extents..., 1>;
};
/// Relation: one integer label for each row.
template <class Rows, class Labels>
struct one_label_a_row {
  static constexpr bool agree = false;
};
template <int... Extents, int... Labels>
  requires(sizeof...(Extents) == sizeof...(Labels) + 1)
struct one_label_a_row<shape<Extents...>, shape<Labels...>> {
  static constexpr bool agree = [] {
    int const rows[] = {Extents...};
    int const labels[] = {Labels..., 0};
    for (std::size_t i = 0; i < sizeof...(Labels); ++i)
      if (rows[i] != labels[i]) return false;
    return true;
  }();
};
/// Relation: a new last axis of Classes fits the shape of the labels.
template <class Labels, int Classes>
struct axis_of_classes;
template <int... Extents, int Classes>
struct axis_of_classes<shape<Extents...>, Classes> {
  static constexpr bool agree = is_sound_shape<shape<Extents..., Classes>>;
};
}  // namespace detail

/// one_hot<Classes>(labels): 1 at the label's position of a new last axis, 0 elsewhere. A label outside 0..Classes-1
/// gives a row of zeros.
/// shape   (N...) -> (N..., Classes)
/// errors  Classes below 1, more than 6 axes and more than 2^31 - 1 elements do not compile
/// saves   nothing
/// gradient  none: labels are integers
template <int Classes, Expression L>
constexpr auto one_hot(L&& labels) {
  if constexpr (is_invalid<std::remove_cvref_t<L>>) {
    return std::remove_cvref_t<L>{};
  } else {
    using relation = detail::axis_of_classes<shape_of<L>, Classes>;
    if constexpr (is_eager<L>)
      static_assert(relation::agree,
                    ESPALIER_SENTENCE("one_hot<Classes>(labels): Classes must be at least 1, and the result have at "
                                      "most 6 axes and 2^31 - 1 elements",
                                      relation));
    using shapes = detail::one_hot_shape<shape_of<L>, Classes>;
    if constexpr (!relation::agree) return invalid<relation>{};
    else
      return equal(column_index<typename shapes::type>{},
                   detail::reshape_as(typename shapes::column{}, static_cast<L&&>(labels)));
  }
}

/// pick(x, labels): the element of each row of x at its label.
/// shape   (N..., Classes), (N...) -> (N...)
/// errors  does not compile unless there is one label per row. For a label outside 0..Classes-1, whatever runs the
///         formula throws label_error before it computes anything. A label that is itself computed gives 0
/// saves   labels
/// gradient  dx = dy at the label's position, 0 elsewhere
template <Expression X, Expression L>
constexpr auto pick(X&& x, L&& labels) {
  if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else if constexpr (is_invalid<std::remove_cvref_t<L>>) {
    return std::remove_cvref_t<L>{};
  } else {
    using relation = detail::one_label_a_row<shape_of<X>, shape_of<L>>;
    if constexpr (is_eager<X>)
      static_assert(
          relation::agree,
          ESPALIER_SENTENCE("pick(x, labels): labels must have the shape of x without its last axis", relation));
    if constexpr (relation::agree) {
      constexpr int classes = shape_of<X>::template extent<-1>();
      // gate, not a product: the other elements may be infinite.
      return sum<-1>(
          gate(static_cast<X&&>(x), one_hot<classes>(detail::class_labels<classes>(static_cast<L&&>(labels)))));
    } else {
      return invalid<relation>{};
    }
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
