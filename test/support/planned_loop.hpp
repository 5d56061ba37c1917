// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/device/loop_steps.hpp>

namespace test {

/// What on_device::loop_runner asks of a loop, of one that is planned when a test runs.
struct planned_loop {
  static constexpr bool may_have_count = true;
  static constexpr int most_states = espalier::plan::max_loop_values,
                       most_bases = espalier::plan::base::count + 5 * espalier::plan::max_loop_values;
  int captured, slices, states, results, stacks, steps, count;
  bool backwards;
  espalier::on_device::loop_targets<espalier::plan::max_loop_values> targets;
  espalier::plan::extracted_loop const& table;
  std::int64_t workspace;

  planned_loop(espalier::plan::extracted_loop const& l, std::int64_t workspace_of_body)
      : captured{l.captured},
        slices{l.slices},
        states{l.states},
        results{l.results},
        stacks{l.stacks},
        steps{l.steps},
        count{l.count},
        backwards{l.backwards},
        targets{espalier::on_device::find_loop_targets<espalier::plan::max_loop_values>(l)},
        table{l},
        workspace{workspace_of_body} {}
  bool fits() const { return !table.full && table.bases() <= most_bases; }
};

}  // namespace test
