// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "label_loss_formula.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

template <label_loss How>
struct negative_log_likelihood_ {};

template <label_loss How>
struct rule<negative_log_likelihood_<How>> : composite {
  static constexpr char const* name = "negative_log_likelihood";
  static constexpr auto expand(auto x, auto labels, auto) { return detail::label_loss_formula<How>(x, labels); }
  static constexpr auto expand(auto x, auto labels, auto weight, auto) { return detail::label_loss_formula<How>(x, labels, weight); }
};

/// negative_log_likelihood<how>(x, labels, weight): of each place -weight[label] x[label], x being logarithms of probabilities with the classes on
/// axis 1; everything else as in cross_entropy.
/// shape   (N, Classes, D...), (N, D...) labels, (Classes) -> scalar, or (N, D...) with reduce::none
/// range   how.label_smoothing in [0, 1)
/// errors  labels that are not one a place, weights that are not one a class, and tensors of two devices do not compile
/// saves   labels
/// slope   dx = -dl weight[label] one_hot(label) without smoothing
/// source  PyTorch's nll_loss
template <label_loss How = label_loss{}, Expression X, Expression L, class Fault = detail::label_loss_said_here<X, L>>
constexpr auto negative_log_likelihood(X&& x, L&& labels) {
  static_assert(detail::in_range(How), ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(How)));
  static_assert(holds<one_label_a_place, Fault>, ESPALIER_SENTENCE("negative_log_likelihood(x, labels): " ESPALIER_LABELS_FIT, Fault));
  static_assert(holds<same_device, Fault>, ESPALIER_SENTENCE("negative_log_likelihood(x, labels): " ESPALIER_DEVICES_FIT, Fault));
  return detail::make_label_loss<negative_log_likelihood_<How>, How>(static_cast<X&&>(x), static_cast<L&&>(labels));
}
template <label_loss How = label_loss{}, Expression X, Expression L, Expression W, class Fault = detail::label_loss_said_here<X, L, W>>
constexpr auto negative_log_likelihood(X&& x, L&& labels, W&& weight) {
  static_assert(detail::in_range(How), ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(How)));
  static_assert(holds<one_label_a_place, Fault>,
                ESPALIER_SENTENCE("negative_log_likelihood(x, labels, weight): " ESPALIER_LABELS_FIT, Fault));
  static_assert(holds<one_weight_a_class, Fault>,
                ESPALIER_SENTENCE("negative_log_likelihood(x, labels, weight): " ESPALIER_WEIGHTS_FIT, Fault));
  static_assert(holds<same_element, Fault>, ESPALIER_SENTENCE("negative_log_likelihood(x, labels, weight): " ESPALIER_ELEMENTS_FIT, Fault));
  static_assert(holds<same_device, Fault>, ESPALIER_SENTENCE("negative_log_likelihood(x, labels, weight): " ESPALIER_DEVICES_FIT, Fault));
  return detail::make_label_loss<negative_log_likelihood_<How>, How>(static_cast<X&&>(x), static_cast<L&&>(labels), static_cast<W&&>(weight));
}

}  // namespace espalier
#pragma GCC diagnostic pop
