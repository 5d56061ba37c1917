// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../derivative/derivative.hpp"
#include "misuse.hpp"
#include "net_programs.hpp"
#include "optimizer_fit.hpp"
#include "net_report.hpp"

/// Checks that a net, a loss and batches fit each other for training. A violated relation is a fact in the roots'
/// errors.
namespace espalier {

/// Named relations of the arguments of trainer{model, loss, optimizer, batch...}.
template <class Loss>
struct is_loss {
  static constexpr bool agree = nn::Module<Loss>;
};
template <class Loss>
struct loss_has_target {
  ESPALIER_READS("got {}")
  static constexpr bool agree = !nn::Module<Loss> || requires { typename Loss::template target<shape<1, 1>>; };
};
template <class Loss>
struct loss_without_parameters {
  ESPALIER_READS("got {}")
  static constexpr bool agree = !nn::Module<Loss> || !detail::has_numbers_of_its_own<Loss>;
};

/// Named relation of a loss and a prediction: target<Prediction> has a shape as `type`, and void or the element type of
/// labels as `element_type`.
template <class Loss, class Prediction>
struct target_is_complete {
  ESPALIER_READS("target of {} for predictions {}")
  static constexpr bool agree = false;
};
template <class Loss, class Prediction>
  requires requires {
    requires is_shape<detail::target_shape<Loss, Prediction>>;
    typename detail::target_element<Loss, Prediction>;
  }
struct target_is_complete<Loss, Prediction> {
  using Element = detail::target_element<Loss, Prediction>;
  static constexpr bool agree = std::is_void_v<Element> || detail::is_real<Element> ||
                                std::is_same_v<Element, std::int32_t> || std::is_same_v<Element, bool>;
};
/// Named relation of a loss: its forward accepts a prediction and targets of these shapes.
template <class Loss, class... Shapes>
struct loss_has_forward {
  ESPALIER_READS("{} has no forward that accepts {...}")
  static constexpr bool agree = false;
};
/// Named relation of a net in training by a loss: it has one input.
template <class Net, int Takes>
struct trained_by_one_input {
  ESPALIER_READS("forward of {} takes {} inputs")
  static constexpr bool agree = false;
};
#define ESPALIER_TRAINED_BY_ONE_INPUT                                                                                 \
  "a net of several inputs is trained by a step of your own: esp::compiled of a function that calls net(x, h), with " \
  "an optim::updater"
/// Named relation of BatchNorm in training: statistics need two values per channel.
template <class Batch>
struct several_values_per_channel {
  ESPALIER_READS("the batch is {}")
  static constexpr bool agree = false;
};

#define ESPALIER_LOSS_FITS                                                   \
  "the loss does not accept this prediction and target" ESPALIER_FACTS_HINT( \
      "; invalid<...> holds the violated relation")
#define ESPALIER_IS_LOSS \
  "trainer{model, loss, optimizer, batch...}: the second argument is not a loss; a loss is a module such as nn::SoftmaxLoss{}"
#define ESPALIER_LOSS_HAS_TARGET                                                                    \
  "the loss does not declare its targets; write in it `template <class Prediction> struct target {" \
  " using type = Prediction; using element_type = void; };`"
#define ESPALIER_LOSS_WITHOUT_PARAMETERS \
  "a loss has no parameters; put the layer into the net, and let the loss compare the net's output with the targets"
#define ESPALIER_TARGET_IS_COMPLETE \
  "target<Prediction> of a loss needs `type`, a shape<...>, and `element_type`, void for numbers or std::int32_t for labels"
#define ESPALIER_LOSS_FORWARD_FITS \
  "`forward` of a loss must accept a prediction and its targets; write `constexpr auto forward(auto prediction, auto target) const`"
#define ESPALIER_IS_BATCH "trainer{model, loss, optimizer, batch...}: " ESPALIER_BATCH_IS_SHAPE

namespace detail {

/// Faults of a net on a batch: layers_fault, loss_fault (of its prediction) and statistics_fault (statistics over one
/// value). Each returns `agreed` if there is no fault.
/// Replaces forward_takes of the net itself: a trainer passes one input.
template <class Net, class Found>
struct trained_net {
  using type = Found;
};
template <class Net, int Takes>
struct trained_net<Net, invalid<forward_takes<Net, Takes, 1>, Net>> {
  using type = invalid<trained_by_one_input<Net, Takes>>;
};
template <class Net, class Batch>
constexpr auto layers_fault() {
  using Found = typename trained_net<Net, applied_net<Net, Batch>>::type;
  if constexpr (is_invalid<Found>) return Found{};
  else return agreed{};
}
template <class Loss, class Prediction>
using applied_loss = decltype(std::declval<Loss const&>()(
    traced<Prediction>{}, traced<target_shape<Loss, Prediction>, target_element<Loss, Prediction>>{}));
/// A trainer instantiates this first, so that an error in a loss's body has a short trace. It corresponds to
/// probe_forward of its net: sizeof(typename detail::probe_loss<Net, Loss, Batch>::type).
template <class Net, class Loss, class Batch>
constexpr auto probed_loss() {
  if constexpr (!is_shape<Batch>) return std::type_identity<agreed>{};
  else if constexpr (!decltype(layers_fault<Net, Batch>())::agree) return std::type_identity<agreed>{};
  else if constexpr (!loss_has_target<Loss>::agree || !loss_without_parameters<Loss>::agree)
    return std::type_identity<agreed>{};
  else if constexpr (!target_is_complete<Loss, shape_of<applied_net<Net, Batch>>>::agree)
    return std::type_identity<agreed>{};
  else {
    using Prediction = shape_of<applied_net<Net, Batch>>;
    return std::type_identity<result_of_forward<
        Loss, traced<Prediction>, traced<target_shape<Loss, Prediction>, target_element<Loss, Prediction>>>>{};
  }
}
template <class Net, class Loss, class Batch>
struct probe_loss : decltype(probed_loss<Net, Loss, Batch>()) {};
/// Replaces has_forward and forward_takes by loss_has_forward, so that a loss without a matching forward has its own
/// message.
template <class Loss, class Prediction, class Value = applied_loss<Loss, Prediction>>
struct value_of_loss {
  using type = Value;
};
template <class Loss, class Prediction, class... S, class... Path>
struct value_of_loss<Loss, Prediction, invalid<has_forward<Loss, S...>, Path...>> {
  using type = invalid<loss_has_forward<Loss, S...>, Path...>;
};
template <class Loss, class Prediction, int Takes, class... Path>
struct value_of_loss<Loss, Prediction, invalid<forward_takes<Loss, Takes, 2>, Path...>> {
  using type = invalid<loss_has_forward<Loss, Prediction, target_shape<Loss, Prediction>>, Path...>;
};
template <class Net, class Loss, class Batch>
constexpr auto loss_fault() {
  if constexpr (!decltype(layers_fault<Net, Batch>())::agree) {
    return agreed{};
  } else if constexpr (!target_is_complete<Loss, shape_of<applied_net<Net, Batch>>>::agree) {
    return invalid<target_is_complete<Loss, shape_of<applied_net<Net, Batch>>>>{};
  } else {
    using Value = typename value_of_loss<Loss, shape_of<applied_net<Net, Batch>>>::type;
    if constexpr (is_invalid<Value>) return Value{};
    else if constexpr (!Expression<Value>) return fault_of_result<Loss, Value>();
    else if constexpr (!scalar_result<shape_of<Value>>::agree) return invalid<scalar_result<shape_of<Value>>, Loss>{};
    else return agreed{};
  }
}
template <class Net, class Loss, class Batch>
constexpr auto statistics_fault() {
  if constexpr (!decltype(layers_fault<Net, Batch>())::agree || !decltype(loss_fault<Net, Loss, Batch>())::agree)
    return agreed{};
  else if constexpr (traced_forward<Net, Loss, Batch>.program.nodes.found == graph::fault::one_value_per_channel)
    return several_values_per_channel<Batch>{};
  else return agreed{};
}

/// The faults of a training step. Each is checked only if the earlier ones are `agreed`.
template <class Net, class Loss, class... Batches>
struct training_fit {
  using loss_type_fault =
      typename first_fault<is_loss<Loss>, loss_has_target<Loss>, loss_without_parameters<Loss>>::type;
  using batch_type_fault =
      std::conditional_t<loss_type_fault::agree, typename first_fault<is_batch<Batches>...>::type, agreed>;
  using fault = typename first_fault<loss_type_fault, batch_type_fault>::type;
  using layers = agreed;
  using loss = agreed;
  using statistics = agreed;
  static constexpr bool agree = false;
};
template <class Net, class Loss, class... Batches>
  requires((is_loss<Loss>::agree) && (loss_has_target<Loss>::agree) && (loss_without_parameters<Loss>::agree) &&
           (is_batch<Batches>::agree && ...))
struct training_fit<Net, Loss, Batches...> {
  using loss_type_fault = agreed;
  using batch_type_fault = agreed;
  using layers = typename first_fault<decltype(layers_fault<Net, Batches>())...>::type;
  using loss = typename first_fault<decltype(loss_fault<Net, Loss, Batches>())...>::type;
  using statistics = typename first_fault<decltype(statistics_fault<Net, Loss, Batches>())...>::type;
  using fault = typename first_fault<layers, loss, statistics>::type;
  static constexpr bool agree = fault::agree;
};

/// The first fault of a trainer's arguments, or `agreed`.
template <class Net, class Loss, class Optimizer, class... Batches>
using trainer_fault = typename first_fault<
    typename training_fit<Net, Loss, Batches...>::fault,
    decltype(optimizer_fault_of<Net, Optimizer, training_fit<Net, Loss, Batches...>::fault::agree>())>::type;

template <class Net, int Takes, class... Path>
struct own_message<invalid<trained_by_one_input<Net, Takes>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(trained_by_one_input<Net, Takes>::agree,
                  ESPALIER_SENTENCE(ESPALIER_TRAINED_BY_ONE_INPUT, trained_by_one_input<Net, Takes>));
    return true;
  }
};
template <class Loss, class... S, class... Path>
struct own_message<invalid<loss_has_forward<Loss, S...>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(loss_has_forward<Loss, S...>::agree,
                  ESPALIER_SENTENCE(ESPALIER_LOSS_FORWARD_FITS, loss_has_forward<Loss, S...>));
    return true;
  }
};
template <class Loss, class Prediction>
struct own_message<invalid<target_is_complete<Loss, Prediction>>> : existing_message {
  static constexpr auto report() {
    using Fault = target_is_complete<Loss, Prediction>;
    static_assert(Fault::agree, ESPALIER_SENTENCE(ESPALIER_TARGET_IS_COMPLETE, Fault));
    return true;
  }
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
