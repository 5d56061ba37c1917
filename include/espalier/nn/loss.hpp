// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/logsumexp.hpp"
#include "../operation/mean.hpp"
#include "../operation/one_hot.hpp"
#include "module.hpp"

namespace espalier::nn {

/// Mean over the batch of logsumexp(z) - z[label]: cross-entropy of unnormalized scores, stable for large ones.
/// shape   (N, Classes), (N) labels -> scalar
/// errors  other than one label per row does not compile; whatever runs the loss throws label_error for a label outside
///         the classes
/// saves   z, logsumexp(z)
/// gradient  dz = (softmax(z) - one_hot(label)) / N
/// source  needle's SoftmaxLoss
struct SoftmaxLoss {
  ESPALIER_MODULE(SoftmaxLoss)
  /// The type of the targets: one class number per sample.
  template <class Prediction>
  struct target {
    using element_type = std::int32_t;
    using type = shape<Prediction::template extent<0>()>;
  };

  constexpr auto forward(auto z, auto labels) const {
    using Z = decltype(z);
    using L = decltype(labels);
    if constexpr (is_invalid<Z>) return z;
    else if constexpr (!espalier::detail::one_label_a_row<shape_of<Z>, shape_of<L>>::agree)
      return invalid<espalier::detail::one_label_a_row<shape_of<Z>, shape_of<L>>>{};
    else return mean(logsumexp<-1>(z) - pick(z, labels));
  }
};

/// Mean over all elements of (prediction - target)^2.
/// shape   S, S -> scalar
/// errors  shapes that differ do not compile
/// saves   prediction - target
/// gradient  d prediction = 2 (prediction - target) / count
/// source  PyTorch's MSELoss
struct MeanSquaredError {
  ESPALIER_MODULE(MeanSquaredError)
  template <class Prediction>
  struct target {
    using element_type = void;
    using type = Prediction;
  };

  constexpr auto forward(auto prediction, auto targets) const {
    using P = decltype(prediction);
    using T = decltype(targets);
    if constexpr (is_invalid<P>) return prediction;
    else if constexpr (!same_shape<shape_of<P>, shape_of<T>>::agree)
      return invalid<same_shape<shape_of<P>, shape_of<T>>>{};
    else return mean((prediction - targets) * (prediction - targets));
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
