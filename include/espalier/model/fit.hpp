// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../derivative/derivative.hpp"
#include "../optim/optimizer.hpp"
#include "misuse.hpp"
#include "net_programs.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Checks that a net, a loss, an optimizer and batches fit each other for training. A violated relation is a fact in
/// the roots' errors.
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
template <class Optimizer>
struct is_optimizer {
  static constexpr bool agree = optim::Optimizer<Optimizer>;
};
/// Named relations of an optimizer's update. It is a static function of the parameters, their gradient and one value
/// per state. It returns a Hana tuple of the new parameters and states. For a wrapper, they apply to the innermost
/// optimizer.
template <class Optimizer, int Size>
struct update_is_static {
  static constexpr bool agree = false;
};
template <class Optimizer, int Size, class Result>
struct update_returns_tuple {
  ESPALIER_READS("{} with {} parameters returns {}")
  static constexpr bool agree = boost::hana::Foldable<Result>::value;
};
template <class Optimizer, int Size>
struct update_returns_tuple<Optimizer, Size, void> {
  ESPALIER_READS("{} with {} parameters returns nothing")
  static constexpr bool agree = false;
};
template <class Optimizer, int Size, class... Values>
struct update_returns_tuple<Optimizer, Size, boost::hana::tuple<Values...>> {
  ESPALIER_READS("{} with {} parameters returns {}")
  static constexpr bool agree = sizeof...(Values) == Optimizer::states + 1;
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
/// Named relation of BatchNorm in training: statistics need two values per channel.
template <class Batch>
struct several_values_per_channel {
  ESPALIER_READS("the batch is {}")
  static constexpr bool agree = false;
};
/// Named relation of trainer.step(images, targets): the images have the shape of one of the batches.
template <class Actual, class... Batches>
struct one_of_batches {
  ESPALIER_READS("got {}, the batches are {...}")
  static constexpr bool agree = (std::is_same_v<Actual, Batches> || ...);
};

/// Named relation of trainer.step(images, targets): the arguments are in this order. Swapped: each would fit as the
/// other argument.
template <class Images, class Targets, bool Swapped>
struct images_before_targets {
  ESPALIER_READS("got {}, then {}")
  static constexpr bool agree = !Swapped;
};

/// Named relation: a batch has no padding. The last batch of data::padded repeats a sample, and a step would learn from
/// it again.
template <class Batch>
struct whole_batch {
  static constexpr bool agree = true;
};
template <class Batch>
  requires requires { typename Batch::is_padded_batch; }
struct whole_batch<Batch> {
  static constexpr bool agree = false;
};
/// Named relation: each sample of a batch has the same number of rows in the prediction.
template <class Prediction, class Batch>
struct samples_are_rows {
  ESPALIER_READS("a prediction of {}, a batch of {}")
  static constexpr bool agree = Prediction::rank > 0 && Prediction::value.at[0] % Batch::value.at[0] == 0;
};
/// Named relation: a step has no argument for the number of real samples.
template <class... Counts>
struct no_count {
  static constexpr bool agree = sizeof...(Counts) == 0;
};

namespace detail {

/// The value that is passed, or else the default `otherwise`.
template <class Number>
constexpr Number first_or(Number, auto value) {
  return static_cast<Number>(value);
}
template <class Number>
constexpr Number first_or(Number otherwise) {
  return otherwise;
}

/// Faults of a net on a batch: layers_fault, loss_fault (of its prediction) and statistics_fault (statistics over one
/// value). Each returns `agreed` if there is no fault.
template <class Net, class Batch>
constexpr auto layers_fault() {
  using Found = applied_net<Net, Batch>;
  if constexpr (is_invalid<Found>) return Found{};
  else return agreed{};
}
template <class Loss, class Prediction>
using applied_loss = decltype(std::declval<Loss const&>()(
    traced<Prediction>{}, traced<target_shape<Loss, Prediction>, target_element<Loss, Prediction>>{}));
/// A trainer instantiates this first, so that an error in a loss's body has a short trace. It corresponds to
/// probe_forward of its net: sizeof(typename detail::probe_loss<Net, Loss, Batch>::type).
template <class Net, class Loss, class Batch>
constexpr auto first_operands() {
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
struct probe_loss : decltype(first_operands<Net, Loss, Batch>()) {};
/// Replaces has_forward by loss_has_forward, so that a loss without a matching forward has its own message.
template <class Loss, class Value>
struct value_of_loss {
  using type = Value;
};
template <class Loss, class... S, class... Path>
struct value_of_loss<Loss, invalid<has_forward<Loss, S...>, Path...>> {
  using type = invalid<loss_has_forward<Loss, S...>, Path...>;
};
template <class Net, class Loss, class Batch>
constexpr auto loss_fault() {
  if constexpr (!decltype(layers_fault<Net, Batch>())::agree) {
    return agreed{};
  } else if constexpr (!target_is_complete<Loss, shape_of<applied_net<Net, Batch>>>::agree) {
    return invalid<target_is_complete<Loss, shape_of<applied_net<Net, Batch>>>>{};
  } else {
    using Value = typename value_of_loss<Loss, applied_loss<Loss, shape_of<applied_net<Net, Batch>>>>::type;
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

/// The fault of targets for a batch that fits net and loss, or `agreed`.
template <class Net, class Loss, class T, class Batch, class Y, bool Fits>
constexpr auto targets_fault() {
  if constexpr (!Fits) {
    return agreed{};
  } else {
    using Program = training_program<Net, Loss, Batch>;
    using Shape = shape_is<shape_of<Y>, typename Program::target>;
    using Element =
        element_is<element_of<Y>,
                   std::conditional_t<std::is_void_v<typename Program::element>, T, typename Program::element>>;
    if constexpr (!Shape::agree) return invalid<Shape>{};
    else if constexpr (!Element::agree) return invalid<Element>{};
    else return agreed{};
  }
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

/// The type that an optimizer's update returns; no_call_of_update if it cannot be called.
struct no_call_of_update {};
template <class S, class Optimizer, class States>
struct update_result {
  using type = no_call_of_update;
};
template <class S, class Optimizer, int... State>
  requires requires {
    Optimizer::update(parameter<S, void>{0, nullptr}, traced<S>{}, buffer<S, void>{State, nullptr}...);
  }
struct update_result<S, Optimizer, std::integer_sequence<int, State...>> {
  using type =
      decltype(Optimizer::update(parameter<S, void>{0, nullptr}, traced<S>{}, buffer<S, void>{State, nullptr}...));
};
/// The fault of an optimizer and its update for a vector of Size parameters, or `agreed`.
template <class Optimizer, int Size>
constexpr auto optimizer_fault() {
  using S = shape<(Size > 0 ? Size : 1)>;
  if constexpr (!is_optimizer<Optimizer>::agree) {
    return is_optimizer<Optimizer>{};
  } else if constexpr (requires(Optimizer o) { o.optimizer; }) {
    return optimizer_fault<decltype(Optimizer::optimizer), Size>();
  } else {
    using Result = typename update_result<S, Optimizer, std::make_integer_sequence<int, Optimizer::states>>::type;
    if constexpr (std::is_same_v<Result, no_call_of_update>) return update_is_static<Optimizer, Size>{};
    else if constexpr (!update_returns_tuple<Optimizer, Size, Result>::agree)
      return update_returns_tuple<Optimizer, Size, Result>{};
    else return agreed{};
  }
}
template <class Net, class Optimizer, bool Fits>
constexpr auto optimizer_fault_of() {
  if constexpr (Fits) return optimizer_fault<Optimizer, static_cast<int>(slots_of<Net>.parameters.trainable_storage)>();
  else return agreed{};
}

/// Precedes the batches in the type of an invalid trainer, so that compilers print the fault with the trainer's name.
template <class Fault>
struct unfit {};
template <class Net, class Loss, class Fault, class... Batches>
struct training_fit<Net, Loss, unfit<Fault>, Batches...> : training_fit<Net, Loss, Batches...> {};
template <class Net, class Loss, class Optimizer, class... Batches>
using trainer_fault = typename first_fault<
    typename training_fit<Net, Loss, Batches...>::fault,
    decltype(optimizer_fault_of<Net, Optimizer, training_fit<Net, Loss, Batches...>::fault::agree>())>::type;

}  // namespace detail

#define ESPALIER_WHOLE_BATCHES \
  "a step learns from whole batches; load them with data::drop_last or data::second_batch<N> instead of data::padded"
#define ESPALIER_LOSS_FITS                                                   \
  "the loss does not accept this prediction and target" ESPALIER_FACTS_HINT( \
      "; invalid<...> holds the violated relation")
#define ESPALIER_STATISTICS_FIT "BatchNorm cannot learn from one value per channel; train with larger batches"
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
#define ESPALIER_IS_OPTIMIZER \
  "trainer{model, loss, optimizer, batch...}: the third argument is not an optimizer, such as esp::optim::Adam{}"
#define ESPALIER_UPDATE_IS_STATIC                                                                               \
  "the optimizer's `update` must be static and accept the parameters, their gradient and each of its `states`;" \
  " write `static constexpr auto update(auto p, auto g, auto state)`, with hyperparameter<0>{} for the first number of hyperparameters_of"
#define ESPALIER_UPDATE_RETURNS_TUPLE \
  "the optimizer's `update` must return boost::hana::make_tuple(new parameters, new states...), with as many states as `states` declares"

namespace detail {

template <class Loss, class... S, class... Path>
inline constexpr bool has_own_message<invalid<loss_has_forward<Loss, S...>, Path...>> = true;
template <class Loss, class... S, class... Path>
constexpr auto report_own_message(invalid<loss_has_forward<Loss, S...>, Path...>) {
  static_assert(loss_has_forward<Loss, S...>::agree,
                ESPALIER_SENTENCE(ESPALIER_LOSS_FORWARD_FITS, loss_has_forward<Loss, S...>));
  return true;
}
template <class Loss, class Prediction>
inline constexpr bool has_own_message<invalid<target_is_complete<Loss, Prediction>>> = true;
template <class Loss, class Prediction>
constexpr auto report_own_message(invalid<target_is_complete<Loss, Prediction>>) {
  using Fault = target_is_complete<Loss, Prediction>;
  static_assert(Fault::agree, ESPALIER_SENTENCE(ESPALIER_TARGET_IS_COMPLETE, Fault));
  return true;
}

constexpr auto report_optimizer_fault(agreed) { return true; }
template <class Optimizer>
constexpr auto report_optimizer_fault(is_optimizer<Optimizer>) {
  return true;  // the root reports it with its own sentence
}
template <class Optimizer, int Size>
constexpr auto report_optimizer_fault(update_is_static<Optimizer, Size>) {
  static_assert(update_is_static<Optimizer, Size>::agree,
                ESPALIER_SENTENCE(ESPALIER_UPDATE_IS_STATIC, ESPALIER_STATED(false, Optimizer)));
  return true;
}
template <class Optimizer, int Size, class Result>
constexpr auto report_optimizer_fault(update_returns_tuple<Optimizer, Size, Result>) {
  using Fault = update_returns_tuple<Optimizer, Size, Result>;
  static_assert(Fault::agree, ESPALIER_SENTENCE(ESPALIER_UPDATE_RETURNS_TUPLE, Fault));
  return true;
}

/// The facts of an invalid training step: zeros, and one error. The assertions follow the members: clang does not find
/// members that follow a failed assertion.
template <class Layers, class Loss, class Statistics>
struct invalid_training {
  static constexpr std::size_t workspace_bytes = 0, peak_live_bytes = 0, parameter_bytes = 0, gradient_bytes = 0,
                               optimizer_bytes = 0;
  static constexpr std::int64_t parameter_count = 0, flops = 0, bytes_moved = 0;
  static constexpr int kernel_count = 0;
  using Misfit = root_message_fault<Layers, invalid_training>;
  static_assert(layers_fit<Misfit>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Misfit));
  static_assert(sizeof(report_own_message(own_message_fault<Layers>{})) != 0);
  using LossMisfit = root_message_fault<Loss, invalid_training>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(sizeof(report_own_message(own_message_fault<Loss>{})) != 0);
  static_assert(Statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, Statistics));
};
template <class Fit>
using invalid_training_of = invalid_training<typename Fit::layers, typename Fit::loss, typename Fit::statistics>;

}  // namespace detail

}  // namespace espalier
#pragma GCC diagnostic pop
