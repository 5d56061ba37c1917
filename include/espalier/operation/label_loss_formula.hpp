// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "broadcast_to.hpp"
#include "class_labels.hpp"
#include "composite.hpp"
#include "divide.hpp"
#include "label_loss.hpp"
#include "negate.hpp"
#include "one_hot.hpp"
#include "relu.hpp"

/// The formula that cross_entropy and negative_log_likelihood share: from logarithms of probabilities with the classes
/// on axis 1 to the loss that label_loss selects.
namespace espalier::detail {

template <class S>
struct label_places;
template <int N, int Classes, int... D>
struct label_places<shape<N, Classes, D...>> {
  using kept = shape<N, 1, D...>;
  using column = shape<Classes, (D * 0 + 1)...>;
  static constexpr int classes = Classes;
};

/// 1 where the position on axis 1 of S is the label's class, else 0. For matrices the labels are compared as a column,
/// which needs no separate broadcast.
template <class S>
constexpr auto class_is(auto labels) {
  using places = label_places<S>;
  auto const column = reshape_as(typename places::kept{}, labels);
  if constexpr (S::rank == 2) return equal(column_index<S>{}, column);
  else
    return equal(broadcast_to<S>(column),
                 reshape_as(typename places::column{}, column_index<shape<places::classes>>{}));
}
template <class S>
constexpr auto class_terms(auto const& x, auto const& weight) {
  return x * reshape_as(typename label_places<S>::column{}, weight);
}
template <class S>
constexpr auto class_terms(auto const& x) {
  return x;
}

template <label_loss Options, class X, class L, class... W>
constexpr auto label_loss_terms(X x, L labels, W... weight) {
  using S = shape_of<X>;
  constexpr double smoothing = Options.label_smoothing;
  // gate, not a product: terms of other classes may be infinite.
  if constexpr (smoothing == 0) return class_terms<S>(gate(x, class_is<S>(labels)), weight...);
  else
    return x * class_terms<S>(class_is<S>(labels) * (1 - smoothing) + smoothing / label_places<S>::classes, weight...);
}
template <label_loss Options>
constexpr auto where_counted(auto x, auto labels) {
  if constexpr (Options.ignore_index == no_label) return x;
  else return gate(x, not_equal(labels, Options.ignore_index));
}
/// The divisor of a mean: the number of counted positions, or the sum of their weights.
template <label_loss Options, class S, class L, class... W>
constexpr auto label_loss_total(L labels, W... weight) {
  if constexpr (sizeof...(W) == 0) return sum(not_equal(labels, Options.ignore_index));
  else return sum(where_counted<Options>(sum<1>(class_terms<S>(class_is<S>(labels), weight...)), labels));
}
/// x holds logarithms of probabilities.
template <label_loss Options, class X, class L, class... W>
constexpr auto label_loss_formula(X x, L labels, W... weight) {
  auto const each = where_counted<Options>(-sum<1>(label_loss_terms<Options>(x, labels, weight...)), labels);
  if constexpr (Options.reduce != reduce::mean || (Options.ignore_index == no_label && sizeof...(W) == 0)) {
    return reduced<Options.reduce>(each);
  } else {
    auto const total = label_loss_total<Options, shape_of<X>>(labels, weight...);
    return sum(each) / (total + equal(total, 0));
  }
}

template <class Op, label_loss Options, class Z, class L, class... W>
constexpr auto make_label_loss(Z&& z, L&& labels, W&&... weight) {
  using Fault = typename label_loss_fault_of<Z, L, W...>::type;
  if constexpr (is_invalid<Fault>) return Fault{};
  else
    return make_node<Op, 0, std::conditional_t<Options.reduce == reduce::none, shape_of<L>, shape<>>>(
        static_cast<Z&&>(z),
        class_labels<label_places<shape_of<Z>>::classes, Options.ignore_index != no_label, Options.ignore_index>(
            static_cast<L&&>(labels)),
        static_cast<W&&>(weight)...);
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
