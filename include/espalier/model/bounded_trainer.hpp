// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "bounded_predictor.hpp"
#include "trainer.hpp"

#define ESPALIER_SAMPLES_OF_BATCH \
  "must be 1 to N samples of the trainer's batch, in the model's element type (indices: std::int32_t)"
#define ESPALIER_TARGETS_OF_BATCH \
  "must be those of 1 to N samples, in the type that the loss requires (labels: std::int32_t)"

namespace espalier {

namespace detail {

/// What a trainer for batches of up to N samples consists of. least_samples is 2 if a BatchNorm cannot learn from one.
template <class Net, class Loss, class Optimizer, class Batch>
struct bounded_training {
  using program = bounded_training_program<Net, Loss, Batch, optim::scales_loss<Optimizer>>;
  using prediction = bounded_output<Net, Batch>;
  template <class B>
  using target_at = target_shape<Loss, shape_of<applied_net<Net, B>>>;
  using target = bounded_shape<Net, Batch, target_at<first_of<Net, Batch>>, target_at<second_of<Net, Batch>>>;

  static constexpr int find_least_samples() {
    if constexpr (slots_of<Net>.buffers.count > 0)
      return traced_forward<Net, Loss, typename Batch::template of<1>>.program.nodes.found ==
                     graph::fault::one_value_per_channel
                 ? 2
                 : 1;
    else return 1;
  }
};
/// The first fault of a trainer for batches of up to N samples that one for N samples does not have.
template <class Net, class Loss, class Optimizer, class Batch>
constexpr auto find_bounded_training_fault() {
  using Scores = bounded_fault_of<Net, Batch>;
  if constexpr (!Scores::agree) return Scores{};
  else if constexpr (bounded_training<Net, Loss, Optimizer, Batch>::prediction::rows == 0 ||
                     bounded_training<Net, Loss, Optimizer, Batch>::target::rows == 0)
    return sample_fault<plan::bounded_fault::mixes_samples, void>{};
  else if constexpr (!decltype(loss_fault<Net, Loss, first_of<Net, Batch>>())::agree ||
                     !decltype(loss_fault<Net, Loss, second_of<Net, Batch>>())::agree)
    return sample_fault<plan::bounded_fault::differs, void>{};
  else return sample_fault_of<typename bounded_training<Net, Loss, Optimizer, Batch>::program>{};
}

/// A trainer for batches of up to N samples: one program, one workspace.
template <class Model, class Loss, class Optimizer, class Batch>
class bounded_trainer {
  using Net = typename Model::net_type;
  using T = typename Model::value_type;
  using Engine = typename Model::engine_type;
  static_assert(!Engine::has_device_memory,
                "trainer{model, loss, optimizer, batch<up_to<N>, ...>{}}: a number of samples that is known at run "
                "time requires a model on the processor; use fixed batch sizes");
  using Training = bounded_training<Net, Loss, Optimizer, Batch>;
  using Input = stored_input<Net, T>;
  using Program = typename Training::program;
  using ScoresProgram = bounded_evaluation_program<Net, Batch>;
  using Sound = typename plan::sound_program<Program>::checked;
  using ScalingWorks = optim::scaling_works<Optimizer, true>;
  static_assert(ScalingWorks::agree,
                ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch}: " ESPALIER_SCALING_IS_OUTERMOST,
                                  ScalingWorks));
  using ShardingWorks = optim::sharding_works<Optimizer, false>;
  static_assert(ShardingWorks::agree,
                ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch}: " ESPALIER_SHARDING_WORKS, ShardingWorks));
  using Prediction = shape_of<applied_net<Net, most_of<Batch>>>;
  using OneLoss = loss_program<Loss, typename rows_of_sample<Prediction, most_of<Batch>>::type>;
  static constexpr int trainable = static_cast<int>(slots_of<Net>.parameters.trainable_storage);
  using Rule = update_rule<Optimizer, trainable, T, Engine>;

 public:
  using prediction_shape = typename Training::prediction::type;
  using target_shape = typename Training::target::type;
  using target_element = std::conditional_t<std::is_void_v<detail::target_element<Loss, Prediction>>, T,
                                            detail::target_element<Loss, Prediction>>;
  static constexpr int max_samples = Batch::max_samples;
  /// 2 for a net with a BatchNorm that cannot learn from one value per channel.
  static constexpr int least_samples = Training::find_least_samples();
  static constexpr bool has_labels = std::is_integral_v<target_element>;
  static constexpr label_range labels = label_range_of<Loss, Prediction>();

 private:
  static constexpr std::int64_t row = Prediction::size / max_samples,
                                target_row = Training::template target_at<most_of<Batch>>::size / max_samples;
  using Overlap = bounded_overlap<ScoresProgram, Input, T, most_of<Batch>::size>;
  static constexpr std::size_t most(std::size_t a, std::size_t b) { return a > b ? a : b; }
  static constexpr std::size_t scores_workspace = on_cpu::bounded_run_bytes<ScoresProgram, T>,
                               scratch_bytes =
                                   most(most(on_cpu::bounded_run_bytes<Program, T>, scores_workspace + Overlap::bytes),
                                        most(bytes_for<T>(workspace_elements<OneLoss>), Rule::workspace)),
                               gradients_at = scratch_bytes,
                               states_at = gradients_at + bytes_for<T>(static_cast<std::size_t>(trainable)),
                               scores_at = states_at + Rule::state,
                               buffers_before_at = scores_at + bytes_for<T>(static_cast<std::size_t>(Prediction::size)),
                               buffers_before_bytes = Rule::may_skip ? Model::buffer_bytes : 0;

 public:
  static constexpr std::size_t workspace_bytes = Engine::template workspace_bytes<Program, T>;
  static constexpr std::size_t bytes = buffers_before_at + buffers_before_bytes;
  static constexpr int kernel_count = plan::plan_of<Program>.groups.group_count;

  bounded_trainer(Model& model, Loss loss, Optimizer optimizer, Batch)
      : model_{model}, rule_{optimizer}, memory_(model.engine().allocate(bytes)) {
    check_loss(loss);
    rule_.template prepare<Net>(model_->engine(), states_memory());
  }
  template <std::size_t Count, class Enough = enough_bytes<Count, bytes>>
  bounded_trainer(espalier::bytes<Count>& storage, Model& model, Loss loss, Optimizer optimizer, Batch)
      : model_{model}, rule_{optimizer}, memory_(model.engine().allocate(storage, bytes)) {
    static_assert(Enough::agree, ESPALIER_SENTENCE("trainer{bytes, ...}: " ESPALIER_FEWER_BYTES("trainer"), Enough));
    check_loss(loss);
    rule_.template prepare<Net>(model_->engine(), states_memory());
  }
  bounded_trainer(bounded_trainer const&) ESPALIER_DELETED("it cannot be copied or moved: construct another one");

  /// One training step with the samples of images. Returns their mean loss before the update.
  /// errors  sample_count_error for a number of samples outside least_samples to N, or another number of targets;
  ///         label_error. Both change nothing
  template <class X, class Y>
  T step(X const& images, Y const& targets) {
    using Images = images_fit<X>;
    static_assert(Images::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets): images " ESPALIER_SAMPLES_OF_BATCH,
                                    typename Images::samples, typename Images::fewer, typename Images::element));
    using Targets = std::conditional_t<Images::agree, targets_fit<Y>, agreed>;
    static_assert(Targets::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets): targets " ESPALIER_TARGETS_OF_BATCH, Targets));
    if constexpr (Images::agree && Targets::agree) {
      constexpr char const* where = "trainer.step(images, targets)";
      auto const [x, y, samples] = both(where, images, targets);
      if (samples < least_samples) raise(sample_count_error{where, least_samples, max_samples, samples});
      if constexpr (has_labels) check_labels(y, samples * target_row, labels);
      return train(x, y, samples);
    } else {
      return T(0);
    }
  }
  /// The loss in evaluation mode over the samples of images, and how many predictions are correct.
  /// errors  as step; least_samples does not apply
  template <class X, class Y>
  evaluation evaluate(X const& images, Y const& targets) {
    using Images = images_fit<X>;
    static_assert(Images::agree,
                  ESPALIER_SENTENCE("trainer.evaluate(images, targets): images " ESPALIER_SAMPLES_OF_BATCH,
                                    typename Images::samples, typename Images::fewer, typename Images::element));
    using Targets = std::conditional_t<Images::agree, targets_fit<Y>, agreed>;
    static_assert(Targets::agree,
                  ESPALIER_SENTENCE("trainer.evaluate(images, targets): targets " ESPALIER_TARGETS_OF_BATCH, Targets));
    if constexpr (Images::agree && Targets::agree) {
      auto const [x, y, samples] = both("trainer.evaluate(images, targets)", images, targets);
      if constexpr (has_labels) check_labels(y, samples * target_row, labels);
      return evaluate_samples(x, y, samples);
    } else {
      return {};
    }
  }
  /// The net's scores in evaluation mode, valid until the next call.
  template <class X>
  view<T, prediction_shape> forward(X const& images) {
    using Fit = images_fit<X>;
    static_assert(Fit::agree, ESPALIER_SENTENCE("trainer.forward(images): images " ESPALIER_SAMPLES_OF_BATCH,
                                                typename Fit::samples, typename Fit::fewer, typename Fit::element));
    if constexpr (Fit::agree) {
      auto const x = samples_in<Input const, Batch>("trainer.forward(images)", images);
      return {scores_of(x.data, x.samples), x.samples * Training::prediction::rows};
    } else {
      return {memory_.template at<T>(scores_at), 1};
    }
  }

  /// The optimizer, whose hyperparameters (learning rate, ...) you may change during training.
  Optimizer& optimizer() { return rule_.optimizer; }
  auto& learning_rate() { return optim::learning_rate(rule_.optimizer); }
  /// The penalty that the optimizer (penalized) adds to the loss at the model's parameters; 0 if it has none.
  T penalty() const {
    auto p = places();
    typename Engine::exchange exchange = model_->engine().make_exchange(0, 0);
    return rule_.penalty(model_->engine(), exchange, p, 0, 0);
  }
  std::int64_t steps() const { return rule_.steps; }
  std::int64_t skipped_updates() const { return rule_.skipped; }
  auto states() { return model_->engine().span_of(states_memory(), Rule::lasting); }
  void continue_after(std::int64_t steps) { rule_.steps = steps; }
  /// As those of a trainer for fixed batches.
  template <class Scale = optim::has_loss_scale<Optimizer>>
  T loss_scale() const {
    static_assert(Scale::agree, ESPALIER_SENTENCE("trainer.loss_scale(): " ESPALIER_HAS_LOSS_SCALE, Scale));
    if constexpr (Scale::agree) return states_memory()[Rule::scalars_at];
    else return T(1);
  }
  auto loss_scale_state() requires(optim::scales_loss<Optimizer>) {
    return model_->engine().span_of(states_memory() + Rule::scalars_at, Rule::scalars);
  }
  /// The gradients of the last step, in the layout of the model's parameters.
  auto gradients() const { return model_->engine().span_of(static_cast<T const*>(gradient()), trainable); }

 private:
  template <class X>
  using images_fit = bounded_elements_fit<X const, Input const, Batch>;
  template <class Y>
  using targets_fit = bounded_elements_fit<Y const, target_element const, target_shape>;
  struct samples_and_targets {
    Input const* x;
    target_element const* y;
    int samples;
  };
  template <class X, class Y>
  static samples_and_targets both(char const* where, X const& images, Y const& targets) {
    auto const x = samples_in<Input const, Batch>(where, images);
    auto const y = samples_in<target_element const, target_shape>(where, targets, Training::target::rows);
    if (x.samples != y.samples) raise(sample_count_error{where, x.samples, x.samples, y.samples});
    return {x.data, y.data, x.samples};
  }
  T* gradient() const { return memory_.template at<T>(gradients_at); }
  T* states_memory() const { return memory_.template at<T>(states_at); }
  auto places() const {
    T* const parameters = static_cast<T*>(model_->bases().at[plan::base::parameters]);
    return typename Rule::places{parameters, gradient(), states_memory(), memory_.template at<T>(0),
                                 nullptr,    nullptr,    nullptr};
  }
  T* scores_of(Input const* x, int samples) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    T* const scores = memory_.template at<T>(scores_at);
    program_bases b = model_->bases();
    b.at[plan::base::workspace] = memory_.template at<T>(0);
    b.at[plan::base::arguments] = const_cast<Input*>(Overlap::separate(
        x, samples * Batch::sample::size, scores, samples * row, memory_.template at<void>(scores_workspace)));
    b.at[plan::base::results] = scores;
    on_cpu::run_bounded<ScoresProgram, T>(b.at, samples);
    return scores;
  }
  evaluation evaluate_samples(Input const* x, target_element const* targets, int samples) {
    constexpr bool classes_on_axis_1 = requires { Loss::template target<Prediction>::classes; };
    T* const scores = scores_of(x, samples);
    evaluation result{};
    program_bases b{};
    T loss = 0;
    b.at[plan::base::workspace] = memory_.template at<T>(0);
    b.at[plan::base::results] = &loss;
    for (int i = 0; i < samples; ++i) {
      b.at[plan::base::arguments] = scores + i * row;
      b.at[plan::base::arguments + 1] = const_cast<target_element*>(targets + i * target_row);
      model_->engine().template run_on_host<OneLoss, T>(b.at);
      std::int64_t counted = 1;
      if constexpr (has_labels && row == target_row * labels.classes)
        counted = count_correct<target_row, classes_on_axis_1>(scores + i * row, targets + i * target_row, labels,
                                                               result.correct);
      result.count += counted;
      result.loss += static_cast<double>(loss) * static_cast<double>(counted);
    }
    if (result.count > 0) result.loss /= static_cast<double>(result.count);
    return result;
  }
  /// Arch is in the name so that translation units for different instruction sets do not share the function.
  template <class Arch = on_cpu::default_arch>
  [[gnu::noinline]] T train(Input const* x, target_element const* targets, int samples) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    Engine const& engine = model_->engine();
    program_bases b = model_->bases();
    T loss = 0;
    auto numbers = rule_.next();
    on_cpu::random_state random{model_->initial_seed().value, model_->next_random_step()};
    auto p = places();
    typename Engine::exchange exchange = model_->engine().make_exchange(0, 0);
    Rule::stage_numbers(exchange, numbers, p, 0, 0);
    b.at[plan::base::workspace] = memory_.template at<T>(0);
    b.at[plan::base::gradients] = gradient();
    b.at[plan::base::random] = &random;
    b.at[plan::base::arguments] = const_cast<Input*>(x);
    b.at[plan::base::arguments + 1] = const_cast<target_element*>(targets);
    if constexpr (Rule::scalars > 0) b.at[plan::base::arguments + 2] = states_memory() + Rule::scalars_at;
    b.at[plan::base::results] = &loss;
    void* const before = memory_.template at<void>(buffers_before_at);
    engine.copy(before, b.at[plan::base::buffers], buffers_before_bytes);
    on_cpu::run_bounded<Program, T, Arch>(b.at, samples);
    bool const penalized = Rule::has_penalty && penalty_in_loss(rule_.optimizer);
    if (penalized) Rule::launch_penalty(engine, p);
    Rule::launch(engine, p);
    if (!rule_.count(numbers)) engine.copy(b.at[plan::base::buffers], before, buffers_before_bytes);
    return penalized ? loss + numbers.penalty : loss;
  }

  reference<Model> model_;
  Rule rule_;
  typename Engine::memory memory_;
  call_mark call_;
};

template <class T, class Optimizer>
struct bounded_trainer_with_fault : accepts_every_call<T, Optimizer> {
  bounded_trainer_with_fault(auto&&...) {}
};

/// The fault that the trainer reports; none, too, if a trainer for N samples reports it.
template <class Net, class Loss, class Optimizer, class Batch>
constexpr auto find_trainer_fault() {
  if constexpr (!trainer_fault<Net, Loss, Optimizer, most_of<Batch>>::agree)
    return sample_fault<plan::bounded_fault::none, void>{};
  else if constexpr (!decltype(find_bounded_training_fault<Net, Loss, Optimizer, Batch>())::agree)
    return find_bounded_training_fault<Net, Loss, Optimizer, Batch>();
  else return sample_fault<plan::bounded_fault::none, void>{};
}

/// The base of a trainer: the trainer of a valid net and loss, the invalid trainer for N samples, or a class that
/// accepts every call after the trainer has reported its fault.
template <class Model, class Loss, class Optimizer, class Batch>
constexpr auto find_bounded_trainer() {
  using Net = typename Model::net_type;
  if constexpr (!trainer_fault<Net, Loss, Optimizer, most_of<Batch>>::agree || !can_be_trained<Model>::agree) {
    return std::type_identity<trainer<Model, Loss, Optimizer, most_of<Batch>>>{};
  } else {
    using Fault = decltype(find_bounded_training_fault<Net, Loss, Optimizer, Batch>());
    if constexpr (Fault::agree && trains_alone<typename Model::device_type>::agree)
      return std::type_identity<bounded_trainer<Model, Loss, Optimizer, Batch>>{};
    else return std::type_identity<bounded_trainer_with_fault<typename Model::value_type, Optimizer>>{};
  }
}

}  // namespace detail

/// A trainer for batches of up to N samples: `trainer{model, loss, optimizer, batch<up_to<64>, 8, 8>{}}`. A step costs
/// in proportion to its samples; means, gradients and statistics are those of a batch of exactly these samples.
/// shape    images as for a predictor of such batches, targets likewise
/// memory   one allocation at construction, for N samples
/// threads  the calling thread alone
/// errors   sample_count_error for another number of samples, and label_error; both change nothing. A BatchNorm that
///          has one value per channel and sample requires two samples
template <ModelType Model, class Loss, class Optimizer, class Batch>
  requires(is_bounded_batch<Batch>)
class trainer<Model, Loss, Optimizer, Batch>
    : public decltype(detail::find_bounded_trainer<Model, Loss, Optimizer, Batch>())::type {
  using base = typename decltype(detail::find_bounded_trainer<Model, Loss, Optimizer, Batch>())::type;
  using Fault = decltype(detail::find_trainer_fault<typename Model::net_type, Loss, Optimizer, Batch>());
  using Relation = typename Fault::relation;
  using Alone = detail::trains_alone<typename Model::device_type>;
  static_assert(
      Alone::agree,
      ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch<up_to<N>, ...>{}}: processes that train together "
                        "use fixed batch sizes; a short last batch is a second batch size",
                        Alone));
  static_assert(Fault::is_one_program, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_DIFFERS, Relation));
  static_assert(Fault::has_whole_samples, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_EXTENT, Relation));
  static_assert(Fault::has_samples_first, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_NOT_LEADING, Relation));
  static_assert(Fault::has_groups_in_place, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_GROUPS, Relation));
  static_assert(Fault::keeps_samples_apart, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_MIXES, Relation));
  static_assert(Fault::has_known_numbers, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_CONSTANT, Relation));
  static_assert(Fault::has_kernels, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_KERNEL, Relation));
  static_assert(Fault::has_room, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_LARGE, Batch));

 public:
  trainer(Model& model, Loss loss, Optimizer optimizer, Batch batch) : base{model, loss, optimizer, batch} {}
  template <std::size_t Count>
  trainer(espalier::bytes<Count>& storage, Model& model, Loss loss, Optimizer optimizer, Batch batch)
      : base{storage, model, loss, optimizer, batch} {}
  /// Does not compile: the arguments are not of the types that the program writes out.
  explicit trainer(detail::any_argument = 0, detail::any_argument = 0, detail::any_argument = 0,
                   detail::any_argument = 0, detail::any_argument = 0)
      : base{detail::never_called<Model>(), detail::never_called<Loss>(), detail::never_called<Optimizer>(), Batch{}} {
    using Fit = arguments_fit_types<Model, Loss, Optimizer, Batch>;
    static_assert(Fit::agree, ESPALIER_SENTENCE(
                                  ESPALIER_ARGUMENTS_FIT_TYPES("trainer", "model, Loss{}, Optimizer{}, Batch{}"), Fit));
  }
};

template <ModelType Model, class Loss, class Optimizer, class Batch>
  requires(is_bounded_batch<Batch>)
trainer(Model&, Loss, Optimizer, Batch)
->trainer<Model, Loss, Optimizer, Batch>;
template <std::size_t Count, ModelType Model, class Loss, class Optimizer, class Batch>
  requires(is_bounded_batch<Batch>)
trainer(bytes<Count>&, Model&, Loss, Optimizer, Batch)
->trainer<Model, Loss, Optimizer, Batch>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
