// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/logsumexp.hpp"
#include "../operation/mean.hpp"
#include "../operation/one_hot.hpp"
#include "module.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::nn {

/// Mean over the batch of logsumexp(z) - z[label]: cross-entropy of unnormalized scores, stable for large ones.
/// shape   (N, Classes), (N) labels -> scalar
/// errors  labels that are not one a row are refused; a trainer throws label_error for a label outside the classes
/// saves   z, logsumexp(z)
/// slope   dz = (softmax(z) - one_hot(label)) / N
/// source  needle's SoftmaxLoss
struct SoftmaxLoss {
  ESPALIER_MODULE(SoftmaxLoss)
  /// What a target is: one class number for each sample.
  template <class Prediction>
  struct target {
    using element_type = std::int32_t;
    using type = shape<Prediction::template extent<0>()>;
  };

  constexpr auto forward(auto z, auto labels) const {
    using Z = decltype(z);
    using L = decltype(labels);
    if constexpr (is_refused<Z>) return z;
    else if constexpr (!espalier::detail::one_label_a_row<shape_of<Z>, shape_of<L>>::agree)
      return refused<espalier::detail::one_label_a_row<shape_of<Z>, shape_of<L>>>{};
    else return mean(logsumexp<-1>(z) - pick(z, labels));
  }
};

/// Mean over all elements of (prediction - target)^2.
/// shape   S, S -> scalar
/// errors  shapes that differ are refused
/// saves   prediction - target
/// slope   d prediction = 2 (prediction - target) / count
/// source  PyTorch's MSELoss
struct MeanSquaredError {
  ESPALIER_MODULE(MeanSquaredError)
  template <class Prediction>
  struct target {
    using element_type = void;
    using type = Prediction;
  };

  constexpr auto forward(auto prediction, auto wanted) const {
    using P = decltype(prediction);
    using T = decltype(wanted);
    if constexpr (is_refused<P>) return prediction;
    else if constexpr (!same_shape<shape_of<P>, shape_of<T>>::agree) return refused<same_shape<shape_of<P>, shape_of<T>>>{};
    else return mean((prediction - wanted) * (prediction - wanted));
  }
};

}  // namespace espalier::nn
#pragma GCC diagnostic pop
