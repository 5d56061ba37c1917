// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/one_caller.hpp"
#include "../device/reachable.hpp"
#include "compiled_structs.hpp"
#include "gradient.hpp"

namespace espalier {

namespace detail {

/// The first tensor after the arguments that cannot be written, or `agreed`.
template <int Arguments, class... X>
struct results_written {
  using type = agreed;
};
template <int Arguments, class First, class... Rest>
struct results_written<Arguments, First, Rest...>
    : std::conditional_t<(Arguments > 0 || can_be_written<First>::agree),
                         results_written<(Arguments > 0 ? Arguments - 1 : 0), Rest...>,
                         std::type_identity<can_be_written<First>>> {};

/// A constraint that errors name: the tensors of a run have the types for which f was planned.
template <class Actual, class Planned>
struct planned_arguments {
  ESPALIER_READS("got {}, planned for {}")
  static constexpr bool agree = std::is_same_v<Actual, Planned>;
};

/// A constraint that errors name: the arguments of a run are tensors and views.
template <class... X>
struct are_stored {
  static constexpr bool agree = (TensorOrView<X> && ...);
};

/// A constraint that errors name: a model or updater that a compiled function refers to is not a temporary.
template <class X>
struct outlives {
  static constexpr bool agree =
      std::is_lvalue_reference_v<X> || marked_tensor<bare<X>> || marked_view<bare<X>> || requires {
    typename bare<X>::is_constant_argument;
  };
};
template <class Lives>
constexpr void check_lifetime() {
  static_assert(
      Lives::agree,
      ESPALIER_SENTENCE("compiled(f, x...): a model or updater is a temporary; it must outlive the compiled function",
                        Lives));
}
template <class... Leaf>
constexpr bool has_models = (requires { typename Leaf::model_type; } || ...);

/// The device that a function runs on: that of its arguments, unless on_device names another.
template <class F, class... Leaf>
struct function_and_device {
  using function = F;
  using device = device_of_all<Leaf...>;
};
template <class Device, class F, class... Leaf>
struct function_and_device<on_device<Device, F>, Leaf...> {
  using function = F;
  using device = Device;
};

}  // namespace detail

/// Plans a captureless function of tensors once for the shapes of its arguments, with its own workspace. Use it for
/// formulas that run many times.
/// f returns an expression, or a std::tuple of expressions; these share common subexpressions. A gradient inside f is
/// an expression, too.
///     struct step {
///       constexpr auto operator()(auto x, auto dy) const { return std::tuple{f(x), grad<0>(g{})(x, dy)}; }
///     };
///     esp::compiled run{step{}, x, dy};   run(x, dy, y, dx);
/// shape    arguments as at construction (the constructor ignores their values, and constant(x) is x), then a tensor
///          for each result
/// memory   one allocation at construction if the plan needs a workspace or memory to run in place; none afterwards.
///          compiled run{room, f, x...} uses `bytes` bytes of yours, esp::bytes<Count> room, and never allocates
/// overlap  results may be arguments, or overlap them; two results that overlap each other throw overlap_error before
///          anything is written
/// device   that of the arguments at construction; runs on a graphics processor are queued on its default backend and
///          may throw a cuda_error
/// threads  compiled run{esp::cpu_parallel<2>{}, f, x...} has one helper thread, from construction to destruction; the
///          results are the same
/// errors   f that captures, shapes that do not fit inside f, and other arguments or results do not compile; an index
///          outside its axis throws index_error, and a label outside its classes label_error, before anything is written
template <class Function, class... Leaf>
class compiled {
  using F = typename detail::function_and_device<Function, Leaf...>::function;
  using UserFunction = typename detail::written_function<F>::type;
  // First, so that an error in the body of f has a short trace.
  static_assert(sizeof(detail::probe_function<F, Leaf...>) > 0);
  using Device = typename detail::function_and_device<Function, Leaf...>::device;
  using Fault = decltype(detail::compiled_fault<F, Leaf...>());
  using Sound = typename detail::sound_results<Fault::agree, F, Leaf...>::type::checked;
  using facts = detail::compiled_facts<Fault::agree, F, Leaf...>;
  using Memory = std::conditional_t<detail::is_graphics<Device>, Device, cpu>;
  using Engine = typename detail::engine_of<Device>::type;
  static constexpr int arguments = (detail::function_argument<Leaf>::tensors + ... + 0);
  static constexpr bool has_states = detail::states_of<Leaf...> > 0;
  /// False on a device that may throw, for indices outside their axis, and for several results: if they overlap, a run
  /// throws.
  static constexpr bool never_throws = !Engine::has_device_memory && facts::results < 2 && !facts::has_checked_integers;
  static_assert(detail::threads_of<Device>::included,
                ESPALIER_SENTENCE(ESPALIER_THREADS_INCLUDED,
                                  ESPALIER_STATED(detail::threads_of<Device>::included, Device)));
  static_assert(detail::on_one_device<Device>::agree,
                ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_ON_ONE_DEVICE, detail::on_one_device<Device>));
  static_assert(detail::thread_count<Device>::agree,
                ESPALIER_SENTENCE(ESPALIER_THREAD_COUNT, detail::thread_count<Device>));
  static_assert(!std::is_pointer_v<UserFunction>,
                ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_NAME_OF_A_FUNCTION,
                                  ESPALIER_STATED(!std::is_pointer_v<UserFunction>, UserFunction)));
  static_assert(captureless<F>::agree || std::is_pointer_v<UserFunction>,
                ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_CAPTURELESS, captureless<F>));
  static_assert(Fault::elements,
                ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_ELEMENTS_OF_ARGUMENTS, typename Fault::type));
  static_assert(!detail::on_one_device<Device>::agree ||
                    (Fault::devices && detail::common_device<Memory, device_of<Leaf>...>::relation::agree),
                ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_DEVICES_OF_ARGUMENTS, typename Fault::type,
                                  typename detail::common_device<Memory, device_of<Leaf>...>::relation));
  static_assert(Fault::arguments || !captureless<F>::agree || sizeof...(Leaf) > 0,
                ESPALIER_SENTENCE("compiled(f, x...): no arguments of f follow it; pass tensors of the shapes that "
                                  "every run has, as in compiled run{f, x, w}",
                                  typename Fault::type));
  static_assert(Fault::arguments || !captureless<F>::agree || sizeof...(Leaf) == 0,
                ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_ARGUMENTS_OF_F, typename Fault::type));
  static_assert(Fault::shapes, ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_SHAPES_INSIDE, typename Fault::type));
  static_assert(Fault::calls, ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_CALLS_INSIDE, typename Fault::type));
  static_assert(Fault::returned,
                ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_RETURNS_FORMULA, typename Fault::type));
  static_assert(Fault::runs, ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_RUN_BY_COMPILER, typename Fault::type));
  /// A run returns nothing. Where the results are not among the arguments, as in auto y = run(x), which is an error,
  /// what it returns causes no second one.
  template <std::size_t Count>
  using result_of_run =
      std::conditional_t<Fault::agree && Count == arguments + facts::results, void, invalid<already_reported>>;

 public:
  static constexpr std::size_t workspace_bytes = facts::template workspace_bytes<Engine>;
  /// What the processor's kernels need for themselves: packed operands of products, padded images.
  static constexpr std::size_t kernel_bytes =
      facts::template run_bytes<Engine> - detail::aligned_bytes(workspace_bytes);
  /// Memory for arguments or results if they may overlap but the kernels do not allow it.
  static constexpr std::size_t in_place_bytes = facts::in_place::bytes;
  /// All memory of the function: a workspace, that of kernels, gradients that updaters read, and memory to run in
  /// place.
  static constexpr std::size_t bytes =
      facts::template run_bytes<Engine> + facts::packed_bytes + (Engine::has_device_memory ? 0 : in_place_bytes);
  static constexpr int kernel_count = facts::kernel_count;
  /// Bytes that the kernels read and write; each operand and each result counts once.
  static constexpr std::int64_t bytes_read = facts::bytes_read, bytes_written = facts::bytes_written;

  template <class... X>
  explicit compiled(F, X&&... x)
      : bound_{typename detail::function_argument<Leaf>::bound(detail::argument_value(x))...} {
    detail::check_lifetime<typename detail::first_fault<detail::outlives<X>...>::type>();
    check_bound();
  }
  template <class... X>
  compiled(Device, F, X&&... x)
      : bound_{typename detail::function_argument<Leaf>::bound(detail::argument_value(x))...} {
    detail::check_lifetime<typename detail::first_fault<detail::outlives<X>...>::type>();
    check_bound();
  }

  template <std::size_t Count, class... X, class Enough = detail::enough_bytes<Count, bytes>>
  compiled(espalier::bytes<Count>& storage, F, X&&... x)
      : bound_{typename detail::function_argument<Leaf>::bound(detail::argument_value(x))...},
        memory_{engine_.allocate(storage, bytes)} {
    static_assert(Enough::agree,
                  ESPALIER_SENTENCE("compiled{bytes, f, x...}: " ESPALIER_FEWER_BYTES("compiled"), Enough));
    using Host = detail::computes_on_host<Device>;
    static_assert(Host::agree, ESPALIER_SENTENCE("compiled{bytes, f, x...}: " ESPALIER_BYTES_OF_HOST, Host));
    detail::check_lifetime<typename detail::first_fault<detail::outlives<X>...>::type>();
    check_bound();
  }
  template <std::size_t Count, class... X>
  compiled(espalier::bytes<Count>& storage, Device, F f, X&&... x) : compiled(storage, f, static_cast<X&&>(x)...) {}

  /// Does not compile: each compiled function has its own workspace.
  compiled(compiled const&) ESPALIER_DELETED("a compiled function cannot be copied or moved: construct another one");
  compiled& operator=(compiled const&) = delete;

  /// run(x..., y...): computes all results. Never allocates.
  template <TensorOrView... X>
  result_of_run<sizeof...(X)> operator()(X&&... x) noexcept(never_throws) {
    if constexpr (Fault::agree) {
      using Actual = std::tuple<tensor<std::remove_const_t<typename std::remove_cvref_t<X>::value_type>,
                                       shape_of<std::remove_cvref_t<X>>>...>;
      using PlannedFor = detail::planned_arguments<Actual, typename facts::tensors>;
      static_assert(
          PlannedFor::agree,
          ESPALIER_SENTENCE("compiled(x..., y...): the arguments f was planned for, then a tensor for each result",
                            PlannedFor));
      using Devices = typename detail::common_device<Memory, device_of<X>...>::relation;
      static_assert(Devices::agree, ESPALIER_SENTENCE("compiled(x..., y...): " ESPALIER_DEVICES_OF_ARGUMENTS, Devices));
      using Written = typename detail::results_written<arguments, X...>::type;
      static_assert(Written::agree, ESPALIER_SENTENCE("compiled(x..., y...): " ESPALIER_RESULT_IS_CONST, Written));
      if constexpr (PlannedFor::agree && Devices::agree && Written::agree) run(x...);
    }
    return result_of_run<sizeof...(X)>();
  }
  /// The same with structs where f has structs, and tensors where f has tensors.
  template <class... X>
    requires detail::RunWithStructs<X...>
  void operator()(X&&... x) noexcept(never_throws) {
    if constexpr (Fault::agree) {
      using Body = typename derivative::body_of_function<F, Leaf...>::type;
      using Planned = typename detail::run_arguments<F, Body, Leaf...>::type;
      using Fits = typename detail::fault_of_structs<std::tuple<detail::bare<X>...>, Planned>::type;
      static_assert(Fits::agree, ESPALIER_SENTENCE("compiled(x..., y...): the arguments f was planned for, then its "
                                                   "results: a struct where f has one, a tensor where f has one",
                                                   Fits));
      constexpr auto results = std::tuple_size_v<typename detail::results_at_top<Body>::type>;
      using Kept = detail::behind<
          typename detail::results_kept<static_cast<int>(std::tuple_size_v<Planned> - results), X...>::type, Fits>;
      static_assert(Kept::agree,
                    ESPALIER_SENTENCE("compiled(x..., y...): a struct of results is a temporary with tensors of its "
                                      "own; name it, or pass std::tie(y, ...) or views",
                                      Kept));
      if constexpr (Fits::agree && Kept::agree)
        std::apply([&](auto&... tensor) { (*this)(tensor...); }, std::tuple_cat(detail::flattened(x)...));
    }
  }
  /// Does not compile: an argument is neither a tensor nor a view.
  template <class... X>
    requires(!(TensorOrView<X> && ...) && !detail::RunWithStructs<X...>)
  invalid<already_reported>
  operator()(X&&...) {
    static_assert(
        detail::are_stored<X...>::agree,
        ESPALIER_SENTENCE(
            "compiled(x..., y...): expected tensors and views; esp::view<T, S>(x) makes a view of a std::vector, "
            "an array or a span, evaluate(x) a tensor of a formula",
            detail::are_stored<X...>));
    return {};
  }

 private:
  /// Arch is in the name so that translation units for different instruction sets do not share the function.
  template <class Arch = on_cpu::default_arch, class... X>
  void run(X&... x) noexcept(never_throws) {
    static_assert(arguments <= plan::base::max_arguments && facts::results <= plan::base::max_results,
                  "compiled(f, x...): f reads at most 24 tensors and returns at most 24");
    static_assert(detail::states_of<Leaf...> <= plan::base::max_states,
                  "compiled(f, x...): f has at most 8 models, each with an updater");
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    void* base[plan::base::count];
    base[plan::base::workspace] = memory_.template at<unsigned char>(0);
    base[plan::base::gradients] = memory_.template at<unsigned char>(packed_at);
    int position = 0;
    ((base[position < arguments ? plan::base::arguments + position : plan::base::results + position - arguments] =
          const_cast<void*>(static_cast<void const*>(x.data())),
      ++position),
     ...);
    detail::check_indices_of<typename facts::program>(
        engine_, [&](int i) { return static_cast<std::int32_t const*>(base[plan::base::arguments + i]); });
    if constexpr (facts::results > 1)
      detail::check_results<typename facts::of_results::sizes>("compiled(x..., y...)", base + plan::base::results,
                                                               std::make_integer_sequence<int, facts::results>{});
    if constexpr (has_states) run_with_states(base);
    else launch(engine_, base);
  }
  template <class AnyEngine>
  ESPALIER_INLINE void launch(AnyEngine const& engine, void** base) {
    facts::in_place::run(engine, base, memory_.template at<void>(in_place_at),
                         [&] { engine.template run<typename facts::program, typename facts::element_type>(base); });
  }
  /// A run of a function with models: on their device, with the numbers of updaters.
  void run_with_states(void** base) {
    using T = typename facts::element_type;
    [[maybe_unused]] on_cpu::random_state random{};
    alignas(tensor_alignment) T numbers[static_cast<std::size_t>(detail::numbers_of<Leaf...>) + 1];
    base[plan::base::hyperparameters] = numbers;
    std::apply(
        [&](auto&... bound) {
          using Program = typename facts::program;
          detail::for_each_argument<Leaf...>(
              [&]<class A, class Address>(A, Address, auto& each) {
                A::template fill<Program, Address>(each, base, numbers);
              },
              bound...);
          if constexpr (detail::is_random<Program>) {
            random = detail::random_of_run<Leaf...>(bound...);
            base[plan::base::random] = &random;
          }
          if constexpr (detail::has_models<Leaf...> && std::is_same_v<Function, F>)
            detail::with_first_model<Leaf...>(
                [&](auto& model) {
                  launch(model.engine(), base);
                  return true;
                },
                bound...);
          else launch(engine_, base);
          detail::for_each_argument<Leaf...>(
              [&]<class A, class Address>(A, Address, auto& each) {
                A::template finish<Program, Address>(each, numbers);
              },
              bound...);
        },
        bound_);
  }
  void check_bound() {
    if constexpr (Fault::agree && has_states)
      std::apply([](auto&... bound) { detail::check_models<typename facts::program, Leaf...>(bound...); }, bound_);
  }

  static constexpr std::size_t packed_at = facts::template run_bytes<Engine>,
                               in_place_at = packed_at + facts::packed_bytes;
  [[no_unique_address]] std::tuple<typename detail::function_argument<Leaf>::bound...> bound_;
  Engine engine_;
  typename Engine::memory memory_ = engine_.allocate(in_place_at + in_place_bytes, in_place_at);
  detail::call_mark call_;
};

namespace detail {
template <class Function, class Leaves>
struct compiled_with;
template <class Function, class... Leaf>
struct compiled_with<Function, std::tuple<Leaf...>> {
  using type = compiled<Function, Leaf...>;
};
}  // namespace detail

/// A function with structs of tensors among its arguments: a compiled function of these tensors, which takes and fills
/// structs.
template <class Function, class... Leaf>
  requires detail::PlannedWithStructs<Leaf...>
class compiled<Function, Leaf...>
    : public detail::compiled_with<typename detail::compiled_of_leaves<Function, Leaf...>::type,
                                   detail::leaves_planned<Leaf...>>::type {
  using of_leaves = detail::compiled_of_leaves<Function, Leaf...>;
  using Base = typename detail::compiled_with<typename of_leaves::type, detail::leaves_planned<Leaf...>>::type;
  static constexpr auto positions = std::make_index_sequence<std::tuple_size_v<detail::leaves_planned<Leaf...>>>{};

 public:
  template <class... X>
  explicit compiled(typename of_leaves::written, X&&... x)
      : compiled(positions, std::tuple_cat(detail::flattened(x)...)) {
    check<X...>();
  }
  /// Before the function: a device, bytes, or bytes and a device.
  template <class First, class... X>
    requires(!std::is_same_v<std::remove_cvref_t<First>, typename of_leaves::written>)
  compiled(First&& first, typename of_leaves::written, X&&... x)
      : compiled(positions, std::tuple_cat(detail::flattened(x)...), first) {
    check<X...>();
  }
  template <std::size_t Count, class Device, class... X>
    requires(!std::is_same_v<Device, typename of_leaves::written>)
  compiled(espalier::bytes<Count>& storage, Device device, typename of_leaves::written, X&&... x)
      : compiled(positions, std::tuple_cat(detail::flattened(x)...), storage, device) {
    check<X...>();
  }

 private:
  template <std::size_t... I, class Leaves, class... Before>
  compiled(std::index_sequence<I...>, Leaves const& leaves, Before&... before)
      : Base(before..., typename of_leaves::function{}, std::get<I>(leaves)...) {}
  template <class... X>
  static constexpr void check() {
    detail::check_lifetime<
        typename detail::first_fault<std::conditional_t<detail::Structure<X>, agreed, detail::outlives<X>>...>::type>();
  }
};

/// Does not compile: an argument is no tensor, view, model or updater.
template <class F, class Argument>
class compiled<detail::is_compiled_argument<Argument>, F> {
  using Struct = typename detail::first_struct_fault<Argument>::type;
  static_assert(Struct::is_template, ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_STRUCT_IS_A_TEMPLATE, Struct));
  static_assert(Struct::is_small, ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_STRUCT_IS_SMALL, Struct));
  static_assert(Struct::is_of_tensors, ESPALIER_SENTENCE("compiled(f, x...): " ESPALIER_STRUCT_MEMBERS, Struct));
  static_assert(
      detail::is_compiled_argument<Argument>::agree || !Struct::agree,
      ESPALIER_SENTENCE(
          "compiled(f, x...): expected tensors, views, models and updaters; evaluate(x) is the tensor of a formula, "
          "and one number is a tensor<float, shape<>>",
          detail::is_compiled_argument<Argument>));

 public:
  template <class... X>
  explicit compiled(X&&...) {}
  template <class... X>
  invalid<already_reported> operator()(X&&...) {
    return {};
  }
};

template <class F, class... X>
compiled(F, X&&...) -> compiled<F, detail::leaf_of_argument<X>...>;
template <class F, class... X>
  requires(!(detail::is_compiled_argument<X>::agree && ...))
compiled(F, X&&...)
->compiled<typename detail::first_fault<detail::is_compiled_argument<X>...>::type, F>;
template <class F, class... X>
compiled(cpu, F, X&&...) -> compiled<F, detail::leaf_of_argument<X>...>;
template <std::size_t Count, class F, class... X>
compiled(bytes<Count>&, F, X&&...) -> compiled<F, detail::leaf_of_argument<X>...>;
template <std::size_t Count, class F, class... X>
  requires(!(detail::is_compiled_argument<X>::agree && ...))
compiled(bytes<Count>&, F, X&&...)
->compiled<typename detail::first_fault<detail::is_compiled_argument<X>...>::type, F>;
template <std::size_t Count, int Threads, class F, class... X>
compiled(bytes<Count>&, cpu_parallel<Threads>, F, X&&...)
    -> compiled<detail::on_device<cpu_parallel<Threads>, F>, detail::leaf_of_argument<X>...>;
template <class Device, class F, class... X>
  requires(detail::is_graphics<Device>)
compiled(Device, F, X&&...)
->compiled<detail::on_device<Device, F>, detail::leaf_of_argument<X>...>;
template <int Threads, class F, class... X>
compiled(cpu_parallel<Threads>, F, X&&...)
    -> compiled<detail::on_device<cpu_parallel<Threads>, F>, detail::leaf_of_argument<X>...>;
template <class F, class... X>
  requires detail::CompiledWithStructs<X...> compiled(F, X&&...)
->compiled<F, detail::planned_as<X>...>;
template <class F, class... X>
  requires detail::CompiledWithStructs<X...> compiled(cpu, F, X&&...)
->compiled<F, detail::planned_as<X>...>;
template <class Device, class F, class... X>
  requires(detail::is_graphics<Device>&& detail::CompiledWithStructs<X...>)
compiled(Device, F, X&&...)
->compiled<detail::on_device<Device, F>, detail::planned_as<X>...>;
template <int Threads, class F, class... X>
  requires detail::CompiledWithStructs<X...> compiled(cpu_parallel<Threads>, F, X&&...)
->compiled<detail::on_device<cpu_parallel<Threads>, F>, detail::planned_as<X>...>;
template <std::size_t Count, class F, class... X>
  requires detail::CompiledWithStructs<X...> compiled(bytes<Count>&, F, X&&...)
->compiled<F, detail::planned_as<X>...>;
template <std::size_t Count, int Threads, class F, class... X>
  requires detail::CompiledWithStructs<X...> compiled(bytes<Count>&, cpu_parallel<Threads>, F, X&&...)
->compiled<detail::on_device<cpu_parallel<Threads>, F>, detail::planned_as<X>...>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
