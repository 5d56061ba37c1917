// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../plan/plan.hpp"
#include "slots.hpp"

namespace espalier::detail {

/// Takes the running statistics of a step back if its update was skipped, on a device that the host need not wait for:
/// buffer 0 is all of a model's buffers, argument 0 is a copy from before the step, and hyperparameter 0 is whether the
/// update was applied, the result of an update_program.
template <std::int64_t Size>
struct restore_program {
  using vector = shape<static_cast<int>(Size)>;
  static constexpr std::int64_t offsets[] = {0};
  static constexpr graph::program build() {
    graph::program p{};
    tracing::tracer t{p, tracing::mode::training, false, 0, 0};
    traced<shape<>> const applied{
        &t, p.nodes.add(graph::node{operation::run_time_number, {}, graph::position_attribute(0, true), extents{}})};
    p.add_output(
        tracing::trace_operand(t, where(applied, buffer<vector, void>{0, &t}, tracing::argument_of<vector>(t, 0))),
        graph::destination::buffer, 0);
    return p;
  }
  static constexpr plan::storage_layout layout() { return {nullptr, offsets}; }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
