// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../plan/bounded_groups.hpp"
#include "run.hpp"

/// Drafts of bounded programs: each step gets the extents of the samples that there are, and runs as any other.
namespace espalier::on_cpu::draft {

/// How a step depends on the number of samples. axis: which one of a shape are the samples; -1: none.
struct bounded_step {
  plan::bounded_loop loop;
  int each;
  signed char axis_of_y, axis_of_a, axis_of_b, axis_of_c, axis_of_image;
};

/// Samples are the first axis that is not 1.
constexpr signed char axis_of_samples(plan::bounded_program const& p, int id) {
  if (id == 0 || p.per_sample[id] == 0) return -1;
  extents const& s = p.program.nodes[id].shape;
  int axis = 0;
  while (axis + 1 < s.rank && s.at[axis] == 1) ++axis;
  return static_cast<signed char>(axis);
}

template <int Steps>
struct bounded_steps {
  bounded_step of[static_cast<std::size_t>(Steps) + 1];
};
template <class Program>
inline constexpr auto bounded_steps_of = [] {
  constexpr plan::planned const& p = plan::plan_of<Program>;
  bounded_steps<p.groups.group_count> r{};
  for (int x = 1; x <= p.groups.group_count; ++x) {
    plan::bounded_group const& bound = plan::bounded_groups_of<Program>.of[x];
    plan::bounded_program const& whole = Program::bounded;
    step_nodes const n = nodes_of(whole.program.nodes, p.groups.groups[x]);
    r.of[x] = {bound.loop,
               bound.each,
               axis_of_samples(whole, n.y),
               axis_of_samples(whole, n.a),
               axis_of_samples(whole, n.b),
               axis_of_samples(whole, n.c),
               axis_of_samples(whole, n.image)};
  }
  return r;
}();

/// The extents of `most` samples become those of `count`.
constexpr void cut(extents& s, int axis, int most, int count) {
  if (axis >= 0) s.at[axis] = s.at[axis] / most * count;
}

/// A step that is as for `most` samples becomes one of `count`.
template <class T>
constexpr void cut(step<T>& s, bounded_step const& by, int most, int count) {
  using plan::bounded_loop;
  if (by.loop == bounded_loop::fixed) return;
  cut(s.y, by.axis_of_y, most, count);
  cut(s.a, by.axis_of_a, most, count);
  cut(s.b, by.axis_of_b, most, count);
  cut(s.c, by.axis_of_c, most, count);
  cut(s.image, by.axis_of_image, most, count);
  int const bound = by.each * count;
  if (s.kind != plan::kernel_kind::fused) {
    s.size = by.loop == bounded_loop::elements ? bound : s.y.size();
    s.numbers_per_sample = 0;  // as in the kernels: a bounded batch is no part of another one
    if (s.instructions == 0) return;
    if (s.rows > 1) s.rows = static_cast<int>(s.size / s.columns);
    else s.columns = static_cast<int>(s.size);
  } else if (by.loop == bounded_loop::rows) {
    s.rows = bound;
  } else if (by.loop == bounded_loop::line) {
    s.columns = bound;
  } else {
    s.columns = s.columns / s.segments * bound;
    s.segments = bound;
  }
}

/// The bytes of the room that a bounded program needs behind its values; 0: it is on the stack.
template <class Program, class T, class Arch>
inline constexpr std::size_t bounded_room_bytes = [] {
  constexpr auto bytes = static_cast<std::size_t>(room_of_program<Program, T, Arch>) * sizeof(T);
  return is_on_stack(bytes) ? 0 : bytes;
}();
template <class Program, class T, class Arch>
void run_bounded_steps(void* const* base, int count, T* room) {
  using of = tables<Program, T, Arch>;
  for (int x = 1; x <= of::sizes.steps; ++x) {
    step<T> s = of::view.steps[x];
    cut(s, bounded_steps_of<Program>.of[x], Program::bounded.most, count);
    run_step<T, Arch>(of::view, s, base, room);
  }
}
/// Runs all groups of a bounded program for `count` samples. behind: bounded_room_bytes behind the values.
template <class Program, class T, class Arch>
void run_bounded_groups(void* const* base, int count, [[maybe_unused]] T* behind) {
  if constexpr (bounded_room_bytes < Program, T, Arch >> 0) {
    run_bounded_steps<Program, T, Arch>(base, count, behind);
  } else {
    room_on_stack<T, room_of_program<Program, T, Arch>> own;
    run_bounded_steps<Program, T, Arch>(base, count, own.elements);
  }
}

}  // namespace espalier::on_cpu::draft
#include "../../../base/diagnostics_pop.hpp"
