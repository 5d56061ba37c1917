// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <tuple>

#include "../expression/call.hpp"
#include "../expression/scan.hpp"
#include "../operation/checkpoint.hpp"
#include "../operation/composite.hpp"
#include "../operation/copied.hpp"
#include "../operation/detach.hpp"
#include "../operation/loop.hpp"
#include "../operation/reduction.hpp"

/// Turns a body into a program. The constant evaluator runs the body once on `traced` values, and each op emits its
/// node. Formulas of tensors are types: one overload of `trace_expression` per kind of expression traces them.
namespace espalier {
namespace tracing {

using graph::descriptor, graph::fault, graph::node, graph::program;
using operation::emit_constant;

enum class mode : std::uint8_t { training, evaluation };

inline constexpr int max_arguments = 24;

struct tracer {
  graph::program& program;
  mode traced_mode;
  /// a formula of tensors: its program depends only on its type, so tensors and numbers are inputs of the program
  bool is_eager;
  int next_argument;
  int next_hyperparameter;
  int depth = 0;  ///< number of nested derivatives that are being traced
  /// by random stream of the net that is being traced: whether the program has sampled from it
  bool* streams_used = nullptr;
  /// by buffer of that net: 1 + the number of the output that updates it, or 0
  int* updated = nullptr;
  int next_stream = 0;  ///< the first number that belongs to no random stream of the net
  /// by parameter of the models of a function: the node of its value after an update, or 0
  int* parameter_now = nullptr;
  int next_parameter = 0, next_buffer = 0;  ///< the first numbers that no argument of the function has
  int next_vector = 0;                      ///< the number that the vector of the next model's parameters gets
  int packed_vectors = 0;                   ///< number of vectors of gradients
  bool has_samples = false;                 ///< the program is rewritten for another number of samples
  bool has_formulas = false;                ///< attention is traced as its formula, not in blocks
  /// of the optimizer whose update is traced: its first hyperparameter and its first buffer
  int first_hyperparameter = 0, first_buffer = 0;

  constexpr node_table& nodes() { return program.nodes; }
};

/// Scope guard for tracing the body of a module, op or function: numbers and tensors in it are constants of the
/// program.
class inside_body {
 public:
  constexpr explicit inside_body(tracer& t) : tracer_{t}, was_eager_{t.is_eager} { t.is_eager = false; }
  constexpr ~inside_body() { tracer_.is_eager = was_eager_; }
  inside_body(inside_body const&) = delete;
  inside_body& operator=(inside_body const&) = delete;

 private:
  tracer& tracer_;
  bool was_eager_;
};

constexpr int add_leaf(tracer& t, descriptor const* op, std::uint64_t attribute, extents const& s) {
  return t.nodes().add(node{op, {}, attribute, s});
}

/// Adds an argument. Real tensors are used directly; labels (integers, booleans) are converted to real numbers.
template <class T>
constexpr int add_argument(tracer& t, int position, extents const& s) {
  if constexpr (std::is_integral_v<T>) {
    int const leaf = add_leaf(t, &described<label_>, graph::label_attribute({position, sizeof(T) == 1}), s);
    return t.nodes().add(node{&described<convert_>, {leaf, 0, 0, 0}, 0, s});
  } else {
    return add_leaf(t, &described<argument_>, graph::position_attribute(position), s);
  }
}

/// The value of an argument of a body, which is a leaf of the program.
template <class S, class Element = void>
constexpr traced<S, Element> argument_of(tracer& t, int position) {
  return {&t, add_argument<std::conditional_t<std::is_void_v<Element>, float, Element>>(t, position, S::value)};
}

/// Reports a fault and returns a node of the requested shape, so that tracing can continue.
constexpr int report_fault(tracer& t, fault f, extents const& s) {
  t.nodes().report(f);
  return emit_constant(t.nodes(), 0, s).id;
}

/// Adds a tensor in a body as a constant of the program. The constant evaluator reads its elements; elements that it
/// cannot read are a fault. (The condition and the guarded value are one expression, because clang reads more kinds of
/// constants there than elsewhere.)
template <class T>
constexpr int add_tensor(tracer& t, T const* data, extents const& s) {
  std::int64_t const size = s.size();
  if (size > graph::max_values) return report_fault(t, fault::too_many_values, s);
  double* const x = new double[static_cast<std::size_t>(size)];
  bool is_constant = true, differ = false;
  for (std::int64_t i = 0; i < size && is_constant; ++i) {
    is_constant = __builtin_constant_p(static_cast<double>(data[i]));
    x[i] = __builtin_constant_p(static_cast<double>(data[i])) ? static_cast<double>(data[i]) : 0.0;
    differ = differ || x[i] != x[0];
  }
  node_table& g = t.nodes();
  int const id =
      !is_constant ? report_fault(t, fault::unknown_tensor, s)
      : differ
          ? g.add(node{
                &described<values_>, {}, graph::offset_attribute(g.offset_of_values(x, static_cast<int>(size))), s})
          : emit_constant(g, x[0], s).id;
  delete[] x;
  return id;
}

/// The node of a value of this program; a value of another program is a fault.
constexpr int own_node(tracer& t, tracer const* owner, int id, extents const& s) {
  return owner == &t ? id : report_fault(t, fault::foreign_parameter, s);
}
template <class S, class Data, class Observer>
constexpr int trace_expression(tracer& t, traced<S, Data, Observer> const& x) {
  return own_node(t, x.tracer, x.id, S::value);
}

template <class T>
constexpr int trace_expression(tracer& t, number<T> const& x) {
  if (t.is_eager)
    return add_leaf(t, &described<hyperparameter_>, graph::position_attribute(t.next_hyperparameter++), extents{});
  return emit_constant(t.nodes(), static_cast<double>(x.value), extents{}).id;
}

template <int I>
constexpr int trace_expression(tracer& t, hyperparameter<I> const&) {
  return add_leaf(t, &described<hyperparameter_>, graph::position_attribute(t.first_hyperparameter + I), extents{});
}

/// A leaf that a model owns. It is a fault if the model is not the one that is being traced.
constexpr int lower_numbered(tracer& t, tracer const* owner, descriptor const* op, std::uint64_t attribute,
                             extents const& s) {
  return owner == &t ? add_leaf(t, op, attribute, s) : report_fault(t, fault::foreign_parameter, s);
}
template <class S, class Initializer>
constexpr int trace_expression(tracer& t, parameter<S, Initializer> const& x) {
  if (x.node != 0) return own_node(t, x.tracer, x.node, S::value);
  if (x.tracer == &t && t.parameter_now != nullptr && t.parameter_now[x.slot] != 0) return t.parameter_now[x.slot];
  return lower_numbered(t, x.tracer, &described<parameter_>, graph::slot_attribute(x.slot), S::value);
}
/// The value of a buffer: its value at the beginning of the step or, after an update in the program, the new value. No
/// gradient flows through the new value.
constexpr int lower_buffer(tracer& t, tracer const* owner, int slot, extents const& s) {
  if (owner != &t || t.updated == nullptr || t.updated[slot] == 0)
    return lower_numbered(t, owner, &described<buffer_>, graph::slot_attribute(slot), s);
  return t.nodes().emit(node{&described<detach_>, {t.program.outputs[t.updated[slot] - 1].id, 0, 0, 0}, 0, s});
}
template <class S, class Initializer>
constexpr int trace_expression(tracer& t, buffer<S, Initializer> const& x) {
  return lower_buffer(t, x.tracer, t.first_buffer + x.slot, S::value);
}
template <class S>
constexpr int trace_expression(tracer& t, random_uniform<S> const& x) {
  return lower_numbered(t, x.stream.tracer, &described<random_uniform_>, graph::stream_attribute(x.number), S::value);
}

template <class S>
constexpr int trace_expression(tracer& t, column_index<S> const&) {
  return add_leaf(t, &described<column_index_>, 0, S::value);
}

/// Traces a tensor: an input of the program in a formula of tensors, a constant in a body.
template <class T, class Device>
constexpr int lower_tensor(tracer& t, T const* data, extents const& s) {
  if (t.is_eager) return add_argument<T>(t, t.next_argument++, s);
  if constexpr (std::is_same_v<Device, cpu>) return add_tensor(t, data, s);
  else return report_fault(t, fault::unknown_tensor, s);
}
template <class T, class S, class Device>
constexpr int trace_expression(tracer& t, borrowed<T, S, Device> const& x) {
  return lower_tensor<T, Device>(t, x.data, S::value);
}
template <class Tensor>
constexpr int trace_expression(tracer& t, owned<Tensor> const& x) {
  return lower_tensor<typename Tensor::value_type, typename Tensor::device_type>(t, x.value.data(),
                                                                                 Tensor::shape_type::value);
}

template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr int trace_expression(tracer& t, espalier::node<Op, Attribute, S, X...> const& e);
template <class S, class M, class... X>
constexpr int trace_expression(tracer& t, call<S, M, X...> const& c);

/// Expressions that other layers define (derivatives, class weights) are traced by a member of theirs.
template <class E>
  requires requires(E const& e, tracer& t) { e.trace_into(t); }
constexpr int trace_expression(tracer& t, E const& e) { return e.trace_into(t); }

template <class X>
constexpr int trace_operand(tracer& t, X const& x) {
  if constexpr (espalier::detail::is_arithmetic<X>)
    return emit_constant(t.nodes(), static_cast<double>(x), extents{}).id;
  else return trace_expression(t, espalier::detail::keep(x));
}

namespace detail {

template <class E>
constexpr int trace_operands(tracer& t, E const& e, int (&id)[4]) {
  int count = 1;
  id[0] = trace_expression(t, e.a);
  if constexpr (requires { e.b; }) id[count++] = trace_expression(t, e.b);
  if constexpr (requires { e.c; }) id[count++] = trace_expression(t, e.c);
  return count;
}

/// Traces a composite's formula over operands that have nodes; returns the node of its value.
template <class Op, std::uint64_t Attribute, class S, class... X, std::size_t... I>
constexpr int trace_composite(tracer& t, int const* id, std::index_sequence<I...>) {
  inside_body const own{t};
  int const value = trace_operand(
      t, rule<Op>::expand(espalier::detail::as_traced<X>{&t, id[I]}..., axes_constant<graph::axes_in(Attribute)>{}));
  if constexpr (ClosedForm<Op>) return t.nodes().emit(node{&described<Op>, {value, id[I]...}, Attribute, S::value});
  else return value;
}

/// Emits the node of one op. It is no template, so that all operand types share one function.
constexpr int emit_node(node_table& g, descriptor const* op, extents const& s, std::uint64_t attribute, int const* id,
                        int operands) {
  return op->emit(g, node{op, {id[0], operands > 1 ? id[1] : 0, operands > 2 ? id[2] : 0, 0}, attribute, s});
}

}  // namespace detail

template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr int trace_node(tracer& t, int const* id) {
  if constexpr (Composite<Op>)
    return detail::trace_composite<Op, Attribute, S, X...>(t, id, std::index_sequence_for<X...>{});
  else return detail::emit_node(t.nodes(), &described<Op>, S::value, Attribute, id, static_cast<int>(sizeof...(X)));
}

template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr int trace_expression(tracer& t, espalier::node<Op, Attribute, S, X...> const& e) {
  int id[4]{};
  detail::trace_operands(t, e, id);
  return trace_node<Op, Attribute, S, X...>(t, id);
}

}  // namespace tracing
namespace detail {
template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr traced_result<S, X...> emit_traced(X const&... x) {
  using Observer = typename observer_of<X...>::type;
  tracing::tracer* t = nullptr;
  int y = 0;
  // Most ops. No function is called here, because the compiler would instantiate one more for each op.
  if constexpr ((TracedValue<X> && ...)) {
    ((t = t != nullptr ? t : x.tracer), ...);
    if (t == nullptr) return {};
    int const id[]{tracing::own_node(*t, x.tracer, x.id, shape_of<X>::value)...};
    y = tracing::trace_node<Op, Attribute, S, X...>(*t, id);
  } else {
    t = tracer_of(x...);
    if (t == nullptr) return (reads_number(x) && ...) ? traced_result<S, X...>{} : traced_result<S, X...>{};
    int const id[]{tracing::trace_operand(*t, x)...};
    y = tracing::trace_node<Op, Attribute, S, X...>(*t, id);
  }
  if constexpr (std::is_void_v<Observer>) return {t, y};
  else return {{t, y}, Observer::template operation<Op>(*t, S::value, x...)};
}
}  // namespace detail
namespace tracing {

template <class S, class M, class... X>
constexpr int trace_expression(tracer& t, call<S, M, X...> const& c) {
  int id[4]{};
  detail::trace_operands(t, c, id);
  inside_body const own{t};
  if constexpr (sizeof...(X) == 1)
    return trace_operand(t, c.module.forward(espalier::detail::as_traced<X>{&t, id[0]}...));
  else
    return trace_operand(t, c.module.forward(espalier::detail::as_traced<decltype(c.a)>{&t, id[0]},
                                             espalier::detail::as_traced<decltype(c.b)>{&t, id[1]}));
}

constexpr bool trains(tracer const& t) { return t.traced_mode == mode::training; }
constexpr bool combines_processes(tracer& t) {
  t.nodes().combines_processes = true;
  return t.nodes().among_processes;
}
/// In a program that has more nodes already, attention keeps its formula. A loop costs the compiler as much as hundreds
/// of nodes: the gradients of twelve layers in blocks would take more steps than compilers allow.
inline constexpr int most_nodes_before_blocks = 600;
constexpr bool keeps_formulas(tracer const& t) {
  return t.has_samples || t.has_formulas || t.program.nodes.plain || t.program.nodes.size > most_nodes_before_blocks;
}

template <class S>
constexpr int next_number(random_stream const& stream) {
  tracer* const t = stream.tracer;
  if (t == nullptr || t->streams_used == nullptr) return stream.slot;
  if (t->streams_used[stream.slot]) return t->next_stream++;
  t->streams_used[stream.slot] = true;
  return stream.slot;
}

constexpr int begin_block(tracer& t) { return t.nodes().size + 1; }
constexpr int end_block(tracer& t, int y, int first) { return operation::emit_checkpoint(t.nodes(), y, first); }

/// The argument behind the count of a loop. Any other value is a fault.
constexpr int trace_count(tracer& t, int id) {
  node_table& g = t.nodes();
  int const integers = id != 0 ? operation::find_integers(g, id) : 0, count = integers != 0 ? data_of(g, integers) : 0;
  int const position = count != 0 ? graph::label_of(g[count]).position - operation::first_sliced_position : 0;
  if (count != 0 && position < 0) return count;
  // Arguments with later positions stand for one element of several: of the samples of vmap, or, until the loop around
  // it ends, of a sequence of integers.
  bool const of_samples = count != 0 && position < graph::capacity;
  g.report(of_samples ? fault::count_in_vmap : fault::computed_count);
  return 0;
}
constexpr operation::open_loop open_loop_of(loop_trace const& l) {
  return {l.number, l.steps, l.backwards, l.first, l.count};
}
constexpr loop_trace begin_loop(tracer& t, int steps, bool backwards, int count) {
  operation::open_loop const l = operation::begin_loop(t.nodes(), steps, backwards, count);
  return {l.number, l.steps, l.backwards, l.first, l.count};
}
constexpr int trace_slice(tracer& t, loop_trace const& l, int xs) {
  operation::open_loop const loop = open_loop_of(l);
  return operation::find_integers(t.nodes(), xs) != 0 ? operation::emit_integer_slice(t.nodes(), loop, xs)
                                                      : operation::emit_slice(t.nodes(), loop, xs);
}
constexpr int trace_state(tracer& t, loop_trace const& l, int initial, int index) {
  return operation::emit_state(t.nodes(), open_loop_of(l), initial, index);
}
/// Ends the loop. `next` become the states after the last step, `results` the values of all steps.
constexpr void end_loop(tracer& t, loop_trace const& l, int const* states, int* next, int count, int* results,
                        int result_count) {
  node_table& g = t.nodes();
  for (int i = 0; i < t.program.output_count; ++i)
    if (t.program.outputs[i].id >= l.first) g.report(fault::update_in_loop);
  if (g.among_processes)
    for (int id = l.first; id <= g.size; ++id)
      if (g[id].op->family == op_family::exchange) g.report(fault::exchange_in_loop);
  operation::nothing_replaced const same{};
  operation::loop_builder builder{g, open_loop_of(l)};
  builder.close(states, next, count, results, result_count, same);
  builder.stack(results, result_count, same);
  for (int i = 0; i < count; ++i) next[i] = operation::emit_final(g, builder.loop(), states[i]);
}

/// Updates a buffer. A later update of the same buffer replaces the earlier one, whose value it may have read. If the
/// new value is another buffer, a copy node reads it, in the order of all reads: that buffer may be updated, too.
constexpr void trace_update(tracer& t, tracer const* owner, int id, int slot) {
  if (owner != &t) return;  // a fault, reported where the buffer was read
  node_table& g = t.nodes();
  node const& data = g[data_of(g, id)];
  if (data.op->family == op_family::buffer && slot_of(data) != slot)
    id = g.add(node{&described<copied_>, {id, 0, 0, 0}, graph::copy_attribute(graph::max_outputs + slot), g[id].shape});
  if (t.updated != nullptr && t.updated[slot] != 0) {
    t.program.outputs[t.updated[slot] - 1].id = id;
  } else {
    t.program.add_output(id, graph::destination::buffer, slot);
    if (t.updated != nullptr) t.updated[slot] = t.program.output_count;
  }
}

/// Makes a node a result. An argument, or a node that is a result already, gets a copy node: the group that reads it
/// writes the copy.
constexpr void add_result(program& p, int id, int index) {
  int const data = data_of(p.nodes, id);
  bool copy = p.nodes[data].op->family == op_family::argument;
  for (int i = 0; i < p.output_count; ++i) copy = copy || data_of(p.nodes, p.outputs[i].id) == data;
  p.add_output(
      copy ? p.nodes.add(node{&described<copied_>, {data, 0, 0, 0}, graph::copy_attribute(index), p.nodes[data].shape})
           : id,
      graph::destination::result, index);
}
/// Adds the values that a body returns, one or a struct of them, as results from number 0 on.
template <class Body>
constexpr void add_values(tracer& t, Body const& body) {
  int result = 0;
  if constexpr (!espalier::detail::Structure<Body>) add_result(t.program, trace_operand(t, body), result);
  else
    std::apply([&](auto const&... each) { (add_result(t.program, trace_operand(t, each), result++), ...); },
               espalier::detail::flattened(body));
}

}  // namespace tracing
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
