// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <array>

#include "../base/needs_header.hpp"
#include "../device/cpu/thread/float_control.hpp"
#include "../device/one_caller.hpp"
#include "batch_arguments.hpp"
#if defined(ESPALIER_CHECK_PLANS)
#include "check_stream.hpp"
#endif
#include "model.hpp"
#include "scores_fit.hpp"
#include "stream_program.hpp"

ESPALIER_HEADER_INCLUDED(stream);

namespace espalier {

/// Named relation: a net that is streamed returns one value.
template <class Net, class... R>
struct stream_returns_one {
  ESPALIER_READS("forward of {} returns {...}")
  static constexpr bool agree = false;
};

namespace detail {

template <class Net, class... R, class... Path>
struct own_message<invalid<stream_returns_one<Net, R...>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(stream_returns_one<Net, R...>::agree,
                  ESPALIER_SENTENCE("stream{model, block}: `forward` of the net returns several values, a stream one; "
                                    "return the outputs alone, as nn::Outputs<nn::LSTM<...>> does: the stream keeps "
                                    "the state",
                                    stream_returns_one<Net, R...>));
    return true;
  }
};

/// What a stream is made of: the result of a net on a sequence, an `invalid` type, or why it has no stream.
template <class Net, class Block, int Axis, int Context, class Found>
struct streamed_result {
  using fault = stream_fault_of<Net, Block, Axis, Context>;
  using type = std::conditional_t<fault::agree, Found, fault>;
};
template <class Net, class Block, int Axis, int Context, class... Facts>
struct streamed_result<Net, Block, Axis, Context, invalid<Facts...>> {
  using type = invalid<Facts...>;
};
template <class Net, class Block, int Axis, int Context, class... R>
struct streamed_result<Net, Block, Axis, Context, std::tuple<R...>> {
  using type = invalid<stream_returns_one<Net, shape_of<R>...>>;
};
template <class Net, class Block, int Axis, int Context>
using found_for_stream =
    typename streamed_result<Net, Block, Axis, Context, results_of_net<Net, sequence<Net, Block, Axis, Context>>>::type;

/// A constraint that errors name: a block of this shape has the axis of time.
template <class Block, int Axis>
struct block_has_axis {
  ESPALIER_READS("got a block {} and axis {}")
  static constexpr bool agree = false;
};
template <int... Extents, int Axis>
struct block_has_axis<shape<Extents...>, Axis> {
  ESPALIER_READS("got a block {} and axis {}")
  static constexpr bool agree = Axis >= 0 && Axis < static_cast<int>(sizeof...(Extents));
};
/// What a stream of these types is made of; what is no model, no shape, or a shape without that axis, is misused.
template <class Model, class Block, int Axis, int Context>
constexpr auto find_for_stream() {
  if constexpr (!ModelType<Model>) return std::type_identity<misused<espalier::is_model<Model>>>{};
  else if constexpr (!is_shape<Block>) return std::type_identity<misused<is_batch<Block>>>{};
  else if constexpr (!block_has_axis<Block, Axis>::agree)
    return std::type_identity<misused<block_has_axis<Block, Axis>>>{};
  else return std::type_identity<found_for_stream<typename Model::net_type, Block, Axis, Context>>{};
}
template <class Model, class Block, int Axis, int Context>
struct found_for_stream_of : decltype(find_for_stream<Model, Block, Axis, Context>()) {};

/// What may stand behind the block: time_axis, context, and memory.
template <class Option>
struct stream_option {
  ESPALIER_READS("got {}")
  static constexpr bool agree = false, is_memory = false;
  static constexpr int axis_behind_1 = 0, context = 0;
};
template <int Axis>
struct stream_option<time_axis<Axis>> : stream_option<void> {
  static constexpr bool agree = true;
  static constexpr int axis_behind_1 = Axis - 1;
};
template <int Steps>
struct stream_option<context<Steps>> : stream_option<void> {
  static constexpr bool agree = true;
  static constexpr int context = Steps > 0 ? Steps : 1;  // one error for a context of no step, not two
};
template <std::size_t Count>
struct stream_option<bytes<Count>> : stream_option<void> {
  static constexpr bool is_memory = true;
};
/// The first argument that may not stand behind the block.
template <class First, class... More>
struct first_wrong_option : std::conditional_t<stream_option<First>::agree || stream_option<First>::is_memory,
                                               first_wrong_option<More...>, std::type_identity<stream_option<First>>> {
};
template <class Last>
struct first_wrong_option<Last> : std::type_identity<stream_option<Last>> {};
template <class Option>
concept StreamOption = stream_option<Option>::agree;
/// An option that says what the type of the stream says.
template <class Option, int Axis, int Context>
concept OptionOfStream = StreamOption<Option> &&
    (stream_option<Option>::context != 0 ? stream_option<Option>::context == Context
                                         : stream_option<Option>::axis_behind_1 == Axis - 1);
template <class Option>
concept StreamArgument = StreamOption<Option> || stream_option<Option>::is_memory;
/// Axis 1, if no other one is given.
template <class... Options>
inline constexpr int axis_of_options = 1 + (0 + ... + stream_option<Options>::axis_behind_1);
template <class... Options>
inline constexpr int context_of_options = (0 + ... + stream_option<Options>::context);

/// The history that counts steps, or -1: the net uses no positions.
constexpr int count_of_steps(operation::stream_facts const& facts) {
  for (int i = 0; i < facts.history_count; ++i)
    if (operation::stream_history const& h = facts.history[i]; h.counts != 0 && !h.saturates) return i;
  return -1;
}
/// How far a stream counts: to the last row of a table of positions, or to the largest number up to which a T
/// represents all whole numbers.
template <class T>
constexpr std::int64_t counted_steps(operation::stream_facts const& facts) {
  if (facts.table_rows != 0) return facts.table_rows;
  return count_of_steps(facts) < 0 ? INT64_MAX : std::int64_t{1} << (std::is_same_v<T, float> ? 24 : 53);
}

/// What of(...) returns where there is no stream.
struct no_stream : zero_costs {
  static constexpr std::size_t state_bytes = 0;
  static constexpr int latency_steps = 0, receptive_field = 0;
  static constexpr std::int64_t max_steps = 0;
  using state_type = std::array<float, 1>;
  void operator()(auto&&...) noexcept {}
  void reset() noexcept {}
  state_type save() const noexcept { return {}; }
  void restore(auto const&) noexcept {}
};

#define ESPALIER_STREAM "stream{model, block}: "

}  // namespace detail

/// Evaluates a net over a sequence of any length block by block, as it arrives. The compiler derives the program of one
/// block from the net, and the state that a block leaves to the next one.
///     esp::stream effect{model, esp::batch<1, 64, 2>{}};   effect(block, result);
///     esp::stream tagger{model, esp::batch<1, 2, 64>{}, esp::time_axis<2>{}};   // time is the last axis
///     esp::stream writer{model, esp::batch<1, 1>{}, esp::context<256>{}};       // attention to the last 256 steps
/// A block has the net's input shape, with the steps of one block along the axis of time: axis 1, or `time_axis`. The
/// other axes are as in a predictor: a batch is many streams at once. Result t of the whole sequence is result
/// t + latency_steps of the stream; results before the first are meaningless.
/// Attention looks at `context` steps, or as far as its mask does; the keys and values of earlier steps are kept.
/// shape    a block (N, steps, ...) -> (N, steps / the net's strides, ...)
/// memory   one allocation at construction, or `bytes` bytes that you pass; none afterwards
/// state    begins as in the whole sequence: zeros, or a loop's initial state, which may be computed from parameters.
///          Construction and reset() read the model for it
/// order    as a predictor of the whole sequence, except sums that are divided otherwise among vectors
/// range    subnormal numbers are treated as 0 during a call
/// errors   a net whose results depend on later steps, or on all steps, does not compile; nor do attention to all
///          earlier steps without a context, strides that do not
///          divide the steps of a block, and models on a graphics processor
template <class Model, class Block, int Axis = 1, int Context = 0,
          class Found = typename detail::found_for_stream_of<Model, Block, Axis, Context>::type>
class stream {
  using Net = typename Model::net_type;
  using T = detail::activation_of<Model>;
  /// The buffers of the model, not the histories of the stream.
  using Stored = plan::first_slots<slots_of<Net>.parameters.count, slots_of<Net>.buffers.count>;
  template <class P>
  using program_for = plan::program_for<P, typename Model::value_type, T, Stored>;
  using Traced = detail::stream_program<Net, Block, Axis, Context>;
  using Program = program_for<Traced>;
  using Sound = typename plan::sound_program<Program>::checked;
  static constexpr bool begins_with_zeros = detail::begins_with_zeros<Net, Block, Axis, Context>;
  using Initial =
      std::conditional_t<begins_with_zeros, Program, program_for<detail::initial_program<Net, Block, Axis, Context>>>;
  using SoundInitial = typename plan::sound_program<Initial>::checked;
  using Input = detail::stored_input<Net, T>;
  using Output = shape_from<Traced>;
  using Call = detail::net_call<Net, T, shapes<Block>, shapes<Output>>;
  using InPlace = typename Call::template in_place<Program>;
  using Host = detail::computes_on_host<typename Model::device_type>;
  static constexpr operation::stream_facts const& facts = detail::streamed_net<Net, Block, Axis, Context>.facts;
  static constexpr detail::stream_layout const& layout = detail::layout_of_stream<Net, Block, Axis, Context>;
  static constexpr auto places = detail::placed_histories_of<Net, Block, Axis, Context>;
  static constexpr int histories = facts.history_count;
  static constexpr std::size_t sliding_bytes = detail::bytes_for<T>(static_cast<std::size_t>(layout.sliding)),
                               buffer_bytes = detail::bytes_for<T>(static_cast<std::size_t>(layout.storage)),
                               ring_bytes = detail::bytes_for<T>(static_cast<std::size_t>(layout.rings));
  /// Which history counts steps, or -1.
  static constexpr int counted = detail::count_of_steps(facts);
  static constexpr int block_steps = Block::value.at[Axis];
  /// A net of indices may throw, and one of positions.
  static constexpr bool never_throws = !plan::has_checked_integers<Program> && counted < 0;
  static_assert(
      Host::agree,
      ESPALIER_SENTENCE("stream{model, block}: a stream runs on this processor; copy(model, other) the parameters to a "
                        "model<Net> and stream that one",
                        Host));

#if defined(ESPALIER_CHECK_PLANS)
  static_assert(detail::prove_stream<Net, Block, Axis, Context>());
#endif

  static constexpr std::size_t larger(std::size_t a, std::size_t b) { return a > b ? a : b; }

 public:
  using input_shape = Block;
  using output_shape = Output;

  /// How many results later than in the whole sequence each result is computed. 0, if the net pads in front.
  static constexpr int latency_steps = facts.latency;
  /// How many steps of the input a result depends on. With a loop over the steps: 2147483647, all so far.
  static constexpr int receptive_field = facts.receptive_field;
  /// How many steps a stream can have before a reset. A net that uses positions counts them in its element type, in
  /// float to 16777216; a table of learned positions ends sooner. A further block throws index_error.
  static constexpr std::int64_t max_steps = detail::counted_steps<T>(facts);
  /// The state without the gaps that align its parts.
  static constexpr std::size_t state_bytes = static_cast<std::size_t>(layout.elements) * sizeof(T);
  /// What a call or reset() needs, whichever is more.
  static constexpr std::size_t workspace_bytes =
      larger(on_cpu::run_bytes<Program, T, 0>, on_cpu::run_bytes<Initial, T, 0>);
  /// What kernels need for themselves beside it: packed operands of products, padded images.
  static constexpr std::size_t kernel_bytes =
      larger(on_cpu::run_bytes<Program, T>, on_cpu::run_bytes<Initial, T>) - workspace_bytes;
  /// Memory for block or result if they may overlap but the net's kernels do not allow it; most nets need none.
  static constexpr std::size_t in_place_bytes = InPlace::bytes;
  static constexpr std::size_t bytes =
      sliding_bytes + 2 * buffer_bytes + ring_bytes + workspace_bytes + kernel_bytes + in_place_bytes;
  static constexpr int kernel_count = plan::plan_of<Program>.groups.group_count;
  /// Bytes that the kernels of a block read and write; each operand and each result counts once.
  static constexpr std::int64_t bytes_moved = plan::moved_by_program<Program> * static_cast<std::int64_t>(sizeof(T));

  /// All that a stream carries from block to block: a plain object of state_bytes bytes. It does not depend on the
  /// number of steps.
  using state_type = std::array<T, static_cast<std::size_t>(layout.elements)>;

  /// Block is deduced only by the guides below. They instantiate the user's forward first, so that an error in its body
  /// has a short trace.
  template <class B = Block, detail::OptionOfStream<Axis, Context>... Options>
    requires(std::is_same_v<B, Block>)
  stream(Model const& model, B, Options...) : model_{model}, memory_{bytes} { reset(); }
  template <std::size_t Count, class B = Block, class Enough = detail::enough_bytes<Count, bytes>>
    requires(std::is_same_v<B, Block>)
  stream(Model const& model, B, espalier::bytes<Count>& storage)
      : model_{model}, memory_{storage, Enough::agree ? bytes : 0} {
    static_assert(Enough::agree,
                  ESPALIER_SENTENCE("stream{model, block, bytes}: " ESPALIER_FEWER_BYTES("stream"), Enough));
    if constexpr (Enough::agree) reset();
  }
  template <std::size_t Count, class B = Block, detail::OptionOfStream<Axis, Context> Option>
    requires(std::is_same_v<B, Block>)
  stream(Model const& model, B, Option, espalier::bytes<Count>& storage) : stream{model, B{}, storage} {}
  template <std::size_t Count, class B = Block, detail::OptionOfStream<Axis, Context> First,
            detail::OptionOfStream<Axis, Context> Second>
    requires(std::is_same_v<B, Block>)
  stream(Model const& model, B, First, Second, espalier::bytes<Count>& storage) : stream{model, B{}, storage} {}

  /// Does not compile: the arguments are not of the types that the program writes out.
  explicit stream(detail::any_argument = 0) : stream{detail::never_called<Model const>(), Block{}} {
    using Fit = arguments_fit_types<Model, Block>;
    static_assert(Fit::agree, ESPALIER_SENTENCE(ESPALIER_ARGUMENTS_FIT_TYPES("stream", "model, Block{}"), Fit));
  }
  /// Does not compile: each stream has its own state. save() and restore(state) copy it.
  stream(stream const&) ESPALIER_DELETED("a stream cannot be copied or moved: construct another one, then restore");
  stream& operator=(stream const&) ESPALIER_DELETED("a stream is not assigned: s.restore(other.save()) copies it");
  /// Does not compile: the stream refers to its model, which is a temporary.
  template <detail::TemporaryOf<Model> M, class... Arguments>
  stream(M&& model, Arguments&&... arguments) : stream{static_cast<Model const&>(model), arguments...} {
    static_assert(detail::lives_on<M>::agree,
                  ESPALIER_SENTENCE("stream{model, block}: " ESPALIER_MODEL_IS_TEMPORARY, detail::lives_on<M>));
  }

  /// Computes the results of the next block. Never allocates, and takes no lock. result may be x, or overlap it.
  /// shape   x has the shape of a block, result output_shape
  /// errors  other shapes and element types do not compile; index_error for an index outside its axis, and for more
  ///         than max_steps, before anything is computed. A stream of neither indices nor positions is noexcept
  template <TensorOrView X, TensorOrView Y>
  void operator()(X const& x, Y&& result) noexcept(never_throws) {
    using Fit = detail::scores_fit<X, Y, Block, output_shape, T, Input>;
    using InputShape = typename Fit::input_shape;
    static_assert(InputShape::agree,
                  ESPALIER_SENTENCE("stream(x, result): x must have the shape of the stream's blocks", InputShape));
    using ResultShape = typename Fit::scores_shape;
    static_assert(ResultShape::agree,
                  ESPALIER_SENTENCE("stream(x, result): result must have the stream's output_shape", ResultShape));
    using InputElement = typename Fit::input_element;
    using ResultElement = typename Fit::scores_element;
    static_assert(InputElement::agree && ResultElement::agree,
                  ESPALIER_SENTENCE("stream(x, result): x and result must have the model's element type, and x that of "
                                    "indices if the net reads indices",
                                    InputElement, ResultElement));
    using Written = typename Fit::written;
    static_assert(Written::agree, ESPALIER_SENTENCE("stream(x, result): " ESPALIER_RESULT_IS_CONST, Written));
    if constexpr (Fit::agree && Host::agree) run(detail::elements_of<Input const>(x), detail::elements_of<T>(result));
  }
  /// Does not compile: results are written into memory of the user, and the call passes none.
  template <class X>
  auto operator()(X const&) {
    using Result = detail::has_room_for_scores<X>;
    static_assert(Result::agree,
                  ESPALIER_SENTENCE("stream(x, result): the result is missing; it is written into a tensor<T, "
                                    "output_shape> or other memory of yours, also if a block has one number",
                                    Result));
    return invalid<already_reported>{};
  }
  /// The same for std::vector, std::array, std::span and arrays, which are read and written without a copy.
  /// errors  another element type does not compile; range_error for another number of elements, before anything is
  ///         written
  template <class X, class Y>
    requires(!TensorOrView<X> || !TensorOrView<Y>)
  void operator()(X const& x, Y&& result) {
    using Fit = detail::scores_range_fit<X, Y, Block, output_shape, T, Input>;
    using Read = typename Fit::input;
    static_assert(Read::agree, ESPALIER_SENTENCE("stream(x, result): x: " ESPALIER_EXPECTED_INPUT, Read));
    using Scores = typename Fit::scores;
    static_assert(Scores::agree, ESPALIER_SENTENCE("stream(x, result): result: " ESPALIER_EXPECTED_SCORES, Scores));
    if constexpr (Fit::agree)
      (*this)(detail::as_tensor_or_view<Input const, Block>("stream(x, result): x", x),
              detail::as_tensor_or_view<T, output_shape>("stream(x, result): result", result));
  }

  /// Forgets all blocks: the next block is the first one of a sequence. Computes initial states from the present
  /// parameters and buffers of the model. Never allocates.
  void reset() noexcept {
    for (int& moved : moved_) moved = 0;
    begin_rings();
    for (int i = 0; i < histories; ++i) {
      T const rest = places.at[i].fills_with_lowest ? -math::infinity<T> : T{};
      T* const at = history(i);
      for (std::int64_t k = 0; k < places.at[i].stored; ++k) at[k] = rest;
    }
    if constexpr (!begins_with_zeros && Host::agree) compute_initial_states();
  }
  /// The state after the blocks so far. Streams of the net with blocks of other lengths can continue from it, and those
  /// of other models of the net.
  state_type save() const noexcept {
    state_type r;
    for_each_run([&](T* kept, std::int64_t first, std::size_t bytes_of_run) {
      __builtin_memcpy(r.data() + first, kept, bytes_of_run);
    });
    return r;
  }
  void restore(state_type const& saved) noexcept {
    begin_rings();
    for_each_run([&](T* kept, std::int64_t first, std::size_t bytes_of_run) {
      __builtin_memcpy(kept, saved.data() + first, bytes_of_run);
    });
  }

  /// Does not compile: the stream is const.
  void operator()(detail::any_argument, detail::any_argument = 0, detail::any_argument = 0,
                  detail::any_argument = 0) const {
    static_assert(changes_its_workspace<Block>::agree,
                  ESPALIER_SENTENCE(ESPALIER_CALL_IS_CONST("stream"), changes_its_workspace<Block>));
  }

 private:
  /// Where the program reads the histories that do not slide (0), and where it writes them (1). They change places
  /// after each call.
  T* states(int which) const {
    return memory_.template at<T>(sliding_bytes + ((which ^ turned_) != 0 ? buffer_bytes : 0));
  }
  /// Where a history begins now.
  T* history(int i) const {
    detail::placed_history const& h = places.at[i];
    if (h.ring != 0) return memory_.template at<T>(sliding_bytes + 2 * buffer_bytes) + h.first;
    if (h.slides == 0) return states(0) + h.first;
    return memory_.template at<T>(0) + h.first + moved_[h.slides - 1] * h.block_run;
  }
  T* workspace() const { return memory_.template at<T>(sliding_bytes + 2 * buffer_bytes + ring_bytes); }
  /// After a call: the block becomes the past. A place at the end of its memory begins again.
  template <int... I>
  ESPALIER_INLINE void slide(std::integer_sequence<int, I...>) noexcept {
    (slide_one<I>(), ...);
    for (int r = 0; r < facts.ring_count; ++r)
      begin_block(r, (ring_places_[first_place(r)] + facts.rings[r].block) % facts.rings[r].places());
    turned_ ^= 1;
  }
  static constexpr int first_place(int ring) {
    int r = 0;
    for (int i = 0; i < ring; ++i) r += facts.rings[i].block;
    return r;
  }
  /// The numbers of the steps of a block, which tables of positions are read at.
  /// errors  index_error for more than max_steps
  void number_steps() {
    constexpr int stride = facts.history[counted < 0 ? 0 : counted].counts;
    std::int64_t const now = static_cast<std::int64_t>(*history(counted)) * stride;
    if (now + block_steps > max_steps)
      detail::raise(index_error{index_error::step_of_stream{now + block_steps, max_steps}});
    if constexpr (facts.table_rows != 0)
      for (int k = 0; k < block_steps; ++k) step_numbers_[k] = static_cast<std::int32_t>(now) + k;
  }
  /// The steps of the next block get the places of a ring from `place` on; behind the last place comes the first one.
  void begin_block(int ring, int place) noexcept {
    for (int k = 0; k < facts.rings[ring].block; ++k)
      ring_places_[first_place(ring) + k] = (place + k) % facts.rings[ring].places();
  }
  void begin_rings() noexcept {
    for (int r = 0; r < facts.ring_count; ++r) begin_block(r, 0);
  }
  template <int I>
  ESPALIER_INLINE void slide_one() noexcept {
    constexpr detail::placed_history h = places.at[I];
    if constexpr (h.slides != 0) {
      if (++moved_[h.slides - 1] <= h.moves) return;
      moved_[h.slides - 1] = 0;
      T* const begin = memory_.template at<T>(0) + h.first;
      __builtin_memmove(begin, begin + (h.moves + 1) * h.block_run, static_cast<std::size_t>(h.run) * sizeof(T));
    }
  }
  template <int I>
  ESPALIER_INLINE void place_one(detail::program_bases& b) const noexcept {
    if constexpr (places.at[I].slides != 0) b.at[plan::base::states + 1 + places.at[I].slides] = history(I);
  }
  template <int... I>
  ESPALIER_INLINE void place_sliding(detail::program_bases& b, std::integer_sequence<int, I...>) const noexcept {
    (place_one<I>(b), ...);
  }
  /// Calls f(elements, position in a saved state, bytes) for each contiguous run of elements that are kept.
  template <class F>
  void for_each_run(F const& f) const {
    std::int64_t first = 0;
    for (int i = 0; i < histories; ++i) {
      detail::placed_history const& h = places.at[i];
      for (int o = 0; o < h.runs; ++o, first += h.run)
        if (h.ring != 0) for_each_run_of_ring(h, history(i) + o * (h.run + h.block_run), first, f);
        else f(history(i) + o * (h.run + h.before()) + h.before(), first, static_cast<std::size_t>(h.run) * sizeof(T));
    }
  }
  /// The steps of a ring that are kept, from the oldest on: behind the places of the next block, then from place 0 on.
  template <class F>
  void for_each_run_of_ring(detail::placed_history const& h, T* ring, std::int64_t first, F const& f) const {
    std::int64_t const all = h.run + h.block_run, step = h.block_run / facts.rings[h.ring - 1].block;
    std::int64_t const oldest = (ring_places_[first_place(h.ring - 1)] * step + h.block_run) % all;
    std::int64_t const before_end = h.run < all - oldest ? h.run : all - oldest;
    f(ring + oldest, first, static_cast<std::size_t>(before_end) * sizeof(T));
    if (before_end < h.run) f(ring, first + before_end, static_cast<std::size_t>(h.run - before_end) * sizeof(T));
  }
  detail::program_bases bases() const noexcept {
    detail::program_bases b = model_->bases();
    b.at[plan::base::states + detail::rings_base] = memory_.template at<T>(sliding_bytes + 2 * buffer_bytes);
    for (int r = 0; r < facts.ring_count; ++r)
      b.at[plan::base::arguments + 1 + r] = const_cast<std::int32_t*>(ring_places_ + first_place(r));
    b.at[plan::base::arguments + 1 + operation::max_rings] = const_cast<std::int32_t*>(step_numbers_);
    b.at[plan::base::workspace] = workspace();
    b.at[plan::base::states] = states(0);
    b.at[plan::base::states + 1] = states(1);
    return b;
  }
  /// Arch is in the name so that translation units for different instruction sets do not share the function.
  template <class Arch = on_cpu::default_arch>
  void compute_initial_states() noexcept {
    espalier::on_cpu::run_in_workspace<Initial, T>(bases().at);
  }
  /// Arch is in the name so that translation units for different instruction sets do not share the function.
  template <class Arch = on_cpu::default_arch, class... X>
  void run(X... x) noexcept(never_throws) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    flush_subnormals const flushing;
    on_device::direct_exchange exchange;
    Call::template check<Program>("stream(x, result)", exchange, x...);
    if constexpr (counted >= 0) number_steps();
    detail::program_bases b = bases();
    using Histories = std::make_integer_sequence<int, histories>;
    place_sliding(b, Histories{});
    Call::run(
        b, exchange,
        [&] {
          InPlace::run(espalier::on_cpu::engine<cpu>{}, b.at, memory_.template at<void>(bytes - in_place_bytes),
                       [&] { espalier::on_cpu::run_in_workspace<Program, T>(b.at); });
        },
        x...);
    slide(Histories{});
  }

  detail::reference<Model const> model_;
  detail::block memory_;
  int turned_ = 0;
  int moved_[operation::max_sliding]{};  ///< by history that slides: by how many blocks its place has moved
  /// By ring: the places of the steps of the next block.
  std::int32_t ring_places_[static_cast<std::size_t>(first_place(facts.ring_count)) + 1]{};
  std::int32_t step_numbers_[facts.table_rows != 0 ? static_cast<std::size_t>(block_steps) : 1]{};
  detail::call_mark call_;
};

/// Do not compile: the layers do not fit, or the net has no stream. They accept every call without a further error, so
/// that one mistake produces one error.
template <class Model, class Block, int Axis, int Context, class... Facts>
class stream<Model, Block, Axis, Context, invalid<Facts...>> : public detail::no_stream {
  using Layers = detail::root_message_fault<invalid<Facts...>, typename Model::net_type, stream>;
  static_assert(layers_fit<Layers>::agree,
                ESPALIER_SENTENCE("in a sequence along axis 1, or esp::time_axis, " ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(detail::own_message_fault<invalid<Facts...>, typename Model::net_type>::report()) != 0);

 public:
  using input_shape = Block;
  using output_shape = invalid<Facts...>;
  stream(auto&&...) {}
};
template <class Model, class Block, int Axis, int Context, operation::stream_fault Found, class Op, class Place>
class stream<Model, Block, Axis, Context, detail::not_streamed<Found, Op, Place>> : public detail::no_stream {
  using fault = operation::stream_fault;
  template <fault Other, class... Facts>
  using no = std::conditional_t<Found != Other, agreed, detail::found_in_net<Facts...>>;
  using FromTheFuture = no<fault::reads_the_future, Place>;
  static_assert(FromTheFuture::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM "a layer reads steps that come later, because it pads behind the "
                                                  "sequence; pad in front only: (kernel - 1) dilation zeros",
                                  FromTheFuture));
  using Reduced = no<fault::reduces_time, Op, Place>;
  static_assert(Reduced::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM "a sum, mean, maximum or norm runs over all steps, also those that "
                                                  "come later; pool over windows of steps",
                                  Reduced));
  using Multiplied = no<fault::multiplies_time, Place>;
  static_assert(Multiplied::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "a matrix product sums over all steps, also those that come later; if "
                                  "time is another axis than 1, pass esp::time_axis<2>{}",
                                  Multiplied));
  using Reversed = no<fault::reverses_time, Place>;
  static_assert(Reversed::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "a flip reverses the steps, and begins with the last one, and so does "
                                  "the other direction of a recurrent layer",
                                  Reversed));
  using Dilated = no<fault::dilates_time, Place>;
  static_assert(Dilated::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "a layer has more results than steps (dilate, transposed convolution)",
                                  Dilated));
  using Fixed = no<fault::takes_fixed_steps, Place>;
  static_assert(Fixed::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM "a slice takes a fixed number of steps; a stream has no last step",
                                  Fixed));
  using Split = no<fault::splits_time, Op, Place>;
  static_assert(Split::agree, ESPALIER_SENTENCE(ESPALIER_STREAM
                                                "a reshape, slice or concatenation divides or extends the axis of time",
                                                Split));
  using Mixed = no<fault::mixes_rates, Op, Place>;
  static_assert(Mixed::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "the operands of an operation have different numbers of steps for a block",
                                  Mixed));
  using Strides = no<fault::stride_of_block, Place>;
  static_assert(Strides::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "the number of steps of a block must be a multiple of the net's strides",
                                  Strides));
  using Varying = no<fault::varies_by_step, Op, Place>;
  static_assert(Varying::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM "a parameter or constant has a number for each step of the sequence",
                                  Varying));
  using Late = no<fault::pads_late, Place>;
  static_assert(Late::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM "a layer pads behind a layer that does not, so that its zeros would "
                                                  "replace results; pad in front of each convolution, or of none",
                                  Late));
  using LateLoop = no<fault::loops_late, Place>;
  static_assert(LateLoop::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "a recurrent layer or loop follows a layer that does not pad, so that "
                                  "its first steps would come before the sequence; pad in front",
                                  LateLoop));
  using Elsewhere = no<fault::loops_elsewhere, Place>;
  static_assert(Elsewhere::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "a loop runs over another axis than that of time; permute time to the front for a "
                                  "loop over the steps, and write a loop over features as a formula",
                                  Elsewhere));
  using Everywhere = no<fault::loops_over_all, Op, Place>;
  static_assert(Everywhere::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM "a step of a loop reads the whole sequence, also what comes later",
                                  Everywhere));
  using Initial = no<fault::initial_state, Place>;
  static_assert(Initial::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "the initial state of a loop depends on the input or its number of steps; "
                                  "begin with zeros<S>(x), constants or parameters",
                                  Initial));
  using Length = no<fault::depends_on_length, Place>;
  static_assert(Length::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "the net computes with the number of steps of its input, as in x / steps or a state "
                                  "of as many elements; a stream has no such number",
                                  Length));
  using Unruled = no<fault::no_rule, Op, Place>;
  static_assert(Unruled::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM "an operation of the net cannot be computed block by block",
                                  Unruled));
  using Later = no<fault::attends_later, Place>;
  static_assert(Later::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM "a mask of attention lets steps look at those that come later",
                                  Later));
  using Unmasked = no<fault::attends_all, Op, Place>;
  static_assert(Unmasked::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "attention looks at all steps, also those that come later; make it causal, or mask "
                                  "it by comparing positions (column_index) in where(condition, scores, -infinity)",
                                  Unmasked));
  using NoContext = no<fault::needs_context, Place>;
  static_assert(NoContext::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "attention looks at all earlier steps; pass esp::context<N>{} behind the block: it "
                                  "then looks at the last N",
                                  NoContext));
  using EarlyKeys = no<fault::early_keys, Op, Place>;
  static_assert(EarlyKeys::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "the queries, keys and values of attention are known at different steps, because a "
                                  "layer before one of them does not pad; pad in front",
                                  EarlyKeys));
  using ManyWindows = no<fault::many_windows, Place>;
  static_assert(operation::max_rings == 22);  // the sentence names it
  static_assert(ManyWindows::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM
                                  "the layers of attention look at more than 22 different numbers of earlier steps; "
                                  "give some the same window, or pass esp::context<N>{}",
                                  ManyWindows));
  using Constant = no<fault::constant_result, Op>;
  static_assert(Constant::agree,
                ESPALIER_SENTENCE(ESPALIER_STREAM "the result of the net has no axis of time", Constant));

 public:
  using input_shape = Block;
  using output_shape = invalid<already_reported>;
  stream(auto&&...) {}
};

/// Does not compile: the type of the model is another one.
template <class Model, class Block, int Axis, int Context>
class stream<Model, Block, Axis, Context, detail::misused<is_model<Model>>> : public detail::no_stream {
  static_assert(is_model<Model>::agree,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_MODEL("stream<Model, Batch>", "esp::stream"), is_model<Model>));

 public:
  stream(auto&&...) {}
};
/// Does not compile: the arguments are not a model and a block.
template <class Argument>
class stream<detail::misused<is_model<Argument>>, void, 0, 0, void> : public detail::no_stream {
  static_assert(is_model<Argument>::agree,
                ESPALIER_SENTENCE("stream{model, block}: " ESPALIER_FIRST_IS_MODEL, is_model<Argument>));

 public:
  stream(auto&&...) {}
};
template <class Model, class Block, int Axis, int Context>
class stream<Model, Block, Axis, Context, detail::misused<is_batch<Block>>> : public detail::no_stream {
  static_assert(is_batch<Block>::agree || is_bounded_batch<Block>,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_BATCH("stream"), is_batch<Block>));
  static_assert(!is_bounded_batch<Block>,
                ESPALIER_SENTENCE("stream<Model, Batch>: " ESPALIER_BATCH_IS_FIXED, is_batch<Block>));

 public:
  stream(auto&&...) {}
};
template <class Argument>
class stream<detail::misused<is_batch<Argument>>, void, 0, 0, void> : public detail::no_stream {
  static_assert(is_batch<Argument>::agree || is_bounded_batch<Argument>,
                ESPALIER_SENTENCE("stream{model, block}: " ESPALIER_BATCH_IS_SHAPE, is_batch<Argument>));
  static_assert(!is_bounded_batch<Argument>,
                ESPALIER_SENTENCE("stream{model, block}: " ESPALIER_BATCH_IS_FIXED, is_batch<Argument>));

 public:
  stream(auto&&...) {}
};
template <class Argument>
class stream<detail::misused<detail::stream_option<Argument>>, void, 0, 0, void> : public detail::no_stream {
  static_assert(detail::stream_option<Argument>::agree,
                ESPALIER_SENTENCE("stream{model, block}: behind the block stand esp::time_axis<axis>{}, "
                                  "esp::context<steps>{}, and esp::bytes of memory as the last",
                                  detail::stream_option<Argument>));

 public:
  stream(auto&&...) {}
};
template <class Model, class Block, int Axis, int Context>
class stream<Model, Block, Axis, Context, detail::misused<detail::block_has_axis<Block, Axis>>>
    : public detail::no_stream {
  static_assert(detail::block_has_axis<Block, Axis>::agree,
                ESPALIER_SENTENCE("stream<Model, Block, Axis>: a block has no axis of time; axis 1 is time, or Axis",
                                  detail::block_has_axis<Block, Axis>));

 public:
  stream(auto&&...) {}
};
template <class Block, int Axis>
class stream<detail::misused<detail::block_has_axis<Block, Axis>>, void, 0, 0, void> : public detail::no_stream {
  static_assert(detail::block_has_axis<Block, Axis>::agree,
                ESPALIER_SENTENCE("stream{model, block}: a block has no axis of time; axis 1 is time, or that of "
                                  "esp::time_axis<axis>{}",
                                  detail::block_has_axis<Block, Axis>));

 public:
  stream(auto&&...) {}
};

namespace detail {
template <class Block, int Axis>
concept StreamBlock = is_shape<Block> && block_has_axis<Block, Axis>::agree;
template <class Model, class Block, int Axis, int Context>
struct probed_block_impl {};
template <class Model, class Block, int Axis, int Context>
  requires(StreamBlock<Block, Axis>&& ModelType<Model>)
struct probed_block_impl<Model, Block, Axis, Context>
    : std::enable_if<(sizeof(probe_forward<typename Model::net_type,
                                           sequence<typename Model::net_type, Block, Axis, Context>>) > 0),
                     Block> {};
/// No type where there is no axis: clang 19 substitutes it before it checks the constraints of a guide.
template <class Model, class Block, int Axis, int Context>
using probed_block = typename probed_block_impl<Model, Block, Axis, Context>::type;
}  // namespace detail

template <ModelType Model, class Block, class... Options>
  requires((detail::StreamArgument<Options> && ...) && detail::StreamBlock<Block, detail::axis_of_options<Options...>>)
stream(Model const&, Block, Options const&...)
->stream<
    Model,
    detail::probed_block<Model, Block, detail::axis_of_options<Options...>, detail::context_of_options<Options...>>,
    detail::axis_of_options<Options...>, detail::context_of_options<Options...>>;
template <ModelType Model, class Block, class... Options>
  requires((detail::StreamArgument<Options> && ...) && is_shape<Block> &&
           !detail::StreamBlock<Block, detail::axis_of_options<Options...>>)
stream(Model const&, Block, Options const&...)
->stream<detail::misused<detail::block_has_axis<Block, detail::axis_of_options<Options...>>>, void, 0, 0, void>;
template <ModelType Model, class Block, class... Options>
  requires(is_shape<Block> && !(detail::StreamArgument<Options> && ...))
stream(Model const&, Block, Options const&...)
->stream<detail::misused<typename detail::first_wrong_option<Options...>::type>, void, 0, 0, void>;
template <class First, class... More>
  requires(!ModelType<First>)
stream(First const&, More const&...)
->stream<detail::misused<is_model<First>>, void, 0, 0, void>;
template <ModelType Model, class Argument>
  requires(!is_shape<Argument>)
stream(Model const&, Argument)
->stream<detail::misused<is_batch<Argument>>, void, 0, 0, void>;
template <ModelType Model>
stream(Model const&) -> stream<detail::misused<is_batch<no_batch>>, void, 0, 0, void>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
