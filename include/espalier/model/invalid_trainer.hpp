// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "evaluation.hpp"
#include "fit.hpp"
#include "label_range.hpp"
#include "zero_costs.hpp"

#include "../base/diagnostics_push.hpp"
/// Invalid trainers: each reports one error and accepts every call without a further one.
namespace espalier {

template <class Model, class Loss, class Optimizer, class Batch, class... More>
class trainer;

namespace detail {

/// Precedes the batches in the type of an invalid trainer, so that compilers print the fault with the trainer's name.
template <class Fault>
struct unfit {};
template <class Net, class Loss, class Fault, class... Batches>
struct training_fit<Net, Loss, unfit<Fault>, Batches...> : training_fit<Net, Loss, Batches...> {};

/// The members of a trainer that does not compile: they accept every call without a further error.
/// test/model/invalid_trainer.cpp compares them with those of a trainer.
template <class Model, class Optimizer>
class trainer_stand_in : public zero_costs {
  using T = typename Model::value_type;
  using number = computed_in<T>;

 public:
  using prediction_shape = invalid<already_reported>;
  template <class>
  using target_of = invalid<already_reported>;
  using target_element = T;
  static constexpr bool has_labels = false;
  static constexpr label_range labels{};

  number step(auto&&...) { return 0; }
  evaluation evaluate(auto&&...) { return {}; }
  invalid<already_reported> forward(auto&&...) { return {}; }
  Optimizer& optimizer() { return optimizer_; }
  double& learning_rate() { return learning_rate_; }
  number penalty() const { return 0; }
  std::int64_t steps() const { return 0; }
  std::int64_t skipped_updates() const { return 0; }
  espalier::span<number> states() { return {}; }
  void continue_after(std::int64_t) {}
  espalier::span<T const> gradients() const { return {}; }

 private:
  Optimizer optimizer_{};
  double learning_rate_ = 0;
};

}  // namespace detail

/// Does not compile, with one error.
template <class Model, class Loss, class Optimizer, class Batch, class... More>
  requires(!detail::trainer_fault<typename Model::net_type, Loss, Optimizer, Batch, More...>::agree)
class trainer<Model, Loss, Optimizer, Batch, More...> : public detail::trainer_stand_in<Model, Optimizer> {
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
  static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(detail::own_message_fault<typename Fit::layers, typename Model::net_type>::report()) != 0);
  using Trained = detail::faults_of<typename Model::net_type, Loss>;
  using LossMisfit = detail::root_message_fault<typename Fit::loss, Trained, trainer>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(sizeof(detail::own_message_fault<typename Fit::loss, Trained>::report()) != 0);
  static_assert(Fit::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Fit::statistics));

 public:
  trainer(auto&&...) {}
};

/// Does not compile: the arguments are not a model, a loss, an optimizer and batches.
template <class Argument>
class trainer<detail::misused<is_model<Argument>>, void, void, void> : public detail::silent_root<is_model<Argument>> {
  static_assert(is_model<Argument>::agree,
                ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch...}: " ESPALIER_FIRST_IS_MODEL,
                                  is_model<Argument>));
  using detail::silent_root<is_model<Argument>>::silent_root;
};
template <class... Argument>
class trainer<detail::misused<trainer_arguments<Argument...>>, void, void, void>
    : public detail::silent_root<trainer_arguments<Argument...>> {
  static_assert(trainer_arguments<Argument...>::agree,
                ESPALIER_SENTENCE("trainer{...}: expected a model, a loss, an optimizer and at least one batch: "
                                  "esp::trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}}",
                                  trainer_arguments<Argument...>));
  using detail::silent_root<trainer_arguments<Argument...>>::silent_root;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
