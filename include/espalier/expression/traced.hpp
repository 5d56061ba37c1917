// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "leaf.hpp"

namespace espalier {

namespace graph {
struct tracer;
}

/// A value of the body that is being traced: a node that is in the program already. Its type says its shape and nothing of its history, so a value that
/// is used twice costs no more than one that is used once. An op with one such operand emits its node at once and gives another.
/// Data void: real numbers of the program's element type; std::int32_t: class labels.
template <class S, class Data = void>
struct traced {
  using shape_type = S;
  using is_expression = void;
  using is_traced = void;
  using element_type = void;
  static constexpr bool eager = false;
  graph::tracer* tracer;
  int id;
};

template <class X>
concept Traced = requires { typename detail::bare<X>::is_traced; };

namespace graph {
/// Emits an op on operands of which one at least is traced; returns its node. Defined with the tracer.
template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr int trace_node(tracer& t, X const&... x);
}  // namespace graph

namespace detail {
/// The tracer of the first operand that has one.
template <class First, class... Rest>
constexpr graph::tracer& tracer_of(First const& first, Rest const&... rest) {
  if constexpr (Traced<First>) return *first.tracer;
  else return tracer_of(rest...);
}
template <class X>
struct data_of {
  using type = void;
};
template <class S, int I, class E>
struct data_of<argument<S, I, E>> {
  using type = E;
};
template <class S, class E>
struct data_of<traced<S, E>> {
  using type = E;
};
template <class S, class Device>
struct data_of<borrowed<std::int32_t, S, Device>> {
  using type = std::int32_t;
};
/// How a body sees its operand.
template <class X>
using as_traced = traced<shape_of<kept<X>>, typename data_of<kept<X>>::type>;
}  // namespace detail

}  // namespace espalier
