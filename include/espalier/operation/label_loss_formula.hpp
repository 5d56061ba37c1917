// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "broadcast_to.hpp"
#include "composite.hpp"
#include "divide.hpp"
#include "label_loss.hpp"
#include "negate.hpp"
#include "one_hot.hpp"
#include "relu.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What the losses of labels have in common: from logarithms of probabilities with the classes on axis 1 to what label_loss asks for.
namespace espalier::detail {

template <class S>
struct label_places;
template <int N, int Classes, int... D>
struct label_places<shape<N, Classes, D...>> {
  using kept = shape<N, 1, D...>;
  using column = shape<Classes, (D * 0 + 1)...>;
  static constexpr int classes = Classes;
};

/// 1 where the place on axis 1 of S is the label's class. Matrices compare with a column of labels, which costs no broadcast of its own.
template <class S>
constexpr auto class_is(auto labels) {
  using places = label_places<S>;
  auto const column = reshape_as(typename places::kept{}, labels);
  if constexpr (S::rank == 2) return equal(column_index<S>{}, column);
  else return equal(broadcast_to<S>(column), reshape_as(typename places::column{}, column_index<shape<places::classes>>{}));
}
template <class S>
constexpr auto class_terms(auto const& x, auto const& weight) {
  return x * reshape_as(typename label_places<S>::column{}, weight);
}
template <class S>
constexpr auto class_terms(auto const& x) {
  return x;
}

template <label_loss How, class X, class L, class... W>
constexpr auto label_loss_terms(X x, L labels, W... weight) {
  using S = shape_of<X>;
  constexpr double smoothing = How.label_smoothing;
  if constexpr (smoothing == 0) return class_terms<S>(gate(x, class_is<S>(labels)), weight...);  // what is not taken may be infinite
  else return x * class_terms<S>(class_is<S>(labels) * (1 - smoothing) + smoothing / label_places<S>::classes, weight...);
}
template <label_loss How>
constexpr auto where_counted(auto x, auto labels) {
  if constexpr (How.ignore_index == no_label) return x;
  else return gate(x, not_equal(labels, How.ignore_index));
}
/// What a mean is divided by.
template <label_loss How, class S, class L, class... W>
constexpr auto label_loss_total(L labels, W... weight) {
  if constexpr (sizeof...(W) == 0) return sum(not_equal(labels, How.ignore_index));
  else return sum(where_counted<How>(sum<1>(class_terms<S>(class_is<S>(labels), weight...)), labels));
}
/// x holds logarithms of probabilities.
template <label_loss How, class X, class L, class... W>
constexpr auto label_loss_formula(X x, L labels, W... weight) {
  auto const each = where_counted<How>(-sum<1>(label_loss_terms<How>(x, labels, weight...)), labels);
  if constexpr (How.reduce != reduce::mean || (How.ignore_index == no_label && sizeof...(W) == 0)) {
    return reduced<How.reduce>(each);
  } else {
    auto const total = label_loss_total<How, shape_of<X>>(labels, weight...);
    return sum(each) / (total + equal(total, 0));
  }
}

template <class Op, label_loss How, class Z, class L, class... W>
constexpr auto make_label_loss(Z&& z, L&& labels, W&&... weight) {
  using Fault = typename label_loss_fault_of<Z, L, W...>::type;
  if constexpr (is_refused<Fault>) return Fault{};
  else
    return make_node<Op, 0, std::conditional_t<How.reduce == reduce::none, shape_of<L>, shape<>>>(static_cast<Z&&>(z), static_cast<L&&>(labels),
                                                                                                 static_cast<W&&>(weight)...);
}

}  // namespace espalier::detail
#pragma GCC diagnostic pop
