// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/eager/eager_inputs.hpp>
#include <espalier/graph/program.hpp>

/// Programs that are planned, proved and run when a test runs, in place of when it is compiled.
namespace test {

/// The plan of a program, which its proof accepts, run by the engine of drafts. Throws std::logic_error with the fault
/// of a plan that is refused. Loops are not known: their bodies are compiled. T: float or double.
template <class T>
void run_planned(espalier::graph::program const& p, espalier::detail::eager_inputs<T> const& in, T* const* results);

}  // namespace test
