// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// An optimizer at work on a vector of parameters: its magnitudes, its step count, and one fused sweep for each update.
template <class Optimizer, int Size, class T>
class update_rule {
  using Source = update_source<Optimizer, Size>;

 public:
  static constexpr std::size_t workspace = bytes_for<T>(workspace_elements<Source>);
  static constexpr bool may_refuse = requires { Optimizer::condition(argument<shape<1>, 0>{}); };
  static constexpr std::size_t state = bytes_for<T>(static_cast<std::size_t>(Size) * Optimizer::states);

  explicit update_rule(Optimizer chosen) : optimizer{chosen} {}

  /// Says whether the optimizer accepted the gradient.
  bool apply(T* parameters, T const* gradient, T* states, T* scratch) {
    optim::magnitudes const m = optimizer.magnitudes_of(steps + 1);
    T magnitudes[optim::max_magnitudes];
    for (int i = 0; i < optim::max_magnitudes; ++i) magnitudes[i] = static_cast<T>(m.at[i]);
    T applied = 1;
    void* base[plan::base::count];
    base[plan::base::workspace] = scratch;
    base[plan::base::parameters] = parameters;
    base[plan::base::buffers] = states;
    base[plan::base::magnitudes] = magnitudes;
    base[plan::base::arguments] = const_cast<T*>(gradient);
    base[plan::base::results] = &applied;
    if constexpr (Size > 0) on_cpu::run<Source, T>(base);
    bool const accepted = applied != T(0);
    ++(accepted ? steps : refused);
    return accepted;
  }

  Optimizer optimizer;
  std::int64_t steps = 0;
  std::int64_t refused = 0;
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

  updater(Model const&, Optimizer optimizer) : rule_{optimizer}, memory_{bytes} {}

  /// Moves the model's parameters along the gradients.
  void update(Model& model, gradients<typename Model::net_type, T> const& slopes) {
    rule_.apply(model.parameters().data(), slopes.span().data(), memory_.template at<T>(0), memory_.template at<T>(Rule::state));
  }
  /// Magnitudes (learning rate, ...) may change while training.
  Optimizer& optimizer() { return rule_.optimizer; }
  std::int64_t steps() const { return rule_.steps; }
  /// Updates that the optimizer refused (refuse_non_finite).
  std::int64_t refused_updates() const { return rule_.refused; }

 private:
  Rule rule_;
  espalier::detail::block memory_;
};

}  // namespace optim

}  // namespace espalier
