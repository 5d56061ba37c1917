// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "group_types.hpp"

/// Loops of a program, for every device: the program of the body runs once for each step, with other pointers.
namespace espalier::on_device {

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

/// The largest n up to which T has all whole numbers, but at most 2^24.
template <class T>
constexpr int largest_count() {
  int n = 2;
  while (n < 1 << 24 &&
         static_cast<float>(static_cast<T>(static_cast<float>(2 * n - 1))) == static_cast<float>(2 * n - 1))
    n *= 2;
  return n;
}

/// The steps of a loop. Its addresses are those of its captured values, of its workspace, and of its other outputs.
/// Alignment: kernels read and write only at multiples of so many elements; other positions are copied.
template <class Program, int Loop, class T, int Alignment = 1>
struct loop_steps {
  using body = plan::loop_program<Program, Loop>;
  static constexpr auto const& facts = plan::extracted<Program, Loop>;
  static constexpr int captured = facts.captured, slices = facts.slices, states = facts.states, results = facts.results,
                       stacks = facts.stacks, steps = facts.steps;
  static constexpr bool backwards = facts.backwards, has_count = facts.count >= 0;
  static_assert(!facts.full,
                "scan(step, state, xs): the loop has more than 256 states, sequences or values that are kept for its "
                "gradient; stack some of them into one tensor, or split the step into several loops");
  static_assert(
      !has_count || steps <= largest_count<T>(),
      "scan(step, state, xs, count), repeat<N>(step, state, count): in a program of half, a loop with a count "
      "has at most 2048 steps, and 256 in one of bfloat16: the steps are numbered in the program's type");
  static constexpr auto targets = find_loop_targets<results>(facts);
  static constexpr auto table = [] {
    loop_table<slices, states, stacks> r{};
    for (int i = 0; i < slices; ++i) r.slice[i] = facts.slice[i];
    for (int i = 0; i < states; ++i) r.state[i] = facts.state[i];
    for (int i = 0; i < stacks; ++i) r.stack[i] = facts.stack[i];
    return r;
  }();
  static constexpr std::int64_t workspace = plan::workspace_of<body>::elements;
  static constexpr bool is_aligned(std::int64_t size) { return size % Alignment == 0; }

  /// run_body(base): runs the body. copy(from, to, size): copies elements, after what was run before. fill_zero(to,
  /// size): sets elements to 0. read(from): the integer at an address of the device; only of loops with a count.
  template <class Run, class Copy, class Fill, class Read>
  static ESPALIER_INLINE void run(addresses<T> outside, void* const* outer, Run const& run_body, Copy const& copy,
                                  Fill const& fill_zero, Read const& read) {
    if constexpr (has_count) {
      int const taken = read(reinterpret_cast<std::int32_t const*>(outside[facts.count]));
      run_steps(outside, outer, taken, run_body, copy);
      clear_others(outside, taken, fill_zero);
    } else {
      run_steps(outside, outer, steps, run_body, copy);
    }
  }

 private:
  /// taken: the number of steps.
  template <class Run, class Copy>
  static ESPALIER_INLINE void run_steps(addresses<T> const& outside, void* const* outer, int taken, Run const& run_body,
                                        Copy const& copy) {
    void* base[static_cast<std::size_t>(facts.bases())];
    for (int i = 0; i < plan::base::count; ++i) base[i] = outer[i];
    T* const own = outside[captured];
    base[plan::base::workspace] = own;
    void** const of_captured = base + plan::base::count;
    void **const of_slices = of_captured + captured, **const of_states = of_slices + slices,
                 **const of_results = of_states + states;
    for (int i = 0; i < captured; ++i) of_captured[i] = outside[i];
    T* state[static_cast<std::size_t>(states) + 1];
    begin_states(outside, state, taken, copy);
    for (int i = 0; i < taken; ++i) {
      int const at = backwards ? taken - 1 - i : i, next = backwards ? at - 1 : at + 1;
      for (int k = 0; k < slices; ++k) {
        auto const& s = table.slice[k];
        T* const position = outside[s.operand] + at * s.size;
        if (is_aligned(s.size)) {
          of_slices[k] = position;
        } else {
          copy(position, own + workspace + s.copy, s.size);
          of_slices[k] = own + workspace + s.copy;
        }
      }
      for (int k = 0; k < states; ++k) of_states[k] = state[k];
      for (int k = 0; k < results; ++k) of_results[k] = result_at(outside, own, k, i, at, i + 1 < taken ? next : -1);
      run_body(static_cast<void* const*>(base));
      end_step(outside, state, of_results, at, i + 1 < taken ? next : -1, copy);
    }
    for (int k = 0; k < states; ++k)
      if (table.state[k].final_output >= 0)
        copy(state[k], output_of(outside, table.state[k].final_output), table.state[k].size);
  }
  /// Sets the positions of the outputs that have no step to 0.
  template <class Fill>
  static ESPALIER_INLINE void clear_others(addresses<T> const& outside, int taken, Fill const& fill_zero) {
    auto const clear = [&](int output, std::int64_t size) {
      if (output >= 0) fill_zero(output_of(outside, output) + taken * size, (steps - taken) * size);
    };
    for (int k = 0; k < states; ++k) {
      clear(table.state[k].stack, table.state[k].size);
      clear(table.state[k].stack_before, table.state[k].size);
    }
    for (int k = 0; k < stacks; ++k) clear(table.stack[k].output, table.stack[k].size);
  }
  static ESPALIER_INLINE T* output_of(addresses<T> const& outside, int number) { return outside[captured + number]; }

  template <class Copy>
  static ESPALIER_INLINE void begin_states(addresses<T> const& outside, T** state, int taken, Copy const& copy) {
    int const first = backwards ? taken - 1 : 0;
    for (int k = 0; k < states; ++k) {
      auto const& s = table.state[k];
      state[k] = outside[s.operand];
      if (s.stack_before < 0 || (has_count && taken == 0)) continue;
      T* const to = output_of(outside, s.stack_before) + first * s.size;
      copy(state[k], to, s.size);
      if (is_aligned(s.size)) state[k] = to;
    }
  }
  /// Sets the states after a step, and copies results to the outputs where the body did not write them. next: the
  /// position of the next step; -1: there is none.
  template <class Copy>
  static ESPALIER_INLINE void end_step(addresses<T> const& outside, T** state, void* const* of_results, int at,
                                       int next, Copy const& copy) {
    for (int k = 0; k < states; ++k) {
      auto const& s = table.state[k];
      if (s.result >= 0) state[k] = static_cast<T*>(of_results[s.result]);
      if (s.stack >= 0 && !is_aligned(s.size)) copy(state[k], output_of(outside, s.stack) + at * s.size, s.size);
      if (s.stack_before < 0 || next < 0) continue;
      T* const to = output_of(outside, s.stack_before) + next * s.size;
      if (state[k] == to) continue;
      copy(state[k], to, s.size);
      if (s.result < 0 && is_aligned(s.size)) state[k] = to;
    }
    for (int k = 0; k < stacks; ++k) {
      auto const& s = table.stack[k];
      T* const to = output_of(outside, s.output) + at * s.size;
      if (of_results[s.result] != to) copy(static_cast<T const*>(of_results[s.result]), to, s.size);
    }
  }
  /// Where step i writes result k. at, next: the positions of this step and of the next one; -1: there is none.
  static ESPALIER_INLINE T* result_at(addresses<T> const& outside, T* own, int k, int i, int at, int next) {
    loop_target const to = targets.at[k];
    auto const& s = table.state[to.state < 0 ? 0 : to.state];
    std::int64_t const size = to.state >= 0 ? s.size : stack_of_result(k).size;
    if (is_aligned(size)) {
      if (to.stack >= 0) return output_of(outside, to.stack) + at * size;
      if (s.stack_before >= 0 && next >= 0) return output_of(outside, s.stack_before) + next * size;
    }
    return own + workspace + (to.state >= 0 ? s.buffer + (i % 2) * plan::rounded(size) : stack_of_result(k).copy);
  }
  static constexpr plan::loop_stack_facts const& stack_of_result(int k) {
    int i = 0;
    while (i + 1 < stacks && table.stack[i].result != k) ++i;
    return table.stack[i];
  }
};

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
