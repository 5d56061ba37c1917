// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/one_caller.hpp"
#include "scores_fit.hpp"
#include "misuse.hpp"
#include "batch_arguments.hpp"
#include "copy_model.hpp"
#include "net_call.hpp"
#include "output_shape.hpp"

namespace espalier {

/// Evaluates a model for one batch size, with its own workspace. It only reads the model; use one predictor per thread
/// (asserted).
///     esp::predictor predict{model, esp::batch<32, 784>{}};   predict(x, scores);
///     esp::predictor step{cell, esp::batch<1, 8>{}, esp::batch<1, 16>{}};   step(x, h, y, next);
/// A net of several inputs has a batch for each. A run gets each input, then a tensor for each result.
/// shape    (N, ...) -> the net's output for it
/// memory   one allocation at construction, or `bytes` bytes that you pass; none afterwards
/// device   with cuda, x and scores may be on the host or on the device; scores on the host are complete when the call
///          returns
/// errors   a batch that does not fit the net's layers does not compile; an index outside its axis throws index_error
///          before scores are written, and two results that overlap each other overlap_error
template <class Model, class Batch, class Found = typename detail::found_for<Model, Batch>::type>
class predictor {
  using T = detail::activation_of<Model>;
  using Program =
      plan::program_for<detail::evaluation_program<typename Model::net_type, Batch>, typename Model::value_type, T>;
  using Sound = typename plan::sound_program<Program>::checked;
  using Evaluating = on_device::evaluating<typename Model::engine_type>;
  using Engine = typename Evaluating::type;
  using AsRun = typename Engine::template program<Program>;
  using Input = detail::stored_input<typename Model::net_type, T>;
  using Call = detail::call_of_net<typename Model::net_type, T, Batch, Found>;
  using InPlace = typename Call::template in_place<Program>;
  static constexpr bool one_to_one = detail::is_one_to_one<Batch, Found>;

  /// A device may throw, and so may a net of indices, and several results, which must not overlap.
  static constexpr bool never_throws =
      !Engine::has_device_memory && !plan::has_checked_integers<Program> && Call::results == 1;

 public:
  using input_shape = Batch;
  using output_shape = typename detail::described_results<Found>::type;

  static constexpr std::size_t workspace_bytes = Engine::template workspace_bytes<Program, T>;
  /// What the processor's kernels need for themselves: packed operands of products, padded images.
  static constexpr std::size_t kernel_bytes = Engine::template run_bytes<Program, T> - workspace_bytes;
  /// Memory for x or scores if they may overlap but the net's kernels do not allow it; most nets need none.
  static constexpr std::size_t in_place_bytes = Engine::has_device_memory ? 0 : InPlace::bytes;
  static constexpr std::size_t bytes = workspace_bytes + kernel_bytes + in_place_bytes;
  static constexpr int kernel_count = plan::plan_of<AsRun>.groups.group_count;
  /// Bytes that the kernels read and write; each operand and each result counts once.
  static constexpr std::int64_t bytes_moved = plan::moved_by_program<AsRun> * static_cast<std::int64_t>(sizeof(T));

  /// Batch is deduced only by the guides below. They instantiate the user's forward first, so that an error in its body
  /// has a short trace.
  template <class B = Batch>
    requires(std::is_same_v<B, Batch>)
  predictor(Model const& model, B)
      : model_{model},
        memory_(Evaluating::of(model.engine()).allocate(bytes)),
        exchange_{Evaluating::of(model.engine()).make_exchange(Call::end, Call::end)} {}
  template <std::size_t Count, class B = Batch, class Enough = detail::enough_bytes<Count, bytes>>
    requires(std::is_same_v<B, Batch>)
  predictor(Model const& model, B, espalier::bytes<Count>& storage)
      : model_{model},
        memory_(Evaluating::of(model.engine()).allocate(storage, bytes)),
        exchange_{Evaluating::of(model.engine()).make_exchange(Call::end, Call::end)} {
    static_assert(Enough::agree,
                  ESPALIER_SENTENCE("predictor{model, batch, bytes}: " ESPALIER_FEWER_BYTES("predictor"), Enough));
    static_assert(detail::computes_on_host<typename Model::device_type>::agree,
                  ESPALIER_SENTENCE("predictor{model, batch, bytes}: " ESPALIER_BYTES_OF_HOST,
                                    detail::computes_on_host<typename Model::device_type>));
  }

  /// Several inputs: a batch for each, then bytes if you pass them.
  template <class... Arguments>
    requires(detail::AreBatchesOf<Batch, Arguments...>)
  predictor(Model const& model, Arguments&&... arguments)
      : model_{model},
        memory_(detail::memory_behind(
            [&](auto&... storage) { return Evaluating::of(model.engine()).allocate(storage..., bytes); },
            arguments...)),
        exchange_{Evaluating::of(model.engine()).make_exchange(Call::end, Call::end)} {
    using Enough = detail::enough_bytes_behind<bytes, Arguments...>;
    static_assert(Enough::agree,
                  ESPALIER_SENTENCE("predictor{model, batch..., bytes}: " ESPALIER_FEWER_BYTES("predictor"), Enough));
    using Host = detail::bytes_behind_on_host<typename Model::device_type, Arguments...>;
    static_assert(Host::agree, ESPALIER_SENTENCE("predictor{model, batch..., bytes}: " ESPALIER_BYTES_OF_HOST, Host));
  }

  /// Does not compile: the arguments are not of the types that the program writes out.
  explicit predictor(detail::any_argument = 0, detail::any_argument = 0, detail::any_argument = 0,
                     detail::any_argument = 0)
      : predictor{detail::never_called<Model const>(), Batch{}} {
    using Fit = arguments_fit_types<Model, Batch>;
    static_assert(Fit::agree, ESPALIER_SENTENCE(ESPALIER_ARGUMENTS_FIT_TYPES("predictor", "model, Batch{}"), Fit));
  }
  /// Does not compile: each predictor has its own workspace.
  predictor(predictor const&) ESPALIER_DELETED("a predictor cannot be copied or moved: construct another one");
  predictor& operator=(predictor const&) = delete;
  /// Does not compile: the predictor refers to its model, which is a temporary.
  template <detail::TemporaryOf<Model> M, class... Arguments>
  predictor(M&& model, Arguments&&... arguments) : predictor{static_cast<Model const&>(model), arguments...} {
    static_assert(detail::lives_on<M>::agree,
                  ESPALIER_SENTENCE("predictor{model, batch}: " ESPALIER_MODEL_IS_TEMPORARY, detail::lives_on<M>));
  }

  /// scores = net(x). Never allocates. scores may be x, or overlap it.
  /// shape   x has the shape of the batch, scores output_shape
  /// errors  other shapes and element types do not compile
  template <TensorOrView X, TensorOrView Y>
    requires(one_to_one)
  void operator()(X const& x, Y&& scores) noexcept(never_throws) {
    using Fit = detail::scores_fit<X, Y, Batch, output_shape, T, Input>;
    using InputShape = typename Fit::input_shape;
    static_assert(
        InputShape::agree,
        ESPALIER_SENTENCE("predictor(x, scores): x must have the shape of the predictor's batch", InputShape));
    using ScoresShape = typename Fit::scores_shape;
    static_assert(ScoresShape::agree, ESPALIER_SENTENCE("predictor(x, scores): " ESPALIER_SCORES_SHAPE, ScoresShape));
    using InputElement = typename Fit::input_element;
    using ScoresElement = typename Fit::scores_element;
    static_assert(InputElement::agree && ScoresElement::agree,
                  ESPALIER_SENTENCE("predictor(x, scores): " ESPALIER_SCORES_ELEMENT, InputElement, ScoresElement));
    using Reached = detail::reaches<typename Model::device_type, X, Y>;
    static_assert(Reached::agree, ESPALIER_SENTENCE("predictor(x, scores): " ESPALIER_REACHABLE, Reached));
    using Written = typename Fit::written;
    static_assert(Written::agree, ESPALIER_SENTENCE("predictor(x, scores): " ESPALIER_RESULT_IS_CONST, Written));
    if constexpr (Fit::agree && Reached::agree)
      run(detail::elements_of<Input const>(x), detail::elements_of<T>(scores));
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
    static_assert(Count::agree, ESPALIER_SENTENCE("predictor(x..., y...): " ESPALIER_CALL_COUNT, Count));
    using Range = typename Fit::range;
    static_assert(Range::agree, ESPALIER_SENTENCE("predictor(x..., y...): " ESPALIER_CALL_RANGE, Range));
    using Shape = typename Fit::shape;
    static_assert(Shape::agree, ESPALIER_SENTENCE("predictor(x..., y...): " ESPALIER_CALL_SHAPE, Shape));
    using Element = typename Fit::element;
    static_assert(Element::agree, ESPALIER_SENTENCE("predictor(x..., y...): " ESPALIER_CALL_ELEMENT, Element));
    using Written = typename Fit::written;
    static_assert(Written::agree, ESPALIER_SENTENCE("predictor(x..., y...): " ESPALIER_RESULT_IS_CONST, Written));
    if constexpr (Fit::agree) {
      using Reached = detail::reached_by_call<typename Model::device_type, X...>;
      static_assert(Reached::agree, ESPALIER_SENTENCE("predictor(x..., y...): " ESPALIER_REACHABLE, Reached));
      if constexpr (Reached::agree)
        Call::with_elements(
            "predictor(x..., y...)", [&](auto... each) { this->run(each...); }, x...);
    }
  }
  /// Does not compile: scores are written into memory of the user, and the call passes none.
  template <class X>
    requires(one_to_one)
  auto operator()(X const&) {
    using Scores = detail::has_room_for_scores<X>;
    static_assert(
        Scores::agree,
        ESPALIER_SENTENCE("predictor(x, scores): " ESPALIER_SCORES_MISSING ", and model(x) returns a tensor", Scores));
    return invalid<Scores>{};
  }
  /// The same for std::vector, std::array, std::span and arrays, which are read and written without a copy.
  /// errors  another element type does not compile; range_error for another number of elements, before anything is
  ///         written
  template <class X, class Y>
    requires((!TensorOrView<X> || !TensorOrView<Y>)&&one_to_one)
  void operator()(X const& x, Y&& scores) {
    using Fit = detail::scores_range_fit<X, Y, Batch, output_shape, T, Input>;
    using Read = typename Fit::input;
    static_assert(Read::agree, ESPALIER_SENTENCE("predictor(x, scores): x: " ESPALIER_EXPECTED_INPUT, Read));
    using Scores = typename Fit::scores;
    static_assert(Scores::agree, ESPALIER_SENTENCE("predictor(x, scores): scores: " ESPALIER_EXPECTED_SCORES, Scores));
    if constexpr (Fit::agree)
      (*this)(detail::as_tensor_or_view<Input const, Batch>("predictor(x, scores): x", x),
              detail::as_tensor_or_view<T, output_shape>("predictor(x, scores): scores", scores));
  }

  /// Does not compile: the predictor is const.
  void operator()(detail::any_argument, detail::any_argument = 0, detail::any_argument = 0,
                  detail::any_argument = 0) const {
    static_assert(changes_its_workspace<Batch>::agree,
                  ESPALIER_SENTENCE(ESPALIER_CALL_IS_CONST("predictor"), changes_its_workspace<Batch>));
  }

 private:
  /// Arch is in the name so that translation units for different instruction sets do not share the function.
  template <class Arch = on_cpu::default_arch, class... X>
  void run(X... x) noexcept(never_throws) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    Call::template check<Program>("predictor(x..., y...)", exchange_, x...);
    detail::program_bases b = model_->bases();
    b.at[plan::base::workspace] = memory_.template at<T>(0);
    auto const& engine = Evaluating::of(model_->engine());
    auto const launch = [&] {
      auto const once = [&] { engine.template run<Program, T>(b.at); };
      if constexpr (plan::counts_steps<Program>) once();  // the launches differ from call to call
      else replays_.run(engine, 0, once);
    };
    Call::run(
        b, exchange_,
        [&] {
          if constexpr (Engine::has_device_memory) launch();  // the exchange has its own memory
          else InPlace::run(engine, b.at, memory_.template at<void>(workspace_bytes + kernel_bytes), launch);
        },
        x...);
  }

  detail::reference<Model const> model_;
  typename Engine::memory memory_;
  [[no_unique_address]] typename Engine::exchange exchange_;
  [[no_unique_address]] typename Engine::template replays<1> replays_;
  detail::call_mark call_;
};

/// Does not compile. It accepts every call without a further error, so that one mistake produces one error.
template <class Model, class Batch, class... Facts>
class predictor<Model, Batch, invalid<Facts...>> : public detail::zero_costs {
  using Layers = detail::root_message_fault<invalid<Facts...>, typename Model::net_type, predictor>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(detail::own_message_fault<invalid<Facts...>, typename Model::net_type>::report()) != 0);

 public:
  using input_shape = Batch;
  using output_shape = invalid<Facts...>;
  predictor(Model const&, auto&&...) {}
  void operator()(auto&&...) noexcept {}
};

/// Does not compile: the arguments are not a model and a batch.
template <class Argument>
class predictor<detail::misused<is_model<Argument>>, void, void> : public detail::accepts_every_call<> {
  static_assert(is_model<Argument>::agree,
                ESPALIER_SENTENCE("predictor{model, batch}: " ESPALIER_FIRST_IS_MODEL, is_model<Argument>));

 public:
  predictor(auto&&...) {}
};
template <class Argument>
class predictor<detail::misused<is_batch<Argument>>, void, void> : public detail::accepts_every_call<> {
  static_assert(is_batch<Argument>::agree,
                ESPALIER_SENTENCE("predictor{model, batch}: " ESPALIER_BATCH_IS_SHAPE, is_batch<Argument>));

 public:
  predictor(auto&&...) {}
};

/// Does not compile: the types that the program writes out are not those of a model and a batch.
template <class Model, class Batch>
class predictor<Model, Batch, detail::misused<is_model<Model>>> : public detail::accepts_every_memory {
  static_assert(is_model<Model>::agree,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_MODEL("predictor<Model, Batch>", "esp::predictor"),
                                  is_model<Model>));

 public:
  predictor(auto&&...) {}
};
template <class Model, class Batch>
class predictor<Model, Batch, detail::misused<is_batch<Batch>>> : public detail::accepts_every_memory {
  static_assert(is_batch<Batch>::agree, ESPALIER_SENTENCE(ESPALIER_TYPE_OF_BATCH("predictor"), is_batch<Batch>));

 public:
  predictor(auto&&...) {}
};

template <ModelType Model, class Batch>
  requires(is_shape<Batch>)
predictor(Model const&, Batch)
->predictor<Model, std::enable_if_t<(sizeof(detail::probe_forward<typename Model::net_type, Batch>) > 0), Batch>>;
template <ModelType Model, class Batch, std::size_t Count>
  requires(is_shape<Batch>)
predictor(Model const&, Batch, bytes<Count>&)
->predictor<Model, std::enable_if_t<(sizeof(detail::probe_forward<typename Model::net_type, Batch>) > 0), Batch>>;
/// Chosen if the body of the user's forward does not compile. The compiler reports that error, and the class adds none.
template <ModelType Model, class Batch, class... Argument>
  requires(is_shape<Batch> && !detail::SeveralBatches<Batch, Argument...>)
predictor(Model const&, Batch, Argument&...)
->predictor<Model, Batch>;
template <ModelType Model, class... Argument>
  requires(detail::SeveralBatches<Argument...>&& detail::batches_fault<Argument...>::agree)
predictor(Model const&, Argument&&...)
->predictor<Model, std::enable_if_t<
                       (sizeof(detail::probe_forward<typename Model::net_type, detail::batches_in<Argument...>>) > 0),
                       detail::batches_in<Argument...>>>;
template <ModelType Model, class... Argument>
  requires(detail::SeveralBatches<Argument...> && !detail::batches_fault<Argument...>::agree)
predictor(Model const&, Argument&&...)
->predictor<detail::misused<detail::batches_fault<Argument...>>, void, void>;

template <class First, class... More>
  requires(!ModelType<First>)
predictor(First const&, More const&...)
->predictor<detail::misused<is_model<First>>, void, void>;
template <ModelType Model, class Argument>
  requires(!is_shape<Argument> && !is_bounded_batch<Argument>)
predictor(Model const&, Argument)
->predictor<detail::misused<is_batch<Argument>>, void, void>;
template <ModelType Model>
predictor(Model const&) -> predictor<detail::misused<is_batch<no_batch>>, void, void>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
