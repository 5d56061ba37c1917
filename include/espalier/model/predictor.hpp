// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../device/check_indices.hpp"
#include "../device/in_place.hpp"
#include "../device/one_caller.hpp"
#include "scores_fit.hpp"
#include "misuse.hpp"
#include "copy_model.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier {

namespace detail {
/// What a predictor finds for a net on a batch: its result, or an `invalid` type. Nothing for what is no batch.
template <class Net, class Batch>
struct found_on {};
template <class Net, class Batch>
  requires(is_shape<Batch>)
struct found_on<Net, Batch> {
  using type = applied_net<Net, Batch>;
};
}  // namespace detail

/// Evaluates a model for one batch size, with its own workspace. It only reads the model; use one predictor per thread
/// (asserted).
/// shape    (N, ...) -> the net's output for it
/// memory   one allocation at construction, or `bytes` bytes that you pass; none afterwards
/// device   with cuda, x and scores may be on the host or on the device; scores on the host are complete when the call
///          returns
/// errors   a batch that does not fit the net's layers does not compile; an index outside its axis throws index_error
///          before scores are written
template <class Model, class Batch, class Found = typename detail::found_on<typename Model::net_type, Batch>::type>
class predictor {
  using Program = detail::evaluation_program<typename Model::net_type, Batch>;
  using Sound = typename plan::sound_program<Program>::checked;
  using T = typename Model::value_type;
  using Engine = typename Model::engine_type;
  using Input = detail::stored_input<typename Model::net_type, T>;
  using InPlace =
      detail::in_place<Program, detail::sizes_in_bytes<static_cast<std::size_t>(Batch::size) * sizeof(Input)>,
                       detail::sizes_in_bytes<static_cast<std::size_t>(shape_of<Found>::size) * sizeof(T)>>;

  /// A device may throw, and so may a net of indices.
  static constexpr bool never_throws = !Engine::has_device_memory && !plan::has_checked_integers<Program>;

 public:
  using input_shape = Batch;
  using output_shape = shape_of<Found>;

  static constexpr std::size_t workspace_bytes = Engine::template workspace_bytes<Program, T>;
  /// Memory for x or scores if they may overlap but the net's kernels do not allow it; most nets need none.
  static constexpr std::size_t in_place_bytes = Engine::has_device_memory ? 0 : InPlace::bytes;
  static constexpr std::size_t bytes = workspace_bytes + in_place_bytes;
  static constexpr int kernel_count = plan::plan_of<Program>.groups.group_count;
  /// Bytes that the kernels read and write; each operand and each result counts once.
  static constexpr std::int64_t bytes_moved = plan::moved_by_program<Program> * static_cast<std::int64_t>(sizeof(T));

  /// Batch is deduced only by the guides below. They instantiate the user's forward first, so that an error in its body
  /// has a short trace.
  template <class B = Batch>
    requires(std::is_same_v<B, Batch>)
  predictor(Model const& model, B)
      : model_{model}, memory_(model.engine().allocate(bytes)), exchange_{model.engine().make_exchange(end, end)} {}
  template <std::size_t Count, class B = Batch, class Enough = detail::enough_bytes<Count, bytes>>
    requires(std::is_same_v<B, Batch>)
  predictor(Model const& model, B, espalier::bytes<Count>& storage)
      : model_{model},
        memory_(model.engine().allocate(storage, bytes)),
        exchange_{model.engine().make_exchange(end, end)} {
    static_assert(Enough::agree,
                  ESPALIER_SENTENCE("predictor{model, batch, bytes}: " ESPALIER_FEWER_BYTES("predictor"), Enough));
    static_assert(detail::computes_on_host<typename Model::device_type>::agree,
                  ESPALIER_SENTENCE("predictor{model, batch, bytes}: " ESPALIER_BYTES_OF_HOST,
                                    detail::computes_on_host<typename Model::device_type>));
  }

  /// Does not compile: each predictor has its own workspace.
  predictor(predictor const& other) : predictor{*other.model_, Batch{}} {
    static_assert(detail::copied_workspace<Batch>::agree,
                  ESPALIER_SENTENCE("predictor other = predictor: " ESPALIER_WORKSPACE_IS_COPIED,
                                    detail::copied_workspace<Batch>));
  }
  /// Does not compile: the predictor refers to its model, which is a temporary.
  template <detail::TemporaryOf<Model> M, class... Bytes>
  predictor(M&& model, Batch batch, Bytes&... storage)
      : predictor{static_cast<Model const&>(model), batch, storage...} {
    static_assert(detail::lives_on<M>::agree,
                  ESPALIER_SENTENCE("predictor{model, batch}: " ESPALIER_MODEL_IS_TEMPORARY, detail::lives_on<M>));
  }

  /// scores = net(x). Never allocates. scores may be x, or overlap it.
  /// shape   x has the shape of the batch, scores output_shape
  /// errors  other shapes and element types do not compile
  template <TensorOrView X, TensorOrView Y>
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
  /// Does not compile: scores are written into memory of the user, and the call passes none.
  template <class X>
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
    requires(!TensorOrView<X> || !TensorOrView<Y>)
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

 private:
  static constexpr std::size_t scores_at = detail::bytes_for<Input>(static_cast<std::size_t>(Batch::size));
  static constexpr std::size_t end = scores_at + detail::bytes_for<T>(static_cast<std::size_t>(output_shape::size));

  template <class From, class To>
  void run(detail::elements_on<Input const, From, Batch::size> x,
           detail::elements_on<T, To, output_shape::size> scores) noexcept(never_throws) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    detail::check_indices<Program>([&](int, std::int64_t) { return exchange_.view_on_host(x, 0); });
    detail::program_bases b = model_->bases();
    b.at[plan::base::workspace] = memory_.template at<T>(0);
    b.at[plan::base::arguments] = exchange_.stage_in(x, 0);
    b.at[plan::base::results] = exchange_.stage_out(scores, scores_at);
    exchange_.upload();
    Engine const& engine = model_->engine();
    auto const launch = [&] { replays_.run(engine, 0, [&] { engine.template run<Program, T>(b.at); }); };
    if constexpr (Engine::has_device_memory) launch();  // the exchange has its own memory
    else InPlace::run(engine, b.at, memory_.template at<void>(workspace_bytes), launch);
    if constexpr (std::is_same_v<To, cpu>) exchange_.download(scores_at, end - scores_at);
    exchange_.copy_out(scores, scores_at);
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
  predictor(Model const&, Batch, auto&&...) {}
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
  requires(is_shape<Batch>)
predictor(Model const&, Batch, Argument&...)
->predictor<Model, Batch>;

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
