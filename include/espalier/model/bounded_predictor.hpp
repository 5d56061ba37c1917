// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "bounded_net.hpp"
#include "predictor.hpp"

namespace espalier {

namespace detail {

template <class Net, class Batch>
  requires(is_bounded_batch<Batch>)
struct found_on<Net, Batch> {
  using type = bounded_fault_of<Net, Batch>;
};

/// Memory for a copy of a run's argument if it overlaps the result and the kernels do not allow that.
template <class Program, class Input, class T, std::int64_t Elements>
struct bounded_overlap {
  static constexpr plan::sharing may = plan::sharing_of<Program>.of[0][0];
  static constexpr std::size_t bytes =
      may == plan::sharing::any ? 0 : bytes_for<Input>(static_cast<std::size_t>(Elements));
  /// The address to read the argument at.
  static Input const* separate(Input const* x, std::int64_t size, T const* y, std::int64_t result_size, void* room) {
    if constexpr (may != plan::sharing::any) {
      std::size_t const x_bytes = static_cast<std::size_t>(size) * sizeof(Input);
      bool const same = may == plan::sharing::same && std::is_same_v<Input, T> && static_cast<void const*>(x) == y;
      if (!same && overlap(x, x_bytes, y, static_cast<std::size_t>(result_size) * sizeof(T))) {
        __builtin_memcpy(room, x, x_bytes);
        return static_cast<Input const*>(room);
      }
    }
    (void)size, (void)y, (void)result_size, (void)room;
    return x;
  }
};

}  // namespace detail

/// A predictor for batches of up to N samples, `predictor{model, batch<up_to<64>, 8, 8>{}}`: one program and one
/// workspace, for N samples. A call costs in proportion to its samples.
/// shape    x is a view<T const, batch<up_to<N>, ...>>, a tensor or view of 1 to N samples, or a range of contiguous
///          numbers; scores likewise, for the same number of samples
/// threads  the calling thread alone
/// errors   sample_count_error for a number of samples outside 1 to N, or another number of scores, before anything is
///          written. A net that combines samples in another way than by sums, means and extrema over all of them does
///          not compile
template <class Model, class Batch, class Fault>
  requires(is_bounded_batch<Batch> && !is_invalid<Fault>)
class predictor<Model, Batch, Fault> {
  using Net = typename Model::net_type;
  using T = detail::activation_of<Model>;
  using Engine = typename Model::engine_type;
  using Input = detail::stored_input<Net, T>;
  static_assert(!Engine::has_device_memory,
                "predictor{model, batch<up_to<N>, ...>{}}: a number of samples that is known at run time requires a "
                "model on the processor; use fixed batch sizes");
  static_assert(std::is_same_v<T, typename Model::value_type>,
                "predictor{model, batch<up_to<N>, ...>{}}: a number of samples that is known at run time requires "
                "parameters of float or double; use fixed batch sizes, or copy(model, other) to a model<Net>");
  using Program = detail::bounded_evaluation_program<Net, Batch>;
  using Output = detail::bounded_output<Net, Batch>;
  using Sound = typename plan::sound_program<Program>::checked;
  using Overlap = detail::bounded_overlap<Program, Input, T, detail::most_of<Batch>::size>;

 public:
  using input_shape = Batch;
  /// shape<up_to<N>, ...>, or a shape if the output does not depend on the number of samples.
  using output_shape = typename Output::type;

  static constexpr int max_samples = Batch::max_samples;
  static constexpr std::size_t workspace_bytes = Engine::template workspace_bytes<Program, T>;
  static constexpr std::size_t in_place_bytes = Overlap::bytes;
  static constexpr std::size_t bytes = on_cpu::bounded_run_bytes<Program, T> + in_place_bytes;
  static constexpr int kernel_count = plan::plan_of<Program>.groups.group_count;
  /// Bytes that the kernels read and write for N samples.
  static constexpr std::int64_t bytes_moved = plan::moved_by_program<Program> * static_cast<std::int64_t>(sizeof(T));

  template <class B = Batch>
    requires(std::is_same_v<B, Batch>)
  predictor(Model const& model, B) : model_{model}, memory_(model.engine().allocate(bytes)) {}
  template <std::size_t Count, class B = Batch, class Enough = detail::enough_bytes<Count, bytes>>
    requires(std::is_same_v<B, Batch>)
  predictor(Model const& model, B, espalier::bytes<Count>& storage)
      : model_{model}, memory_(model.engine().allocate(storage, bytes)) {
    static_assert(Enough::agree,
                  ESPALIER_SENTENCE("predictor{model, batch, bytes}: " ESPALIER_FEWER_BYTES("predictor"), Enough));
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
  template <detail::TemporaryOf<Model> M, class... Bytes>
  predictor(M&& model, Batch batch, Bytes&... storage)
      : predictor{static_cast<Model const&>(model), batch, storage...} {
    static_assert(detail::lives_on<M>::agree,
                  ESPALIER_SENTENCE("predictor{model, batch}: " ESPALIER_MODEL_IS_TEMPORARY, detail::lives_on<M>));
  }

  /// scores = net(x) for the samples of x. Never allocates. scores may be x, or overlap it.
  /// errors  sample_count_error, before anything is written
  template <class X, class Y>
  void operator()(X const& x, Y&& scores) {
    using Read = detail::bounded_elements_fit<X const, Input const, Batch>;
    static_assert(Read::agree,
                  ESPALIER_SENTENCE("predictor(x, scores): x must be 1 to N samples of the predictor's batch, in "
                                    "the model's element type (indices: std::int32_t)",
                                    typename Read::samples, typename Read::fewer, typename Read::element));
    if constexpr (is_bounded_batch<output_shape>) {
      using Scores = detail::bounded_elements_fit<std::remove_reference_t<Y>, T, output_shape>;
      using Stays =
          std::conditional_t<Scores::agree && !TensorOrView<Y> && !detail::BoundedView<std::remove_cvref_t<Y>>,
                             detail::outlives_the_view<Y>, agreed>;
      static_assert(!Read::agree || (Scores::agree && Stays::agree),
                    ESPALIER_SENTENCE("predictor(x, scores): scores must have room for as many samples of "
                                      "output_shape, in the model's element type",
                                      typename Scores::samples, typename Scores::fewer, typename Scores::element));
      if constexpr (Read::agree && Scores::agree && Stays::agree) {
        auto const from = detail::samples_in<Input const, Batch>("predictor(x, scores): x", x);
        auto const to = detail::samples_in<T, output_shape>("predictor(x, scores): scores", scores, Output::rows);
        if (to.samples != from.samples)
          detail::raise(sample_count_error{"predictor(x, scores): scores", from.samples, from.samples, to.samples});
        run(from.data, to.data, from.samples, output_shape::sample::size * Output::rows * from.samples);
      }
    } else {
      using Scores = detail::written_fit<Y, T, output_shape>;
      static_assert(!Read::agree || Scores::agree,
                    ESPALIER_SENTENCE("predictor(x, scores): scores: " ESPALIER_EXPECTED_SCORES, Scores));
      if constexpr (Read::agree && Scores::agree) {
        auto const from = detail::samples_in<Input const, Batch>("predictor(x, scores): x", x);
        auto&& to = detail::as_tensor_or_view<T, output_shape>("predictor(x, scores): scores", scores);
        static_assert(std::is_same_v<shape_of<decltype(to)>, output_shape>,
                      "predictor(x, scores): scores must have the shape of the net's output");
        run(from.data, to.data(), from.samples, output_shape::size);
      }
    }
  }
  /// Does not compile: scores are written into memory of the user, and the call passes none.
  template <class X>
  auto operator()(X const&) {
    using Scores = detail::has_room_for_scores<X>;
    static_assert(Scores::agree, ESPALIER_SENTENCE("predictor(x, scores): " ESPALIER_SCORES_MISSING, Scores));
    return invalid<Scores>{};
  }

  /// Does not compile: the predictor is const.
  void operator()(detail::any_argument, detail::any_argument = 0, detail::any_argument = 0,
                  detail::any_argument = 0) const {
    static_assert(changes_its_workspace<Batch>::agree,
                  ESPALIER_SENTENCE(ESPALIER_CALL_IS_CONST("predictor"), changes_its_workspace<Batch>));
  }

 private:
  void run(Input const* x, T* scores, int samples, std::int64_t result_size) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    detail::program_bases b = model_->bases();
    b.at[plan::base::workspace] = memory_.template at<T>(0);
    b.at[plan::base::arguments] =
        const_cast<Input*>(Overlap::separate(x, samples * Batch::sample::size, scores, result_size,
                                             memory_.template at<void>(on_cpu::bounded_run_bytes<Program, T>)));
    b.at[plan::base::results] = scores;
    on_cpu::run_bounded<Program, T>(b.at, samples);
  }

  detail::reference<Model const> model_;
  typename Engine::memory memory_;
  detail::call_mark call_;
};

/// Does not compile: the net does not run for every number of samples.
template <class Model, class Batch, plan::bounded_fault Kind, class Op>
  requires(is_bounded_batch<Batch>)
class predictor<Model, Batch, detail::sample_fault<Kind, Op>> : public detail::zero_costs {
  using Fault = detail::sample_fault<Kind, Op>;
  static_assert(Fault::is_one_program, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_DIFFERS, runs_for_any_count<Op>));
  static_assert(Fault::has_whole_samples, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_EXTENT, runs_for_any_count<Op>));
  static_assert(Fault::has_samples_first, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_NOT_LEADING, runs_for_any_count<Op>));
  static_assert(Fault::has_groups_in_place, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_GROUPS, runs_for_any_count<Op>));
  static_assert(Fault::keeps_samples_apart, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_MIXES, runs_for_any_count<Op>));
  static_assert(Fault::has_known_numbers, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_CONSTANT, runs_for_any_count<Op>));
  static_assert(Fault::has_kernels, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_KERNEL, runs_for_any_count<Op>));
  static_assert(Fault::has_room, ESPALIER_SENTENCE(ESPALIER_ANY_COUNT_LARGE, Batch));

 public:
  using input_shape = Batch;
  using output_shape = invalid<runs_for_any_count<Op>>;
  predictor(Model const&, Batch, auto&&...) {}
  void operator()(auto&&...) noexcept {}
};

template <ModelType Model, class Batch>
  requires(is_bounded_batch<Batch>)
predictor(Model const&, Batch)
->predictor<
    Model,
    std::enable_if_t<(sizeof(detail::probe_forward<typename Model::net_type, detail::most_of<Batch>>) > 0), Batch>,
    detail::bounded_fault_of<typename Model::net_type, Batch>>;
template <ModelType Model, class Batch, std::size_t Count>
  requires(is_bounded_batch<Batch>)
predictor(Model const&, Batch, bytes<Count>&)
->predictor<
    Model,
    std::enable_if_t<(sizeof(detail::probe_forward<typename Model::net_type, detail::most_of<Batch>>) > 0), Batch>,
    detail::bounded_fault_of<typename Model::net_type, Batch>>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
