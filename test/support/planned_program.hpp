// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/eager/eager_inputs.hpp>
#include <espalier/graph/program.hpp>

/// Programs that are planned, proved and run when a test runs, in place of when it is compiled.
namespace test {

/// Plans a program, proves the plan, and runs it by the engine of drafts. T: float or double; results: by their number.
/// Throws std::logic_error if tracing found a fault, or if the plan is wrong.
template <class T>
void run_planned(espalier::graph::program const& p, espalier::detail::eager_inputs<T> const& in, T* const* results);

}  // namespace test
