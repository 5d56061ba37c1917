// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "negative_log_likelihood.hpp"
#include "softmax.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

namespace detail {
/// The likelihood of log_softmax(z), which exists where nothing is refused.
template <label_loss How, class Z, class... X>
constexpr auto cross_entropy_of(Z&& z, X&&... others) {
  using Fault = typename label_loss_fault_of<Z, X...>::type;
  if constexpr (is_refused<Fault>) return Fault{};
  else return make_label_loss<negative_log_likelihood_<How>, How>(log_softmax<1>(static_cast<Z&&>(z)), static_cast<X&&>(others)...);
}
}  // namespace detail

/// cross_entropy<how>(z, labels, weight): of each place l = -weight[label] log_softmax(z)[label], z being unnormalized scores with the classes on
/// axis 1; stable for large ones. With smoothing, l = -sum over c of weight[c] log_softmax(z)[c] ((1 - smoothing) [c = label] + smoothing / Classes).
/// The result is as how.reduce says: the mean is divided by the sum of weight[label], places whose label is ignored left out; nothing but ignored
/// labels give 0. weight is 1 when left out.
/// shape   (N, Classes, D...), (N, D...) labels, (Classes) -> scalar, or (N, D...) with reduce::none
/// range   how.label_smoothing in [0, 1)
/// errors  labels that are not one a place, weights that are not one a class, and tensors of two devices do not compile. A label outside the classes
///         counts 0 here; trainers refuse it
/// saves   log_softmax(z), labels
/// slope   dz = dl weight[label] (softmax(z) - one_hot(label)) without smoothing
/// source  PyTorch's cross_entropy; Szegedy et al. 2016, section 7 (smoothing)
template <label_loss How = label_loss{}, Expression Z, Expression L, class Fault = detail::label_loss_said_here<Z, L>>
constexpr auto cross_entropy(Z&& z, L&& labels) {
  static_assert(detail::in_range(How), ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(How)));
  static_assert(holds<one_label_a_place, Fault>, ESPALIER_SENTENCE("cross_entropy(z, labels): " ESPALIER_LABELS_FIT, Fault));
  static_assert(holds<same_device, Fault>, ESPALIER_SENTENCE("cross_entropy(z, labels): " ESPALIER_DEVICES_FIT, Fault));
  return detail::cross_entropy_of<How>(static_cast<Z&&>(z), static_cast<L&&>(labels));
}
template <label_loss How = label_loss{}, Expression Z, Expression L, Expression W, class Fault = detail::label_loss_said_here<Z, L, W>>
constexpr auto cross_entropy(Z&& z, L&& labels, W&& weight) {
  static_assert(detail::in_range(How), ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(How)));
  static_assert(holds<one_label_a_place, Fault>, ESPALIER_SENTENCE("cross_entropy(z, labels, weight): " ESPALIER_LABELS_FIT, Fault));
  static_assert(holds<one_weight_a_class, Fault>, ESPALIER_SENTENCE("cross_entropy(z, labels, weight): " ESPALIER_WEIGHTS_FIT, Fault));
  static_assert(holds<same_element, Fault>, ESPALIER_SENTENCE("cross_entropy(z, labels, weight): " ESPALIER_ELEMENTS_FIT, Fault));
  static_assert(holds<same_device, Fault>, ESPALIER_SENTENCE("cross_entropy(z, labels, weight): " ESPALIER_DEVICES_FIT, Fault));
  return detail::cross_entropy_of<How>(static_cast<Z&&>(z), static_cast<L&&>(labels), static_cast<W&&>(weight));
}

}  // namespace espalier
#pragma GCC diagnostic pop
