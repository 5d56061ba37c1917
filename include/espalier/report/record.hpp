// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <string_view>

#include "../model/net_programs.hpp"
#include "type_name.hpp"
#include "view.hpp"

/// Records the modules of a net in a program. It traces the net once more, with values that notify an observer: which
/// module makes which nodes, and which values pass between modules. Modules, layers and ops need no code for it.
namespace espalier::report {

/// The parts of an architecture: modules without inner modules, ops between modules, and the parameters that these ops
/// read.
enum class part : std::uint8_t { none, input, module, operation, parameter };

/// An application of a module; records are in the order in which the calls begin.
struct call_record {
  void const* type;
  std::string_view written;       ///< the type in the compiler's spelling
  int parameter, buffer, stream;  ///< the module's first slots, or -1
  int around;                     ///< the call whose body has this call
  int before, last;               ///< it makes the nodes before + 1 ... last
  extents shape;                  ///< of its result
  int first_further, further;     ///< its further results in the recording, if it returns several values
};
struct vertex_record {
  part kind;
  char const* name;  ///< of an op
  int number;        ///< of a module's call, or a parameter's slot
  int call;          ///< the call whose body has this vertex
  extents shape;
  int from[3];
};

namespace detail {

template <class M>
inline constexpr char type_tag = 0;

/// The first slots of a module's tensors and streams, the number of its parameters' elements, and whether it has inner
/// modules.
struct module_facts {
  int parameter, buffer, stream;
  std::int64_t parameters;
  bool has_modules;
};
template <class M>
constexpr void collect_facts(M const& member, module_facts& f) {
  using espalier::detail::ParameterMember, espalier::detail::BufferMember, espalier::detail::StreamMember,
      espalier::detail::ArrayMember;
  if constexpr (ParameterMember<M>) {
    if (f.parameter < 0) f.parameter = member.slot;
    f.parameters += M::shape_type::size;
  } else if constexpr (BufferMember<M>) {
    if (f.buffer < 0) f.buffer = member.slot;
  } else if constexpr (StreamMember<M>) {
    if (f.stream < 0) f.stream = member.slot;
  } else if constexpr (nn::Module<M>) {
    f.has_modules = true;
    M::visit_members(member, [&](char const*, auto const& inner) { collect_facts(inner, f); });
  } else if constexpr (ArrayMember<M>) {
    for (auto const& inner : member) collect_facts(inner, f);
  }
}
template <class M>
constexpr module_facts facts_of(M const& module) {
  module_facts f{-1, -1, -1, 0, false};
  M::visit_members(module, [&](char const*, auto const& inner) { collect_facts(inner, f); });
  return f;
}

inline constexpr int max_calls = 8192, max_vertices = 8192, max_further = 2048, max_results = 256;

struct recording {
  call_record calls[max_calls];  ///< 1 is that of the net
  vertex_record vertices[max_vertices];
  extents further[max_further];  ///< the shapes of results behind the first of their call
  int results[max_results];      ///< the vertices of the net's results
  int call_count, vertex_count, further_count, result_count;
  int nodes;
};

/// The tracer that makes a recording.
struct recorder : tracing::tracer {
  constexpr recorder(graph::program& p, tracing::mode m, recording& to)
      : tracing::tracer{p, m, false, 0, 0}, found{to} {}

  template <class... From>
  constexpr int add_vertex(part kind, char const* name, int number, extents const& s, From... from) {
    vertex_record& v = found.vertices[++found.vertex_count];
    v = vertex_record{kind, name, number, call, s, {from...}};
    return found.vertex_count;
  }

  /// Begins a call of a module with results of these shapes; returns its number.
  template <class M, class... More>
  constexpr int add_call(module_facts const& f, extents const& s, More const&... more) {
    int const number = ++found.call_count;
    found.calls[number] = call_record{&type_tag<M>,
                                      written_type<M>(),
                                      f.parameter,
                                      f.buffer,
                                      f.stream,
                                      call,
                                      program.nodes.size,
                                      0,
                                      s,
                                      found.further_count,
                                      static_cast<int>(sizeof...(More))};
    ((found.further[found.further_count++] = more), ...);
    return number;
  }

  recording& found;
  int call = 0;  ///< the innermost one
};

template <class Op>
constexpr char const* name_of_op() {
  if constexpr (requires { rule<Op>::name; }) return rule<Op>::name;
  else if constexpr (Composite<Op>) return "formula";
  else return graph::described<Op>.name;
}

/// Notifies the recorder of the operations on observed values. A module without inner modules, a composite and a
/// gradient are one vertex each: their bodies are traced without observer.
struct net_observer {
  template <class X>
  static constexpr int vertex_of([[maybe_unused]] X const& x) {
    if constexpr (requires { x.vertex; }) return x.vertex;
    else if constexpr (requires { typename X::is_parameter; })
      return x.tracer != nullptr ? of(*x.tracer).add_vertex(part::parameter, "", x.slot, X::shape_type::value) : 0;
    else return 0;
  }
  template <class Op, class... X>
  static constexpr int operation(tracing::tracer& t, extents const& s, X const&... x) {
    return of(t).add_vertex(part::operation, name_of_op<Op>(), 0, s, vertex_of(x)...);
  }
  template <class... X>
  static constexpr int formula(tracing::tracer& t, extents const& s, X const&... x) {
    return first_operands(of(t), s, vertex_of(x)...);
  }
  template <class M, class... X>
  static constexpr auto call(M const& module, X const&... x) {
    using espalier::detail::as_traced;
    using Results = results<decltype(module.forward(as_traced<X>{}...))>;
    typename Results::values y{};
    tracing::tracer* const t = espalier::detail::tracer_of(x...);
    if (t == nullptr) return y;
    recorder& r = of(*t);
    int const around = r.call;
    module_facts const f = facts_of(module);
    int const number = Results::template add_call<M>(r, f);
    if (f.has_modules) {
      r.call = number;
      y = Results::observed(
          r, module.forward(observed_value<as_traced<X>>{{&r, tracing::trace_operand(r, x)}, vertex_of(x)}...));
    } else {
      auto const made = module.forward(as_traced<X>{&r, tracing::trace_operand(r, x)}...);
      r.call = number;
      y = Results::made_at(r, r.add_vertex(part::module, "", number, r.found.calls[number].shape, vertex_of(x)...),
                           made);
    }
    r.call = around;
    r.found.calls[number].last = r.program.nodes.size;
    return y;
  }

 private:
  template <class X>
  struct observed;
  template <class S, class Data>
  struct observed<traced<S, Data>> {
    using type = traced<S, Data, net_observer>;
  };
  template <class X>
  using observed_value = typename observed<X>::type;
  template <class Y>
  using value_for = observed_value<espalier::detail::as_traced<Y>>;

  /// What a module returns, one value or a std::tuple of them, as observed values: of a body that was traced with
  /// observer, or as the results of one vertex.
  template <class Y>
  struct results {
    using values = value_for<Y>;
    template <class M>
    static constexpr int add_call(recorder& r, module_facts const& f) {
      return r.add_call<M>(f, shape_of<Y>::value);
    }
    template <class Made>
    static constexpr values observed(recorder& r, Made const& made) {
      return espalier::detail::as_value<values>(r, made);
    }
    template <class Made>
    static constexpr values made_at(recorder& r, int vertex, Made const& made) {
      return values{{&r, tracing::trace_operand(r, made)}, vertex};
    }
  };
  template <class... Y>
  struct results<std::tuple<Y...>> {
    using values = std::tuple<value_for<Y>...>;
    template <class M>
    static constexpr int add_call(recorder& r, module_facts const& f) {
      return r.add_call<M>(f, shape_of<Y>::value...);
    }
    template <class Made>
    static constexpr values observed(recorder& r, Made const& made) {
      return std::apply(
          [&](auto const&... each) { return values{espalier::detail::as_value<value_for<Y>>(r, each)...}; }, made);
    }
    template <class Made>
    static constexpr values made_at(recorder& r, int vertex, Made const& made) {
      return std::apply(
          [&](auto const&... each) {
            return values{value_for<Y>{{&r, tracing::trace_operand(r, each)}, vertex}...};
          },
          made);
    }
  };

  static constexpr recorder& of(tracing::tracer& t) { return static_cast<recorder&>(t); }
  template <class... Rest>
  static constexpr int first_operands(recorder& r, extents const& s, int a, Rest... rest) {
    int const b[]{rest..., 0};
    return r.add_vertex(part::operation, "formula", 0, s, a, b[0]);
  }
};

/// What a program has beside its net. Training: a target, which is its second argument. Evaluation: the net's results,
/// which may be copies.
template <class Target, class Element>
struct target_of_training {
  static constexpr tracing::mode mode = tracing::mode::training;
  static constexpr void add(tracing::tracer& t) { tracing::add_argument<Element>(t, 1, Target::value); }
  static constexpr void add_results(tracing::tracer&, auto const&) {}
};
struct no_target {
  static constexpr tracing::mode mode = tracing::mode::evaluation;
  static constexpr void add(tracing::tracer&) {}
  static constexpr void add_results(tracing::tracer& t, auto const& y) { tracing::add_values(t, y); }
};

/// Records a net on the inputs of a batch.
template <class Net, class Target, class... S, int... I>
constexpr void record_net(recorder& r, shapes<S...>, std::integer_sequence<int, I...>) {
  int const at[]{tracing::add_argument<espalier::detail::stored_input<Net, float, I>>(r, I, S::value)...};
  int const input[]{r.add_vertex(part::input, "input", I, S::value)...};
  Target::add(r);
  auto const add = [&](auto const&... y) { ((r.found.results[r.found.result_count++] = y.vertex), ...); };
  auto const y = espalier::detail::value_of_net<Net>(
      r, traced<S, nn::input_element_of<Net, I>, net_observer>{{&r, at[I]}, input[I]}...);
  if constexpr (requires { y.vertex; }) add(y);
  else std::apply(add, y);
  Target::add_results(r, y);
}
template <class Net, class Batch, class Target>
constexpr recording record_net() {
  using Inputs = espalier::detail::listed_shapes<Batch>;
  recording found{};
  graph::program p{};
  recorder r{p, Target::mode, found};
  record_net<Net, Target>(r, Inputs{}, std::make_integer_sequence<int, Inputs::count>{});
  found.nodes = p.nodes.size;
  return found;
}
template <class Net, class Batch, class Target>
inline constexpr recording recorded = record_net<Net, Batch, Target>();
template <class Net, class Batch, class Target>
inline constexpr auto calls_of =
    first_of<call_record, recorded<Net, Batch, Target>.call_count + 1>(recorded<Net, Batch, Target>.calls);
template <class Net, class Batch, class Target>
inline constexpr auto further_of =
    first_of<extents, recorded<Net, Batch, Target>.further_count + 1>(recorded<Net, Batch, Target>.further);
template <class Net, class Batch, class Target>
inline constexpr auto results_of =
    first_of<int, recorded<Net, Batch, Target>.result_count>(recorded<Net, Batch, Target>.results);
template <class Net, class Batch, class Target>
inline constexpr auto vertices_of =
    first_of<vertex_record, recorded<Net, Batch, Target>.vertex_count + 1>(recorded<Net, Batch, Target>.vertices);

}  // namespace detail
}  // namespace espalier::report
#include "../base/diagnostics_pop.hpp"
