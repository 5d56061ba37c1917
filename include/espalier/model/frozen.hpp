// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/one_caller.hpp"
#include "batch_arguments.hpp"
#include "freeze.hpp"
#include "scores_fit.hpp"
#include "misuse.hpp"
#include "model.hpp"

namespace espalier {

/// Prepares a trained model for fast evaluation of one batch size. The constructor computes all values that depend only
/// on parameters. A norm with running statistics becomes part of the Linear or convolution before it.
/// It keeps copies, so that later training or destruction of the model has no effect. A predictor reads the model's
/// present parameters; freeze a model when its training is finished. Runs on the calling thread; use one per thread
/// (asserted).
/// shape    (N, ...) -> the net's output for it; equal to the predictor's up to rounding
/// memory   one allocation at construction, or `bytes` bytes that you pass; none afterwards
/// inputs   a net of several inputs has a batch for each, as in a predictor: frozen{cell, esp::batch<1, 8>{},
///          esp::batch<1, 16>{}}. A run gets each input, then a tensor for each result
/// errors   a batch that does not fit the net's layers, and a model on a graphics processor, do not compile; two
///          results that overlap each other throw overlap_error
template <class Model, class Batch, class Found = typename detail::found_for_fixed<Model, Batch>::type>
class frozen {
  using Sound = typename plan::sound_program<detail::evaluation_program<typename Model::net_type, Batch>>::checked;
  using T = detail::activation_of<Model>;
  using Programs = detail::frozen_programs<typename Model::net_type, Batch, typename Model::value_type, T>;
  using Program = typename Programs::running;
  using Preparing = typename Programs::preparing;
  using Host = detail::computes_on_host<typename Model::device_type>;
  using Input = detail::stored_input<typename Model::net_type, T>;
  using Call = detail::call_of_net<typename Model::net_type, T, Batch, Found>;
  using InPlace = typename Call::template in_place<Program>;
  static constexpr bool one_to_one = detail::is_one_to_one<Batch, Found>;
  /// A net of indices may throw, and so may several results, which must not overlap.
  static constexpr bool never_throws = !plan::has_checked_integers<Program> && Call::results == 1;
  static_assert(
      Host::agree,
      ESPALIER_SENTENCE(
          "frozen{model, batch}: a frozen model runs on this processor; copy(model, other) the parameters to a model<Net> and freeze that one",
          Host));

  static constexpr std::size_t larger(std::size_t a, std::size_t b) { return a > b ? a : b; }
  /// Starts the workspace on a new page after 16 KiB or more of parameters, which fill most of the first-level cache.
  /// The workspace then evicts few of them (measured: 0.9 of the time). 4096: bytes of a page.
  static constexpr std::size_t workspace_start(std::size_t parameters) {
    return parameters < 16 * 1024 ? parameters : (parameters + 4095) / 4096 * 4096;
  }

 public:
  using input_shape = Batch;
  using output_shape = typename detail::described_results<Found>::type;

  /// parameter_bytes: the transformed parameters. Those of a model of 16 bits are float, except weights that did not
  /// change and that kernels widen. workspace_bytes: the workspace of a call, or of the construction if that needs
  /// more.
  static constexpr std::size_t parameter_bytes = detail::bytes_for<T>(static_cast<std::size_t>(Programs::storage.size));
  static constexpr std::size_t workspace_bytes =
      larger(on_cpu::run_bytes<Program, T, 0>, on_cpu::run_bytes<Preparing, T, 0>);
  /// What kernels need for themselves beside it: packed operands of products, padded images.
  static constexpr std::size_t kernel_bytes =
      larger(on_cpu::run_bytes<Program, T>, on_cpu::run_bytes<Preparing, T>) - workspace_bytes;
  /// Memory for x or scores if they may overlap but the net's kernels do not allow it; most nets need none.
  static constexpr std::size_t in_place_bytes = InPlace::bytes;
  static constexpr std::size_t bytes =
      workspace_start(parameter_bytes) + workspace_bytes + kernel_bytes + in_place_bytes;
  static constexpr int kernel_count = plan::plan_of<Program>.groups.group_count;

  /// Batch is deduced only by the guides below. They instantiate the user's forward first, so that an error in its body
  /// has a short trace.
  template <class B = Batch>
    requires(std::is_same_v<B, Batch>)
  frozen(Model const& model, B) : memory_{bytes} {
    if constexpr (Host::agree) prepare(model);
  }
  template <std::size_t Count, class B = Batch, class Enough = detail::enough_bytes<Count, bytes>>
    requires(std::is_same_v<B, Batch>)
  frozen(Model const& model, B, espalier::bytes<Count>& storage) : memory_{storage, bytes} {
    static_assert(Enough::agree,
                  ESPALIER_SENTENCE("frozen{model, batch, bytes}: " ESPALIER_FEWER_BYTES("frozen"), Enough));
    if constexpr (Host::agree && Enough::agree) prepare(model);
  }

  /// Several inputs: a batch for each, then bytes if you pass them.
  template <class... Arguments>
    requires(detail::AreBatchesOf<Batch, Arguments...>)
  frozen(Model const& model, Arguments&&... arguments)
      : memory_{detail::memory_behind(
            [](auto&... storage) {
              return detail::block{storage..., bytes};
            },
            arguments...)} {
    using Enough = detail::enough_bytes_behind<bytes, Arguments...>;
    static_assert(Enough::agree,
                  ESPALIER_SENTENCE("frozen{model, batch..., bytes}: " ESPALIER_FEWER_BYTES("frozen"), Enough));
    if constexpr (Host::agree && Enough::agree) prepare(model);
  }

  /// Does not compile: the arguments are not of the types that the program writes out.
  explicit frozen(detail::any_argument = 0, detail::any_argument = 0, detail::any_argument = 0,
                  detail::any_argument = 0)
      : frozen{detail::never_called<Model const>(), Batch{}} {
    using Fit = arguments_fit_types<Model, Batch>;
    static_assert(Fit::agree, ESPALIER_SENTENCE(ESPALIER_ARGUMENTS_FIT_TYPES("frozen", "model, Batch{}"), Fit));
  }
  /// Does not compile: each frozen net has its own workspace.
  frozen(frozen const&) ESPALIER_DELETED("a frozen net cannot be copied or moved: construct another one");
  frozen& operator=(frozen const&) = delete;

  /// scores = net(x). Never allocates. scores may be x, or overlap it.
  /// shape   x has the shape of the batch, scores output_shape
  /// errors  other shapes and element types do not compile
  template <Stored X, Stored Y>
    requires(one_to_one)
  void operator()(X const& x, Y&& scores) noexcept(never_throws) {
    using Fit = detail::scores_fit<X, Y, Batch, output_shape, T, Input>;
    using InputShape = typename Fit::input_shape;
    static_assert(InputShape::agree,
                  ESPALIER_SENTENCE("frozen(x, scores): x must have the shape of the frozen net's batch", InputShape));
    using ScoresShape = typename Fit::scores_shape;
    static_assert(ScoresShape::agree, ESPALIER_SENTENCE("frozen(x, scores): " ESPALIER_SCORES_SHAPE, ScoresShape));
    using InputElement = typename Fit::input_element;
    using ScoresElement = typename Fit::scores_element;
    static_assert(InputElement::agree && ScoresElement::agree,
                  ESPALIER_SENTENCE("frozen(x, scores): " ESPALIER_SCORES_ELEMENT, InputElement, ScoresElement));
    using Written = typename Fit::written;
    static_assert(Written::agree, ESPALIER_SENTENCE("frozen(x, scores): " ESPALIER_RESULT_IS_CONST, Written));
    if constexpr (Fit::agree) run(detail::elements_of<Input const>(x), detail::elements_of<T>(scores));
  }
  /// run(x..., y...) for a net of several inputs or results: each input, then a tensor for each result. Never
  /// allocates. Results may be inputs, or overlap them.
  /// errors  other shapes and element types do not compile; overlap_error for two results that overlap each other,
  ///         before anything is written
  template <class... X>
    requires(!one_to_one)
  void operator()(X&&... x) noexcept(never_throws && (TensorOrView<X> && ...)) {
    using Fit = detail::call_fit<Call, X...>;
    using Count = typename Fit::count;
    static_assert(Count::agree, ESPALIER_SENTENCE("frozen(x..., y...): " ESPALIER_CALL_COUNT, Count));
    using Range = typename Fit::range;
    static_assert(Range::agree, ESPALIER_SENTENCE("frozen(x..., y...): " ESPALIER_CALL_RANGE, Range));
    using Shape = typename Fit::shape;
    static_assert(Shape::agree, ESPALIER_SENTENCE("frozen(x..., y...): " ESPALIER_CALL_SHAPE, Shape));
    using Element = typename Fit::element;
    static_assert(Element::agree, ESPALIER_SENTENCE("frozen(x..., y...): " ESPALIER_CALL_ELEMENT, Element));
    using Written = typename Fit::written;
    static_assert(Written::agree, ESPALIER_SENTENCE("frozen(x..., y...): " ESPALIER_RESULT_IS_CONST, Written));
    if constexpr (Fit::agree) {
      using Reached = detail::reached_by_call<cpu, X...>;
      static_assert(Reached::agree, ESPALIER_SENTENCE("frozen(x..., y...): " ESPALIER_REACHABLE, Reached));
      if constexpr (Reached::agree)
        Call::with_elements(
            "frozen(x..., y...)", [&](auto... each) { this->run(each...); }, x...);
    }
  }
  /// Does not compile: scores are written into memory of the user, and the call passes none.
  template <class X>
    requires(one_to_one)
  auto operator()(X const&) {
    using Scores = detail::has_room_for_scores<X>;
    static_assert(Scores::agree, ESPALIER_SENTENCE("frozen(x, scores): " ESPALIER_SCORES_MISSING, Scores));
    return invalid<Scores>{};
  }
  /// The same for ranges (std::vector, ...), as in a predictor.
  template <class X, class Y>
    requires((!TensorOrView<X> || !TensorOrView<Y>)&&one_to_one)
  void operator()(X const& x, Y&& scores) {
    using Fit = detail::scores_range_fit<X, Y, Batch, output_shape, T, Input>;
    using Read = typename Fit::input;
    static_assert(Read::agree, ESPALIER_SENTENCE("frozen(x, scores): x: " ESPALIER_EXPECTED_INPUT, Read));
    using Scores = typename Fit::scores;
    static_assert(Scores::agree, ESPALIER_SENTENCE("frozen(x, scores): scores: " ESPALIER_EXPECTED_SCORES, Scores));
    if constexpr (Fit::agree)
      (*this)(detail::as_tensor_or_view<Input const, Batch>("frozen(x, scores): x", x),
              detail::as_tensor_or_view<T, output_shape>("frozen(x, scores): scores", scores));
  }

  /// Does not compile: the frozen is const.
  void operator()(detail::any_argument, detail::any_argument = 0, detail::any_argument = 0,
                  detail::any_argument = 0) const {
    static_assert(changes_its_workspace<Batch>::agree,
                  ESPALIER_SENTENCE(ESPALIER_CALL_IS_CONST("frozen"), changes_its_workspace<Batch>));
  }

 private:
  T* parameters() const { return memory_.template at<T>(0); }
  T* workspace() const { return memory_.template at<T>(workspace_start(parameter_bytes)); }

  void prepare(Model const& model) noexcept {
    detail::program_bases b = model.bases();
    b.at[plan::base::workspace] = workspace();
    b.at[plan::base::gradients] = parameters();
    espalier::on_cpu::run_in_workspace<Preparing, T>(b.at);
    Programs::copy_narrow(b.at, parameters());
  }
  /// Arch is in the name so that translation units for different instruction sets do not share the function.
  template <class Arch = on_cpu::default_arch, class... X>
  void run(X... x) noexcept(never_throws) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    on_device::direct_exchange exchange;
    Call::template check<Program>("frozen(x..., y...)", exchange, x...);
    detail::program_bases b;
    b.at[plan::base::workspace] = workspace();
    b.at[plan::base::parameters] = parameters();
    Call::run(
        b, exchange,
        [&] {
          InPlace::run(espalier::on_cpu::engine<cpu>{}, b.at, memory_.template at<void>(bytes - in_place_bytes),
                       [&] { espalier::on_cpu::run_in_workspace<Program, T>(b.at); });
        },
        x...);
  }

  detail::block memory_;
  detail::call_mark call_;
};

/// Does not compile. It accepts every call without a further error, so that one mistake produces one error.
template <class Model, class Batch, class... Facts>
class frozen<Model, Batch, invalid<Facts...>> : public detail::zero_costs {
  using Layers = detail::root_message_fault<invalid<Facts...>, typename Model::net_type, frozen>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(detail::own_message_fault<invalid<Facts...>, typename Model::net_type>::report()) != 0);

 public:
  using input_shape = Batch;
  using output_shape = invalid<Facts...>;
  frozen(Model const&, auto&&...) {}
  void operator()(auto&&...) noexcept {}
};

/// Does not compile: the arguments are not a model and a batch.
template <class Argument>
class frozen<detail::misused<is_model<Argument>>, void, void> : public detail::accepts_every_call<> {
  static_assert(is_model<Argument>::agree,
                ESPALIER_SENTENCE("frozen{model, batch}: " ESPALIER_FIRST_IS_MODEL, is_model<Argument>));

 public:
  frozen(auto&&...) {}
};
template <class Argument>
class frozen<detail::misused<is_batch<Argument>>, void, void> : public detail::accepts_every_call<> {
  static_assert(is_batch<Argument>::agree || is_bounded_batch<Argument>,
                ESPALIER_SENTENCE("frozen{model, batch}: " ESPALIER_BATCH_IS_SHAPE, is_batch<Argument>));
  static_assert(!is_bounded_batch<Argument>,
                ESPALIER_SENTENCE("frozen{model, batch}: " ESPALIER_BATCH_IS_FIXED, is_batch<Argument>));

 public:
  frozen(auto&&...) {}
};

/// Does not compile: the types that the program writes out are not those of a model and a batch.
template <class Model, class Batch>
class frozen<Model, Batch, detail::misused<is_model<Model>>> : public detail::accepts_every_memory {
  static_assert(is_model<Model>::agree,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_MODEL("frozen<Model, Batch>", "esp::frozen"), is_model<Model>));

 public:
  frozen(auto&&...) {}
};
template <class Model, class Batch>
class frozen<Model, Batch, detail::misused<is_batch<Batch>>> : public detail::accepts_every_memory {
  static_assert(is_batch<Batch>::agree || is_bounded_batch<Batch>,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_BATCH("frozen"), is_batch<Batch>));
  static_assert(!is_bounded_batch<Batch>,
                ESPALIER_SENTENCE("frozen<Model, Batch>: " ESPALIER_BATCH_IS_FIXED, is_batch<Batch>));

 public:
  frozen(auto&&...) {}
};

template <ModelType Model, class Batch>
  requires(is_shape<Batch>)
frozen(Model const&, Batch)
->frozen<Model, std::enable_if_t<(sizeof(detail::probe_forward<typename Model::net_type, Batch>) > 0), Batch>>;
template <ModelType Model, class Batch, std::size_t Count>
  requires(is_shape<Batch>)
frozen(Model const&, Batch, bytes<Count>&)
->frozen<Model, std::enable_if_t<(sizeof(detail::probe_forward<typename Model::net_type, Batch>) > 0), Batch>>;
/// Chosen if the body of the user's forward does not compile. The compiler reports that error, and the class adds none.
template <ModelType Model, class Batch, class... Argument>
  requires(is_shape<Batch> && !detail::SeveralBatches<Batch, Argument...>)
frozen(Model const&, Batch, Argument&...)
->frozen<Model, Batch>;
template <ModelType Model, class... Argument>
  requires(detail::SeveralBatches<Argument...>&& detail::batches_fault<Argument...>::agree)
frozen(Model const&, Argument&&...)
->frozen<Model, std::enable_if_t<
                    (sizeof(detail::probe_forward<typename Model::net_type, detail::batches_in<Argument...>>) > 0),
                    detail::batches_in<Argument...>>>;
template <ModelType Model, class... Argument>
  requires(detail::SeveralBatches<Argument...> && !detail::batches_fault<Argument...>::agree)
frozen(Model const&, Argument&&...)
->frozen<detail::misused<detail::batches_fault<Argument...>>, void, void>;

template <class First, class... More>
  requires(!ModelType<First>)
frozen(First const&, More const&...)
->frozen<detail::misused<is_model<First>>, void, void>;
template <ModelType Model, class Argument>
  requires(!is_shape<Argument>)
frozen(Model const&, Argument)
->frozen<detail::misused<is_batch<Argument>>, void, void>;
template <ModelType Model>
frozen(Model const&) -> frozen<detail::misused<is_batch<no_batch>>, void, void>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
