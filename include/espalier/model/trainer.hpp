// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/hash.hpp"
#include "../base/version.hpp"
#include "../device/check_indices.hpp"
#include "../device/distributed/exchange_times.hpp"
#include "../device/distributed/step_header.hpp"
#include "../plan/is_random.hpp"
#include "../plan/program_hash.hpp"
#include "best_parameters.hpp"
#include "correct_predictions.hpp"
#include "count_error.hpp"
#include "early_stopping.hpp"
#include "evaluation.hpp"
#include "invalid_trainer.hpp"
#include "label_range.hpp"
#include "loss_error.hpp"
#include "predictor.hpp"
#include "step_fit.hpp"
#include "trainer_costs.hpp"
#include "trainer_range_arguments.hpp"
#include "updater.hpp"

namespace espalier {

/// Trains a model. Forward and backward pass are one program per static batch size; the update is one program for all
/// of them. All memory is allocated at construction.
/// shape    images of Batch, targets as the loss requires; further batch sizes may follow (a short last batch)
/// memory   one allocation at construction, or `bytes` bytes that you pass; none afterwards
/// device   with cuda, images and targets may be on the host or on the device. Each batch size has its own addresses
///          there. If the backend can capture its launches, a step is therefore one graph launch from the second step
///          on. A step waits for the loss, unless it is queued{}. Labels on the device are copied to the host and
///          checked before anything runs; the step waits for this, too. Batches of a data::prefetcher are read in place,
///          and their labels are checked in the host's copy
/// several  with cuda_parallel<N>, each device computes the step of an equal part of the batch, whose size N divides.
///          Gradients and the loss are the means over the devices, so all of them make the same update. BatchNorm has
///          the statistics of its part; running statistics are those of device 0, with which all devices begin a step.
///          Dropout differs between devices. Images and targets are on the host. Evaluation runs on device 0
/// together with distributed<>, each process steps with its own batch. Gradients and the loss are the means over all
///          samples of all processes, so all make the same update, with the same bits. The constructor waits for all
///          processes, and they continue with the parameters and buffers of process 0. BatchNorm has the statistics of
///          each process's batch, SyncBatchNorm those of all. Dropout depends on the sample's place in the batch of
///          all; with distributed<cuda>, it differs between processes, and a queued step waits for the exchange. Its
///          errors are distributed_error, and change nothing
/// 16 bits  a model of half or bfloat16 is trained with master weights and an optimizer in float, which the trainer
///          stores (optimizer_bytes); the model has the rounded parameters. Values that you write into the model are
///          used from the next step on. Losses and penalties are float
/// errors   layers, loss and batch that do not fit, and batches of data::padded in a step, do not compile. A label
///          outside the classes throws label_error, and an index outside its axis index_error; both change nothing
template <class Model, class Loss, class Optimizer, class Batch, class... More>
class trainer : public detail::trainer_costs<Model, Loss, Optimizer, Batch, More...>,
                public detail::trainer_range_arguments<
                    trainer<Model, Loss, Optimizer, Batch, More...>, typename Model::value_type,
                    detail::stored_input<typename Model::net_type, typename Model::value_type>, Batch, More...> {
  using Costs = detail::trainer_costs<Model, Loss, Optimizer, Batch, More...>;
  using Memory = detail::trainer_memory<Model, Loss, Optimizer, Batch, More...>;
  using Net = typename Model::net_type;
  using T = typename Model::value_type;
  using Input = detail::stored_input<Net, T>;
  using RangeArguments = detail::trainer_range_arguments<trainer, T, Input, Batch, More...>;
  using Engine = typename Model::engine_type;
  using Device = typename Engine::memory_device;
  using Rule = typename Memory::rule;
  using number = typename Rule::number;
  using at = typename Memory::exchange_offsets;
  using ScoresProgram = typename Memory::scores_program;
  using InPlace = typename Memory::in_place;
  using Together = typename on_device::training_exchange_of<Engine, T>::type;
  static constexpr bool is_together = on_device::averages_with_others<Engine, T>;
  using OneLoss = typename Memory::loss_of_sample;
  using StatisticsOfAll = statistics_of_all<Net, Loss, typename Memory::template part<Batch>, Engine, T>;
  static_assert(
      StatisticsOfAll::agree,
      ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch}: the net has a SyncBatchNorm, whose statistics "
                        "processes with cpu or cpu_parallel<N> exchange; on this device use BatchNorm",
                        StatisticsOfAll));
  using Sound = typename plan::sound_program<
      typename Memory::template whole_program<typename Memory::template part<Batch>>>::checked;
  using LazyWorks = optim::lazy_works<Optimizer, Memory::rows::updates>;
  static_assert(
      LazyWorks::agree,
      ESPALIER_SENTENCE(
          "trainer{model, loss, optimizer, batch}: optim::lazy must be the outermost wrapper of an optimizer that updates each "
          "parameter by itself; the net, of float or double on a processor, must look a table up once (Embedding)",
          LazyWorks));
  static constexpr bool is_synchronized = [] {
    if constexpr (on_device::combines_processes<Engine>) return detail::combines_processes<Net, Loss, Batch>;
    else return false;
  }();
  using Samples = differ_in_samples_only<is_synchronized, Batch, More...>;
  static_assert(Samples::agree,
                ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch, more...}: the net has a SyncBatchNorm; its "
                                  "batches may differ in their number of samples only",
                                  Samples));
  using ScalingWorks = optim::scaling_works<Optimizer, true>;
  static_assert(ScalingWorks::agree,
                ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch}: " ESPALIER_SCALING_IS_OUTERMOST,
                                  ScalingWorks));
  using ShardingWorks = optim::sharding_works<Optimizer, detail::has_parts_of_states<Engine, T>>;
  static_assert(ShardingWorks::agree,
                ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch}: " ESPALIER_SHARDING_WORKS, ShardingWorks));
  using CanBeSharded = optim::can_be_sharded<Optimizer, !ScalingWorks::agree || detail::divides_states<Optimizer>()>;
  static_assert(CanBeSharded::agree,
                ESPALIER_SENTENCE("trainer{model, loss, optimizer, batch}: " ESPALIER_CAN_BE_SHARDED, CanBeSharded));
  static constexpr bool is_sharded = Memory::is_sharded;
  template <class X, class Y>
  struct targets_of_batch {
    using type = detail::shape_is<shape_of<Y>, typename Costs::template target_of<shape_of<X>>>;
  };

 public:
  // Not Costs::bytes: g++ 12 does not find it in the default template arguments of constructors.
  using Costs::has_labels;
  using Costs::labels;
  using typename Costs::prediction_shape;
  using typename Costs::target_element;
  template <class B>
  using target_of = typename Costs::template target_of<B>;

  trainer(Model& model, Loss loss, Optimizer optimizer, Batch, More...)
      : model_{model},
        rule_{optimizer},
        memory_(model.engine().allocate(Costs::bytes)),
        exchange_{model.engine().make_exchange(at::loss_workspace, at::end)},
        together_{model.engine()} {
    detail::check_loss(loss);
    prepare();
  }
  template <std::size_t Count, class Enough = detail::enough_bytes<Count, Costs::bytes>>
  trainer(espalier::bytes<Count>& storage, Model& model, Loss loss, Optimizer optimizer, Batch, More...)
      : model_{model},
        rule_{optimizer},
        memory_(model.engine().allocate(storage, Costs::bytes)),
        exchange_{model.engine().make_exchange(at::loss_workspace, at::end)},
        together_{model.engine()} {
    static_assert(Enough::agree, ESPALIER_SENTENCE("trainer{bytes, ...}: " ESPALIER_FEWER_BYTES("trainer"), Enough));
    static_assert(detail::computes_on_host<Device>::agree,
                  ESPALIER_SENTENCE("trainer{bytes, ...}: " ESPALIER_BYTES_OF_HOST, detail::computes_on_host<Device>));
    detail::check_loss(loss);
    prepare();
  }

  /// Does not compile: the arguments are not of the types that the program writes out.
  explicit trainer(detail::any_argument = 0, detail::any_argument = 0, detail::any_argument = 0,
                   detail::any_argument = 0, detail::any_argument = 0, detail::any_argument = 0)
      : trainer{detail::never_called<Model>(), detail::never_called<Loss>(), detail::never_called<Optimizer>(), Batch{},
                More{}...} {
    using Fit = arguments_fit_types<Model, Loss, Optimizer, Batch, More...>;
    static_assert(Fit::agree, ESPALIER_SENTENCE(
                                  ESPALIER_ARGUMENTS_FIT_TYPES("trainer", "model, Loss{}, Optimizer{}, Batch{}"), Fit));
  }

  /// Does not compile: each trainer has its own workspace and optimizer.
  trainer(trainer const&) ESPALIER_DELETED("a trainer cannot be copied or moved: construct another one");
  trainer& operator=(trainer const&) = delete;
  /// Does not compile: the trainer refers to its model and changes it, but the model is a temporary or const.
  template <detail::TemporaryOrConst<Model> M, class Fault = detail::trained_fault<M>>
  trainer(M&& model, Loss loss, Optimizer optimizer, Batch first, More... more)
      : trainer{const_cast<Model&>(model), loss, optimizer, first, more...} {
    static_assert(Fault::lives, ESPALIER_SENTENCE("trainer{model, ...}: " ESPALIER_MODEL_IS_TEMPORARY, Fault));
    static_assert(Fault::changes, ESPALIER_SENTENCE("trainer{model, ...}: " ESPALIER_MODEL_IS_CONST, Fault));
  }
  template <std::size_t Count, detail::TemporaryOrConst<Model> M, class Fault = detail::trained_fault<M>>
  trainer(espalier::bytes<Count>& storage, M&& model, Loss loss, Optimizer optimizer, Batch first, More... more)
      : trainer{storage, const_cast<Model&>(model), loss, optimizer, first, more...} {
    static_assert(Fault::lives, ESPALIER_SENTENCE("trainer{bytes, model, ...}: " ESPALIER_MODEL_IS_TEMPORARY, Fault));
    static_assert(Fault::changes, ESPALIER_SENTENCE("trainer{bytes, model, ...}: " ESPALIER_MODEL_IS_CONST, Fault));
  }

  /// The relation between targets and the loss; `agreed` if images or target elements already violate another relation.
  template <TensorOrView X, TensorOrView Y>
  using targets_fit = typename std::conditional_t<one_of_batches<shape_of<X>, Batch, More...>::agree &&
                                                      detail::stored_element_is<Y, target_element>::agree,
                                                  targets_of_batch<X, Y>, std::type_identity<agreed>>::type;

  using RangeArguments::evaluate;  // for std::vector, std::array, std::span and arrays
  using RangeArguments::step;

  /// One training step. Returns the loss before the update; the optimizer may be set to include its penalty.
  /// queued  with a third argument, queued{}, step returns nothing. On a device with its own memory it does not wait
  ///         for the device, so that the host can read the next batch. Later uses of the model are ordered after the
  ///         step. It still waits if labels are on the device (those of a data::prefetcher are on both), and if images on
  ///         the host are several megabytes. If the optimizer may skip the update, the next step waits for this one, and
  ///         so do steps() and skipped_updates()
  /// errors  label_error, which changes nothing. A device error in a queued step is reported by a later call
  template <TensorOrView X, TensorOrView Y, class... Queued, class Images = one_of_batches<shape_of<X>, Batch, More...>,
            class Image = detail::stored_element_is<X, Input>,
            class Target = detail::stored_element_is<Y, target_element>, class Targets = targets_fit<X, Y>>
    requires(sizeof...(Queued) <= 1 && (std::is_same_v<Queued, queued> && ...))
  auto step(X const& images, Y const& targets, Queued...) {
    using Order = images_before_targets<
        X, Y,
        !Images::agree && targets_fit<Y, X>::agree && one_of_batches<shape_of<Y>, Batch, More...>::agree &&
            detail::stored_element_is<Y, Input>::agree && detail::stored_element_is<X, target_element>::agree>;
    static_assert(Order::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets): images and targets are swapped", Order));
    using Fit = detail::batch_fit<Images, Image, Target, Targets, detail::reaches<Device, X, Y>>;
    using Shape = detail::behind<typename Fit::images_shape, Order>;
    static_assert(
        Shape::agree,
        ESPALIER_SENTENCE("trainer.step(images, targets): images must have the shape of one of the trainer's batches",
                          Shape));
    using ImagesElement = typename Fit::images_element;
    static_assert(ImagesElement::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets): " ESPALIER_IMAGES_ELEMENT, ImagesElement));
    using TargetsElement = typename Fit::targets_element;
    static_assert(TargetsElement::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets): " ESPALIER_TARGETS_ELEMENT, TargetsElement));
    using TargetsShape = typename Fit::targets_shape;
    static_assert(TargetsShape::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets): " ESPALIER_TARGETS_SHAPE, TargetsShape));
    using Reached = typename Fit::reached;
    static_assert(Reached::agree, ESPALIER_SENTENCE("trainer.step(images, targets): " ESPALIER_REACHABLE, Reached));
    static_assert(whole_batch<X>::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets): " ESPALIER_WHOLE_BATCHES, whole_batch<X>));
    if constexpr (Fit::agree)
      return train<shape_of<X>, std::conditional_t<sizeof...(Queued) == 0, number, void>>(
          detail::elements_in_place<Input const>(images), detail::elements_in_place<target_element const>(targets));
    else return number(0);
  }
  /// Does not compile: a step has no argument for the number of real samples.
  template <TensorOrView X, TensorOrView Y, class Count>
    requires(std::is_integral_v<Count>)
  number step(X const&, Y const&, Count) {
    static_assert(no_count<Count>::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets, count): " ESPALIER_WHOLE_BATCHES, no_count<Count>));
    return 0;
  }

  /// The loss in evaluation mode over the first `count` samples of a batch; later samples are padding. The model's
  /// device computes the scores. The host computes the loss of each sample separately and averages it. A loss that
  /// compares samples of a batch therefore gets one sample at a time.
  /// shape   as step. The first axis of the prediction is the batch, or holds the positions of each sample one after
  ///         the other (reshape<-1, C>(scores))
  /// errors  label_error for a label among the first `count`; count_error for a count below 0 or above the samples of
  ///         the batch; a batch of data::padded without its count does not compile
  template <TensorOrView X, TensorOrView Y, class... Count, class Images = detail::shape_is<shape_of<X>, Batch>,
            class Image = detail::stored_element_is<X, Input>,
            class Target = detail::stored_element_is<Y, target_element>, class Targets = targets_fit<X, Y>>
    requires(sizeof...(Count) <= 1 && (std::is_integral_v<Count> && ...))
  evaluation evaluate(X const& images, Y const& targets, Count... count) {
    using Counted = std::conditional_t<sizeof...(Count) == 0, whole_batch<X>, agreed>;
    static_assert(
        Counted::agree,
        ESPALIER_SENTENCE(
            "trainer.evaluate(images, targets): the batch is padded; pass the number of its real samples: evaluate(images, targets, count)",
            Counted));
    using Fit = detail::batch_fit<Images, Image, Target, Targets, detail::reaches<Device, X, Y>>;
    using ImagesShape = typename Fit::images_shape;
    static_assert(
        ImagesShape::agree,
        ESPALIER_SENTENCE("trainer.evaluate(images, targets): images must have the shape of the trainer's first batch",
                          ImagesShape));
    using ImagesElement = typename Fit::images_element;
    static_assert(ImagesElement::agree,
                  ESPALIER_SENTENCE("trainer.evaluate(images, targets): " ESPALIER_IMAGES_ELEMENT, ImagesElement));
    using TargetsElement = typename Fit::targets_element;
    static_assert(TargetsElement::agree,
                  ESPALIER_SENTENCE("trainer.evaluate(images, targets): " ESPALIER_TARGETS_ELEMENT, TargetsElement));
    using TargetsShape = typename Fit::targets_shape;
    static_assert(TargetsShape::agree,
                  ESPALIER_SENTENCE("trainer.evaluate(images, targets): " ESPALIER_TARGETS_SHAPE, TargetsShape));
    using Reached = typename Fit::reached;
    static_assert(Reached::agree, ESPALIER_SENTENCE("trainer.evaluate(images, targets): " ESPALIER_REACHABLE, Reached));
    using Rows = samples_are_rows<prediction_shape, Batch>;
    static_assert(
        Rows::agree,
        ESPALIER_SENTENCE(
            "trainer.evaluate(images, targets): the first axis of the prediction must be that of the batch", Rows));
    if constexpr (Fit::agree && Rows::agree)
      return evaluate_samples(
          detail::elements_in_place<Input const>(images),
          exchange_.view_on_host(detail::elements_in_place<target_element const>(targets), at::template targets<Batch>),
          real_samples(static_cast<std::int64_t>(count)...));
    else return {};
  }

  /// The net's scores for a batch in evaluation mode. They are on the host and valid until the next call.
  view<T, prediction_shape> forward(view<Input const, Batch> images) {
    return view<T, prediction_shape>(scores_of(detail::elements_in_place<Input const>(images)));
  }
  template <TensorOrView X>
    requires((Engine::has_device_memory) && std::is_same_v<device_of<X>, Device>)
  view<T, prediction_shape> forward(X const& images) {
    static_assert(std::is_same_v<shape_of<X>, Batch> && std::is_same_v<element_of<X>, Input>,
                  "trainer.forward(images): images must be the trainer's first batch");
    return view<T, prediction_shape>(scores_of(detail::elements_in_place<Input const>(images)));
  }

  /// Takes part in the steps of the other processes, without samples of its own, until they have all joined: after the
  /// last batch of an epoch, if processes may have different numbers of batches. All processes call it then.
  /// returns  the number of steps in which this process took part
  /// errors   as step; only for distributed models
  std::int64_t join() requires(is_together) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    Engine const& engine = model_->engine();
    for (std::int64_t steps = 0;; ++steps) {
      auto numbers = checked_numbers([] {});
      together_.begin(header_of(numbers, 0, false));
      together_.wait_for_headers();
      if (together_.all_have_joined()) {
        if constexpr (on_device::combines_processes<Engine>)
          engine.template share_buffers<typename Memory::first_program>(
              together_, model_->bases().at[plan::base::buffers], static_cast<std::int64_t>(Model::buffer_bytes));
        return steps;
      }
      if constexpr (on_device::combines_processes<Engine>)
        engine.template pass_values<typename Memory::first_program>(together_);
      model_->next_random_step();
      auto p = places();
      Rule::stage_numbers(exchange_, numbers, p, at::hyperparameters, at::rule_numbers);
      exchange_.upload();
      begin_update(engine, p);
      together_.ready_all();
      together_.finish(0);
      update(engine, p);
      if constexpr (Rule::may_skip) exchange_.download(at::rule_numbers, Rule::output_bytes);
      Rule::read_applied(exchange_, numbers, at::rule_numbers);
      rule_.count(numbers);
    }
  }

  template <class With = detail::trains_with_others<Device>>
  std::int64_t join() requires(!is_together) {
    static_assert(With::agree, ESPALIER_SENTENCE("trainer.join(): " ESPALIER_TRAINS_WITH_OTHERS, With));
    return 0;
  }

  /// How the latest step exchanged its gradients with the other processes; only for distributed models. Valid until the
  /// next step.
  template <class Timed = detail::exchange_is_timed<typename Model::device_type>>
  auto exchange_times() const requires(is_together) {
    static_assert(Timed::agree,
                  ESPALIER_SENTENCE("trainer.exchange_times(): the exchange of graphics processors has no "
                                    "times; a profiler of theirs (Nsight Systems) shows it",
                                    Timed));
    if constexpr (Timed::agree) return together_.times();
  }
  template <class With = detail::trains_with_others<Device>>
  auto exchange_times() const requires(!is_together) {
    static_assert(With::agree, ESPALIER_SENTENCE("trainer.exchange_times(): " ESPALIER_TRAINS_WITH_OTHERS, With));
    return espalier::exchange_times{};
  }

  /// The optimizer, whose hyperparameters (learning rate, ...) you may change during training.
  Optimizer& optimizer() { return rule_.optimizer; }
  /// The learning rate, also of a wrapped optimizer: trainer.learning_rate() = schedule(trainer.steps()).
  auto& learning_rate() { return optim::learning_rate(rule_.optimizer); }
  /// The penalty that the optimizer (penalized) adds to the loss at the model's parameters; 0 if it has none.
  number penalty() const {
    settle();
    auto p = places();
    return rule_.penalty(model_->engine(), exchange_, p, at::hyperparameters, at::rule_numbers);
  }
  /// Number of updates that were applied.
  std::int64_t steps() const {
    settle();
    return rule_.steps;
  }
  /// Number of updates that the optimizer skipped (skip_non_finite, scale_loss).
  std::int64_t skipped_updates() const {
    settle();
    return rule_.skipped;
  }
  /// The optimizer's states, as optim::updater::states. To resume a training, save them and the number of steps.
  /// sharded  those of this process, in an order that depends on the number of processes; io::save_safetensors collects
  ///          the states of all
  auto states() {
    if constexpr (is_sharded) return model_->engine().span_of(shards_.data(), shards_.size());
    else return model_->engine().span_of(state_memory(), Rule::lasting);
  }
  /// For writers of files: calls write() on process 0, and rest() on the others. Both call collect_states for the same
  /// elements in the same order. If write() throws, process 0 calls rest(), too. All processes call it.
  /// errors  distributed_error, on all: a process trains meanwhile, or has ended. Process 0 has the error of write()
  template <class Write, class Rest>
  void write_on_process_0(Write const& write, Rest const& rest) requires(is_sharded) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    auto own = header_of(rule_.next(), 0, false);
    own.is = on_device::step_header::state::saves;
    together_.begin(own);
    together_.wait_for_headers();
    detail::write_on_process_0(model_->engine().all(), together_, write, rest);
  }
  /// Elements of the states as a trainer without sharded states stores them, on process 0 until the next call.
  /// first, size  those of a tensor in one of the states
  number const* collect_states(std::int64_t first, std::int64_t size) requires(is_sharded) {
    return shards_.collect(together_, first, size);
  }
  /// Stores the part of this process of such elements, from a file that it has read.
  void store_states(std::int64_t first, std::int64_t size, number const* from) requires(is_sharded) {
    shards_.store(first, size, from);
  }
  void continue_after(std::int64_t steps) {
    settle();
    rule_.steps = steps;
  }
  /// The scale of the next step's gradients (scale_loss). On a device with its own memory: waits for all steps so far.
  /// errors  an optimizer without a scale does not compile
  template <class Scale = optim::has_loss_scale<Optimizer>>
  number loss_scale() const {
    static_assert(Scale::agree, ESPALIER_SENTENCE("trainer.loss_scale(): " ESPALIER_HAS_LOSS_SCALE, Scale));
    number scale = 1;
    if constexpr (Scale::agree) model_->engine().to_host(&scale, state_memory() + Rule::scalars_at, sizeof scale);
    return scale;
  }
  /// The scale, and the number of updates since it changed. To resume a training, save them with states().
  auto loss_scale_state() requires(optim::scales_loss<Optimizer>) {
    return model_->engine().span_of(state_memory() + Rule::scalars_at, Rule::scalars);
  }
  /// The gradients of the last step, in the layout of the model's parameters; times the scale that the step used, if
  /// the optimizer has one (scale_loss). On a device with its own memory: a device_span.
  /// errors   with optim::sharded it does not compile: each process has the mean of its part alone
  template <class Whole = detail::whole_gradients<Optimizer>>
  auto gradients() const {
    static_assert(Whole::agree, ESPALIER_SENTENCE("trainer.gradients(): with optim::sharded a process has the mean of "
                                                  "its part of the gradients alone",
                                                  Whole));
    return model_->engine().span_of(static_cast<T const*>(gradient()), Memory::trainable);
  }

 private:
  /// The number of samples that evaluate() received, or all of the batch.
  static constexpr std::int64_t real_samples(std::int64_t count = Batch::value.at[0]) { return count; }
  template <class B>
  static constexpr int number_of() {
    bool const same[] = {std::is_same_v<B, Batch>, std::is_same_v<B, More>...};
    int i = 0;
    while (!same[i]) ++i;
    return i;
  }
  T* gradient() const { return memory_.template at<T>(Memory::gradients_at); }
  number* state_memory() const { return memory_.template at<number>(Memory::states_at); }
  void prepare() {
    if constexpr (is_sharded) shards_.meet(model_->engine());
    else rule_.template prepare<Net>(model_->engine(), state_memory());
    if constexpr (is_together) {
      using ranges = typename Engine::template ranges<typename Memory::first_program, T>;
      constexpr std::uint64_t hash = detail::hash_text(
          ESPALIER_VERSION_STRING, detail::hash_number(plan::program_hash<typename Memory::first_program>,
                                                       plan::program_hash<typename Rule::program> + is_sharded));
      void* const parameters = model_->bases().at[plan::base::parameters];
      auto const meet = [&](auto... of_part) {
        together_.meet(hash, gradient(), ranges::ranges.at, ranges::buckets.range_count, parameters,
                       static_cast<std::int64_t>(Model::bytes), of_part...);
      };
      if constexpr (is_sharded) meet(&shards_, static_cast<T*>(parameters));
      else meet();
      if constexpr (on_device::combines_processes<Engine>)
        model_->engine().template meet_values<typename Memory::first_program>(
            together_, static_cast<std::int64_t>(Model::buffer_bytes));
    }
  }
  /// What this process tells the others of its next step.
  on_device::step_header header_of(typename Rule::numbers const& numbers, std::int64_t samples, bool wants_loss) const {
    constexpr std::int64_t line = processes::line / sizeof(T), lines = Memory::trainable / line;
    on_device::step_header r{};
    r.number = number_of_step();
    r.hyperparameters = detail::hash_bytes(numbers.hyperparameters, sizeof numbers.hyperparameters);
    if constexpr (lines > 0) {
      unsigned char some[processes::line];
      model_->engine().to_host(some,
                               static_cast<T const*>(model_->bases().at[plan::base::parameters]) +
                                   static_cast<std::int64_t>(r.number * 7 % static_cast<std::uint64_t>(lines)) * line,
                               sizeof some);
      r.parameters = detail::hash_bytes(some, sizeof some);
    }
    r.samples = samples;
    r.is = samples > 0 ? on_device::step_header::state::trains : on_device::step_header::state::has_joined;
    r.wants_loss = wants_loss;
    return r;
  }
  template <class Program>
  void begin_together([[maybe_unused]] typename Rule::numbers const& numbers, [[maybe_unused]] std::int64_t samples,
                      [[maybe_unused]] bool wants_loss) {
    if constexpr (is_together) {
      together_.begin(header_of(numbers, samples, wants_loss));
      // Running statistics change with the forward pass, and random numbers depend on the samples of the others.
      if constexpr (Model::buffer_bytes > 0 || plan::is_random<Program>) together_.wait_for_headers();
    }
  }
  std::uint64_t number_of_step() const { return static_cast<std::uint64_t>(rule_.steps + rule_.skipped + 1); }
  /// Takes back what a step has changed if the other processes do not take part in it.
  struct unfinished_step {
    trainer& of;
    std::uint64_t random_steps = of.model_->random_steps();
    bool passed = !is_together;
    ~unfinished_step() {
      if (passed) return;
      of.model_->continue_with(of.model_->initial_seed(), random_steps);
      if constexpr (is_together && Engine::has_device_memory) {
#if defined(__cpp_exceptions)
        try {
          restore_buffers();
        } catch (std::exception const&) {
          // The device does not work any more. The error of the step is on its way, and says more.
        }
#else
        restore_buffers();
#endif
      } else if constexpr (is_together) {
        restore_buffers();
      }
    }
    void restore_buffers() const {
      of.model_->engine().copy(of.model_->bases().at[plan::base::buffers],
                               of.memory_.template at<T>(Memory::buffers_before_at), Memory::buffers_before_bytes);
    }
  };
  template <class B, class Images, class Targets>
  void check_batch([[maybe_unused]] Images images, [[maybe_unused]] Targets targets) {
    if constexpr (has_labels)
      detail::check_labels(exchange_.view_on_host(targets, at::template targets<B>), target_of<B>::size, labels);
    detail::check_model_indices<typename Memory::template whole_program<B>>(
        [&] { return exchange_.view_on_host(images, at::images); },
        [&] { return exchange_.view_on_host(targets, at::template targets<B>); });
  }
  /// Checks a batch, and returns the numbers of its update. If this process rejects its batch, the others hear of it.
  template <class Checks>
  auto checked_numbers(Checks const& checks) {
    auto const numbers = [&] {
      checks();
      settle();
      return rule_.next();
    };
    if constexpr (is_together) {
      struct guard {
        Together& together;
        std::uint64_t number;
        bool passed = false;
        ~guard() {
          if (!passed) together.reject(number);
        }
      } rejection{together_, number_of_step()};
      auto r = numbers();
      rejection.passed = true;
      return r;
    } else {
      return numbers();
    }
  }
  auto places() const {
    T* const parameters = static_cast<T*>(model_->bases().at[plan::base::parameters]);
    return typename Rule::places{parameters, gradient(), state_memory(), memory_.template at<number>(0),
                                 nullptr,    nullptr,    nullptr};
  }

  unsigned char* rows_memory() const { return memory_.template at<unsigned char>(Memory::rows_at); }
  template <class B>
  void collect_rows([[maybe_unused]] void* const* base) {
    if constexpr (Memory::has_rows)
      rows_.template collect<B>(gradient(), rows_memory(), base + plan::base::results, base + plan::base::arguments);
  }
  /// Parts of processes are updated as soon as their gradients are summed, while the backward pass continues.
  void begin_update([[maybe_unused]] Engine const& engine, [[maybe_unused]] typename Rule::places p) {
    if constexpr (is_sharded) {
      p.scratch = memory_.template at<number>(Memory::update_at);
      shards_.begin(engine, p);
    }
  }
  /// Updates only the rows of tables that the step has read, if the optimizer leaves the others as they are.
  void update(Engine const& engine, typename Rule::places const& p) {
    if constexpr (Memory::has_rows && Memory::rows::updates)
      if (rule_.optimizer.keeps_unread_rows()) return rows_.update(engine, p, rows_memory());
    if constexpr (is_sharded) together_.store();
    else Rule::launch(engine, p);
  }

  /// Restores the running statistics on the device if the update was skipped.
  static void restore([[maybe_unused]] Engine const& engine, [[maybe_unused]] detail::program_bases b,
                      [[maybe_unused]] typename Rule::places const& p, [[maybe_unused]] void* before) {
    if constexpr (Memory::restores_on_device) {
      b.at[plan::base::hyperparameters] = p.applied;
      b.at[plan::base::arguments] = before;
      engine.template run<typename Memory::restore, T>(b.at);
    }
  }
  /// Counts the last step if it was queued: waits until the device knows whether its update was applied.
  void settle() const {
    if (!has_uncounted_step_) return;
    exchange_.download(at::rule_numbers, Rule::output_bytes);
    has_uncounted_step_ = false;
    typename Rule::numbers found;
    Rule::read_applied(exchange_, found, at::rule_numbers);
    rule_.count(found);
  }

  /// The random state of the next step for each device: each has a step number of its own, because the parts of a batch
  /// have other samples. Kernels use 44 bits of it; steps are counted from 0, and 2^36 of them are never reached.
  struct random_states {
    on_cpu::random_state of_part[static_cast<std::size_t>(on_device::parts_of<Engine>)];
    auto elements() { return detail::elements_on<on_cpu::random_state, cpu, on_device::parts_of<Engine>>{of_part}; }
  };
  random_states next_random() {
    random_states r;
    std::uint64_t const key = model_->initial_seed().value, step = model_->next_random_step();
    for (int k = 0; k < on_device::parts_of<Engine>; ++k)
      r.of_part[k] = {key, step + (static_cast<std::uint64_t>(k) << 36)};
    // A graphics processor draws four numbers at a time, which may belong to two samples: each process has numbers of
    // its own there, as each of several devices has.
    if constexpr (is_together && Engine::has_device_memory)
      r.of_part[0].step += static_cast<std::uint64_t>(model_->engine().all().rank()) << 36;
    else if constexpr (is_together) r.of_part[0].first_sample = together_.samples_before();
    return r;
  }

  template <class From>
  T* scores_of(detail::elements_on<Input const, From, Batch::size> images) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    detail::check_indices<ScoresProgram>([&](int, std::int64_t) { return exchange_.view_on_host(images, at::images); });
    T* const own = memory_.template at<T>(Memory::scores_at);
    detail::program_bases b = model_->bases();
    b.at[plan::base::workspace] = memory_.template at<T>(0);
    b.at[plan::base::arguments] = on_device::stage_for_evaluation(exchange_, images, at::images);
    b.at[plan::base::results] =
        exchange_.stage_out(detail::elements_on<T, cpu, prediction_shape::size>{own}, at::scores);
    exchange_.upload();
    auto const& engine = on_device::evaluating<Engine>::of(model_->engine());
    auto const launch = [&] {
      auto const once = [&] { engine.template run<ScoresProgram, T>(b.at); };
      if constexpr (plan::counts_steps<ScoresProgram>) once();  // the launches differ from call to call
      else if constexpr (Engine::has_device_memory)
        replays_.run(engine, 0, once, detail::stable_address(images), nullptr);
      else replays_.run(engine, 0, once);
      if constexpr (Engine::has_device_memory)
        if (detail::stable_address(images) != nullptr) exchange_.release();
    };
    if constexpr (Engine::has_device_memory) launch();  // the exchange has its own memory
    else InPlace::run(engine, b.at, memory_.template at<void>(Engine::template run_bytes<ScoresProgram, T>), launch);
    exchange_.download(at::scores, Memory::scores_bytes);
    return exchange_.host_address(own, at::scores);
  }

  template <class From>
  evaluation evaluate_samples(detail::elements_on<Input const, From, Batch::size> images, target_element const* targets,
                              std::int64_t count) {
    constexpr std::int64_t samples = Batch::value.at[0], row = Memory::row, target_row = Memory::target_row;
    constexpr bool classes_on_axis_1 = requires { Loss::template target<prediction_shape>::classes; };
    detail::check_count(count, samples);
    if constexpr (has_labels) detail::check_labels(targets, count * target_row, labels);
    T* const scores = scores_of(images);
    evaluation result{};
    detail::program_bases b{};
    b.at[plan::base::workspace] = exchange_.host_address(memory_.template at<number>(0), at::loss_workspace);
    number loss = 0;
    b.at[plan::base::results] = &loss;
    number* const none = nullptr;
    if constexpr (plan::has_indices<OneLoss>)
      for (std::int64_t i = 0; i < count; ++i)
        detail::check_indices<OneLoss>([&](int, std::int64_t) { return targets + i * target_row; });
    for (std::int64_t i = 0; i < count; ++i) {
      b.at[plan::base::arguments] =
          const_cast<number*>(detail::widened<row>(scores + i * row, exchange_.host_address(none, at::sample)));
      b.at[plan::base::arguments + 1] = const_cast<detail::computed_in<target_element>*>(
          detail::widened<target_row>(targets + i * target_row, exchange_.host_address(none, at::target)));
      model_->engine().template run_on_host<OneLoss, number>(b.at);
      std::int64_t counted = 1;
      if constexpr (has_labels && row == target_row * labels.classes)
        counted = detail::count_correct<target_row, classes_on_axis_1>(scores + i * row, targets + i * target_row,
                                                                       labels, result.correct);
      result.count += counted;
      result.loss += static_cast<double>(loss) * static_cast<double>(counted);
    }
    if (result.count > 0) result.loss /= static_cast<double>(result.count);
    return result;
  }

  /// Result: void if the caller does not need the loss. Arch is in the name so that translation units for different
  /// instruction sets do not share the function.
  template <class B, class Result, class Arch = on_cpu::default_arch, class From, class FromTargets>
  [[gnu::noinline]] Result train(detail::elements_on<Input const, From, B::size> images,
                                 detail::elements_on<target_element const, FromTargets, target_of<B>::size> targets) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    auto numbers = checked_numbers([&] { check_batch<B>(images, targets); });
    Engine const& engine = model_->engine();
    detail::program_bases b = model_->bases();
    using Program = typename Memory::template step_program<B>;
    typename Engine::template result<Program, T> loss{0};
    constexpr bool silent = std::is_void_v<Result>;
    begin_together<Program>(numbers, B::value.at[0], !silent);
    [[maybe_unused]] unfinished_step unfinished{*this};
    auto random = next_random();
    auto p = places();
    b.at[plan::base::workspace] = memory_.template at<T>(0);
    if constexpr (Rule::scalars > 0) b.at[plan::base::hyperparameters] = state_memory() + Rule::scalars_at;
    b.at[plan::base::gradients] = gradient();
    b.at[plan::base::random] = on_device::stage_parts(exchange_, random.elements(), at::random);
    Rule::stage_numbers(exchange_, numbers, p, at::hyperparameters, at::rule_numbers);
    b.at[plan::base::arguments] = on_device::stage_parts(exchange_, images, at::images);
    b.at[plan::base::arguments + 1] = on_device::stage_parts(exchange_, targets, at::template targets<B>);
    b.at[plan::base::results] = exchange_.stage_out(detail::one_element(loss), at::loss);
    if constexpr (Memory::has_rows) Memory::rows::template place_results<B>(b.at + plan::base::results, rows_memory());
    exchange_.upload();
    T* const buffers_before = memory_.template at<T>(Memory::buffers_before_at);
    bool const penalized = !silent && Rule::has_penalty && detail::penalty_in_loss(rule_.optimizer);
    begin_update(engine, p);
    if constexpr (is_together) engine.copy(buffers_before, b.at[plan::base::buffers], Memory::buffers_before_bytes);
    auto const launch = [&] {
      if constexpr (!is_together) engine.copy(buffers_before, b.at[plan::base::buffers], Memory::buffers_before_bytes);
      on_device::run_training<Program, typename Memory::first_program, T, Model::buffer_bytes / sizeof(T)>(engine, b.at,
                                                                                                           together_);
      collect_rows<B>(b.at);
      if (penalized) Rule::launch_penalty(engine, p);
      update(engine, p);
      restore(engine, b, p, buffers_before);
    };
    if constexpr (plan::counts_steps<Program>) {
      launch();
    } else if constexpr (Engine::has_device_memory) {
      void const *const x = detail::stable_address(images), *const y = detail::stable_address(targets);
      replays_.run(engine, 1 + 2 * number_of<B>() + penalized, launch, x, y);
      if (x != nullptr || y != nullptr) exchange_.release();
    } else {
      replays_.run(engine, 1 + 2 * number_of<B>() + penalized, launch);
    }
    unfinished.passed = true;
    if constexpr (silent && Rule::may_skip && Engine::has_device_memory) {
      has_uncounted_step_ = true;
    } else {
      if constexpr (!silent) exchange_.download(at::loss, at::scores - at::loss);
      Rule::read_applied(exchange_, numbers, at::rule_numbers);
      if (!rule_.count(numbers) && !Memory::restores_on_device)
        engine.copy(b.at[plan::base::buffers], buffers_before, Memory::buffers_before_bytes);
    }
    if constexpr (!silent) {
      exchange_.copy_out(detail::one_element(loss), at::loss);
      if (penalized) Rule::read_penalty(exchange_, numbers, at::rule_numbers);
      return penalized ? static_cast<number>(loss) + numbers.penalty : static_cast<number>(loss);
    }
  }
  detail::reference<Model> model_;
  mutable Rule rule_;
  typename Engine::memory memory_;
  [[no_unique_address]] mutable typename Engine::exchange exchange_;
  [[no_unique_address]] Together together_;
  [[no_unique_address]] typename Engine::template replays<3 + 2 * static_cast<int>(sizeof...(More))> replays_;
  [[no_unique_address]] typename Memory::rows rows_;
  [[no_unique_address]] typename Memory::shards shards_;
  detail::call_mark call_;
  mutable bool has_uncounted_step_ = false;  ///< a queued step whose update may have been skipped
};

template <ModelType Model, class Loss, class Optimizer, class Batch, class... More>
trainer(Model&, Loss, Optimizer, Batch, More...) -> trainer<
    Model, Loss, Optimizer,
    std::enable_if_t<(sizeof(detail::probe_forward<typename detail::net_of<Model>::type, Batch>) > 0 &&
                      sizeof(typename detail::probe_loss<typename detail::net_of<Model>::type, Loss, Batch>::type) > 0),
                     Batch>,
    More...>;
template <ModelType Model, class Loss, class Optimizer, class Batch, class... More>
trainer(Model const&, Loss, Optimizer, Batch, More...) -> trainer<Model, Loss, Optimizer, Batch, More...>;
template <std::size_t Count, ModelType Model, class Loss, class Optimizer, class Batch, class... More>
trainer(bytes<Count>&, Model const&, Loss, Optimizer, Batch, More...)
    -> trainer<Model, Loss, Optimizer, Batch, More...>;
template <std::size_t Count, ModelType Model, class Loss, class Optimizer, class Batch, class... More>
trainer(bytes<Count>&, Model&, Loss, Optimizer, Batch, More...) -> trainer<Model, Loss, Optimizer, Batch, More...>;

template <ModelType Model, class Loss, class Optimizer, class Batch, class... More>
  requires(!detail::trainer_fault<typename Model::net_type, Loss, Optimizer, Batch, More...>::agree)
trainer(Model&, Loss, Optimizer, Batch, More...)
->trainer<Model, Loss, Optimizer,
          detail::fault_shown<detail::trainer_fault<typename Model::net_type, Loss, Optimizer, Batch, More...>>, Batch,
          More...>;

template <class First, class Loss, class Optimizer, class Batch, class... More>
  requires(!ModelType<First> && !detail::is_bytes<First>)
trainer(First&, Loss, Optimizer, Batch, More...)
->trainer<detail::misused<is_model<First>>, void, Optimizer, void>;
template <class First, class... More>
  requires(!ModelType<First> && !detail::is_bytes<First>)
trainer(First const&, More const&...)
->trainer<detail::misused<is_model<First>>, void, detail::unknown_optimizer, void>;
template <ModelType Model, class... More>
  requires(sizeof...(More) < 3)
trainer(Model const&, More const&...)
->trainer<detail::misused<trainer_arguments<More...>>, void, void, void>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
