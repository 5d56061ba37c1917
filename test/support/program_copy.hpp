// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <memory>

#include <espalier/plan/plan.hpp>

/// A program that a test reads when it runs. The program of a definition is an array for the longest one, 3 MB: a test
/// of hundreds of programs that named them when it runs would be an executable of hundreds of megabytes.
namespace test {

template <class T, int Count>
struct elements {
  T at[static_cast<std::size_t>(Count) + 1];
};
template <int Count, class T>
constexpr elements<T, Count> first_elements(T const* from) {
  elements<T, Count> r{};
  for (int i = 0; i < Count; ++i) r.at[i] = from[i];
  return r;
}
template <class T, int Count>
void copy_elements(elements<T, Count> const& from, T* to) {
  for (int i = 0; i < Count; ++i) to[i] = from.at[i];
}

/// The nodes, maps, values and outputs of a program without loops.
template <class Program>
struct copied {
  static constexpr auto const& program = espalier::plan::graph_of<Program>;
  static constexpr auto const& table = program.nodes;
  static_assert(table.loop_count == 0);
  static constexpr auto nodes = first_elements<table.size + 1>(table.nodes);
  static constexpr auto maps = first_elements<table.map_count>(table.maps);
  static constexpr auto values = first_elements<table.value_count>(table.values);
  static constexpr auto tables = first_elements<table.table_count>(table.tables);
  static constexpr auto outputs = first_elements<program.output_count>(program.outputs);
  static constexpr int size = table.size, map_count = table.map_count, value_count = table.value_count,
                       table_count = table.table_count, output_count = program.output_count;
  static constexpr auto found = table.found;
  static constexpr auto const* op_with_fault = table.op_with_fault;
};

template <class Program>
std::unique_ptr<espalier::graph::program> program_copy() {
  using from = copied<Program>;
  auto r = std::make_unique<espalier::graph::program>();
  copy_elements(from::nodes, r->nodes.nodes);
  copy_elements(from::maps, r->nodes.maps);
  copy_elements(from::values, r->nodes.values);
  copy_elements(from::tables, r->nodes.tables);
  copy_elements(from::outputs, r->outputs);
  r->nodes.size = from::size;
  r->nodes.map_count = from::map_count;
  r->nodes.value_count = from::value_count;
  r->nodes.table_count = from::table_count;
  r->output_count = from::output_count;
  r->nodes.found = from::found;
  r->nodes.op_with_fault = from::op_with_fault;
  return r;
}

}  // namespace test
