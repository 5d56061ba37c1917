// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/logistic_loss.hpp"
#include "../operation/reduce.hpp"
#include "class_weights.hpp"
#include "target.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::nn {

/// Mean over all elements of logistic_loss(z, target): binary cross-entropy of unnormalized scores, stable for large ones; or their sum, or each.
/// Positive counts the positive targets of each class on the last axis more: BCEWithLogitsLoss<reduce::mean, class_weights<3.0, 1.0>>; one weight
/// goes for all.
/// shape   S, S -> scalar, or S with reduce::none; Positive: the last axis of S, or 1
/// range   target in [0, 1]
/// errors  shapes that differ are refused
/// saves   z, target
/// slope   dz = (sigmoid(z) - target) / count without Positive
/// source  PyTorch's BCEWithLogitsLoss
template <reduce How = reduce::mean, class Positive = equal_weights>
struct BCEWithLogitsLoss {
  ESPALIER_MODULE(BCEWithLogitsLoss)
  template <class Prediction>
  using target = detail::target_like_prediction<Prediction>;

  constexpr auto forward(auto z, auto wanted) const {
    using Fault = typename detail::target_fault<decltype(z), decltype(wanted)>::type;
    if constexpr (is_refused<Fault>) {
      return Fault{};
    } else if constexpr (std::is_same_v<Positive, equal_weights>) {
      return reduced<How>(logistic_loss(z, wanted));
    } else {
      using Loss = applied<logistic_loss_, decltype(z), decltype(wanted), Positive>;
      if constexpr (is_refused<Loss>) return Loss{};
      else return reduced<How>(logistic_loss(z, wanted, Positive{}));
    }
  }
};

}  // namespace espalier::nn
#pragma GCC diagnostic pop
