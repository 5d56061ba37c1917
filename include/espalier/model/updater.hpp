// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../optim/decay_only.hpp"
#include "../optim/optimizer.hpp"
#include "gradients.hpp"

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
  static constexpr auto expressions(std::integer_sequence<int, I...>) {
    return O::update(parameter<vector, void>{0}, argument<vector, 0>{}, buffer<vector, void>{I}...);
  }
  static constexpr graph::program build() {
    graph::program p{};
    graph::tracer t{p, graph::mode::training, false, 0, 0};
    graph::scope const in{{graph::add_argument<float>(t, 0, vector::value)}};
    auto const updates = expressions(std::make_integer_sequence<int, O::states>{});
    boost::hana::unpack(updates, [&](auto const& parameters, auto const&... states) {
      p.add_output(lower(t, parameters, in), graph::destination::parameter, 0);
      int slot = 0;
      (p.add_output(lower(t, states, in), graph::destination::buffer, slot++), ...);
      (void)slot;
    });
    if constexpr (requires { O::condition(argument<vector, 0>{}); })
      p.add_output(lower(t, O::condition(argument<vector, 0>{}), in), graph::destination::result, 0);
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
    p.add_output(lower(t, O::penalty(parameter<typename update_source<O, Size>::vector, void>{0}), graph::scope{}),
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

/// An optimizer at work on a vector of parameters: its magnitudes, its step count, and one fused sweep for each update.
template <class Optimizer, int Size, class T>
class update_rule {
  using Source = update_source<Optimizer, Size>;

 public:
  static constexpr bool may_refuse = requires { Optimizer::condition(argument<shape<1>, 0>{}); };
  static constexpr bool has_penalty = requires { Optimizer::penalty(argument<shape<1>, 0>{}); };
  static constexpr std::size_t workspace = [] {
    std::size_t needed = bytes_for<T>(workspace_elements<Source>);
    if constexpr (has_penalty) {
      constexpr std::size_t other = bytes_for<T>(workspace_elements<penalty_source<Optimizer, Size>>);
      needed = needed > other ? needed : other;
    }
    return needed;
  }();
  static constexpr std::size_t state = bytes_for<T>(static_cast<std::size_t>(Size) * optim::vectors<Optimizer>);

  explicit update_rule(Optimizer chosen) : optimizer{chosen} {}

  /// Marks the parameters that the optimizer singles out, behind its states; their memory is zero.
  template <class Net>
  void mark(T* states) const {
    using Which = typename optim::detail::selection<Optimizer>::type;
    if constexpr (!std::is_void_v<Which>)
      for (int i = 0; i < tensor_count<Net, true>; ++i) {
        tensor_row const& row = rows_of<Net, true>.at[i];
        if (!row.trainable || !chosen_of<Net, Which>.at[i]) continue;
        T* const marks = states + std::int64_t{Size} * Optimizer::states + row.offset;
        for (std::int64_t k = 0; k < row.shape.size(); ++k) marks[k] = T(1);
      }
  }

  /// Says whether the optimizer accepted the gradient.
  template <class Team>
  bool apply(T* parameters, T const* gradient, T* states, T* scratch, Team const& team) {
    T applied = 1;
    if constexpr (Size > 0) run<Source>(parameters, gradient, states, scratch, applied, team);
    bool const accepted = applied != T(0);
    ++(accepted ? steps : refused);
    return accepted;
  }

  /// What the optimizer adds to the loss at these parameters; 0 for one that adds nothing.
  template <class Team>
  T penalty([[maybe_unused]] T const* parameters, [[maybe_unused]] T* states, [[maybe_unused]] T* scratch, [[maybe_unused]] Team const& team) const {
    T result = 0;
    if constexpr (has_penalty && Size > 0)
      run<penalty_source<Optimizer, Size>>(const_cast<T*>(parameters), nullptr, states, scratch, result, team);
    return result;
  }

  Optimizer optimizer;
  std::int64_t steps = 0;
  std::int64_t refused = 0;

 private:
  /// Arch: translation units with other instructions keep a function of their own.
  template <class Program, class Arch = on_cpu::default_arch, class Team>
  void run(T* parameters, T const* gradient, T* states, T* scratch, T& result, Team const& team) const {
    optim::magnitudes const m = optimizer.magnitudes_of(steps + 1);
    T magnitudes[optim::max_magnitudes];
    for (int i = 0; i < optim::max_magnitudes; ++i) magnitudes[i] = static_cast<T>(m.at[i]);
    void* base[plan::base::count];
    base[plan::base::workspace] = scratch;
    base[plan::base::parameters] = parameters;
    base[plan::base::buffers] = states;
    base[plan::base::magnitudes] = magnitudes;
    base[plan::base::arguments] = const_cast<T*>(gradient);
    base[plan::base::results] = &result;
    on_cpu::run<Program, T, Arch>(base, team);
  }
};

}  // namespace detail

namespace optim {

/// An optimizer with its state for a model, for a training loop of one's own: optim::updater adam{model, optim::Adam{}}; adam.update(model, slopes).
/// memory  one allocation at construction, none afterwards
template <class Model, class Optimizer>
class updater {
  using T = typename Model::value_type;
  static constexpr int size = static_cast<int>(slots_of<typename Model::net_type>.parameters.trainable_storage);
  using Rule = espalier::detail::update_rule<Optimizer, size, T>;

 public:
  static constexpr std::size_t bytes = Rule::state + Rule::workspace;

  updater(Model const&, Optimizer optimizer) : rule_{optimizer}, memory_{bytes} {
    rule_.template mark<typename Model::net_type>(memory_.template at<T>(0));
  }

  /// Moves the model's parameters along the gradients.
  void update(Model& model, gradients<typename Model::net_type, T> const& slopes) {
    rule_.apply(model.parameters().data(), slopes.span().data(), memory_.template at<T>(0), memory_.template at<T>(Rule::state), model.team());
  }
  /// Magnitudes (learning rate, ...) may change while training.
  Optimizer& optimizer() { return rule_.optimizer; }
  /// The learning rate, however the optimizer is wrapped: updater.learning_rate() = schedule(updater.steps()).
  auto& learning_rate() { return optim::learning_rate(rule_.optimizer); }
  /// What the optimizer adds to the loss at the model's parameters; 0 for one that adds nothing.
  T penalty(Model const& model) const {
    return rule_.penalty(model.parameters().data(), memory_.template at<T>(0), memory_.template at<T>(Rule::state), model.team());
  }
  /// The optimizer's states, one vector after the other, each laid out like the model's trainable parameters: what a training that is continued later
  /// has to keep, with the number of steps.
  espalier::span<T> states() { return {memory_.template at<T>(0), std::int64_t{size} * Optimizer::states}; }
  void continue_after(std::int64_t steps) { rule_.steps = steps; }
  std::int64_t steps() const { return rule_.steps; }
  /// Updates that the optimizer refused (refuse_non_finite).
  std::int64_t refused_updates() const { return rule_.refused; }

 private:
  Rule rule_;
  espalier::detail::block memory_;
};

}  // namespace optim

}  // namespace espalier
