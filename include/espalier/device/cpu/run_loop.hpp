// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../group_types.hpp"
#include "thread/team.hpp"
#include "vector/architecture.hpp"

#include "../../base/diagnostics_push.hpp"
/// Runs the loops of a program: the program of the body once for each step, with other pointers.
namespace espalier::on_cpu {

template <class Program, class T, class Arch = default_arch, class Team = one_thread>
void run(void* const* base, Team const& team = {}) noexcept;

namespace detail {

using namespace on_device;

/// Where a loop writes each result of its body.
struct loop_target {
  int stack;  ///< an output of the group: one position for each step; -1: a state that alternates between two buffers
  int state;  ///< the first state that the result is the next value of, or -1
};
template <int Results>
struct loop_targets {
  loop_target at[static_cast<std::size_t>(Results) + 1];
};
template <int Results>
constexpr loop_targets<Results> find_loop_targets(plan::extracted_loop const& l) {
  loop_targets<Results> r{};
  for (int k = 0; k < Results; ++k) {
    r.at[k] = {-1, -1};
    for (int i = l.states - 1; i >= 0; --i)
      if (l.state[i].result == k) r.at[k] = {l.state[i].stack >= 0 ? l.state[i].stack : r.at[k].stack, i};
    for (int i = l.stacks - 1; i >= 0; --i)
      if (l.stack[i].result == k && r.at[k].stack < 0) r.at[k].stack = l.stack[i].output;
  }
  return r;
}
/// A copy of plan::extracted_loop that is no larger than needed, so that generated code does not refer to the plan.
template <int Slices, int States, int Stacks>
struct loop_table {
  plan::loop_slice_source slice[static_cast<std::size_t>(Slices) + 1];
  plan::loop_state_facts state[static_cast<std::size_t>(States) + 1];
  plan::loop_stack_facts stack[static_cast<std::size_t>(Stacks) + 1];
};

/// A loop. The addresses are those of its captured values, of its workspace, and of its other outputs.
template <class Program, int Loop, class T, class Arch>
struct loop_kernel {
  using body = plan::loop_program<Program, Loop>;
  static constexpr auto const& facts = plan::extracted<Program, Loop>;
  static constexpr int captured = facts.captured, slices = facts.slices, states = facts.states, results = facts.results,
                       stacks = facts.stacks, steps = facts.steps;
  static constexpr bool backwards = facts.backwards;
  static constexpr auto targets = find_loop_targets<results>(facts);
  static constexpr auto table = [] {
    loop_table<slices, states, stacks> r{};
    for (int i = 0; i < slices; ++i) r.slice[i] = facts.slice[i];
    for (int i = 0; i < states; ++i) r.state[i] = facts.state[i];
    for (int i = 0; i < stacks; ++i) r.stack[i] = facts.stack[i];
    return r;
  }();
  static constexpr std::int64_t workspace = plan::workspace_of<body>::elements;

  template <class Team>
  static void run(addresses<T> outside, void* const* outer, Team const& team) {
    void* base[static_cast<std::size_t>(facts.bases())];
    for (int i = 0; i < plan::base::count; ++i) base[i] = outer[i];
    T* const own = outside[captured];
    base[plan::base::workspace] = own;
    void** const of_captured = base + plan::base::count;
    void **const of_slices = of_captured + captured, **const of_states = of_slices + slices,
                 **const of_results = of_states + states;
    for (int i = 0; i < captured; ++i) of_captured[i] = outside[i];
    constexpr int first = backwards ? steps - 1 : 0;
    T* state[static_cast<std::size_t>(states) + 1];
    for (int i = 0; i < states; ++i) {
      auto const& s = table.state[i];
      state[i] = outside[s.operand];
      if (s.stack_before < 0) continue;
      T* const to = output_of(outside, s.stack_before) + first * s.size;
      copy(state[i], to, s.size);
      state[i] = to;
    }
    for (int i = 0; i < steps; ++i) {
      int const at = backwards ? steps - 1 - i : i, next = backwards ? at - 1 : at + 1;
      for (int k = 0; k < slices; ++k) of_slices[k] = outside[table.slice[k].operand] + at * table.slice[k].size;
      for (int k = 0; k < states; ++k) of_states[k] = state[k];
      for (int k = 0; k < results; ++k) of_results[k] = result_at(outside, own, k, i, at, next);
      on_cpu::run<body, T, Arch>(base, team);
      for (int k = 0; k < states; ++k) {
        auto const& s = table.state[k];
        if (s.result >= 0) state[k] = static_cast<T*>(of_results[s.result]);
        if (s.stack_before < 0 || i + 1 == steps) continue;
        T* const to = output_of(outside, s.stack_before) + next * s.size;
        if (state[k] == to) continue;
        copy(state[k], to, s.size);
        if (s.result < 0) state[k] = to;
      }
      for (int k = 0; k < stacks; ++k) {
        auto const& s = table.stack[k];
        T* const to = output_of(outside, s.output) + at * s.size;
        if (of_results[s.result] != to) copy(static_cast<T const*>(of_results[s.result]), to, s.size);
      }
    }
    for (int k = 0; k < states; ++k)
      if (table.state[k].final_output >= 0)
        copy(state[k], output_of(outside, table.state[k].final_output), table.state[k].size);
  }

 private:
  static ESPALIER_INLINE T* output_of(addresses<T> const& outside, int number) { return outside[captured + number]; }
  static ESPALIER_INLINE void copy(T const* from, T* to, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) to[i] = from[i];
  }
  /// Where step i writes result k. at, next: the positions of this step and of the next one.
  static ESPALIER_INLINE T* result_at(addresses<T> const& outside, T* own, int k, int i, int at, int next) {
    loop_target const to = targets.at[k];
    auto const& s = table.state[to.state < 0 ? 0 : to.state];
    if (to.stack >= 0) {
      std::int64_t const size = to.state >= 0 ? s.size : size_of_result(k);
      return output_of(outside, to.stack) + at * size;
    }
    if (s.stack_before >= 0 && i + 1 < steps) return output_of(outside, s.stack_before) + next * s.size;
    return own + workspace + s.buffer + (i % 2) * plan::rounded(s.size);
  }
  static ESPALIER_INLINE std::int64_t size_of_result(int k) {
    for (int i = 0; i < stacks; ++i)
      if (table.stack[i].result == k) return table.stack[i].size;
    return 0;
  }
};

}  // namespace detail
}  // namespace espalier::on_cpu
#include "../../base/diagnostics_pop.hpp"
