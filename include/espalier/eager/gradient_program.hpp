// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../plan/plan.hpp"
#include "narrow_models.hpp"

namespace espalier::detail {

/// The number of values that a function returns.
template <class Body>
inline constexpr int value_count = static_cast<int>(leaf_count_of<Body>);

/// Values and gradients: results 0, 1, ... are what f(x...) returns, followed by the gradient of each differentiated
/// argument. The first value is differentiated. If Seeded, the last argument is dy, the cotangent of f(x...): the
/// gradients are a vector-Jacobian product.
template <class F, unsigned Differentiated, bool Seeded, class... Leaf>
struct gradient_program {
  using subject = F;
  using element_type = typename shared_element<Leaf...>::type;
  using body = typename derivative::body_of_function<F, Leaf...>::type;
  static constexpr int values = value_count<body>;

  static constexpr derivative::backward_pass forward() {
    derivative::backward_pass r{};
    graph::node_table& g = r.program.nodes;
    tracing::tracer t{r.program, tracing::mode::training, false, 0, 0, 1};
    function_state<Leaf...> state;
    auto const own = state.add_arguments(t);
    auto const y = std::apply(F{}, own);
    r.root = tracing::trace_operand(t, derivative::differentiated_result<body>::of(y));
    tracing::add_values(t, y);
    state.check(r.program);
    using derivative::mark;
    for_each_leaf(t, own, [&](int id, bool differentiated) {
      r.m.at[id] = differentiated ? mark::differentiated : mark::constant;
    });
    int const seed = Seeded ? tracing::add_argument<float>(t, t.next_argument, g[r.root].shape)
                            : operation::emit_constant(g, 1, g[r.root].shape).id;
    derivative::begin_reverse(g, r.root, seed, r.m, r.adjoint);
    return r;
  }
  static constexpr graph::program end(derivative::backward_pass const& pass) {
    graph::program p = pass.program;
    tracing::tracer t{p, tracing::mode::training, false, 0, 0, 1};
    // Equal nodes are merged, so these are the nodes of the forward pass.
    function_state<Leaf...> state;
    auto const own = state.add_arguments(t);
    int result = values, gradient = 0;
    auto const adjoint_of = [&](int id) {
      int const d = pass.adjoint.of[id];
      return d != 0 ? d : operation::emit_constant(p.nodes, 0, p.nodes[id].shape).id;
    };
    int position = 0;
    auto const add = [&](auto const& argument) {
      if (!(Differentiated >> position++ & 1u)) return;
      if constexpr (TracedNet<decltype(argument)>)
        tracing::visit_leaves(argument, [&](auto const& leaf, bool trainable) {
          if (trainable)
            p.add_output(adjoint_of(tracing::trace_operand(t, leaf)), graph::destination::gradient, gradient++);
        });
      else tracing::add_result(p, adjoint_of(argument.id), result);
      ++result;
    };
    std::apply([&](auto const&... argument) { (add(argument), ...); }, own);
    return p;
  }
  static constexpr derivative::backward_pass begin();
  static constexpr graph::program build();
  static constexpr plan::storage_layout layout() { return storage_of_function<Differentiated, values, Leaf...>(); }

 private:
  /// Calls f(node, is differentiated) for each tensor and parameter of the arguments.
  template <class Own, class F2>
  static constexpr void for_each_leaf(tracing::tracer& t, Own const& own, F2 const& f) {
    int position = 0;
    auto const visit = [&](auto const& argument) {
      bool const wanted = Differentiated >> position++ & 1u;
      tracing::visit_leaves(
          argument, [&](auto const& leaf, bool trainable) { f(tracing::trace_operand(t, leaf), wanted && trainable); });
    };
    std::apply([&](auto const&... argument) { (visit(argument), ...); }, own);
  }
};

/// The program as it runs, which reads models of 16 bits as they are stored.
template <class Program>
struct program_as_run {
  using type = Program;
};
template <class F, unsigned Differentiated, bool Seeded, class... Leaf>
struct program_as_run<gradient_program<F, Differentiated, Seeded, Leaf...>> {
  using type = program_of_models<gradient_program<F, Differentiated, Seeded, Leaf...>, Differentiated, Leaf...>;
};
template <class Program>
using sound_function = plan::sound_program<typename program_as_run<Program>::type>;

template <class Program>
inline constexpr derivative::backward_pass traced_function = Program::forward();
template <class F, unsigned Differentiated, bool Seeded, class... Leaf>
constexpr derivative::backward_pass gradient_program<F, Differentiated, Seeded, Leaf...>::begin() {
  return traced_function<gradient_program>;
}
template <class F, unsigned Differentiated, bool Seeded, class... Leaf>
constexpr graph::program gradient_program<F, Differentiated, Seeded, Leaf...>::build() {
  constexpr derivative::backward_pass const& forward = traced_function<gradient_program>;
  return derivative::with_backward<gradient_program, forward.root, forward.program.nodes.loop_count != 0>();
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
