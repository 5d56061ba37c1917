// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/cpu/engine.hpp"
#include "../optim/decay_only.hpp"
#include "on_host.hpp"
#include "tensor_paths.hpp"
#include "update_program.hpp"

namespace espalier::detail {

/// Bytes of an optimizer for `parameters` parameters of type T: its vectors, two more for T of 16 bits (master weights,
/// gradient in float), and its scalars.
template <class Optimizer, class T>
constexpr std::size_t update_bytes(std::size_t parameters) {
  return bytes_for<computed_in<T>>(parameters *
                                       (static_cast<std::size_t>(optim::vectors<Optimizer>) + (is_narrow<T> ? 2 : 0)) +
                                   static_cast<std::size_t>(optim::scalar_elements<Optimizer>));
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
/// rounded. The gradient in float is stored after the states and scalars. If other code wrote a parameter (copy,
/// from_host, best_parameters), its value replaces the master weight.
template <class Optimizer, int Size, class T, class Engine>
class update_rule {
  using Program = update_program<Optimizer, Size>;

 public:
  using program = Program;
  /// The type of an update's computations and of the stored states.
  using number = computed_in<T>;
  static constexpr bool narrow = !std::is_same_v<number, T>;
  static constexpr bool may_skip = requires { Optimizer::condition(traced<shape<1>>{}); };
  static constexpr bool has_penalty = requires { Optimizer::penalty(traced<shape<1>>{}); };
  static constexpr std::size_t workspace = [] {
    std::size_t needed = Engine::template run_bytes<Program, number>;
    if constexpr (has_penalty) {
      constexpr std::size_t other = Engine::template run_bytes<penalty_program<Optimizer, Size>, number>;
      needed = needed > other ? needed : other;
    }
    return needed;
  }();
  static constexpr std::size_t state = update_bytes<Optimizer, T>(Size);
  /// The number of leading elements that have to be saved to resume a training.
  static constexpr std::int64_t lasting = std::int64_t{Size} * (Optimizer::states + narrow);

  static constexpr int scalars = optim::scalars<Optimizer>;
  /// The element of the states' memory where the scalars begin.
  static constexpr std::int64_t scalars_at = std::int64_t{Size} * (optim::vectors<Optimizer> + narrow);

  explicit update_rule(Optimizer chosen) : optimizer{chosen} { check(); }

  /// errors  that of the optimizer, if one of its hyperparameters is outside its range
  /// It stays a function of its own, which has the registers in its name: inlined, it would make those that call it too
  /// large to be inlined themselves, and units of different flags would share them.
  template <int Registers = number_registers>
  [[gnu::noinline]] void check() const {
    optim::check_hyperparameters(optimizer);
  }

  /// Prepares memory that is zero: sets the scalars, and marks the parameters that optim::decay_only selects. The marks
  /// are stored after the lasting elements.
  template <class Net>
  void prepare([[maybe_unused]] Engine const& engine, [[maybe_unused]] number* memory) const {
    if constexpr (scalars > 0) {
      number first[static_cast<std::size_t>(scalars)];
      for (int i = 0; i < scalars; ++i) first[i] = static_cast<number>(optimizer.initial_scalar(i));
      engine.to_device(memory + scalars_at, first, sizeof first);
    }
    using Which = typename optim::detail::selection<Optimizer>::type;
    if constexpr (!std::is_void_v<Which>)
      on_host(engine, memory + lasting, static_cast<std::size_t>(Size) * sizeof(number), true, [](unsigned char* at) {
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
  /// ahead: the number of updates before it that are not counted yet
  numbers next(int ahead = 0) const {
    check();
    optim::hyperparameters const m = optimizer.hyperparameters_of(steps + 1 + ahead);
    numbers r;
    for (int i = 0; i < optim::max_hyperparameters; ++i) r.hyperparameters[i] = static_cast<number>(m.at[i]);
    return r;
  }
  /// The pointers of an update: its vectors, and the addresses of its numbers.
  struct places {
    T* parameters;
    T const* gradient;
    number* state;  ///< master weights of 16-bit parameters, the states, and what follows them
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
  /// Updates only Count parameters from the one at `first` on. Only for optimizers that look at each parameter alone.
  template <int Count>
  static void launch_part(Engine const& engine, places p, std::int64_t first) {
    using Part = update_program<Optimizer, Count, Size>;
    static_assert(!narrow && !may_skip && Engine::template run_bytes<Part, number> <= workspace);
    p.parameters += first;
    p.gradient += first;
    p.state += first;
    run<Part>(engine, p, p.applied);
  }
  /// Updates Count parameters whose gradient and states are at these places, each state behind the one before. Only for
  /// optimizers that look at each parameter alone.
  template <int Count>
  using block_program = update_program<Optimizer, Count>;
  template <int Count>
  static void launch_block(Engine const& engine, places const& p) {
    static_assert(!narrow && !may_skip && scalars == 0);
    run<block_program<Count>>(engine, p, p.applied);
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
    if constexpr (narrow) return p.state;
    else return p.parameters;
  }
  static auto wide_gradient(places const& p) {
    if constexpr (narrow) return p.state + scalars_at + optim::scalar_elements<Optimizer>;
    else return const_cast<T*>(p.gradient);
  }
  /// Arch is in the name so that translation units for different instruction sets do not share the function.
  template <class AnyProgram, class Arch = on_cpu::default_arch>
  static void run(Engine const& engine, places const& p, void* result) {
    if constexpr (narrow) engine.template refresh_master_weights<Size>(p.parameters, master_weights(p));
    void* base[plan::base::count];
    if constexpr (Engine::has_device_memory)
      for (void*& at : base) at = nullptr;  // a device may look at all of them
    base[plan::base::workspace] = p.scratch;
    base[plan::base::parameters] = master_weights(p);
    base[plan::base::buffers] = p.state + (narrow ? Size : 0);
    base[plan::base::hyperparameters] = p.hyperparameters;
    base[plan::base::arguments] = wide_gradient(p);
    base[plan::base::results] = result;
    engine.template run<AnyProgram, number, Arch>(base);
  }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
