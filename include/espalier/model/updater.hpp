// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../eager/model_error.hpp"
#include "../optim/lazy.hpp"
#include "../optim/scale_loss.hpp"
#include "../optim/sharded.hpp"
#include "gradients.hpp"
#include "optimizer_fit.hpp"
#include "update_rule.hpp"
#include "updater_argument.hpp"

namespace espalier {

/// Named relations: an updater's arguments are its own model, and gradients of that model's net.
template <class Actual, class Expected>
struct updated_model {
  ESPALIER_READS("got {}, expected {}")
  static constexpr bool agree = std::is_same_v<Actual, Expected>;
};
template <class Actual, class Expected>
struct updated_along {
  ESPALIER_READS("got {}, expected {}")
  static constexpr bool agree = std::is_same_v<Actual, Expected>;
};
/// Named relation: an updater has an optimizer.
template <class Model>
struct updater_has_optimizer {
  ESPALIER_READS("got {} alone")
  static constexpr bool agree = false;
};
namespace detail {
template <class Model, class Gradients, class M, class G>
using update_fault =
    typename first_fault<updated_model<std::remove_cvref_t<M>, Model>, updated_along<G, Gradients>>::type;
}  // namespace detail

namespace optim {

/// An optimizer with its state for a model, for your own training loop: optim::updater adam{model, optim::Adam{}};
/// adam.update(model, gradients). For parameters of 16 bits it stores master weights in float, and therefore updates
/// one model at a time.
/// shape   gradients as value_and_grad(model, loss) returns them
/// memory  one allocation at construction, none afterwards
template <class Model, class Optimizer>
class updater {
  static_assert(
      lazy_works<Optimizer, false>::agree,
      ESPALIER_SENTENCE("updater{model, optimizer}: gradients are whole tables; optim::lazy works in a trainer",
                        lazy_works<Optimizer, false>));
  static_assert(
      scaling_works<Optimizer, false>::agree,
      ESPALIER_SENTENCE("updater{model, optimizer}: its gradients begin with 1; optim::scale_loss works in a trainer",
                        scaling_works<Optimizer, false>));
  static_assert(
      sharding_works<Optimizer, false>::agree,
      ESPALIER_SENTENCE("updater{model, optimizer}: it has the gradients of one process; optim::sharded works "
                        "in a trainer",
                        sharding_works<Optimizer, false>));
  using T = typename Model::value_type;
  using Engine = typename Model::engine_type;
  static constexpr int size = static_cast<int>(slots_of<typename Model::net_type>.parameters.trainable_storage);
  using Rule = espalier::detail::update_rule<Optimizer, size, T, Engine>;
  using number = typename Rule::number;
  using Gradients = gradients<typename Model::net_type, T, typename Engine::memory_device>;

 public:
  static constexpr std::size_t bytes = Rule::state + Rule::workspace;

  updater(Model const& model, Optimizer optimizer)
      : rule_{optimizer},
        memory_(model.engine().allocate(bytes)),
        exchange_{model.engine().make_exchange(end, end)},
        engine_{model.engine().without_threads()},
        parameters_{model.bases().at[plan::base::parameters]} {
    rule_.template prepare<typename Model::net_type>(model.engine(), memory_.template at<number>(0));
  }

  /// Does not compile: the model is a temporary, but it must outlive the expression.
  template <espalier::detail::TemporaryOf<Model> M>
  updater(M&& model, Optimizer optimizer) : updater{static_cast<Model const&>(model), optimizer} {
    static_assert(
        espalier::detail::lives_on<M>::agree,
        ESPALIER_SENTENCE("updater{model, optimizer}: " ESPALIER_MODEL_IS_TEMPORARY, espalier::detail::lives_on<M>));
  }

  /// Does not compile: a const model cannot be changed.
  template <espalier::detail::TemporaryOrConst<Model> M>
  void update(M&&, Gradients const&) {
    static_assert(espalier::detail::may_change<Model>::agree,
                  ESPALIER_SENTENCE("updater.update(model, gradients): " ESPALIER_MODEL_IS_CONST,
                                    espalier::detail::may_change<Model>));
  }
  /// Does not compile: another model, or the gradients of another net.
  template <class M, class G, class Fault = espalier::detail::update_fault<Model, Gradients, M, G>>
    requires(!Fault::agree)
  void update(M&&, G const&) {
    static_assert(
        Fault::agree,
        ESPALIER_SENTENCE(
            "updater.update(model, gradients): pass the model of this updater, and the gradients that value_and_grad(model, loss)(x, y) returned for it",
            Fault));
  }
  /// Updates the model's parameters with the gradients.
  /// errors  model_error if it is another model than the one that the updater was made for
  void update(Model& model, Gradients const& gradients) {
    if (model.bases().at[plan::base::parameters] != parameters_) espalier::detail::raise(model_error());
    auto n = rule_.next();
    auto p = places(model);
    p.gradient = gradients.span().data();
    Rule::stage_numbers(exchange_, n, p, 0, outputs_at);
    exchange_.upload();
    Engine const& engine = model.engine();
    Rule::launch(engine, p);
    if constexpr (Rule::may_skip) exchange_.download(outputs_at, Rule::output_bytes);
    Rule::read_applied(exchange_, n, outputs_at);
    rule_.count(n);
  }
  /// The optimizer, whose hyperparameters (learning rate, ...) you may change during training.
  Optimizer& optimizer() { return rule_.optimizer; }
  /// The learning rate, also of a wrapped optimizer: updater.learning_rate() = schedule(updater.steps()).
  auto& learning_rate() { return optim::learning_rate(rule_.optimizer); }
  /// The penalty that the optimizer adds to the loss at the model's parameters; 0 if it has none.
  number penalty(Model const& model) const {
    return rule_.penalty(model.engine(), exchange_, places(model), 0, outputs_at);
  }
  /// The optimizer's states, one vector after the other, each in the layout of the model's trainable parameters. To
  /// resume a training, save them and the number of steps. For parameters of 16 bits their elements are float, and the
  /// master weights come first. On a device with its own memory: a device_span.
  auto states() { return engine_.span_of(memory_.template at<number>(0), Rule::lasting); }
  void continue_after(std::int64_t steps) { rule_.steps = steps; }
  std::int64_t steps() const { return rule_.steps; }
  /// Number of updates that the optimizer skipped (skip_non_finite).
  std::int64_t skipped_updates() const { return rule_.skipped; }

 private:
  template <class>
  friend struct espalier::detail::function_argument;
  number* state_memory() const { return memory_.template at<number>(0); }

  static constexpr std::size_t outputs_at = Rule::input_bytes, end = outputs_at + Rule::output_bytes;
  auto places(Model const& model) const {
    return typename Rule::places{static_cast<T*>(model.bases().at[plan::base::parameters]),
                                 nullptr,
                                 memory_.template at<number>(0),
                                 memory_.template at<number>(Rule::state),
                                 nullptr,
                                 nullptr,
                                 nullptr};
  }

  Rule rule_;
  typename Engine::memory memory_;
  [[no_unique_address]] mutable typename Engine::exchange exchange_;
  [[no_unique_address]] typename Engine::single_threaded engine_;
  void const* parameters_;  ///< of the model that the states belong to
};

/// Does not compile: the second argument is not an optimizer. It accepts every call without a further error, so that
/// one mistake produces one error.
template <class Model, class Optimizer>
  requires(!decltype(espalier::detail::optimizer_fault_of<
                     typename Model::net_type, Optimizer,
                     espalier::detail::net_fault<typename Model::net_type>::agree>())::agree ||
           !espalier::detail::can_be_trained<Model>::agree || !espalier::detail::model_on_one_device<Model>::agree)
class updater<Model, Optimizer> : public espalier::detail::accepts_every_call<> {
  using Stored = espalier::detail::can_be_trained<Model>;
  static_assert(Stored::agree, ESPALIER_SENTENCE("updater{model, optimizer}: " ESPALIER_MODEL_IS_EVALUATED, Stored));
  using OneDevice = espalier::detail::model_on_one_device<Model>;
  static_assert(OneDevice::agree, ESPALIER_SENTENCE("updater{model, optimizer}: " ESPALIER_ON_ONE_DEVICE, OneDevice));
  static_assert(is_optimizer<Optimizer>::agree,
                ESPALIER_SENTENCE(
                    "updater{model, optimizer}: the second argument is not an optimizer, such as esp::optim::Adam{}",
                    is_optimizer<Optimizer>));
  static_assert(sizeof(espalier::detail::report_optimizer_fault(
                    decltype(espalier::detail::optimizer_fault_of<typename Model::net_type, Optimizer, true>()){})) !=
                0);

 public:
  updater(auto&&...) {}
};
/// Does not compile: the first of the types that the program writes out is none of a model.
template <class Model, class Optimizer>
  requires(!ModelType<Model>)
class updater<Model, Optimizer> : public espalier::detail::accepts_every_memory {
  static_assert(is_model<Model>::agree,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_MODEL("updater<Model, Optimizer>", "optim::updater"),
                                  is_model<Model>));

 public:
  updater(auto&&...) {}
};
/// Does not compile: the optimizer is missing.
template <class Model>
class updater<espalier::detail::misused<updater_has_optimizer<Model>>, void>
    : public espalier::detail::accepts_every_call<> {
  static_assert(updater_has_optimizer<Model>::agree,
                ESPALIER_SENTENCE("updater{model, optimizer}: the optimizer is missing, such as esp::optim::Adam{}",
                                  updater_has_optimizer<Model>));

 public:
  updater(auto&&...) {}
};
/// Does not compile: the first argument is not a model.
template <class Actual>
class updater<espalier::detail::misused<is_model<Actual>>, void> : public espalier::detail::accepts_every_call<> {
  static_assert(is_model<Actual>::agree,
                ESPALIER_SENTENCE("updater{model, optimizer}: " ESPALIER_FIRST_IS_MODEL, is_model<Actual>));

 public:
  updater(auto&&...) {}
};
template <ModelType Model, class Optimizer>
updater(Model const&, Optimizer) -> updater<Model, Optimizer>;
template <ModelType Model>
updater(Model const&) -> updater<espalier::detail::misused<updater_has_optimizer<Model>>, void>;
template <class First, class Second>
  requires(!ModelType<First>)
updater(First const&, Second)
->updater<espalier::detail::misused<is_model<First>>, void>;

}  // namespace optim

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
