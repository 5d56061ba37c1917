// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "evaluation.hpp"
#include "fit.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Trainers that are refused: each has its sentence, and takes everything else in silence.
namespace espalier {

template <class Model, class Loss, class Optimizer, class Batch, class... More>
class trainer;

/// Refused: it takes everything in silence, so that one mistake stays one error.
template <class Model, class Loss, class Optimizer, class Batch, class... More>
  requires(!detail::trainer_fault<typename Model::net_type, Loss, Optimizer, Batch, More...>::agree)
class trainer<Model, Loss, Optimizer, Batch, More...> {
  using Fit = detail::training_fit<typename Model::net_type, Loss, Batch, More...>;
  static_assert(is_loss<Loss>::agree, ESPALIER_SENTENCE(ESPALIER_IS_LOSS, is_loss<Loss>));
  static_assert(loss_has_target<Loss>::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_HAS_TARGET, loss_has_target<Loss>));
  static_assert(loss_without_parameters<Loss>::agree || !loss_has_target<Loss>::agree,
                ESPALIER_SENTENCE(ESPALIER_LOSS_WITHOUT_PARAMETERS, loss_without_parameters<Loss>));
  static_assert(Fit::batch_kinds::agree, ESPALIER_SENTENCE(ESPALIER_IS_BATCH, typename Fit::batch_kinds));
  static_assert(is_optimizer<Optimizer>::agree || !Fit::fault::agree, ESPALIER_SENTENCE(ESPALIER_IS_OPTIMIZER, is_optimizer<Optimizer>));
  static_assert(sizeof(detail::say_optimizer(decltype(detail::optimizer_fault_of<typename Model::net_type, Optimizer, Fit::fault::agree>()){})) != 0);
  using Layers = detail::in_facts<typename Fit::layers, trainer>;
  static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(detail::say_in_words(detail::in_words<typename Fit::layers>{})) != 0);
  using LossMisfit = detail::in_facts<typename Fit::loss, trainer>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(sizeof(detail::say_in_words(detail::in_words<typename Fit::loss>{})) != 0);
  static_assert(Fit::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Fit::statistics));

 public:
  static constexpr std::size_t workspace_bytes = 0, parameter_bytes = 0, gradient_bytes = 0, optimizer_bytes = 0, bytes = 0;
  static constexpr std::int64_t parameter_count = 0, flops = 0, bytes_moved = 0;
  static constexpr int kernel_count = 0;

  trainer(auto&&...) {}
  detail::computed_in<typename Model::value_type> step(auto&&...) { return 0; }
  evaluation evaluate(auto&&...) { return {}; }
  typename Fit::layers forward(auto&&...) { return {}; }
  Optimizer& optimizer() { return optimizer_; }
  double& learning_rate() { return learning_rate_; }
  detail::computed_in<typename Model::value_type> penalty() const { return 0; }
  std::int64_t steps() const { return 0; }
  std::int64_t refused_updates() const { return 0; }
  espalier::span<typename Model::value_type const> gradients() const { return {}; }

 private:
  Optimizer optimizer_{};
  double learning_rate_ = 0;
};

/// Refused: arguments of another kind.
template <class Given>
class trainer<detail::misused<is_model<Given>>, void, void, void> : public detail::silent_root<is_model<Given>> {
  static_assert(is_model<Given>::agree, ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch...}: " ESPALIER_FIRST_IS_MODEL, is_model<Given>));
  using detail::silent_root<is_model<Given>>::silent_root;
};
template <class... Given>
class trainer<detail::misused<trainer_arguments<Given...>>, void, void, void> : public detail::silent_root<trainer_arguments<Given...>> {
  static_assert(trainer_arguments<Given...>::agree,
                ESPALIER_SENTENCE("a trainer takes a model, a loss, an optimizer and at least one batch: "
                                  "esp::trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}}",
                                  trainer_arguments<Given...>));
  using detail::silent_root<trainer_arguments<Given...>>::silent_root;
};

}  // namespace espalier
#pragma GCC diagnostic pop
