// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../device/in_place.hpp"
#include "../device/one_caller.hpp"
#include "given.hpp"
#include "misuse.hpp"
#include "copy_model.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// A model's evaluation for one batch size, with a workspace of its own. It only reads the model: use one for each thread (asserted).
/// shape    (N, ...) -> the net's output for it
/// memory   one allocation at construction, or bytes that the user gives (predictor::bytes of them); none afterwards
/// device   with cuda, x and scores are the host's or the device's; scores on the host are there when the call returns
/// errors   a batch that the net's layers do not take does not compile
template <class Model, class Batch, class Found = detail::applied_net<typename Model::net_type, std::enable_if_t<is_shape<Batch>, Batch>>>
class predictor {
  using Source = detail::evaluation_source<typename Model::net_type, Batch>;
  using Sound = typename plan::sound_program<Source>::checked;
  using T = typename Model::value_type;
  using Engine = typename Model::engine_type;
  using InPlace = detail::in_place<Source, detail::sizes_in_bytes<static_cast<std::size_t>(Batch::size) * sizeof(T)>,
                                   detail::sizes_in_bytes<static_cast<std::size_t>(shape_of<Found>::size) * sizeof(T)>>;

 public:
  using input_shape = Batch;
  using output_shape = shape_of<Found>;

  static constexpr std::size_t workspace_bytes = Engine::template workspace_bytes<Source, T>;
  /// Room for x or scores where they may overlap and the net's kernels do not allow it; most nets need none.
  static constexpr std::size_t in_place_bytes = Engine::apart ? 0 : InPlace::bytes;
  static constexpr std::size_t bytes = workspace_bytes + in_place_bytes;
  static constexpr int kernel_count = plan::plan_of<Source>.groups.group_count;
  /// What its kernels read and write, each operand and each result once.
  static constexpr std::int64_t bytes_moved = plan::moved_by_program<Source> * static_cast<std::int64_t>(sizeof(T));

  /// Batch: deduced by the guides below alone, through which an error in the body of the user's forward comes by a short way.
  template <class B = Batch>
    requires std::is_same_v<B, Batch>
  predictor(Model const& model, B)
      : model_{model}, memory_(model.engine().take(bytes)), exchange_{model.engine().exchange_of(end, end)} {}
  template <std::size_t Count, class B = Batch, class Enough = detail::enough_bytes<Count, bytes>>
    requires std::is_same_v<B, Batch>
  predictor(Model const& model, B, espalier::bytes<Count>& given)
      : model_{model}, memory_(model.engine().take(given, bytes)), exchange_{model.engine().exchange_of(end, end)} {
    static_assert(Enough::agree, ESPALIER_SENTENCE("predictor{model, batch, bytes}: the bytes are fewer than predictor::bytes", Enough));
    static_assert(detail::computes_on_host<typename Model::device_type>::agree,
                  ESPALIER_SENTENCE("predictor{model, batch, bytes}: " ESPALIER_BYTES_OF_HOST,
                                    detail::computes_on_host<typename Model::device_type>));
  }

  /// Does not compile: each predictor has a workspace.
  predictor(predictor const& other) : predictor{*other.model_, Batch{}} {
    static_assert(detail::copied_workspace<Batch>::agree, ESPALIER_SENTENCE("predictor other = predictor: " ESPALIER_WORKSPACE_IS_COPIED, detail::copied_workspace<Batch>));
  }
  /// Does not compile: the predictor refers to its model.
  template <detail::TemporaryOf<Model> M, class... Bytes>
  predictor(M&& model, Batch batch, Bytes&... given) : predictor{static_cast<Model const&>(model), batch, given...} {
    static_assert(detail::lives_on<M>::agree, ESPALIER_SENTENCE("predictor{model, batch}: " ESPALIER_MODEL_IS_TEMPORARY, detail::lives_on<M>));
  }

  /// scores = net(x). Never allocates. scores may be x, or overlap it.
  /// shape   x as the batch, scores as output_shape
  /// errors  other shapes and element types do not compile
  template <StoredAnywhere X, StoredAnywhere Y>
  void operator()(X const& x, Y&& scores) noexcept(!Engine::apart) {
    using Input = detail::shape_is<shape_of<X>, Batch>;
    using Output = detail::shape_is<shape_of<Y>, output_shape>;
    static_assert(Input::agree, ESPALIER_SENTENCE("predictor(x, scores): x must have the shape of the predictor's batch", Input));
    static_assert(!Input::agree || Output::agree, ESPALIER_SENTENCE("predictor(x, scores): scores must have the shape of the net's output", Output));
    using Element = detail::element_is<element_of<X>, T>;
    using Scores = detail::element_is<element_of<Y>, T>;
    static_assert(Element::agree && Scores::agree,
                  ESPALIER_SENTENCE("predictor(x, scores): x or scores has another element type than the model", Element, Scores));
    using Reached = detail::reaches<typename Model::device_type, X, Y>;
    static_assert(Reached::agree, ESPALIER_SENTENCE("predictor(x, scores): " ESPALIER_REACHABLE, Reached));
    using Written = detail::can_be_written<Y>;
    static_assert(Written::agree, ESPALIER_SENTENCE("predictor(x, scores): " ESPALIER_RESULT_IS_CONST, Written));
    if constexpr (Input::agree && Output::agree && Element::agree && Scores::agree && Reached::agree && Written::agree)
      run(detail::elements_of<T const>(x), detail::elements_of<T>(scores));
  }
  /// Scores are written into memory of the user, so a call without them is refused.
  template <class X>
  auto operator()(X const&) {
    using Scores = detail::has_room_for_scores<X>;
    static_assert(Scores::agree, ESPALIER_SENTENCE("predictor(x, scores): scores are missing; they are written into a tensor<T, output_shape> "
                                                   "or other memory of yours, and model(x) returns a tensor", Scores));
    return refused<Scores>{};
  }
  /// The same in memory of your own: std::vector, std::array, std::span and arrays, which are read and written where they are.
  /// errors  another element type does not compile; range_error for another number of elements, before anything is written
  template <class X, class Y>
    requires(!StoredAnywhere<X> || !StoredAnywhere<Y>)
  void operator()(X const& x, Y&& scores) {
    using Input = detail::given_fit<X const, T const, Batch>;
    using Output = detail::written_fit<Y, T, output_shape>;
    static_assert(Input::agree, ESPALIER_SENTENCE("predictor(x, scores): x: " ESPALIER_GIVEN, Input));
    static_assert(Output::agree, ESPALIER_SENTENCE("predictor(x, scores): scores: " ESPALIER_GIVEN_SCORES, Output));
    if constexpr (Input::agree && Output::agree)
      (*this)(detail::as_given<T const, Batch>("predictor(x, scores): x", x), detail::as_given<T, output_shape>("predictor(x, scores): scores", scores));
  }

 private:
  static constexpr std::size_t scores_at = detail::bytes_for<T>(static_cast<std::size_t>(Batch::size));
  static constexpr std::size_t end = scores_at + detail::bytes_for<T>(static_cast<std::size_t>(output_shape::size));

  template <class From, class To>
  void run(detail::elements_on<T const, From, Batch::size> x, detail::elements_on<T, To, output_shape::size> scores) noexcept(!Engine::apart) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    detail::program_bases b = model_->bases();
    b.at[plan::base::workspace] = memory_.template at<T>(0);
    b.at[plan::base::arguments] = exchange_.give(x, 0);
    b.at[plan::base::results] = exchange_.want(scores, scores_at);
    exchange_.send();
    Engine const& engine = model_->engine();
    auto const launch = [&] { replays_.run(engine, 0, [&] { engine.template run<Source, T>(b.at); }); };
    if constexpr (Engine::apart) launch();  // the exchange has memory of its own
    else InPlace::run(engine, b.at, memory_.template at<void>(workspace_bytes), launch);
    if constexpr (std::is_same_v<To, cpu>) exchange_.fetch(scores_at, end - scores_at);
    exchange_.take(scores, scores_at);
  }

  detail::reference<Model const> model_;
  typename Engine::memory memory_;
  [[no_unique_address]] typename Engine::exchange exchange_;
  [[no_unique_address]] typename Engine::template replays<1> replays_;
  detail::call_mark call_;
};

/// Refused: it takes everything in silence, so that one mistake stays one error.
template <class Model, class Batch, class... Facts>
class predictor<Model, Batch, refused<Facts...>> {
  using Layers = detail::in_facts<refused<Facts...>, predictor>;
  static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(detail::say_in_words(detail::in_words<refused<Facts...>>{})) != 0);

 public:
  using input_shape = Batch;
  using output_shape = refused<Facts...>;
  static constexpr std::size_t workspace_bytes = 0, in_place_bytes = 0, bytes = 0;
  static constexpr int kernel_count = 0;
  static constexpr std::int64_t bytes_moved = 0;
  predictor(Model const&, Batch, auto&&...) {}
  void operator()(auto&&...) noexcept {}
};

/// Refused: arguments of another kind.
template <class Given>
class predictor<detail::misused<is_model<Given>>, void, void> : public detail::silent_root<is_model<Given>> {
  static_assert(is_model<Given>::agree, ESPALIER_SENTENCE("predictor{model, batch}: " ESPALIER_FIRST_IS_MODEL, is_model<Given>));
  using detail::silent_root<is_model<Given>>::silent_root;
};
template <class Given>
class predictor<detail::misused<is_batch<Given>>, void, void> : public detail::silent_root<is_batch<Given>> {
  static_assert(is_batch<Given>::agree, ESPALIER_SENTENCE("predictor{model, batch}: " ESPALIER_BATCH_IS_SHAPE, is_batch<Given>));
  using detail::silent_root<is_batch<Given>>::silent_root;
};

template <ModelType Model, class Batch>
  requires is_shape<Batch>
predictor(Model const&, Batch) -> predictor<Model, std::enable_if_t<(sizeof(detail::first_look<typename Model::net_type, Batch>) > 0), Batch>>;
template <ModelType Model, class Batch, std::size_t Count>
  requires is_shape<Batch>
predictor(Model const&, Batch, bytes<Count>&) -> predictor<Model, std::enable_if_t<(sizeof(detail::first_look<typename Model::net_type, Batch>) > 0), Batch>>;
/// Where the body of the user's forward does not compile: the compiler has said so, and the class that follows says nothing.
template <ModelType Model, class Batch, class... Given>
  requires is_shape<Batch>
predictor(Model const&, Batch, Given&...) -> predictor<Model, Batch>;

template <class First, class... More>
  requires(!ModelType<First>)
predictor(First const&, More const&...) -> predictor<detail::misused<is_model<First>>, void, void>;
template <ModelType Model, class Given>
  requires(!is_shape<Given>)
predictor(Model const&, Given) -> predictor<detail::misused<is_batch<Given>>, void, void>;
template <ModelType Model>
predictor(Model const&) -> predictor<detail::misused<is_batch<nothing_given>>, void, void>;

}  // namespace espalier
#pragma GCC diagnostic pop
