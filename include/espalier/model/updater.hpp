// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../optim/decay_only.hpp"
#include "../optim/optimizer.hpp"
#include "gradients.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

namespace detail {

/// The update as a program: parameter 0 is the vector of all parameters, argument 0 its gradient, buffer k the k-th
/// state. If the optimizer has a condition, result 0 is whether the update was applied.
template <class O, int Size>
struct update_program {
  using vector = shape<(Size > 0 ? Size : 1)>;  // a net without trainable parameters has facts about an update, too
  static constexpr std::int64_t parameter_offsets[] = {0};
  struct offsets {
    std::int64_t at[8];
  };
  static constexpr offsets state_offsets = [] {
    offsets r{};
    for (int i = 0; i < 8; ++i) r.at[i] = std::int64_t{i} * Size;
    return r;
  }();

  template <int... I>
  static constexpr auto updates(trace::tracer& t, traced<vector> gradient, std::integer_sequence<int, I...>) {
    return O::update(parameter<vector, void>{0, &t}, gradient, buffer<vector, void>{I, &t}...);
  }
  static constexpr graph::program build() {
    graph::program p{};
    trace::tracer t{p, trace::mode::training, false, 0, 0};
    auto const gradient = trace::argument_of<vector>(t, 0);
    boost::hana::unpack(updates(t, gradient, std::make_integer_sequence<int, O::states>{}),
                        [&](auto const& parameters, auto const&... states) {
                          p.add_output(trace::trace_operand(t, parameters), graph::destination::parameter, 0);
                          int slot = 0;
                          (p.add_output(trace::trace_operand(t, states), graph::destination::buffer, slot++), ...);
                          (void)slot;
                        });
    if constexpr (requires { O::condition(gradient); })
      p.add_output(trace::trace_operand(t, O::condition(gradient)), graph::destination::result, 0);
    return p;
  }
  static constexpr plan::storage_layout layout() { return {parameter_offsets, state_offsets.at}; }
};

/// The penalty as a separate program: result 0 is the value that the optimizer adds to the loss.
template <class O, int Size>
struct penalty_program : update_program<O, Size> {
  static constexpr graph::program build() {
    graph::program p{};
    trace::tracer t{p, trace::mode::training, false, 0, 0};
    p.add_output(trace::trace_operand(t, O::penalty(parameter<typename update_program<O, Size>::vector, void>{0, &t})),
                 graph::destination::result, 0);
    return p;
  }
};

template <class O>
constexpr bool penalty_in_loss(O const& optimizer) {
  if constexpr (requires { optimizer.in_loss; }) {
    if (optimizer.in_loss) return true;
  }
  if constexpr (requires { optimizer.optimizer; }) return penalty_in_loss(optimizer.optimizer);
  else return false;
}

/// Bytes of an optimizer for `parameters` parameters of type T: its vectors, and two more for T of 16 bits (master
/// weights, gradient in float).
template <class Optimizer, class T>
constexpr std::size_t update_bytes(std::size_t parameters) {
  return bytes_for<computed_in<T>>(parameters *
                                   (static_cast<std::size_t>(optim::vectors<Optimizer>) + (is_narrow<T> ? 2 : 0)));
}

/// Which parameters of a net, by slot, a choice (optim::decay_only) selects.
template <int Count>
struct chosen_slots {
  bool at[static_cast<std::size_t>(Count) + 1];
};
template <class Net, class Which>
inline constexpr auto chosen_of = [] {
  chosen_slots<tensor_count<Net, true>> r{};
  char path[longest_path]{};
  visit_tensors<true>(numbered<Net>, path, 0, [&]<class Member>(char const* name, int, Member const& member) {
    constexpr bool ones = std::is_same_v<typename Member::initializer_type, nn::init::initialized_by<nn::init::ones{}>>;
    r.at[member.slot] = Which::selects(optim::parameter_facts{name, Member::shape_type::value, ones});
  });
  return r;
}();

/// Runs an optimizer on a vector of parameters: it holds the hyperparameters and the step count, and runs one fused
/// sweep per update. Inputs and outputs pass through an exchange, at offsets that the owner chooses.
/// Parameters of 16 bits are updated in float. Master weights are stored before the states; the parameters are these,
/// rounded. The gradient in float is stored after the states. If other code wrote a parameter (copy, from_host,
/// best_parameters), its value replaces the master weight.
template <class Optimizer, int Size, class T, class Engine>
class update_rule {
  using Program = update_program<Optimizer, Size>;

 public:
  /// The type of an update's computations and of the stored states.
  using number = computed_in<T>;
  static constexpr bool narrow = !std::is_same_v<number, T>;
  static constexpr bool may_skip = requires { Optimizer::condition(traced<shape<1>>{}); };
  static constexpr bool has_penalty = requires { Optimizer::penalty(traced<shape<1>>{}); };
  static constexpr std::size_t workspace = [] {
    std::size_t needed = Engine::template workspace_bytes<Program, number>;
    if constexpr (has_penalty) {
      constexpr std::size_t other = Engine::template workspace_bytes<penalty_program<Optimizer, Size>, number>;
      needed = needed > other ? needed : other;
    }
    return needed;
  }();
  static constexpr std::size_t state = update_bytes<Optimizer, T>(Size);
  /// The number of leading elements that have to be saved to resume a training.
  static constexpr std::int64_t lasting = std::int64_t{Size} * (Optimizer::states + narrow);

  explicit update_rule(Optimizer chosen) : optimizer{chosen} {}

  /// Marks the parameters that optim::decay_only selects. The marks are stored after the lasting elements, in memory
  /// that is zero.
  template <class Net>
  void mark([[maybe_unused]] Engine const& engine, [[maybe_unused]] number* kept) const {
    using Which = typename optim::detail::selection<Optimizer>::type;
    if constexpr (!std::is_void_v<Which>)
      on_host(engine, kept + lasting, static_cast<std::size_t>(Size) * sizeof(number), true, [](unsigned char* at) {
        for (int i = 0; i < tensor_count<Net, true>; ++i) {
          tensor_row const& row = rows_of<Net, true>.at[i];
          if (!row.trainable || !chosen_of<Net, Which>.at[i]) continue;
          number* const marks = reinterpret_cast<number*>(at) + row.offset;
          for (std::int64_t k = 0; k < row.shape.size(); ++k) marks[k] = number(1);
        }
      });
  }

  /// The hyperparameters of the next update, and the results of a run of the update or the penalty.
  struct numbers {
    number hyperparameters[optim::max_hyperparameters];
    number penalty = 0;
    number applied = 1;
  };
  numbers next() const {
    optim::hyperparameters const m = optimizer.hyperparameters_of(steps + 1);
    numbers r;
    for (int i = 0; i < optim::max_hyperparameters; ++i) r.hyperparameters[i] = static_cast<number>(m.at[i]);
    return r;
  }
  /// The pointers of an update: its vectors, and the addresses of its numbers.
  struct places {
    T* parameters;
    T const* gradient;
    number* kept;
    number* scratch;
    void* hyperparameters;
    void* penalty;
    void* applied;
  };
  /// Bytes of the numbers in an exchange: inputs, and outputs, each of which is aligned.
  static constexpr std::size_t input_bytes = bytes_for<number>(optim::max_hyperparameters),
                               output_bytes = 2 * tensor_alignment;
  template <class Exchange>
  static void stage_numbers(Exchange& exchange, numbers& n, places& p, std::size_t inputs_at, std::size_t outputs_at) {
    p.hyperparameters =
        exchange.stage_in(elements_on<number const, cpu, optim::max_hyperparameters>{n.hyperparameters}, inputs_at);
    p.penalty = exchange.stage_out(one_element(n.penalty), outputs_at);
    p.applied = exchange.stage_out(one_element(n.applied), outputs_at + tensor_alignment);
  }
  /// Reads results after their download. Only results that were written are read.
  template <class Exchange>
  static void read_applied(Exchange& exchange, numbers& n, std::size_t outputs_at) {
    if constexpr (may_skip && Size > 0) exchange.copy_out(one_element(n.applied), outputs_at + tensor_alignment);
  }
  template <class Exchange>
  static void read_penalty(Exchange& exchange, numbers& n, std::size_t outputs_at) {
    if constexpr (has_penalty && Size > 0) exchange.copy_out(one_element(n.penalty), outputs_at);
  }

  /// Launches the update. The output `applied` later holds whether it was accepted; count() counts it.
  static void launch([[maybe_unused]] Engine const& engine, [[maybe_unused]] places const& p) {
    if constexpr (Size > 0) {
      if constexpr (narrow) engine.template convert<Size>(p.gradient, wide_gradient(p));
      run<Program>(engine, p, p.applied);
      if constexpr (narrow) engine.template convert<Size>(master_weights(p), p.parameters);
    }
  }
  bool count(numbers const& n) {
    bool const accepted = n.applied != number(0);
    ++(accepted ? steps : skipped);
    return accepted;
  }
  /// Launches the program of the penalty at these parameters; does nothing for an optimizer without penalty.
  static void launch_penalty([[maybe_unused]] Engine const& engine, [[maybe_unused]] places const& p) {
    if constexpr (has_penalty && Size > 0) run<penalty_program<Optimizer, Size>>(engine, p, p.penalty);
  }
  /// The penalty that the optimizer adds to the loss, in a separate run.
  template <class Exchange>
  number penalty([[maybe_unused]] Engine const& engine, [[maybe_unused]] Exchange& exchange, [[maybe_unused]] places p,
                 [[maybe_unused]] std::size_t inputs_at, [[maybe_unused]] std::size_t outputs_at) const {
    numbers n = next();
    if constexpr (has_penalty && Size > 0) {
      stage_numbers(exchange, n, p, inputs_at, outputs_at);
      exchange.upload();
      launch_penalty(engine, p);
      exchange.download(outputs_at, output_bytes);
      read_penalty(exchange, n, outputs_at);
    }
    return n.penalty;
  }

  Optimizer optimizer;
  std::int64_t steps = 0;
  std::int64_t skipped = 0;

 private:
  static number* master_weights(places const& p) {
    if constexpr (narrow) return p.kept;
    else return p.parameters;
  }
  static auto wide_gradient(places const& p) {
    if constexpr (narrow) return p.kept + std::int64_t{Size} * (1 + optim::vectors<Optimizer>);
    else return const_cast<T*>(p.gradient);
  }
  /// Arch is in the name so that translation units for different instruction sets do not share the function.
  template <class AnyProgram, class Arch = on_cpu::default_arch>
  static void run(Engine const& engine, places const& p, void* result) {
    if constexpr (narrow) engine.template refresh_master_weights<Size>(p.parameters, master_weights(p));
    void* base[plan::base::count];
    base[plan::base::workspace] = p.scratch;
    base[plan::base::parameters] = master_weights(p);
    base[plan::base::buffers] = p.kept + (narrow ? Size : 0);
    base[plan::base::hyperparameters] = p.hyperparameters;
    base[plan::base::arguments] = wide_gradient(p);
    base[plan::base::results] = result;
    engine.template run<AnyProgram, number, Arch>(base);
  }
};

}  // namespace detail

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
        engine_{model.engine().without_threads()} {
    rule_.template mark<typename Model::net_type>(model.engine(), memory_.template at<number>(0));
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
  void update(Model& model, Gradients const& gradients) {
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
};

/// Does not compile: the second argument is not an optimizer. It accepts every call without a further error, so that
/// one mistake produces one error.
template <class Model, class Optimizer>
  requires(!decltype(espalier::detail::optimizer_fault_of<
                     typename Model::net_type, Optimizer,
                     espalier::detail::net_fault<typename Model::net_type>::agree>())::agree)
class updater<Model, Optimizer> : public espalier::detail::silent_root<is_optimizer<Optimizer>> {
  static_assert(is_optimizer<Optimizer>::agree,
                ESPALIER_SENTENCE(
                    "updater{model, optimizer}: the second argument is not an optimizer, such as esp::optim::Adam{}",
                    is_optimizer<Optimizer>));
  static_assert(sizeof(espalier::detail::report_optimizer_fault(
                    decltype(espalier::detail::optimizer_fault_of<typename Model::net_type, Optimizer, true>()){})) !=
                0);

 public:
  using espalier::detail::silent_root<is_optimizer<Optimizer>>::silent_root;
  void update(auto&&...) {}
};
/// Does not compile: the first argument is not a model.
template <class Actual>
class updater<espalier::detail::misused<is_model<Actual>>, void>
    : public espalier::detail::silent_root<is_model<Actual>> {
  static_assert(is_model<Actual>::agree,
                ESPALIER_SENTENCE("updater{model, optimizer}: " ESPALIER_FIRST_IS_MODEL, is_model<Actual>));

 public:
  using espalier::detail::silent_root<is_model<Actual>>::silent_root;
  void update(auto&&...) {}
};
template <ModelType Model, class Optimizer>
updater(Model const&, Optimizer) -> updater<Model, Optimizer>;
template <class First, class Second>
  requires(!ModelType<First>)
updater(First const&, Second)
->updater<espalier::detail::misused<is_model<First>>, void>;

}  // namespace optim

}  // namespace espalier
#pragma GCC diagnostic pop
