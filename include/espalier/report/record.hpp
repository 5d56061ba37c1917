// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string_view>

#include "../model/source.hpp"
#include "type_name.hpp"
#include "view.hpp"

/// What a net's modules do in a program. The net is traced once more, in the order of the program, by a tracer that writes down which module makes which
/// nodes and what passes from one to the other. Modules, layers and ops are recognised by their expressions: none of them knows of it.
namespace espalier::report {

/// What an architecture consists of: modules without modules inside, ops between modules, parameters that those read.
enum class part : std::uint8_t { none, input, module, operation, parameter };

/// An application of a module, in the order in which they begin.
struct call_record {
  void const* type;
  std::string_view written;       ///< the type as the compiler writes it
  int parameter, buffer, stream;  ///< the module's first slots, or -1
  int around;                     ///< the call in whose body it stands
  int before, last;               ///< it makes the nodes before + 1 ... last
  extents shape;                  ///< of its result
};
struct vertex_record {
  part what;
  char const* name;  ///< of an op
  int number;        ///< of a module's call, or a parameter's slot
  int call;          ///< in whose body it stands
  extents shape;
  int from[3];
};

namespace detail {

template <class M>
inline constexpr char type_tag = 0;

/// The first slots of a module's tensors and streams, how many numbers it learns, and whether it has modules inside.
struct module_facts {
  int parameter, buffer, stream;
  std::int64_t parameters;
  bool has_modules;
};
template <class M>
constexpr void look_at(M const& member, module_facts& f) {
  using espalier::detail::ParameterMember, espalier::detail::BufferMember, espalier::detail::StreamMember, espalier::detail::ArrayMember;
  if constexpr (ParameterMember<M>) {
    if (f.parameter < 0) f.parameter = member.slot;
    f.parameters += M::shape_type::size;
  } else if constexpr (BufferMember<M>) {
    if (f.buffer < 0) f.buffer = member.slot;
  } else if constexpr (StreamMember<M>) {
    if (f.stream < 0) f.stream = member.slot;
  } else if constexpr (nn::Module<M>) {
    f.has_modules = true;
    M::visit_members(member, [&](char const*, auto const& inner) { look_at(inner, f); });
  } else if constexpr (ArrayMember<M>) {
    for (auto const& inner : member) look_at(inner, f);
  }
}
template <class M>
constexpr module_facts facts_of(M const& module) {
  module_facts f{-1, -1, -1, 0, false};
  M::visit_members(module, [&](char const*, auto const& inner) { look_at(inner, f); });
  return f;
}

inline constexpr int max_calls = 8192, max_vertices = 8192;

/// What an expression came to: its node, and the vertex behind it.
struct value {
  int node, vertex;
};
struct recording {
  call_record calls[max_calls];  ///< 1 is that of the net
  vertex_record vertices[max_vertices];
  value values[graph::capacity];
  int call_count, vertex_count, value_count;
  int result;  ///< the vertex behind the net's result
  int nodes;
};

/// The tracer that writes down. What passes through it as the number of a node is the number of a value.
struct recorder : graph::tracer {
  constexpr recorder(graph::program& p, recording& to) : graph::tracer{p, graph::mode::evaluation, false, 0, 0}, found{to} {}

  constexpr int add(int node, int vertex) {
    found.values[++found.value_count] = value{node, vertex};
    return found.value_count;
  }
  constexpr int add_vertex(part what, char const* name, int number, extents const& s, int const* operands, int count) {
    vertex_record& v = found.vertices[++found.vertex_count];
    v = vertex_record{what, name, number, call, s, {}};
    for (int i = 0; i < count; ++i) v.from[i] = found.values[operands[i]].vertex;
    return found.vertex_count;
  }
  constexpr int node_of(int v) const { return found.values[v].node; }

  recording& found;
  int call = 0;  ///< the innermost one
};

struct any_tracer {};
template <class E>
concept traced_by_any = requires(E const& e, any_tracer& t, graph::scope const& in) { e.lower_into(t, in); };

template <class Op>
constexpr char const* name_of_op() {
  if constexpr (requires { rule<Op>::name; }) return rule<Op>::name;
  else if constexpr (Composite<Op>) return "formula";
  else return graph::described<Op>.name;
}

struct record_expression {
  /// The numbers of an expression's operands; returns how many.
  template <class E>
  static constexpr int operands(recorder& r, E const& e, graph::scope const& in, int (&v)[4]) {
    int count = 1;
    v[0] = of(r, e.a, in);
    if constexpr (requires { e.b; }) v[count++] = of(r, e.b, in);
    if constexpr (requires { e.c; }) v[count++] = of(r, e.c, in);
    return count;
  }

  /// The same op, whose operands are traced already.
  template <class Op, std::uint64_t Attribute, class S, class... X, std::size_t... I>
  static constexpr auto over_arguments(std::index_sequence<I...>) {
    return espalier::node<Op, Attribute, S, argument<shape_of<X>, static_cast<int>(I)>...>{};
  }
  template <class Op, std::uint64_t Attribute, class S, class... X>
  static constexpr int of(recorder& r, espalier::node<Op, Attribute, S, X...> const& e, graph::scope const& in) {
    int v[4]{};
    int const count = operands(r, e, in, v);
    graph::scope const n{{r.node_of(v[0]), r.node_of(v[1]), r.node_of(v[2])}};
    int const id = lower(static_cast<graph::tracer&>(r), over_arguments<Op, Attribute, S, X...>(std::index_sequence_for<X...>{}), n);
    return r.add(id, r.add_vertex(part::operation, name_of_op<Op>(), 0, S::value, v, count));
  }

  template <class M, class... X>
  static constexpr auto body(M const& module) {
    if constexpr (sizeof...(X) == 1) return module.forward(espalier::detail::as_argument<X, 0>{}...);
    else return two<M, X...>(module);
  }
  template <class M, class A, class B>
  static constexpr auto two(M const& module) {
    return module.forward(espalier::detail::as_argument<A, 0>{}, espalier::detail::as_argument<B, 1>{});
  }
  template <class S, class M, class... X>
  static constexpr int of(recorder& r, call<S, M, X...> const& c, graph::scope const& in) {
    int v[4]{};
    int const count = operands(r, c, in, v), around = r.call, number = ++r.found.call_count;
    module_facts const f = facts_of(c.module);
    r.found.calls[number] = call_record{&type_tag<M>, written_type<M>(), f.parameter, f.buffer, f.stream, around, r.result.nodes.size, 0, S::value};
    r.call = number;
    int y = 0;
    if (f.has_modules) {
      y = of(r, body<M, X...>(c.module), graph::scope{{v[0], v[1]}});
    } else {
      int const id = lower(static_cast<graph::tracer&>(r), body<M, X...>(c.module), graph::scope{{r.node_of(v[0]), r.node_of(v[1])}});
      y = r.add(id, r.add_vertex(part::module, "", number, S::value, v, count));
    }
    r.call = around;
    r.found.calls[number].last = r.result.nodes.size;
    return y;
  }

  template <class S, class Training, class Evaluation>
  static constexpr int of(recorder& r, mode_choice<S, Training, Evaluation> const& e, graph::scope const& in) {
    return of(r, e.evaluation, in);
  }
  template <class S, class Y, class Buffer, class New>
  static constexpr int of(recorder& r, updating<S, Y, Buffer, New> const& e, graph::scope const& in) {
    return of(r, e.y, in);
  }
  template <class S, int I, class E>
  static constexpr int of(recorder&, argument<S, I, E> const&, graph::scope const& in) {
    return in.id[I];
  }
  template <class S, class Initializer>
  static constexpr int of(recorder& r, parameter<S, Initializer> const& x, graph::scope const& in) {
    return r.add(lower(static_cast<graph::tracer&>(r), x, in), r.add_vertex(part::parameter, "", x.slot, S::value, nullptr, 0));
  }
  /// A chain of layers says how it is traced by whatever tracer; other formulas, as a derivative, are one op; what is left are leaves.
  template <class E>
  static constexpr int of(recorder& r, E const& e, graph::scope const& in) {
    if constexpr (traced_by_any<E>) {
      return e.lower_into(r, in);
    } else {
      graph::scope n{};
      for (int i = 0; i < graph::max_arguments; ++i) n.id[i] = r.node_of(in.id[i]);
      int const id = lower(static_cast<graph::tracer&>(r), e, n);
      bool const formula = r.builder()[id].operand[0] != 0;
      return r.add(id, formula ? r.add_vertex(part::operation, "formula", 0, E::shape_type::value, in.id, 2) : 0);
    }
  }
};

/// What a chain of layers calls.
template <class E>
constexpr int lower(recorder& r, E const& e, graph::scope const& in) {
  return record_expression::of(r, e, in);
}

template <class Net, class Batch>
constexpr recording record_net() {
  recording found{};
  graph::program p{};
  recorder r{p, found};
  graph::scope in{};
  in.id[0] = r.add(graph::add_argument<float>(r, 0, Batch::value), r.add_vertex(part::input, "input", 0, Batch::value, nullptr, 0));
  int const y = record_expression::of(r, numbered<Net>(argument<Batch, 0>{}), in);
  found.result = found.values[y].vertex;
  found.nodes = p.nodes.size;
  return found;
}
template <class Net, class Batch>
inline constexpr recording recorded = record_net<Net, Batch>();
template <class Net, class Batch>
inline constexpr auto calls_of = first_of<call_record, recorded<Net, Batch>.call_count + 1>(recorded<Net, Batch>.calls);
template <class Net, class Batch>
inline constexpr auto vertices_of = first_of<vertex_record, recorded<Net, Batch>.vertex_count + 1>(recorded<Net, Batch>.vertices);

}  // namespace detail
}  // namespace espalier::report
