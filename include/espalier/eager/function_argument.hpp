// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <tuple>

#include "../device/cpu/engine.hpp"
#include "../plan/address.hpp"
#include "../tracing/traced_net.hpp"
#include "arguments.hpp"

/// The arguments of a function as its program sees them: tensors are arguments of the program, models are parameters
/// and buffers at addresses of their own.
namespace espalier::detail {

/// Where the parts of an argument are in the table of bases: its first pointer, and its first run-time number.
struct argument_address {
  int state = plan::base::states;
  int number = 0;
};
/// The same as a type, with the slots of an argument's first parameter, buffer and vector in the program.
template <int State, int Number, int Parameter, int Buffer, int Vector>
struct fixed_address {
  static constexpr int state = State, number = Number, parameter = Parameter, buffer = Buffer, vector = Vector;
  template <class A>
  using behind = fixed_address<State + A::states, Number + A::numbers, Parameter + A::parameters, Buffer + A::buffers,
                               Vector + A::vectors>;
};
/// The run-time numbers of one update in the table of a function: its hyperparameters, and whether it was applied.
inline constexpr int numbers_of_update = 32;
/// How many updates of one updater a function may have.
inline constexpr int max_updates = 8;
/// The number of updates that read numbers from `first` on in a program.
constexpr int updates_in(graph::program const& p, int first) {
  int count = 0;
  for (int id = 1; id <= p.nodes.size; ++id) {
    if (p.nodes[id].op->family != graph::op_family::hyperparameter) continue;
    int const update = (position_of(p.nodes[id]) - first) / numbers_of_update;
    if (position_of(p.nodes[id]) >= first && update < max_updates && update >= count) count = update + 1;
  }
  return count;
}

/// An argument of a function. Leaf: a tensor (borrowed), or a model or updater, for which model/ specializes it.
/// tensors      how many of the arguments of a run it is: models and updaters are bound before
/// states       pointers that it has in the table of bases
/// parameters, buffers, streams, vectors, numbers   how many it has
/// may_change   false for a const model
template <class Leaf>
struct function_argument {
  static constexpr int tensors = 1, states = 0, parameters = 0, buffers = 0, streams = 0, vectors = 0, numbers = 0;
  static constexpr bool may_change = true;
  static constexpr in_body<Leaf> add(tracing::tracer& t) {
    int const position = t.next_argument++;
    return {&t, tracing::add_argument<typename Leaf::element_type>(t, position, Leaf::shape_type::value)};
  }
  /// Memory for the argument's gradient.
  template <class T, class Device, class X>
  static constexpr auto gradient(X const&) {
    return tensor<T, typename Leaf::shape_type, Device>{};
  }
  static constexpr void lay_out(plan::address*, plan::address*, plan::address*, argument_address) {}
  static constexpr int lay_out_gradients(plan::address*, int) { return 0; }
  /// What an object that runs the function keeps of the argument.
  struct bound {
    template <class X>
    constexpr explicit bound(X const&) {}
  };
  /// Before a run: writes the argument's pointers and run-time numbers. After it: reads the numbers that it wrote.
  template <class Program, class Address, class Bound, class T>
  static constexpr void fill(Bound&, void**, T*) {}
  template <class Program, class Address, class Bound, class T>
  static constexpr void finish(Bound&, T const*) {}
};

template <class... Leaf>
constexpr int states_of = (function_argument<Leaf>::states + ... + 0);
template <class... Leaf>
constexpr int numbers_of = (function_argument<Leaf>::numbers + ... + 0);
/// Calls f(argument, address, bound) for the function_argument of each leaf.
template <class Address, class F>
constexpr void for_each_argument_from(F const&) {}
template <class Address, class First, class... Leaf, class F, class FirstBound, class... Bound>
constexpr void for_each_argument_from(F const& f, FirstBound& first, Bound&... bound) {
  using A = function_argument<First>;
  f(A{}, Address{}, first);
  for_each_argument_from<typename Address::template behind<A>, Leaf...>(f, bound...);
}
template <class... Leaf, class F, class... Bound>
constexpr void for_each_argument(F const& f, Bound&... bound) {
  constexpr int tensors = (function_argument<Leaf>::parameters + ... + 0);  // their vectors are slots behind them
  for_each_argument_from<fixed_address<plan::base::states, 0, 0, 0, tensors>, Leaf...>(f, bound...);
}
/// The same without objects: calls f(argument, address).
template <class... Leaf, class F>
constexpr void for_each_leaf(F const& f) {
  std::tuple const all{std::type_identity<Leaf>{}...};
  auto const without = [&]<class A, class Address>(A, Address, auto const&) { f(A{}, Address{}); };
  std::apply([&](auto const&... leaf) { for_each_argument<Leaf...>(without, leaf...); }, all);
}
/// Whether a program changes a parameter or buffer of an argument.
template <class A, class Address>
constexpr bool changes_argument(graph::program const& p) {
  auto const within = [](int i, int first, int count) { return i >= first && i < first + count; };
  for (int i = 0; i < p.output_count; ++i) {
    graph::output const& o = p.outputs[i];
    if (o.where == graph::destination::buffer && within(o.index, Address::buffer, A::buffers)) return true;
    if (o.where == graph::destination::parameter &&
        (within(o.index, Address::parameter, A::parameters) || within(o.index, Address::vector, A::vectors)))
      return true;
  }
  return false;
}

/// What a program remembers of the models of its function while it is traced.
template <class... Leaf>
class function_state {
 public:
  /// Adds the arguments to the program and returns their values in the body.
  constexpr std::tuple<in_body<Leaf>...> add_arguments(tracing::tracer& t) {
    if constexpr (states_of < Leaf... >> 0) {
      t.parameter_now = parameter_now_;
      t.updated = updated_;
      t.streams_used = streams_used_;
      t.next_vector = tensors;
    }
    return std::tuple<in_body<Leaf>...>{function_argument<Leaf>::add(t)...};
  }
  /// Reports a program that changes a const model. It is called after the last output was added.
  static constexpr void check(graph::program& p) {
    if constexpr (!(function_argument<Leaf>::may_change && ...))
      for_each_leaf<Leaf...>([&]<class A, class Address>(A, Address) {
        if (!A::may_change && changes_argument<A, Address>(p)) p.nodes.report(graph::fault::const_model);
      });
  }

 private:
  static constexpr int tensors = (function_argument<Leaf>::parameters + ... + 0);
  static constexpr std::size_t parameters =
                                   static_cast<std::size_t>((function_argument<Leaf>::vectors + ... + tensors)),
                               buffers = static_cast<std::size_t>((function_argument<Leaf>::buffers + ... + 0)),
                               streams = static_cast<std::size_t>((function_argument<Leaf>::streams + ... + 0));
  int parameter_now_[parameters + 1]{};
  int updated_[buffers + 1]{};
  bool streams_used_[streams + 1]{};
};

/// The addresses of the tensors that the models of a function have, and of its gradients.
/// Differentiated  a bit for each argument that is
/// First           the number of the first gradient among the results
template <unsigned Differentiated, int First, class... Leaf>
struct function_layout {
  static constexpr int tensors = (function_argument<Leaf>::parameters + ... + 0);
  plan::address parameters[static_cast<std::size_t>((function_argument<Leaf>::vectors + ... + (tensors + 1)))]{};
  plan::address buffers[static_cast<std::size_t>((function_argument<Leaf>::buffers + ... + 1))]{};
  plan::address gradients[static_cast<std::size_t>(tensors) + 1]{};

  constexpr function_layout() {
    int gradient = 0, result = plan::base::results + First, position = 0;
    for_each_leaf<Leaf...>([&]<class A, class Address>(A, Address) {
      A::lay_out(parameters + Address::parameter, buffers + Address::buffer, parameters + Address::vector,
                 argument_address{Address::state, Address::number});
      if (Differentiated >> position++ & 1u) gradient += A::lay_out_gradients(gradients + gradient, result++);
    });
  }
};
template <unsigned Differentiated, int First, class... Leaf>
inline constexpr function_layout<Differentiated, First, Leaf...> layout_of_function{};
/// The same as storage of a program; a function of tensors has none.
template <unsigned Differentiated, int First, class... Leaf>
constexpr plan::storage_layout storage_of_function() {
  if constexpr (states_of<Leaf...> == 0) return {};
  else
    return {nullptr, nullptr, layout_of_function<Differentiated, First, Leaf...>.parameters,
            layout_of_function<Differentiated, First, Leaf...>.buffers,
            layout_of_function<Differentiated, First, Leaf...>.gradients};
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
