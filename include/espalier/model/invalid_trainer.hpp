// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "evaluation.hpp"
#include "fit.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Invalid trainers: each reports one error and accepts every call without a further one.
namespace espalier {

template <class Model, class Loss, class Optimizer, class Batch, class... More>
class trainer;

/// Does not compile. It accepts every call without a further error, so that one mistake produces one error.
template <class Model, class Loss, class Optimizer, class Batch, class... More>
  requires(!detail::trainer_fault<typename Model::net_type, Loss, Optimizer, Batch, More...>::agree)
class trainer<Model, Loss, Optimizer, Batch, More...> {
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
  using Layers = detail::root_message_fault<typename Fit::layers, trainer>;
  static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(detail::report_own_message(detail::own_message_fault<typename Fit::layers>{})) != 0);
  using LossMisfit = detail::root_message_fault<typename Fit::loss, trainer>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(sizeof(detail::report_own_message(detail::own_message_fault<typename Fit::loss>{})) != 0);
  static_assert(Fit::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Fit::statistics));

 public:
  static constexpr std::size_t workspace_bytes = 0, parameter_bytes = 0, gradient_bytes = 0, optimizer_bytes = 0,
                               bytes = 0;
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
  std::int64_t skipped_updates() const { return 0; }
  espalier::span<typename Model::value_type const> gradients() const { return {}; }

 private:
  Optimizer optimizer_{};
  double learning_rate_ = 0;
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
#pragma GCC diagnostic pop
