// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../derivative/derivative.hpp"
#include "../optim/optimizer.hpp"
#include "misuse.hpp"
#include "source.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Whether a net, a loss, an optimizer and batches can be trained together; what is not so is a fact that the roots show.
namespace espalier {

/// Named relations of trainer{model, loss, optimizer, batch...}: each is what its place asks for.
template <class Loss>
struct is_loss {
  static constexpr bool agree = nn::Module<Loss>;
};
template <class Loss>
struct loss_has_target {
  ESPALIER_READS("given {}")
  static constexpr bool agree = !nn::Module<Loss> || requires { typename Loss::template target<shape<1, 1>>; };
};
template <class Loss>
struct loss_without_parameters {
  ESPALIER_READS("given {}")
  static constexpr bool agree = !nn::Module<Loss> || !detail::has_numbers_of_its_own<Loss>;
};
template <class Optimizer>
struct is_optimizer {
  static constexpr bool agree = optim::Optimizer<Optimizer>;
};
/// Named relations of an optimizer's update: it is a static function of parameters, their gradient and one value for each state, and its result is a Hana
/// tuple of the new parameters and the new states. One that wraps another is what the innermost one is.
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
/// Named relation of a loss and what it is given: target<Prediction> has a shape as `type`, and as `element_type` void or that of labels.
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
/// Named relation of a loss: its forward takes a prediction and targets of these shapes.
template <class Loss, class... Shapes>
struct loss_has_forward {
  ESPALIER_READS("{} has no forward that takes {...}")
  static constexpr bool agree = false;
};
/// Named relation of BatchNorm in training: statistics need two values per channel.
template <class Batch>
struct several_values_per_channel {
  ESPALIER_READS("the batch is {}")
  static constexpr bool agree = false;
};
/// Named relation of trainer.step(images, targets).
template <class Given, class... Batches>
struct one_of_batches {
  ESPALIER_READS("given {}, the batches are {...}")
  static constexpr bool agree = (std::is_same_v<Given, Batches> || ...);
};

/// Named relation of trainer.step(images, targets): they are in this order. Swapped: each fits where the other is given.
template <class Images, class Targets, bool Swapped>
struct images_before_targets {
  ESPALIER_READS("given {}, then {}")
  static constexpr bool agree = !Swapped;
};

/// Named relation: every sample of a batch is a real one. The last batch of data::padded repeats a sample, which a step would learn from.
template <class Batch>
struct whole_batch {
  static constexpr bool agree = true;
};
template <class Batch>
  requires requires { typename Batch::is_padded_batch; }
struct whole_batch<Batch> {
  static constexpr bool agree = false;
};
/// Named relation: the rows of a prediction belong to the samples of a batch, as many to each.
template <class Prediction, class Batch>
struct samples_are_rows {
  ESPALIER_READS("a prediction of {}, a batch of {}")
  static constexpr bool agree = Prediction::rank > 0 && Prediction::value.at[0] % Batch::value.at[0] == 0;
};
/// Named relation: a step has no number of real samples.
template <class... Counts>
struct no_count {
  static constexpr bool agree = sizeof...(Counts) == 0;
};

namespace detail {

/// The number that is given, or else another one.
template <class Number>
constexpr Number first_or(Number, auto given) {
  return static_cast<Number>(given);
}
template <class Number>
constexpr Number first_or(Number otherwise) {
  return otherwise;
}

/// What is wrong with a net on a batch: its layers, the loss of what it predicts, or statistics over one value; `agreed` where nothing is.
template <class Net, class Batch>
constexpr auto layers_fault() {
  using Found = applied_net<Net, Batch>;
  if constexpr (is_refused<Found>) return Found{};
  else return agreed{};
}
template <class Loss, class Prediction>
using applied_loss = decltype(std::declval<Loss const&>()(traced<Prediction>{},
                                                         traced<target_shape<Loss, Prediction>, target_element<Loss, Prediction>>{}));
/// What a trainer names first, as first_look of its net: sizeof(typename detail::look_at_loss<Net, Loss, Batch>::type).
template <class Net, class Loss, class Batch>
constexpr auto first_operands() {
  if constexpr (!is_shape<Batch>) return std::type_identity<agreed>{};
  else if constexpr (!decltype(layers_fault<Net, Batch>())::agree) return std::type_identity<agreed>{};
  else if constexpr (!loss_has_target<Loss>::agree || !loss_without_parameters<Loss>::agree) return std::type_identity<agreed>{};
  else if constexpr (!target_is_complete<Loss, shape_of<applied_net<Net, Batch>>>::agree) return std::type_identity<agreed>{};
  else {
    using Prediction = shape_of<applied_net<Net, Batch>>;
    return std::type_identity<result_of_forward<Loss, traced<Prediction>, traced<target_shape<Loss, Prediction>, target_element<Loss, Prediction>>>>{};
  }
}
template <class Net, class Loss, class Batch>
struct look_at_loss : decltype(first_operands<Net, Loss, Batch>()) {};
/// A loss that has no forward for what it is given is told so in words of its own.
template <class Loss, class Value>
struct value_of_loss {
  using type = Value;
};
template <class Loss, class... S, class... Path>
struct value_of_loss<Loss, refused<has_forward<Loss, S...>, Path...>> {
  using type = refused<loss_has_forward<Loss, S...>, Path...>;
};
template <class Net, class Loss, class Batch>
constexpr auto loss_fault() {
  if constexpr (!decltype(layers_fault<Net, Batch>())::agree) {
    return agreed{};
  } else if constexpr (!target_is_complete<Loss, shape_of<applied_net<Net, Batch>>>::agree) {
    return refused<target_is_complete<Loss, shape_of<applied_net<Net, Batch>>>>{};
  } else {
    using Value = typename value_of_loss<Loss, applied_loss<Loss, shape_of<applied_net<Net, Batch>>>>::type;
    if constexpr (is_refused<Value>) return Value{};
    else if constexpr (!Expression<Value>) return fault_of_result<Loss, Value>();
    else if constexpr (!scalar_result<shape_of<Value>>::agree) return refused<scalar_result<shape_of<Value>>, Loss>{};
    else return agreed{};
  }
}
template <class Net, class Loss, class Batch>
constexpr auto statistics_fault() {
  if constexpr (!decltype(layers_fault<Net, Batch>())::agree || !decltype(loss_fault<Net, Loss, Batch>())::agree) return agreed{};
  else if constexpr (traced_forward<Net, Loss, Batch>.program.nodes.found == graph::fault::one_value_per_channel) return several_values_per_channel<Batch>{};
  else return agreed{};
}

/// What is wrong with targets for a batch whose net and loss fit.
template <class Net, class Loss, class T, class Batch, class Y, bool Fits>
constexpr auto targets_fault() {
  if constexpr (!Fits) {
    return agreed{};
  } else {
    using Source = training_source<Net, Loss, Batch>;
    using Shape = shape_is<shape_of<Y>, typename Source::target>;
    using Element = element_is<element_of<Y>, std::conditional_t<std::is_void_v<typename Source::element>, T, typename Source::element>>;
    if constexpr (!Shape::agree) return refused<Shape>{};
    else if constexpr (!Element::agree) return refused<Element>{};
    else return agreed{};
  }
}

/// The faults of a training step. Each is looked for where those before it are `agreed`.
template <class Net, class Loss, class... Batches>
struct training_fit {
  using loss_kind = typename first_fault<is_loss<Loss>, loss_has_target<Loss>, loss_without_parameters<Loss>>::type;
  using batch_kinds = std::conditional_t<loss_kind::agree, typename first_fault<is_batch<Batches>...>::type, agreed>;
  using fault = typename first_fault<loss_kind, batch_kinds>::type;
  using layers = agreed;
  using loss = agreed;
  using statistics = agreed;
  static constexpr bool agree = false;
};
template <class Net, class Loss, class... Batches>
  requires(is_loss<Loss>::agree && loss_has_target<Loss>::agree && loss_without_parameters<Loss>::agree && (is_batch<Batches>::agree && ...))
struct training_fit<Net, Loss, Batches...> {
  using loss_kind = agreed;
  using batch_kinds = agreed;
  using layers = typename first_fault<decltype(layers_fault<Net, Batches>())...>::type;
  using loss = typename first_fault<decltype(loss_fault<Net, Loss, Batches>())...>::type;
  using statistics = typename first_fault<decltype(statistics_fault<Net, Loss, Batches>())...>::type;
  using fault = typename first_fault<layers, loss, statistics>::type;
  static constexpr bool agree = fault::agree;
};

/// What an optimizer's update returns; no_call_of_update where it cannot be called.
struct no_call_of_update {};
template <class S, class Optimizer, class States>
struct update_result {
  using type = no_call_of_update;
};
template <class S, class Optimizer, int... State>
  requires requires { Optimizer::update(parameter<S, void>{0, nullptr}, traced<S>{}, buffer<S, void>{State, nullptr}...); }
struct update_result<S, Optimizer, std::integer_sequence<int, State...>> {
  using type = decltype(Optimizer::update(parameter<S, void>{0, nullptr}, traced<S>{}, buffer<S, void>{State, nullptr}...));
};
/// What is wrong with an optimizer and its update for a vector of so many parameters.
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
    else if constexpr (!update_returns_tuple<Optimizer, Size, Result>::agree) return update_returns_tuple<Optimizer, Size, Result>{};
    else return agreed{};
  }
}
template <class Net, class Optimizer, bool Fits>
constexpr auto optimizer_fault_of() {
  if constexpr (Fits) return optimizer_fault<Optimizer, static_cast<int>(slots_of<Net>.parameters.trainable_storage)>();
  else return agreed{};
}

/// Stands before the batches of a trainer that is refused, so that compilers name the fault where they name the trainer.
template <class Fault>
struct unfit {};
template <class Net, class Loss, class Fault, class... Batches>
struct training_fit<Net, Loss, unfit<Fault>, Batches...> : training_fit<Net, Loss, Batches...> {};
template <class Net, class Loss, class Optimizer, class... Batches>
using trainer_fault =
    typename first_fault<typename training_fit<Net, Loss, Batches...>::fault,
                         decltype(optimizer_fault_of<Net, Optimizer, training_fit<Net, Loss, Batches...>::fault::agree>())>::type;

}  // namespace detail

#define ESPALIER_WHOLE_BATCHES \
  "a step learns from whole batches; load them with data::drop_last or data::second_batch<N> instead of data::padded"
#define ESPALIER_LOSS_FITS \
  "the loss does not take this prediction and target" ESPALIER_WHERE_IT_STANDS("; refused<...> holds what disagrees")
#define ESPALIER_STATISTICS_FIT "BatchNorm cannot learn from one value per channel; train with larger batches"
#define ESPALIER_IS_LOSS \
  "trainer{model, loss, optimizer, batch...}: the second argument is not a loss; a loss is a module such as nn::SoftmaxLoss{}"
#define ESPALIER_LOSS_HAS_TARGET \
  "the loss does not tell what its targets are; write in it `template <class Prediction> struct target {" \
  " using type = Prediction; using element_type = void; };`"
#define ESPALIER_LOSS_WITHOUT_PARAMETERS \
  "a loss has no parameters; put the layer into the net, and let the loss compare the net's output with the targets"
#define ESPALIER_TARGET_IS_COMPLETE \
  "target<Prediction> of a loss needs `type`, a shape<...>, and `element_type`, void for numbers or std::int32_t for labels"
#define ESPALIER_LOSS_FORWARD_FITS \
  "`forward` of a loss takes a prediction and its targets; write `constexpr auto forward(auto prediction, auto target) const`"
#define ESPALIER_IS_BATCH "trainer{model, loss, optimizer, batch...}: " ESPALIER_BATCH_IS_SHAPE
#define ESPALIER_IS_OPTIMIZER \
  "trainer{model, loss, optimizer, batch...}: the third argument is not an optimizer, such as esp::optim::Adam{}"
#define ESPALIER_UPDATE_IS_STATIC \
  "the optimizer's `update` must be static and take the parameters, their gradient and each of its `states`;" \
  " write `static constexpr auto update(auto p, auto g, auto state)`, with magnitude<0>{} for the first number of magnitudes_of"
#define ESPALIER_UPDATE_RETURNS_TUPLE \
  "the optimizer's `update` must return boost::hana::make_tuple(new parameters, new states...), with as many states as it says in `states`"

namespace detail {

template <class Loss, class... S, class... Path>
inline constexpr bool has_words<refused<loss_has_forward<Loss, S...>, Path...>> = true;
template <class Loss, class... S, class... Path>
constexpr auto say_in_words(refused<loss_has_forward<Loss, S...>, Path...>) {
  static_assert(loss_has_forward<Loss, S...>::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FORWARD_FITS, loss_has_forward<Loss, S...>));
  return true;
}
template <class Loss, class Prediction>
inline constexpr bool has_words<refused<target_is_complete<Loss, Prediction>>> = true;
template <class Loss, class Prediction>
constexpr auto say_in_words(refused<target_is_complete<Loss, Prediction>>) {
  using Fault = target_is_complete<Loss, Prediction>;
  static_assert(Fault::agree, ESPALIER_SENTENCE(ESPALIER_TARGET_IS_COMPLETE, Fault));
  return true;
}

constexpr auto say_optimizer(agreed) { return true; }
template <class Optimizer>
constexpr auto say_optimizer(is_optimizer<Optimizer>) {
  return true;  // said by the root, which has the sentence
}
template <class Optimizer, int Size>
constexpr auto say_optimizer(update_is_static<Optimizer, Size>) {
  static_assert(update_is_static<Optimizer, Size>::agree, ESPALIER_SENTENCE(ESPALIER_UPDATE_IS_STATIC, ESPALIER_STATED(false, Optimizer)));
  return true;
}
template <class Optimizer, int Size, class Result>
constexpr auto say_optimizer(update_returns_tuple<Optimizer, Size, Result>) {
  using Fault = update_returns_tuple<Optimizer, Size, Result>;
  static_assert(Fault::agree, ESPALIER_SENTENCE(ESPALIER_UPDATE_RETURNS_TUPLE, Fault));
  return true;
}

/// The facts of a training step that is refused: none, and one error, behind the members: clang knows none that stands behind an assertion that fails.
template <class Layers, class Loss, class Statistics>
struct refused_training {
  static constexpr std::size_t workspace_bytes = 0, peak_live_bytes = 0, parameter_bytes = 0, gradient_bytes = 0, optimizer_bytes = 0;
  static constexpr std::int64_t parameter_count = 0, flops = 0, bytes_moved = 0;
  static constexpr int kernel_count = 0;
  using Misfit = in_facts<Layers, refused_training>;
  static_assert(layers_fit<Misfit>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Misfit));
  static_assert(sizeof(say_in_words(in_words<Layers>{})) != 0);
  using LossMisfit = in_facts<Loss, refused_training>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(sizeof(say_in_words(in_words<Loss>{})) != 0);
  static_assert(Statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, Statistics));
};
template <class Fit>
using refused_training_of = refused_training<typename Fit::layers, typename Fit::loss, typename Fit::statistics>;

}  // namespace detail

}  // namespace espalier
#pragma GCC diagnostic pop
