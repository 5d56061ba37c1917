// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/options_argument.hpp"
#include "../expression/node.hpp"
#include "reduce.hpp"

namespace espalier {

/// The default of ignore_index: no label has this value, so nothing is ignored.
inline constexpr int no_label = -2147483647 - 1;

/// Options of the losses of class labels, for instance
///   label_loss{.ignore_index = -100, .label_smoothing = 0.1, .reduce = reduce::sum}
/// range   label_smoothing in [0, 1)
struct label_loss {
  int ignore_index = no_label;  ///< positions with this label are left out; it need not be a class
  double label_smoothing = 0;
  espalier::reduce reduce = espalier::reduce::mean;
};
/// The template parameter of layers with these options.
struct label_loss_argument : label_loss {
  ESPALIER_OPTIONS_ARGUMENT(label_loss) {
    static_assert(espalier::detail::is_options<X>,
                  "options have names: write nn::CrossEntropyLoss<esp::label_loss{.label_smoothing = 0.1}>");
  }
};

namespace detail {
constexpr bool in_range(label_loss const& options) {
  return options.label_smoothing >= 0 && options.label_smoothing < 1;
}
/// The options with which a module continues after reporting a value out of range, so that one mistake stays one error.
constexpr label_loss into_range(label_loss options) {
  if (!in_range(options)) options.label_smoothing = 0;
  return options;
}
}  // namespace detail

/// Named relation: one label for each position of scores whose classes are on axis 1.
template <class Scores, class Labels>
struct one_label_a_place {
  static constexpr bool agree = false;
};
template <int N, int Classes, int... D>
struct one_label_a_place<shape<N, Classes, D...>, shape<N, D...>> {
  static constexpr bool agree = true;
};
/// Named relation: one weight for each class.
template <class Scores, class Weights>
struct one_weight_a_class {
  ESPALIER_READS("scores {}, weights {}")
  static constexpr bool agree = false;
};
template <int N, int Classes, int... D>
struct one_weight_a_class<shape<N, Classes, D...>, shape<Classes>> {
  static constexpr bool agree = true;
};

namespace detail {

/// The first fault of the operands of a label loss as an `invalid` type, or `agreed`.
template <bool AnyInvalid, class... X>
struct label_loss_fault;
template <class Z, class L, class... W>
struct label_loss_fault<false, Z, L, W...> {
  using places = one_label_a_place<shape_of<Z>, shape_of<L>>;
  using devices = typename devices_relation<is_eager<Z, L, W...>, Z, L, W...>::type;
  using found = typename first_fault<places, one_weight_a_class<shape_of<Z>, shape_of<W>>...,
                                     same_element<element_of<Z>, element_of<W>>..., devices>::type;
  using type =
      typename std::conditional_t<found::agree, std::type_identity<agreed>, std::type_identity<invalid<found>>>::type;
  using reported_fault = std::conditional_t<is_eager<Z, L, W...>, type, agreed>;
};
template <class... X>
struct label_loss_fault<true, X...> : first_invalid<std::remove_cvref_t<X>...> {
  using reported_fault = agreed;
};
template <class... X>
using label_loss_fault_of = label_loss_fault<(is_invalid<std::remove_cvref_t<X>> || ...), X...>;
template <class... X>
using reported_label_loss_fault = typename label_loss_fault_of<X...>::reported_fault;

}  // namespace detail

#define ESPALIER_SMOOTHING_FITS "label_loss{.label_smoothing = e}: e must be in [0, 1)"
#define ESPALIER_SMOOTHING_NUMBER(options) \
  ESPALIER_STATED(espalier::detail::in_range(options), ESPALIER_NAMED("label_smoothing", options.label_smoothing))
#define ESPALIER_LABELS_FIT "labels must have the shape of the scores without axis 1, which holds the classes"
#define ESPALIER_WEIGHTS_FIT "there must be one weight for each class on axis 1"

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
