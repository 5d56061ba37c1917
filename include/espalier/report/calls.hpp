// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "record.hpp"
#include "tensor_names.hpp"
#include "text.hpp"

/// The architecture of a net: its modules by their paths, and the values between them.
namespace espalier::report {

/// A module of a net, by its path.
struct module_row {
  std::string path;
  std::string type;
  void const* type_tag;
  int parent;  ///< row of the module around it; -1 for the net itself
  detail::module_facts facts;
  int calls;                     ///< how often the net applies it
  std::vector<extents> outputs;  ///< of its first call
};

struct vertex {
  part kind;
  std::string label;
  std::vector<extents> shapes;  ///< several for a module that returns several values
  /// the module whose body has this vertex, or the module that it represents
  int inside;
  std::vector<int> from;
};

struct architecture {
  std::vector<module_row> modules;  ///< 0: the net
  std::vector<vertex> vertices;     ///< 0: none
  /// by node of the evaluation program: the innermost module that made it
  std::vector<int> owner;
  std::vector<int> results;  ///< the vertices of the net's results
  std::vector<extents> inputs, outputs;
};

namespace detail {

template <class M>
void list_modules(M const& module, std::string const& path, int parent, std::vector<module_row>& rows) {
  int inside = parent;
  auto const enter = [&](char const* name, auto const& inner) {
    list_modules(inner, path.empty() ? std::string(name) : path + '.' + name, inside, rows);
  };
  if constexpr (nn::Module<M>) {
    inside = static_cast<int>(rows.size());
    rows.push_back({path, short_name<M>(), &type_tag<M>, parent, facts_of(module), 0, {}});
    M::visit_members(module, enter);
  } else if constexpr (espalier::detail::ArrayMember<M>) {
    int position = 0;
    for (auto const& inner : module) enter(nn::name_of_position(position++).text, inner);
  }
}

/// The module that a call applies, or -1. It is found by its tensors; a module without tensors is the one that its
/// parent has applied least often.
inline int row_of_call(std::vector<module_row> const& rows, call_record const& c, int around) {
  bool const known = c.parameter >= 0 || c.buffer >= 0 || c.stream >= 0;
  int best = -1;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    module_row const& row = rows[static_cast<std::size_t>(i)];
    if (row.type_tag != c.type || row.facts.parameter != c.parameter || row.facts.buffer != c.buffer ||
        row.facts.stream != c.stream)
      continue;
    if (known) return i;
    if (row.parent == around && (best < 0 || row.calls < rows[static_cast<std::size_t>(best)].calls)) best = i;
  }
  return best;
}

/// Assigns modules and names to calls and vertices.
inline void settle(architecture& a, call_record const* calls, int call_count, extents const* further,
                   vertex_record const* vertices, int vertex_count, int nodes,
                   std::vector<std::string> const& parameters) {
  auto const shapes_of = [&](call_record const& c) {
    std::vector<extents> all{c.shape};
    all.insert(all.end(), further + c.first_further, further + c.first_further + c.further);
    return all;
  };
  // known: by call, the nearest module of the net around its body
  std::vector<int> row(static_cast<std::size_t>(call_count) + 1), known(row.size());
  a.owner.assign(static_cast<std::size_t>(nodes) + 1, 0);
  for (int c = 1; c <= call_count; ++c) {
    std::size_t const i = static_cast<std::size_t>(c);
    int const around = known[static_cast<std::size_t>(calls[c].around)];
    row[i] = c == 1 ? 0 : row_of_call(a.modules, calls[c], around);
    known[i] = row[i] >= 0 ? row[i] : around;
    if (row[i] >= 0) {
      module_row& m = a.modules[static_cast<std::size_t>(row[i])];
      if (m.calls++ == 0) m.outputs = shapes_of(calls[c]);
    }
    // calls inside it come later and overwrite
    for (int id = calls[c].before + 1; id <= calls[c].last; ++id) a.owner[static_cast<std::size_t>(id)] = known[i];
  }
  a.vertices.resize(1);
  for (int n = 1; n <= vertex_count; ++n) {
    vertex_record const& v = vertices[n];
    std::string label = v.name;
    std::vector<extents> shapes{v.shape};
    if (v.kind == part::input) label = numbered_text(v.name, v.number, static_cast<int>(a.inputs.size()));
    if (v.kind == part::parameter) label = parameters[static_cast<std::size_t>(v.number)];
    if (v.kind == part::module) {
      int const m = row[static_cast<std::size_t>(v.number)];
      std::string const type = short_name(calls[v.number].written);
      label = m > 0 ? a.modules[static_cast<std::size_t>(m)].path + "  " + type : type;
      shapes = shapes_of(calls[v.number]);
    }
    vertex made{v.kind, label, shapes, known[static_cast<std::size_t>(v.kind == part::module ? v.number : v.call)], {}};
    for (int from : v.from)
      if (from != 0) made.from.push_back(from);
    a.vertices.push_back(made);
  }
}

}  // namespace detail

/// The architecture of a net applied to a batch, with the module that made each node of the evaluation program. With a
/// target_of_training: of the forward pass of the training program.
template <class Net, class Batch, class Target = detail::no_target>
architecture architecture_of() {
  architecture a;
  detail::list_modules(numbered<Net>, {}, -1, a.modules);
  constexpr int calls = detail::recorded<Net, Batch, Target>.call_count,
                vertices = detail::recorded<Net, Batch, Target>.vertex_count,
                nodes = detail::recorded<Net, Batch, Target>.nodes;
  constexpr int results = detail::recorded<Net, Batch, Target>.result_count;
  a.inputs = extents_of(espalier::detail::listed_shapes<Batch>{});
  detail::settle(a, detail::calls_of<Net, Batch, Target>.at, calls, detail::further_of<Net, Batch, Target>.at,
                 detail::vertices_of<Net, Batch, Target>.at, vertices, nodes, detail::tensor_names<Net, true>());
  auto const& result = detail::results_of<Net, Batch, Target>;
  a.results.assign(result.at, result.at + results);
  a.outputs = a.modules[0].outputs;
  return a;
}

}  // namespace espalier::report
#include "../base/diagnostics_pop.hpp"
