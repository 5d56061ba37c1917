// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "negative_log_likelihood.hpp"
#include "softmax.hpp"

namespace espalier {

namespace detail {
/// The negative log-likelihood of log_softmax(z), which is formed only if the operands are valid.
template <label_loss Options, class Z, class... X>
constexpr auto cross_entropy_of(Z&& z, X&&... others) {
  using Fault = typename label_loss_fault_of<Z, X...>::type;
  if constexpr (is_invalid<Fault>) return Fault{};
  else
    return make_label_loss<negative_log_likelihood_<Options>, Options>(log_softmax<1>(static_cast<Z&&>(z)),
                                                                       static_cast<X&&>(others)...);
}
}  // namespace detail

/// cross_entropy<Options>(z, labels, weight): the loss of unnormalized scores z with the classes on axis 1; stable for
/// large scores. At each position l = -weight[label] log_softmax(z)[label]; weight is 1 if omitted. With smoothing
///   l = -sum over c of weight[c] log_softmax(z)[c] ((1 - smoothing) [c = label] + smoothing / Classes)
/// Options.reduce selects the result. The mean is divided by the sum of weight[label]; positions whose label is ignored
/// are left out. If all labels are ignored, the mean is 0.
/// shape   (N, Classes, D...), (N, D...) labels, (Classes) -> scalar, or (N, D...) with reduce::none
/// range   Options.label_smoothing in [0, 1)
/// errors  does not compile unless there is one label per position and one weight per class, on one device. For a label
///         outside the classes that is not ignored, whatever runs the formula throws label_error before it computes
///         anything. A label that is itself computed contributes 0
/// saves   log_softmax(z), labels
/// gradient  dz = dl weight[label] (softmax(z) - one_hot(label)) without smoothing
/// source  PyTorch's cross_entropy; Szegedy et al. 2016, section 7 (smoothing)
template <label_loss Options = label_loss{}, Expression Z, Expression L,
          class Fault = detail::reported_label_loss_fault<Z, L>>
constexpr auto cross_entropy(Z&& z, L&& labels) {
  static_assert(detail::in_range(Options),
                ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(Options)));
  static_assert(holds<one_label_a_place, Fault>,
                ESPALIER_SENTENCE("cross_entropy(z, labels): " ESPALIER_LABELS_FIT, Fault));
  static_assert(holds<same_device, Fault>, ESPALIER_SENTENCE("cross_entropy(z, labels): " ESPALIER_DEVICES_FIT, Fault));
  return detail::cross_entropy_of<Options>(static_cast<Z&&>(z), static_cast<L&&>(labels));
}
template <label_loss Options = label_loss{}, Expression Z, Expression L, Expression W,
          class Fault = detail::reported_label_loss_fault<Z, L, W>>
constexpr auto cross_entropy(Z&& z, L&& labels, W&& weight) {
  static_assert(detail::in_range(Options),
                ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(Options)));
  static_assert(holds<one_label_a_place, Fault>,
                ESPALIER_SENTENCE("cross_entropy(z, labels, weight): " ESPALIER_LABELS_FIT, Fault));
  static_assert(holds<one_weight_a_class, Fault>,
                ESPALIER_SENTENCE("cross_entropy(z, labels, weight): " ESPALIER_WEIGHTS_FIT, Fault));
  static_assert(holds<same_element, Fault>,
                ESPALIER_SENTENCE("cross_entropy(z, labels, weight): " ESPALIER_ELEMENTS_FIT, Fault));
  static_assert(holds<same_device, Fault>,
                ESPALIER_SENTENCE("cross_entropy(z, labels, weight): " ESPALIER_DEVICES_FIT, Fault));
  return detail::cross_entropy_of<Options>(static_cast<Z&&>(z), static_cast<L&&>(labels), static_cast<W&&>(weight));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
