// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "label_loss_formula.hpp"

namespace espalier {

template <label_loss Options>
struct negative_log_likelihood_ {};

template <label_loss Options>
struct rule<negative_log_likelihood_<Options>> : composite {
  static constexpr char const* name = "negative_log_likelihood";
  static constexpr auto expand(auto x, auto labels, auto) { return detail::label_loss_formula<Options>(x, labels); }
  static constexpr auto expand(auto x, auto labels, auto weight, auto) {
    return detail::label_loss_formula<Options>(x, labels, weight);
  }
};

/// negative_log_likelihood<Options>(x, labels, weight): -weight[label] x[label] at each position, for logarithms x of
/// probabilities with the classes on axis 1. Everything else is as in cross_entropy.
/// shape   (N, Classes, D...), (N, D...) labels, (Classes) -> scalar, or (N, D...) with reduce::none
/// range   Options.label_smoothing in [0, 1)
/// errors  does not compile unless there is one label per position and one weight per class, on one device
/// saves   labels
/// gradient  dx = -dl weight[label] one_hot(label) without smoothing
/// source  PyTorch's nll_loss
template <label_loss Options = label_loss{}, Expression X, Expression L,
          class Fault = detail::reported_label_loss_fault<X, L>>
constexpr auto negative_log_likelihood(X&& x, L&& labels) {
  static_assert(detail::in_range(Options),
                ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(Options)));
  static_assert(holds<one_label_a_place, Fault>,
                ESPALIER_SENTENCE("negative_log_likelihood(x, labels): " ESPALIER_LABELS_FIT, Fault));
  static_assert(holds<same_device, Fault>,
                ESPALIER_SENTENCE("negative_log_likelihood(x, labels): " ESPALIER_DEVICES_FIT, Fault));
  return detail::make_label_loss<negative_log_likelihood_<Options>, Options>(static_cast<X&&>(x),
                                                                             static_cast<L&&>(labels));
}
template <label_loss Options = label_loss{}, Expression X, Expression L, Expression W,
          class Fault = detail::reported_label_loss_fault<X, L, W>>
constexpr auto negative_log_likelihood(X&& x, L&& labels, W&& weight) {
  static_assert(detail::in_range(Options),
                ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(Options)));
  static_assert(holds<one_label_a_place, Fault>,
                ESPALIER_SENTENCE("negative_log_likelihood(x, labels, weight): " ESPALIER_LABELS_FIT, Fault));
  static_assert(holds<one_weight_a_class, Fault>,
                ESPALIER_SENTENCE("negative_log_likelihood(x, labels, weight): " ESPALIER_WEIGHTS_FIT, Fault));
  static_assert(holds<same_element, Fault>,
                ESPALIER_SENTENCE("negative_log_likelihood(x, labels, weight): " ESPALIER_ELEMENTS_FIT, Fault));
  static_assert(holds<same_device, Fault>,
                ESPALIER_SENTENCE("negative_log_likelihood(x, labels, weight): " ESPALIER_DEVICES_FIT, Fault));
  return detail::make_label_loss<negative_log_likelihood_<Options>, Options>(
      static_cast<X&&>(x), static_cast<L&&>(labels), static_cast<W&&>(weight));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
