// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <array>

#include <espalier/plan/plan.hpp>

/// What a test needs of a program when it runs: its results. To name the program itself there would put an array for
/// the longest program, 3 MB, into the executable.
namespace test {

struct result_size {
  int index;
  std::size_t size;
};

/// The results of a program, in the order of its outputs.
template <class Program>
inline constexpr auto result_sizes = [] {
  constexpr auto const& p = espalier::plan::graph_of<Program>;
  std::array<result_size, p.output_count> r{};
  for (int i = 0; i < p.output_count; ++i)
    r[static_cast<std::size_t>(i)] = {p.outputs[i].index,
                                      static_cast<std::size_t>(p.nodes[p.outputs[i].id].shape.size())};
  return r;
}();

}  // namespace test
