// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../expression/call.hpp"
#include "../operation/composite.hpp"
#include "../operation/copied.hpp"
#include "../operation/reduction.hpp"

/// From an expression to a program: one overload of lower per kind of expression, run by the constant evaluator.
namespace espalier::graph {

enum class mode : std::uint8_t { training, evaluation };

inline constexpr int max_arguments = 24;
/// The nodes behind the arguments of the body that is being traced.
struct scope {
  int id[max_arguments];
};

struct tracer {
  program& result;
  mode how;
  bool numbers_are_inputs;  ///< eager expressions: their program depends on the type alone, so a number's value arrives at run time
  int next_argument;
  int next_magnitude;
  int depth = 0;  ///< derivatives that are being traced within each other

  constexpr program_builder& builder() { return result.nodes; }
};

constexpr int add_leaf(tracer& t, descriptor const* op, std::uint64_t attribute, extents const& s) {
  return t.builder().add(node{op, {}, attribute, s});
}

/// Real tensors are used as they are; labels (integers, booleans) become numbers.
template <class T>
constexpr int add_argument(tracer& t, int position, extents const& s) {
  std::uint64_t const attribute = static_cast<std::uint64_t>(position);
  if constexpr (std::is_integral_v<T>) {
    int const leaf = add_leaf(t, &described<label_>, attribute * 2 + (sizeof(T) == 1), s);
    return t.builder().add(node{&described<convert_>, {leaf, 0, 0, 0}, 0, s});
  } else {
    return add_leaf(t, &described<argument_>, attribute, s);
  }
}

template <class S, int I, class E>
constexpr int lower(tracer&, argument<S, I, E> const&, scope const& in) {
  return in.id[I];
}

template <class S, class E>
constexpr int lower(tracer&, traced<S, E> const& x, scope const&) {
  return x.id;
}

template <class T>
constexpr int lower(tracer& t, number<T> const& x, scope const&) {
  if (t.numbers_are_inputs) return add_leaf(t, &described<magnitude_>, static_cast<std::uint64_t>(t.next_magnitude++), extents{});
  return emit_constant(t.builder(), static_cast<double>(x.value), extents{}).id;
}

template <int I>
constexpr int lower(tracer& t, magnitude<I> const&, scope const&) {
  return add_leaf(t, &described<magnitude_>, static_cast<std::uint64_t>(I), extents{});
}

template <class S, class Initializer>
constexpr int lower(tracer& t, parameter<S, Initializer> const& x, scope const&) {
  return add_leaf(t, &described<parameter_>, static_cast<std::uint64_t>(x.slot), S::value);
}

template <class S, class Initializer>
constexpr int lower(tracer& t, buffer<S, Initializer> const& x, scope const&) {
  return add_leaf(t, &described<buffer_>, static_cast<std::uint64_t>(x.slot), S::value);
}

template <class S>
constexpr int lower(tracer& t, draw<S> const& x, scope const&) {
  return add_leaf(t, &described<draw_>, static_cast<std::uint64_t>(x.slot), S::value);
}

template <class S>
constexpr int lower(tracer& t, column_index<S> const&, scope const&) {
  return add_leaf(t, &described<column_index_>, 0, S::value);
}

template <class T, class S>
constexpr int lower(tracer& t, borrowed<T, S> const&, scope const&) {
  return add_argument<T>(t, t.next_argument++, S::value);
}

template <class Tensor>
constexpr int lower(tracer& t, owned<Tensor> const&, scope const&) {
  return add_argument<typename Tensor::value_type>(t, t.next_argument++, Tensor::shape_type::value);
}

template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr int lower(tracer& t, espalier::node<Op, Attribute, S, X...> const& e, scope const& in);
template <class S, class M, class... X>
constexpr int lower(tracer& t, call<S, M, X...> const& c, scope const& in);
template <class S, class Training, class Evaluation>
constexpr int lower(tracer& t, mode_choice<S, Training, Evaluation> const& e, scope const& in);
template <class S, class Y, class Buffer, class New>
constexpr int lower(tracer& t, updating<S, Y, Buffer, New> const& e, scope const& in);

/// Expressions of other floors (a chain of layers, a derivative) say themselves how they are traced.
template <class E>
  requires requires(E const& e, tracer& t, scope const& in) { e.lower_into(t, in); }
constexpr int lower(tracer& t, E const& e, scope const& in) {
  return e.lower_into(t, in);
}

namespace detail {

template <class E>
constexpr int lower_operands(tracer& t, E const& e, scope const& in, int (&id)[4]) {
  int count = 1;
  id[0] = lower(t, e.a, in);
  if constexpr (requires { e.b; }) id[count++] = lower(t, e.b, in);
  if constexpr (requires { e.c; }) id[count++] = lower(t, e.c, in);
  return count;
}

/// A composite's formula over operands that are traced already; the node of its value.
template <class Op, std::uint64_t Attribute, class S, class... X, std::size_t... I>
constexpr int traced_composite(tracer& t, int const* id, std::index_sequence<I...>) {
  bool const inputs = t.numbers_are_inputs;
  t.numbers_are_inputs = false;  // the numbers of a composite's own formula belong to the op
  int const value = trace_operand(t, rule<Op>::expand(espalier::detail::as_traced<X>{&t, id[I]}..., axes_constant<static_cast<unsigned>(Attribute)>{}));
  t.numbers_are_inputs = inputs;
  if constexpr (ClosedForm<Op>) return t.builder().emit(node{&described<Op>, {value, id[I]...}, Attribute, S::value});
  else return value;
}

}  // namespace detail

template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr int lower(tracer& t, espalier::node<Op, Attribute, S, X...> const& e, scope const& in) {
  if constexpr (Composite<Op>) {
    int id[4]{};
    detail::lower_operands(t, e, in, id);
    return detail::traced_composite<Op, Attribute, S, X...>(t, id, std::index_sequence_for<X...>{});
  } else if constexpr (sizeof...(X) == 1) {  // one statement each: this runs for every node
    return described<Op>.emit(t.result.nodes, node{&described<Op>, {lower(t, e.a, in), 0, 0, 0}, Attribute, S::value});
  } else if constexpr (sizeof...(X) == 2) {
    return described<Op>.emit(t.result.nodes, node{&described<Op>, {lower(t, e.a, in), lower(t, e.b, in), 0, 0}, Attribute, S::value});
  } else {
    return described<Op>.emit(t.result.nodes, node{&described<Op>, {lower(t, e.a, in), lower(t, e.b, in), lower(t, e.c, in), 0}, Attribute, S::value});
  }
}

template <class S, class M, class... X>
constexpr int lower(tracer& t, call<S, M, X...> const& c, scope const& in) {
  int id[4]{};
  detail::lower_operands(t, c, in, id);
  bool const inputs = t.numbers_are_inputs;
  t.numbers_are_inputs = false;  // the numbers of a module's body belong to the module
  int y = 0;
  if constexpr (sizeof...(X) == 1) y = trace_operand(t, c.module.forward(espalier::detail::as_traced<X>{&t, id[0]}...));
  else y = trace_operand(t, c.module.forward(espalier::detail::as_traced<decltype(c.a)>{&t, id[0]}, espalier::detail::as_traced<decltype(c.b)>{&t, id[1]}));
  t.numbers_are_inputs = inputs;
  return y;
}

template <class S, class Training, class Evaluation>
constexpr int lower(tracer& t, mode_choice<S, Training, Evaluation> const& e, scope const& in) {
  return t.how == mode::training ? lower(t, e.training, in) : lower(t, e.evaluation, in);
}

template <class S, class Y, class Buffer, class New>
constexpr int lower(tracer& t, updating<S, Y, Buffer, New> const& e, scope const& in) {
  int const y = lower(t, e.y, in);
  if (t.how == mode::training) t.result.add_output(lower(t, e.new_value, in), destination::buffer, e.buffer.slot);
  return y;
}

template <class X>
constexpr int trace_operand(tracer& t, X const& x) {
  if constexpr (Traced<X>) return x.id;
  else if constexpr (espalier::detail::is_arithmetic<X>) return emit_constant(t.builder(), static_cast<double>(x), extents{}).id;
  else return lower(t, espalier::detail::keep(x), scope{});
}

/// Emits what one op needs, whatever its operands were: one function for all.
constexpr int emit_traced(program_builder& g, descriptor const* op, extents const& s, std::uint64_t attribute, int a, int b = 0, int c = 0) {
  return op->emit(g, node{op, {a, b, c, 0}, attribute, s});
}

template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr int trace_node(tracer& t, X const&... x) {
  int const id[]{trace_operand(t, x)...};
  if constexpr (Composite<Op>) return detail::traced_composite<Op, Attribute, S, X...>(t, id, std::index_sequence_for<X...>{});
  else if constexpr (sizeof...(X) == 1) return emit_traced(t.builder(), &described<Op>, S::value, Attribute, id[0]);
  else if constexpr (sizeof...(X) == 2) return emit_traced(t.builder(), &described<Op>, S::value, Attribute, id[0], id[1]);
  else return emit_traced(t.builder(), &described<Op>, S::value, Attribute, id[0], id[1], id[2]);
}

constexpr bool trains(tracer const& t) { return t.how == mode::training; }
template <class Training, class Evaluation>
constexpr int trace_choice(tracer& t, Training const& training, Evaluation const& evaluation) {
  return t.how == mode::training ? trace_operand(t, training) : trace_operand(t, evaluation);
}
template <class Y, class Buffer, class New>
constexpr int trace_update(tracer& t, Y const& y, Buffer const& buffer, New const& new_value) {
  int const id = trace_operand(t, y);
  if (t.how == mode::training) t.result.add_output(trace_operand(t, new_value), destination::buffer, buffer.slot);
  return id;
}

/// Makes a node a result. One that is an operand, or a result already, is copied where it is read.
constexpr void add_result(program& p, int id, int index) {
  int const data = data_of(p.nodes, id);
  bool copy = p.nodes[data].op->kind == family::argument;
  for (int i = 0; i < p.output_count; ++i) copy = copy || data_of(p.nodes, p.outputs[i].id) == data;
  p.add_output(copy ? p.nodes.add(node{&described<copied_>, {data, 0, 0, 0}, static_cast<std::uint64_t>(index), p.nodes[data].shape}) : id, destination::result, index);
}

}  // namespace espalier::graph
