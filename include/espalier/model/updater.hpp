// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../optim/decay_only.hpp"
#include "../optim/optimizer.hpp"
#include "gradients.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

namespace detail {

/// The update as a program: parameter 0 is the whole vector, argument 0 its gradient, buffer k the k-th state. Result 0, where the optimizer has a
/// condition, says whether the update was applied.
template <class O, int Size>
struct update_source {
  using vector = shape<(Size > 0 ? Size : 1)>;  // a net without trainable parameters has no update, yet facts about it
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
  static constexpr auto updates(graph::tracer& t, traced<vector> gradient, std::integer_sequence<int, I...>) {
    return O::update(parameter<vector, void>{0, &t}, gradient, buffer<vector, void>{I, &t}...);
  }
  static constexpr graph::program build() {
    graph::program p{};
    graph::tracer t{p, graph::mode::training, false, 0, 0};
    auto const gradient = graph::argument_of<vector>(t, 0);
    boost::hana::unpack(updates(t, gradient, std::make_integer_sequence<int, O::states>{}), [&](auto const& parameters, auto const&... states) {
      p.add_output(graph::trace_operand(t, parameters), graph::destination::parameter, 0);
      int slot = 0;
      (p.add_output(graph::trace_operand(t, states), graph::destination::buffer, slot++), ...);
      (void)slot;
    });
    if constexpr (requires { O::condition(gradient); })
      p.add_output(graph::trace_operand(t, O::condition(gradient)), graph::destination::result, 0);
    return p;
  }
  static constexpr plan::storage_layout layout() { return {parameter_offsets, state_offsets.at}; }
};

/// The penalty as a program of its own: result 0 is what the optimizer adds to the loss.
template <class O, int Size>
struct penalty_source : update_source<O, Size> {
  static constexpr graph::program build() {
    graph::program p{};
    graph::tracer t{p, graph::mode::training, false, 0, 0};
    p.add_output(graph::trace_operand(t, O::penalty(parameter<typename update_source<O, Size>::vector, void>{0, &t})),
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

/// Bytes that an optimizer keeps for so many parameters of type T: its vectors, and for those of 16 bits two more.
template <class Optimizer, class T>
constexpr std::size_t update_bytes(std::size_t parameters) {
  return bytes_for<computed_in<T>>(parameters * (static_cast<std::size_t>(optim::vectors<Optimizer>) + (is_narrow<T> ? 2 : 0)));
}

/// Which parameters of a net, by slot, a choice takes.
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
    r.at[member.slot] = Which::takes(optim::parameter_facts{name, Member::shape_type::value, ones});
  });
  return r;
}();

/// An optimizer at work on a vector of parameters: its magnitudes, its step count, and one fused sweep for each update. What it is given and gives
/// passes through an exchange, `places` behind a place that its owner chooses.
/// Parameters of 16 bits are moved in float: before the states lie the precise parameters, which differ from the model's by what rounding takes away, and
/// behind them the gradient in float. A parameter that somebody else wrote (copy, from_host, best_parameters) is taken as it is.
template <class Optimizer, int Size, class T, class Engine>
class update_rule {
  using Source = update_source<Optimizer, Size>;

 public:
  /// What an update is computed in, and what it keeps.
  using number = computed_in<T>;
  static constexpr bool narrow = !std::is_same_v<number, T>;
  static constexpr bool may_refuse = requires { Optimizer::condition(traced<shape<1>>{}); };
  static constexpr bool has_penalty = requires { Optimizer::penalty(traced<shape<1>>{}); };
  static constexpr std::size_t workspace = [] {
    std::size_t needed = Engine::template workspace_bytes<Source, number>;
    if constexpr (has_penalty) {
      constexpr std::size_t other = Engine::template workspace_bytes<penalty_source<Optimizer, Size>, number>;
      needed = needed > other ? needed : other;
    }
    return needed;
  }();
  static constexpr std::size_t state = update_bytes<Optimizer, T>(Size);
  /// Elements from the start that a training which is continued later has to keep.
  static constexpr std::int64_t lasting = std::int64_t{Size} * (Optimizer::states + narrow);

  explicit update_rule(Optimizer chosen) : optimizer{chosen} {}

  /// Marks the parameters that the optimizer singles out, behind what lasts; their memory is zero.
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

  /// The magnitudes of the next update, and what a run of the update or the penalty says.
  struct numbers {
    number magnitudes[optim::max_magnitudes];
    number penalty = 0;
    number applied = 1;
  };
  numbers next() const {
    optim::magnitudes const m = optimizer.magnitudes_of(steps + 1);
    numbers r;
    for (int i = 0; i < optim::max_magnitudes; ++i) r.magnitudes[i] = static_cast<number>(m.at[i]);
    return r;
  }
  /// Where the update runs: its vectors, and the addresses of its numbers.
  struct places {
    T* parameters;
    T const* gradient;
    number* kept;
    number* scratch;
    void* magnitudes;
    void* penalty;
    void* applied;
  };
  /// The places of numbers in an exchange: what is given, then what is asked for, each aligned.
  static constexpr std::size_t given_bytes = bytes_for<number>(optim::max_magnitudes), wanted_bytes = 2 * tensor_alignment;
  template <class Exchange>
  static void exchange_numbers(Exchange& exchange, numbers& n, places& p, std::size_t given, std::size_t wanted) {
    p.magnitudes = exchange.give(elements_on<number const, cpu, optim::max_magnitudes>{n.magnitudes}, given);
    p.penalty = exchange.want(one_element(n.penalty), wanted);
    p.applied = exchange.want(one_element(n.applied), wanted + tensor_alignment);
  }
  /// After the wanted bytes were fetched; only what was written counts.
  template <class Exchange>
  static void take_applied(Exchange& exchange, numbers& n, std::size_t wanted) {
    if constexpr (may_refuse && Size > 0) exchange.take(one_element(n.applied), wanted + tensor_alignment);
  }
  template <class Exchange>
  static void take_penalty(Exchange& exchange, numbers& n, std::size_t wanted) {
    if constexpr (has_penalty && Size > 0) exchange.take(one_element(n.penalty), wanted);
  }

  /// Launches the update; `applied` of its numbers says later whether it was accepted, and count() counts it.
  static void launch([[maybe_unused]] Engine const& engine, [[maybe_unused]] places const& p) {
    if constexpr (Size > 0) {
      if constexpr (narrow) engine.template convert<Size>(p.gradient, wide_gradient(p));
      run<Source>(engine, p, p.applied);
      if constexpr (narrow) engine.template convert<Size>(wide_parameters(p), p.parameters);
    }
  }
  bool count(numbers const& n) {
    bool const accepted = n.applied != number(0);
    ++(accepted ? steps : refused);
    return accepted;
  }
  /// Launches what the optimizer adds to the loss at these parameters; nothing for one that adds nothing.
  static void launch_penalty([[maybe_unused]] Engine const& engine, [[maybe_unused]] places const& p) {
    if constexpr (has_penalty && Size > 0) run<penalty_source<Optimizer, Size>>(engine, p, p.penalty);
  }
  /// What the optimizer adds to the loss, in a run of its own.
  template <class Exchange>
  number penalty([[maybe_unused]] Engine const& engine, [[maybe_unused]] Exchange& exchange, [[maybe_unused]] places p, [[maybe_unused]] std::size_t given,
            [[maybe_unused]] std::size_t wanted) const {
    numbers n = next();
    if constexpr (has_penalty && Size > 0) {
      exchange_numbers(exchange, n, p, given, wanted);
      exchange.send();
      launch_penalty(engine, p);
      exchange.fetch(wanted, wanted_bytes);
      take_penalty(exchange, n, wanted);
    }
    return n.penalty;
  }

  Optimizer optimizer;
  std::int64_t steps = 0;
  std::int64_t refused = 0;

 private:
  static number* wide_parameters(places const& p) {
    if constexpr (narrow) return p.kept;
    else return p.parameters;
  }
  static auto wide_gradient(places const& p) {
    if constexpr (narrow) return p.kept + std::int64_t{Size} * (1 + optim::vectors<Optimizer>);
    else return const_cast<T*>(p.gradient);
  }
  /// Arch: translation units with other instructions keep a function of their own.
  template <class Program, class Arch = on_cpu::default_arch>
  static void run(Engine const& engine, places const& p, void* result) {
    if constexpr (narrow) engine.template make_precise<Size>(p.parameters, wide_parameters(p));
    void* base[plan::base::count];
    base[plan::base::workspace] = p.scratch;
    base[plan::base::parameters] = wide_parameters(p);
    base[plan::base::buffers] = p.kept + (narrow ? Size : 0);
    base[plan::base::magnitudes] = p.magnitudes;
    base[plan::base::arguments] = wide_gradient(p);
    base[plan::base::results] = result;
    engine.template run<Program, number, Arch>(base);
  }
};

}  // namespace detail

/// Named relations: an updater is given its model, and gradients of its model's net.
template <class Given, class Wanted>
struct updated_model {
  ESPALIER_READS("given {}, wanted {}")
  static constexpr bool agree = std::is_same_v<Given, Wanted>;
};
template <class Given, class Wanted>
struct updated_along {
  ESPALIER_READS("given {}, wanted {}")
  static constexpr bool agree = std::is_same_v<Given, Wanted>;
};
namespace detail {
template <class Model, class Gradients, class M, class G>
using update_fault = typename first_fault<updated_model<std::remove_cvref_t<M>, Model>, updated_along<G, Gradients>>::type;
}  // namespace detail

namespace optim {

/// An optimizer with its state for a model, for a training loop of one's own: optim::updater adam{model, optim::Adam{}}; adam.update(model, slopes).
/// Parameters of 16 bits have precise ones in float here: an updater moves one model at a time.
/// shape   slopes as value_and_grad(model, loss) gives them
/// memory  one allocation at construction, none afterwards
template <class Model, class Optimizer>
class updater {
  using T = typename Model::value_type;
  using Engine = typename Model::engine_type;
  static constexpr int size = static_cast<int>(slots_of<typename Model::net_type>.parameters.trainable_storage);
  using Rule = espalier::detail::update_rule<Optimizer, size, T, Engine>;
  using number = typename Rule::number;
  using Slopes = gradients<typename Model::net_type, T, typename Engine::memory_device>;

 public:
  static constexpr std::size_t bytes = Rule::state + Rule::workspace;

  updater(Model const& model, Optimizer optimizer)
      : rule_{optimizer}, memory_(model.engine().take(bytes)), exchange_{model.engine().exchange_of(end, end)}, engine_{model.engine().without_threads()} {
    rule_.template mark<typename Model::net_type>(model.engine(), memory_.template at<number>(0));
  }

  /// Does not compile: the model to be updated outlives the expression.
  template <espalier::detail::TemporaryOf<Model> M>
  updater(M&& model, Optimizer optimizer) : updater{static_cast<Model const&>(model), optimizer} {
    static_assert(espalier::detail::lives_on<M>::agree, ESPALIER_SENTENCE("updater{model, optimizer}: " ESPALIER_MODEL_IS_TEMPORARY, espalier::detail::lives_on<M>));
  }

  /// Does not compile: a const model stays as it is.
  template <espalier::detail::TemporaryOrConst<Model> M>
  void update(M&&, Slopes const&) {
    static_assert(espalier::detail::may_change<Model>::agree, ESPALIER_SENTENCE("updater.update(model, slopes): " ESPALIER_MODEL_IS_CONST, espalier::detail::may_change<Model>));
  }
  /// Does not compile: another model, or the gradients of another net.
  template <class M, class G, class Fault = espalier::detail::update_fault<Model, Slopes, M, G>>
    requires(!Fault::agree)
  void update(M&&, G const&) {
    static_assert(Fault::agree, ESPALIER_SENTENCE("updater.update(model, gradients): give the model that the updater was made for, and the gradients"
                                                  " that value_and_grad(model, loss)(x, y) made for it", Fault));
  }
  /// Moves the model's parameters along the gradients.
  void update(Model& model, Slopes const& slopes) {
    auto n = rule_.next();
    auto p = places(model);
    p.gradient = slopes.span().data();
    Rule::exchange_numbers(exchange_, n, p, 0, wanted);
    exchange_.send();
    Engine const& engine = model.engine();
    Rule::launch(engine, p);
    if constexpr (Rule::may_refuse) exchange_.fetch(wanted, Rule::wanted_bytes);
    Rule::take_applied(exchange_, n, wanted);
    rule_.count(n);
  }
  /// Magnitudes (learning rate, ...) may change while training.
  Optimizer& optimizer() { return rule_.optimizer; }
  /// The learning rate, however the optimizer is wrapped: updater.learning_rate() = schedule(updater.steps()).
  auto& learning_rate() { return optim::learning_rate(rule_.optimizer); }
  /// What the optimizer adds to the loss at the model's parameters; 0 for one that adds nothing.
  number penalty(Model const& model) const { return rule_.penalty(model.engine(), exchange_, places(model), 0, wanted); }
  /// The optimizer's states, one vector after the other, each laid out like the model's trainable parameters: what a training that is continued later
  /// has to keep, with the number of steps. For parameters of 16 bits they are floats, and the precise parameters come first. On a device with memory of
  /// its own: a device_span.
  auto states() { return engine_.see(memory_.template at<number>(0), Rule::lasting); }
  void continue_after(std::int64_t steps) { rule_.steps = steps; }
  std::int64_t steps() const { return rule_.steps; }
  /// Updates that the optimizer refused (refuse_non_finite).
  std::int64_t refused_updates() const { return rule_.refused; }

 private:
  static constexpr std::size_t wanted = Rule::given_bytes, end = wanted + Rule::wanted_bytes;
  auto places(Model const& model) const {
    return typename Rule::places{static_cast<T*>(model.bases().at[plan::base::parameters]), nullptr, memory_.template at<number>(0),
                                 memory_.template at<number>(Rule::state), nullptr, nullptr, nullptr};
  }

  Rule rule_;
  typename Engine::memory memory_;
  [[no_unique_address]] mutable typename Engine::exchange exchange_;
  [[no_unique_address]] typename Engine::alone engine_;
};

/// Refused: the optimizer is none. It takes everything in silence, so that one mistake stays one error.
template <class Model, class Optimizer>
  requires(!decltype(espalier::detail::optimizer_fault_of<typename Model::net_type, Optimizer, espalier::detail::net_fault<typename Model::net_type>::agree>())::agree)
class updater<Model, Optimizer> : public espalier::detail::silent_root<is_optimizer<Optimizer>> {
  static_assert(is_optimizer<Optimizer>::agree,
                ESPALIER_SENTENCE("updater{model, optimizer}: the second argument is not an optimizer, such as esp::optim::Adam{}", is_optimizer<Optimizer>));
  static_assert(sizeof(espalier::detail::say_optimizer(decltype(espalier::detail::optimizer_fault_of<typename Model::net_type, Optimizer, true>()){})) != 0);

 public:
  using espalier::detail::silent_root<is_optimizer<Optimizer>>::silent_root;
  void update(auto&&...) {}
};
/// Refused: the first argument is not a model.
template <class Given>
class updater<espalier::detail::misused<is_model<Given>>, void> : public espalier::detail::silent_root<is_model<Given>> {
  static_assert(is_model<Given>::agree, ESPALIER_SENTENCE("updater{model, optimizer}: " ESPALIER_FIRST_IS_MODEL, is_model<Given>));

 public:
  using espalier::detail::silent_root<is_model<Given>>::silent_root;
  void update(auto&&...) {}
};
template <ModelType Model, class Optimizer>
updater(Model const&, Optimizer) -> updater<Model, Optimizer>;
template <class First, class Second>
  requires(!ModelType<First>)
updater(First const&, Second) -> updater<espalier::detail::misused<is_model<First>>, void>;

}  // namespace optim

}  // namespace espalier
#pragma GCC diagnostic pop
