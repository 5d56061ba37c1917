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
/// Room: at least the results of the body.
template <int Room>
struct loop_targets {
  loop_target at[static_cast<std::size_t>(Room) + 1];
};
template <int Room>
constexpr loop_targets<Room> find_loop_targets(plan::extracted_loop const& l) {
  loop_targets<Room> r{};
  for (int k = 0; k < l.results; ++k) {
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

/// What is known of a loop when it is compiled. An object of it is empty.
template <class Program, int Loop, class T>
struct compiled_loop {
  using body = plan::loop_program<Program, Loop>;
  static constexpr auto const& facts = plan::extracted<Program, Loop>;
  static constexpr int captured = facts.captured, slices = facts.slices, states = facts.states, results = facts.results,
                       stacks = facts.stacks, steps = facts.steps, count = facts.count;
  static constexpr bool backwards = facts.backwards, may_have_count = count >= 0;
  static constexpr int most_states = states, most_bases = facts.bases();
  static_assert(!facts.full,
                "scan(step, state, xs): the loop has more than 256 states, sequences or values that are kept for its "
                "gradient; stack some of them into one tensor, or split the step into several loops");
  static_assert(
      !may_have_count || steps <= largest_count<T>(),
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
};

/// The steps of a loop. Its addresses are those of its captured values, of its workspace, and of its other outputs.
/// Loop: compiled_loop, or a struct of these members that are known when a program runs.
/// Alignment: kernels read and write only at multiples of so many elements; other positions are copied.
template <class Loop, class T, int Alignment = 1>
struct loop_runner {
  Loop loop;

  /// run_body(base): runs the body. copy(from, to, size): copies elements, after what was run before. fill_zero(to,
  /// size): sets elements to 0. read(from): the integer at an address of the device; only of loops with a count.
  template <class Run, class Copy, class Fill, class Read>
  ESPALIER_INLINE void run(addresses<T> outside, void* const* outer, Run const& run_body, Copy const& copy,
                           [[maybe_unused]] Fill const& fill_zero, [[maybe_unused]] Read const& read) const {
    if constexpr (Loop::may_have_count) {
      if (loop.count >= 0) {
        int const taken = read(reinterpret_cast<std::int32_t const*>(outside[loop.count]));
        run_steps(outside, outer, taken, run_body, copy);
        clear_others(outside, taken, fill_zero);
        return;
      }
    }
    run_steps(outside, outer, loop.steps, run_body, copy);
  }

 private:
  static constexpr bool is_aligned(std::int64_t size) { return size % Alignment == 0; }
  /// taken: the number of steps.
  template <class Run, class Copy>
  ESPALIER_INLINE void run_steps(addresses<T> const& outside, void* const* outer, int taken, Run const& run_body,
                                 Copy const& copy) const {
    void* base[static_cast<std::size_t>(Loop::most_bases)];
    for (int i = 0; i < plan::base::count; ++i) base[i] = outer[i];
    T* const own = outside[loop.captured];
    base[plan::base::workspace] = own;
    void** const of_captured = base + plan::base::count;
    void **const of_slices = of_captured + loop.captured, **const of_states = of_slices + loop.slices,
                 **const of_results = of_states + loop.states;
    for (int i = 0; i < loop.captured; ++i) of_captured[i] = outside[i];
    T* state[static_cast<std::size_t>(Loop::most_states) + 1];
    begin_states(outside, state, taken, copy);
    for (int i = 0; i < taken; ++i) {
      int const at = loop.backwards ? taken - 1 - i : i, next = loop.backwards ? at - 1 : at + 1;
      for (int k = 0; k < loop.slices; ++k) {
        auto const& s = loop.table.slice[k];
        T* const position = outside[s.operand] + at * s.size;
        if (is_aligned(s.size)) {
          of_slices[k] = position;
        } else {
          copy(position, own + loop.workspace + s.copy, s.size);
          of_slices[k] = own + loop.workspace + s.copy;
        }
      }
      for (int k = 0; k < loop.states; ++k) of_states[k] = state[k];
      for (int k = 0; k < loop.results; ++k)
        of_results[k] = result_at(outside, own, k, i, at, i + 1 < taken ? next : -1);
      run_body(static_cast<void* const*>(base));
      end_step(outside, state, of_results, at, i + 1 < taken ? next : -1, copy);
    }
    for (int k = 0; k < loop.states; ++k)
      if (loop.table.state[k].final_output >= 0)
        copy(state[k], output_of(outside, loop.table.state[k].final_output), loop.table.state[k].size);
  }
  /// Sets the positions of the outputs that have no step to 0.
  template <class Fill>
  ESPALIER_INLINE void clear_others(addresses<T> const& outside, int taken, Fill const& fill_zero) const {
    auto const clear = [&](int output, std::int64_t size) {
      if (output >= 0) fill_zero(output_of(outside, output) + taken * size, (loop.steps - taken) * size);
    };
    for (int k = 0; k < loop.states; ++k) {
      clear(loop.table.state[k].stack, loop.table.state[k].size);
      clear(loop.table.state[k].stack_before, loop.table.state[k].size);
    }
    for (int k = 0; k < loop.stacks; ++k) clear(loop.table.stack[k].output, loop.table.stack[k].size);
  }
  ESPALIER_INLINE T* output_of(addresses<T> const& outside, int number) const {
    return outside[loop.captured + number];
  }

  template <class Copy>
  ESPALIER_INLINE void begin_states(addresses<T> const& outside, T** state, int taken, Copy const& copy) const {
    int const first = loop.backwards ? taken - 1 : 0;
    for (int k = 0; k < loop.states; ++k) {
      auto const& s = loop.table.state[k];
      state[k] = outside[s.operand];
      if (s.stack_before < 0 || (Loop::may_have_count && taken == 0)) continue;
      T* const to = output_of(outside, s.stack_before) + first * s.size;
      copy(state[k], to, s.size);
      if (is_aligned(s.size)) state[k] = to;
    }
  }
  /// Sets the states after a step, and copies results to the outputs where the body did not write them. next: the
  /// position of the next step; -1: there is none.
  template <class Copy>
  ESPALIER_INLINE void end_step(addresses<T> const& outside, T** state, void* const* of_results, int at, int next,
                                Copy const& copy) const {
    for (int k = 0; k < loop.states; ++k) {
      auto const& s = loop.table.state[k];
      if (s.result >= 0) state[k] = static_cast<T*>(of_results[s.result]);
      if (s.stack >= 0 && !is_aligned(s.size)) copy(state[k], output_of(outside, s.stack) + at * s.size, s.size);
      if (s.stack_before < 0 || next < 0) continue;
      T* const to = output_of(outside, s.stack_before) + next * s.size;
      if (state[k] == to) continue;
      copy(state[k], to, s.size);
      if (s.result < 0 && is_aligned(s.size)) state[k] = to;
    }
    for (int k = 0; k < loop.stacks; ++k) {
      auto const& s = loop.table.stack[k];
      T* const to = output_of(outside, s.output) + at * s.size;
      if (of_results[s.result] != to) copy(static_cast<T const*>(of_results[s.result]), to, s.size);
    }
  }
  /// Where step i writes result k. at, next: the positions of this step and of the next one; -1: there is none.
  ESPALIER_INLINE T* result_at(addresses<T> const& outside, T* own, int k, int i, int at, int next) const {
    loop_target const to = loop.targets.at[k];
    auto const& s = loop.table.state[to.state < 0 ? 0 : to.state];
    std::int64_t const size = to.state >= 0 ? s.size : stack_of_result(k).size;
    if (is_aligned(size)) {
      if (to.stack >= 0) return output_of(outside, to.stack) + at * size;
      if (s.stack_before >= 0 && next >= 0) return output_of(outside, s.stack_before) + next * size;
    }
    return own + loop.workspace + (to.state >= 0 ? s.buffer + (i % 2) * plan::rounded(size) : stack_of_result(k).copy);
  }
  constexpr plan::loop_stack_facts const& stack_of_result(int k) const {
    int i = 0;
    while (i + 1 < loop.stacks && loop.table.stack[i].result != k) ++i;
    return loop.table.stack[i];
  }
};

template <class Program, int Loop, class T, int Alignment = 1>
using loop_steps = loop_runner<compiled_loop<Program, Loop, T>, T, Alignment>;

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
