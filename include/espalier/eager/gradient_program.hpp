// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../plan/plan.hpp"
#include "arguments.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier::detail {

/// The nodes of the arguments of a function of tensors.
struct argument_nodes {
  int id[tracing::max_arguments];
};
template <class... Leaf>
constexpr argument_nodes add_arguments(tracing::tracer& t) {
  argument_nodes own{};
  ((own.id[t.next_argument] =
        tracing::add_argument<typename Leaf::element_type>(t, t.next_argument, Leaf::shape_type::value),
    ++t.next_argument),
   ...);
  return own;
}

/// Value and gradients: result 0 is f(x...), followed by the gradient of each differentiated argument. If Seeded, the
/// last argument is dy, the cotangent of f(x...): the gradients are a vector-Jacobian product.
template <class F, unsigned Differentiated, bool Seeded, class... Leaf>
struct gradient_program {
  using subject = F;
  static constexpr int count = static_cast<int>(sizeof...(Leaf));

  static constexpr derivative::backward_pass forward() {
    derivative::backward_pass r{};
    graph::node_table& g = r.program.nodes;
    tracing::tracer t{r.program, tracing::mode::training, false, 0, 0};
    argument_nodes const own = add_arguments<Leaf...>(t);
    r.root = trace_operand(t, derivative::body_of_function<F, Leaf...>::on(t, own.id));
    using derivative::mark;
    for (int i = 0; i < count; ++i)
      r.m.at[own.id[i]] = Differentiated >> i & 1u ? mark::differentiated : mark::constant;
    int const seed = Seeded ? tracing::add_argument<float>(t, count, g[r.root].shape)
                            : operation::emit_constant(g, 1, g[r.root].shape).id;
    derivative::begin_reverse(g, r.root, seed, r.m, r.adjoint);
    return r;
  }
  static constexpr graph::program end(derivative::backward_pass const& pass) {
    graph::program p = pass.program;
    tracing::tracer t{p, tracing::mode::training, false, 0, 0};
    // Equal nodes are merged, so these are the nodes of the forward pass.
    argument_nodes const own = add_arguments<Leaf...>(t);
    int result = 0;
    tracing::add_result(p, pass.root, result++);
    for (int i = 0; i < count; ++i) {
      if (!(Differentiated >> i & 1u)) continue;
      int const d = pass.adjoint.of[own.id[i]];
      tracing::add_result(p, d != 0 ? d : operation::emit_constant(p.nodes, 0, p.nodes[own.id[i]].shape).id, result++);
    }
    return p;
  }
  static constexpr derivative::backward_pass begin();
  static constexpr graph::program build();
  static constexpr plan::storage_layout layout() { return {nullptr, nullptr}; }
};

template <class Program>
inline constexpr derivative::backward_pass traced_function = Program::forward();
template <class F, unsigned Differentiated, bool Seeded, class... Leaf>
constexpr derivative::backward_pass gradient_program<F, Differentiated, Seeded, Leaf...>::begin() {
  return traced_function<gradient_program>;
}
template <class F, unsigned Differentiated, bool Seeded, class... Leaf>
constexpr graph::program gradient_program<F, Differentiated, Seeded, Leaf...>::build() {
  return derivative::with_backward<gradient_program, traced_function<gradient_program>.root>();
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
