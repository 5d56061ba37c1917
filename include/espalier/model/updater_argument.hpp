// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/pack.hpp"
#include "../optim/optimizer.hpp"
#include "assign.hpp"

/// An updater as an argument of a function: its update is part of the function's program.
namespace espalier {

namespace optim {
template <class Model, class Optimizer>
class updater;
}

namespace detail {

template <class Updater>
struct updater_leaf;
template <class Model, class Optimizer>
struct updater_leaf<optim::updater<Model, Optimizer>> {
  using shape_type = Optimizer;  // what errors show
  using element_type = void;
};

/// Changes parameters and states of a program to the results of an optimizer's update.
/// Number: of the optimizer's first buffer and first run-time number in the program.
template <class Net, class Optimizer>
class update_tracer {
  static constexpr tensor_slots const& parameters = slots_of<Net>.parameters;
  static constexpr std::int64_t size = parameters.trainable_storage;
  using vector = shape<static_cast<int>(size > 0 ? size : 1)>;

 public:
  static constexpr void run(tracing::tracer& t, int first_buffer, int first_number, traced_net<Net> const& net,
                            traced_net<Net> const& gradients) {
    int const before = updates_in(t.program, first_number);
    if (before == max_updates) return t.nodes().report(graph::fault::too_many_updates);
    if (t.depth != 0) return t.nodes().report(graph::fault::update_in_derivative);
    if (!is_model_itself(net)) return t.nodes().report(graph::fault::update_of_a_value);
    if (has_assigned(t, net)) return t.nodes().report(graph::fault::two_kinds_of_update);
    if constexpr (size > 0) update(t, first_buffer, first_number, before, net, gradients);
  }

 private:
  /// Whether a parameter of the net has been assigned to.
  static constexpr bool has_assigned(tracing::tracer& t, traced_net<Net> const& net) {
    bool assigned = false;
    tracing::visit_leaves(net, [&](auto const& leaf, bool) { assigned = assigned || changes_parameter(t, leaf.slot); });
    return assigned;
  }
  template <int... State>
  static constexpr auto updates(tracing::tracer& t, traced<vector> p, traced<vector> g, int first_buffer,
                                std::integer_sequence<int, State...>) {
    return Optimizer::update(p, g,
                             traced<vector>{&t, tracing::lower_buffer(t, &t, first_buffer + State, vector::value)}...);
  }
  static constexpr void update(tracing::tracer& t, int first_buffer, int first_number, int before,
                               traced_net<Net> const& net, traced_net<Net> const& gradients) {
    graph::node_table& nodes = t.nodes();
    int packed = 0, slot = 0;
    tracing::visit_leaves(gradients, [&](auto const& leaf, bool trainable) {
      if (trainable)
        packed = operation::emit_pack(
            nodes, packed, tracing::trace_operand(t, leaf),
            {t.packed_vectors, parameters.offset[slot], first_number / (max_updates * numbers_of_update), net.vector},
            size);
      ++slot;
    });
    ++t.packed_vectors;
    int const now = t.parameter_now[net.vector];
    traced<vector> const p{
        &t, now != 0 ? now
                     : tracing::add_leaf(t, &described<parameter_>, graph::slot_attribute(net.vector), vector::value)},
        g{&t, packed};
    t.first_buffer = first_buffer;
    t.first_hyperparameter = first_number + before * numbers_of_update;
    boost::hana::unpack(updates(t, p, g, first_buffer, std::make_integer_sequence<int, Optimizer::states>{}),
                        [&](auto const& parameter, auto const&... states) {
                          int const next = tracing::trace_operand(t, parameter);
                          int state = first_buffer;
                          int const values[]{tracing::trace_operand(t, states)..., 0};
                          int const applied = condition(t, g);
                          t.first_buffer = t.first_hyperparameter = 0;
                          for (int i = 0; i < Optimizer::states; ++i) tracing::trace_update(t, &t, values[i], state++);
                          if (applied != 0)
                            tracing::trace_update(t, &t, applied, first_buffer + optim::vectors<Optimizer> + before);
                          replace(t, net, next);
                        });
  }
  static constexpr int condition(tracing::tracer& t, traced<vector> g) {
    if constexpr (requires { Optimizer::condition(g); }) return tracing::trace_operand(t, Optimizer::condition(g));
    else return 0;
  }
  /// Reads of the parameters behind the update read the new values.
  static constexpr void replace(tracing::tracer& t, traced_net<Net> const& net, int next) {
    change_parameter(t, next, net.vector);
    int slot = 0;
    tracing::visit_leaves(net, [&](auto const& leaf, bool trainable) {
      if (trainable)
        t.parameter_now[leaf.slot] =
            operation::emit_part_of_vector(t.nodes(), next, parameters.offset[slot], parameters.shape[slot]);
      ++slot;
    });
  }
};

}  // namespace detail

/// An optim::updater in the body of a function.
template <class Model, class Optimizer>
struct traced_updater {
  using is_traced_updater = void;
  using net_type = typename Model::net_type;
  tracing::tracer* tracer = nullptr;
  int first_buffer = 0, first_number = 0;

  /// update(net, gradients): updates the parameters of a model and the states of the optimizer. What the function
  /// computes behind it reads the new parameters. A function may update a model up to eight times.
  /// errors  another net does not compile; neither does an update inside a function that is differentiated, or of a
  ///         value that is not a model
  template <class Net, class Gradients>
  constexpr void update([[maybe_unused]] Net const& net, [[maybe_unused]] Gradients const& gradients) const {
    using Of = detail::combined_nets<net_type, Net, Gradients>;
    if constexpr (!Of::agree || is_invalid<Net> || is_invalid<Gradients>) {
      if (tracer != nullptr) tracer->nodes().report(graph::fault::update_of_another_net);
    } else {
      if (tracer != nullptr)
        detail::update_tracer<net_type, Optimizer>::run(*tracer, first_buffer, first_number, net, gradients);
    }
  }
};

namespace detail {

template <class Model, class Optimizer>
struct body_argument<updater_leaf<optim::updater<Model, Optimizer>>> {
  using type = traced_updater<Model, Optimizer>;
};
template <class Model, class Optimizer>
struct eager_leaf_of<optim::updater<Model, Optimizer>> {
  using type = updater_leaf<optim::updater<Model, Optimizer>>;
};
template <class Model, class Optimizer>
struct argument_type<optim::updater<Model, Optimizer>> {
  using type = optim::updater<Model, Optimizer>;
  static constexpr bool differentiated = false;
};

template <class Model, class Optimizer>
struct function_argument<updater_leaf<optim::updater<Model, Optimizer>>> {
  using Updater = optim::updater<Model, Optimizer>;
  static constexpr int tensors = 0, states = 1, parameters = 0, buffers = optim::vectors<Optimizer> + max_updates,
                       streams = 0, vectors = 0, numbers = max_updates * numbers_of_update;
  static constexpr int applied_at = optim::max_hyperparameters;
  static constexpr bool may_change = true;
  static constexpr std::int64_t size = slots_of<typename Model::net_type>.parameters.trainable_storage;

  static constexpr traced_updater<Model, Optimizer> add(tracing::tracer& t) {
    traced_updater<Model, Optimizer> const r{&t, t.next_buffer, t.next_hyperparameter};
    t.next_buffer += buffers;
    t.next_hyperparameter += numbers;
    return r;
  }
  static constexpr void lay_out(plan::address*, plan::address* buffer, plan::address*, argument_address at) {
    for (int i = 0; i < optim::vectors<Optimizer>; ++i) buffer[i] = {at.state, i * size};
    for (int i = 0; i < max_updates; ++i)
      buffer[optim::vectors<Optimizer> + i] = {plan::base::hyperparameters,
                                               at.number + i * numbers_of_update + applied_at};
  }
  static constexpr int lay_out_gradients(plan::address*, int) { return 0; }
  struct bound {
    explicit bound(Updater& updater) : of{&updater} {}
    Updater* of;
  };
  static void const* updated_memory(bound& b) { return b.of->parameters_; }
  template <class Program, class Address>
  static constexpr int updates = updates_in(plan::graph_of<Program>, Address::number);
  template <class Program, class Address, class T>
  static void fill(bound& b, void** base, T* numbers) {
    base[Address::state] = b.of->state_memory();
    for (int update = 0; update < updates<Program, Address>; ++update) {
      T* const own = numbers + Address::number + update * numbers_of_update;
      auto const next = b.of->rule_.next(update);
      for (int i = 0; i < optim::max_hyperparameters; ++i) own[i] = next.hyperparameters[i];
      own[applied_at] = T(1);
    }
  }
  template <class Program, class Address, class T>
  static void finish(bound& b, T const* numbers) {
    for (int update = 0; update < updates<Program, Address>; ++update) {
      auto n = typename decltype(b.of->rule_)::numbers{};
      n.applied = numbers[Address::number + update * numbers_of_update + applied_at];
      b.of->rule_.count(n);
    }
  }
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
