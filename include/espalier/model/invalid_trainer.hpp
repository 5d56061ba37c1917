// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "label_range.hpp"
#include "model_fit.hpp"
#include "parts_fit.hpp"
#include "training_fit.hpp"

/// Invalid trainers: each reports one error and accepts every call without a further one.
namespace espalier {

template <class Model, class Loss, class Optimizer, class Batch, class... More>
class trainer;

namespace detail {

/// Precedes the batches in the type of an invalid trainer, so that compilers print the fault with the trainer's name.
template <class Fault>
struct fault_shown {};
template <class Net, class Loss, class Fault, class... Batches>
struct training_fit<Net, Loss, fault_shown<Fault>, Batches...> : training_fit<Net, Loss, Batches...> {};

}  // namespace detail

/// Does not compile, with one error.
template <class Model, class Loss, class Optimizer, class Batch, class... More>
  requires(!detail::trainer_fault<typename Model::net_type, Loss, Optimizer, Batch, More...>::agree ||
           !detail::can_be_trained<Model>::agree || !detail::parts_fit<Model, Loss, Batch, More...>::agree)
class trainer<Model, Loss, Optimizer, Batch, More...>
    : public detail::accepts_every_call<detail::activation_of<Model>, Optimizer> {
  using Stored = detail::can_be_trained<Model>;
  static_assert(Stored::agree,
                ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch...}: " ESPALIER_MODEL_IS_EVALUATED, Stored));
  using Parts = detail::parts_report<detail::parts_fit<Model, Loss, Batch, More...>>;
  static_assert(Parts::divides::agree, ESPALIER_SENTENCE(ESPALIER_BATCH_DIVIDES, typename Parts::divides));
  static_assert(Parts::fits::agree, ESPALIER_SENTENCE(ESPALIER_PART_FITS, typename Parts::fits));
  static_assert(Parts::targets::agree, ESPALIER_SENTENCE(ESPALIER_TARGETS_DIVIDE, typename Parts::targets));
  using Fit = detail::training_fit<typename Model::net_type, Loss, Batch, More...>;
  static_assert(is_loss<Loss>::agree, ESPALIER_SENTENCE(ESPALIER_IS_LOSS, is_loss<Loss>));
  static_assert(loss_has_target<Loss>::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_HAS_TARGET, loss_has_target<Loss>));
  static_assert(loss_without_parameters<Loss>::agree || !loss_has_target<Loss>::agree,
                ESPALIER_SENTENCE(ESPALIER_LOSS_WITHOUT_PARAMETERS, loss_without_parameters<Loss>));
  static_assert(Fit::batch_type_fault::agree, ESPALIER_SENTENCE(ESPALIER_IS_BATCH, typename Fit::batch_type_fault));
  static_assert(is_optimizer<Optimizer>::agree || !Fit::fault::agree,
                ESPALIER_SENTENCE(ESPALIER_IS_OPTIMIZER, is_optimizer<Optimizer>));
  static_assert(
      sizeof(detail::report_optimizer_fault(
          decltype(detail::optimizer_fault_of<typename Model::net_type, Optimizer, Fit::fault::agree>()){})) != 0);
  using Layers = detail::root_message_fault<typename Fit::layers, typename Model::net_type, trainer>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(detail::own_message_fault<typename Fit::layers, typename Model::net_type>::report()) != 0);
  using Trained = detail::faults_of<typename Model::net_type, Loss>;
  using LossMisfit = detail::root_message_fault<typename Fit::loss, Trained, trainer>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(sizeof(detail::own_message_fault<typename Fit::loss, Trained>::report()) != 0);
  static_assert(Fit::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Fit::statistics));

 public:
  trainer(auto&&...) {}
};

/// Does not compile: the first of the types that the program writes out is none of a model.
template <class Model, class Loss, class Optimizer, class Batch, class... More>
  requires(!ModelType<Model>)
class trainer<Model, Loss, Optimizer, Batch, More...> : public detail::accepts_every_memory {
  static_assert(is_model<Model>::agree,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_MODEL("trainer<Model, Loss, Optimizer, Batch>", "esp::trainer"),
                                  is_model<Model>));

 public:
  trainer(auto&&...) {}
};

/// Does not compile: the arguments are not a model, a loss, an optimizer and batches.
template <class Argument, class Optimizer>
class trainer<detail::misused<is_model<Argument>>, void, Optimizer, void>
    : public detail::accepts_every_call<float, Optimizer> {
  static_assert(is_model<Argument>::agree,
                ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch...}: " ESPALIER_FIRST_IS_MODEL,
                                  is_model<Argument>));

 public:
  trainer(auto&&...) {}
};
template <class... Argument>
class trainer<detail::misused<trainer_arguments<Argument...>>, void, void, void> : public detail::accepts_every_call<> {
  static_assert(trainer_arguments<Argument...>::agree,
                ESPALIER_SENTENCE("trainer{...}: expected a model, a loss, an optimizer and at least one batch: "
                                  "esp::trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}}",
                                  trainer_arguments<Argument...>));

 public:
  trainer(auto&&...) {}
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
