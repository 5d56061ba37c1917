// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/build_mode.hpp"
#include "grouped_convolutions.hpp"
#include "winograd_program.hpp"

/// The program that a processor runs: convolutions are computed by the fastest of their methods.
namespace espalier::plan {

constexpr bool has_faster_convolutions(graph::program const& p) {
  return has_grouped_convolutions(p) || has_tiles(p, convolution_error);
}
/// The same program, with convolutions by their fastest method. origin: by node of the result, which node it stands
/// for.
constexpr graph::program with_faster_convolutions(graph::program const& from, int* origin = nullptr) {
  if (!has_grouped_convolutions(from)) return with_tiles(from, convolution_error, nullptr, origin);
  if (origin == nullptr) return with_tiles(with_grouped_convolutions(from), convolution_error);
  int* const grouped = new int[static_cast<std::size_t>(graph::capacity)]{};
  graph::program const to = with_tiles(with_grouped_convolutions(from, grouped), convolution_error, nullptr, origin);
  for (int id = 1; id <= to.nodes.size; ++id) origin[id] = grouped[origin[id]];
  delete[] grouped;
  return to;
}

/// A program definition with convolutions by their fastest method.
template <class Program>
struct convolution_program {
  using subject = typename subject_of<Program>::type;
  static constexpr graph::program build() { return with_faster_convolutions(graph_of<Program>); }
  static constexpr storage_layout layout() { return Program::layout(); }
};
template <class Program>
  requires requires { typename Program::stored; }
struct convolution_program<Program> {
  using subject = typename subject_of<Program>::type;
  using stored = typename Program::stored;
  static constexpr graph::program build() { return with_faster_convolutions(graph_of<Program>); }
  static constexpr storage_layout layout() { return Program::layout(); }
};
template <class Program>
  requires requires { Program::checked_arguments; }
inline constexpr int checked_arguments<convolution_program<Program>> = Program::checked_arguments;

namespace detail {
template <class Program>
constexpr auto find_program_on_cpu() {
  if constexpr (is_draft || requires { Program::bounded; }) return std::type_identity<Program>{};
  else if constexpr (!has_faster_convolutions(graph_of<Program>)) return std::type_identity<Program>{};
  // A program with as many nodes or groups as fit stays as it is.
  else if constexpr (fault_of_program<convolution_program<Program>>() != graph::fault::none)
    return std::type_identity<Program>{};
  else return std::type_identity<convolution_program<Program>>{};
}
}  // namespace detail

/// A program as the processor runs it: convolutions by the faster method. Programs for run-time sizes stay as they
/// are, and so do drafts.
template <class Program>
using program_on_cpu = typename decltype(detail::find_program_on_cpu<Program>())::type;

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
