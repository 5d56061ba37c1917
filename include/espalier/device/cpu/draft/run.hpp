// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../storage/bytes.hpp"
#include "../../loop_steps.hpp"
#include "../kernel/random.hpp"
#include "../run_loop.hpp"
#include "fused.hpp"
#include "movement.hpp"
#include "product.hpp"
#include "reduction.hpp"

/// Runs drafts: one function for all programs of an element type, and a table for each program.
namespace espalier::on_cpu::detail {
/// The elements that the body of a loop needs for itself.
template <class Body, class T, class Arch>
constexpr std::int64_t room_of_body();
}  // namespace espalier::on_cpu::detail

namespace espalier::on_cpu::draft {

/// The elements that a step needs for itself.
template <class T>
constexpr std::int64_t room_of(step<T> const& s, instruction<T> const* body) {
  constexpr std::int64_t wide = sizeof(double) / sizeof(T);
  std::int64_t const fused = s.instructions > 0 ? fused_run<T>::room_size(body, s) : 0;
  switch (s.kind) {
    case plan::kernel_kind::contraction: {
      std::int64_t const product = product_extents<T>{s}.room_size();
      return product > fused ? product : fused;
    }
    case plan::kernel_kind::strided_reduction:
    case plan::kernel_kind::window_sum:
    case plan::kernel_kind::scatter_add:
    case plan::kernel_kind::index_scatter_add:
    case plan::kernel_kind::index_copy:
      return s.y.size() * wide;
    default:
      return fused;
  }
}

/// Runs a group that reads or writes by an index.
template <class T, class Stored>
void run_indexed(step<T> const& s, void* const* base, plan::address const* arguments, T* room) {
  auto const at = [&](int i) { return on_device::at<T>(base, arguments[i]); };
  std::int32_t const* const index = on_device::at<std::int32_t>(base, arguments[1]);
  if (s.kind == plan::kernel_kind::index_scatter_add) return run_index_scatter_add(s, at(0), index, at(2), room);
  if (s.kind == plan::kernel_kind::index_copy) return run_index_copy(s, at(0), index, at(2), at(3), room);
  if constexpr (!std::is_same_v<Stored, T>)
    if (s.is_narrow) return run_index_gather(s, on_device::at<Stored>(base, arguments[0]), index, at(2));
  run_index_gather(s, at(0), index, at(2));
}

/// Runs one group of a program. The function has a name of its own for each instruction set. Stored: the type of what
/// is stored in 16 bits, or T in a program that has none.
template <class T, class Arch, class Stored = T>
void run_step(program_view<T> const& p, step<T> const& s, void* const* base, T* room) {
  plan::address const* const arguments = p.arguments + s.arguments;
  auto const at = [&](int i) { return on_device::at<T>(base, arguments[i]); };
  auto const integers = [&](int i) { return on_device::at<std::int32_t>(base, arguments[i]); };
  auto const narrow = [&](int i) { return on_device::at<Stored>(base, arguments[i]); };
  constexpr bool has_narrow = !std::is_same_v<Stored, T>;
  auto const multiply = [&](int first) {
    if constexpr (has_narrow)
      if (s.is_narrow) return run_product(s, at(first), narrow(first + 1), at(first + 2), room);
    run_product(s, at(first), static_cast<T const*>(at(first + 1)), at(first + 2), room);
  };
  using plan::kernel_kind;
  switch (s.kind) {
    case kernel_kind::fused:
      return fused_run<T>{p, s, base, nullptr, room}.run();
    case kernel_kind::contraction: {
      if (s.instructions == 0) return multiply(0);
      int const own = s.operands + s.outputs;
      multiply(own);
      return fused_run<T>{p, s, base, at(own + 2), room}.run();
    }
    case kernel_kind::permute:
      return run_permute(s, at(0), at(2));
    case kernel_kind::strided_broadcast:
      return run_broadcast(s, at(0), at(2));
    case kernel_kind::strided_reduction:
      return run_reduction(s, at(0), at(2), room);
    case kernel_kind::window_sum:
      return run_window_sum(s, at(0), at(1), at(2), room);
    case kernel_kind::convert:
      if constexpr (has_narrow)
        if (s.is_narrow) return run_convert(s, narrow(0), at(2));
      return s.is_flag ? run_convert(s, on_device::at<bool>(base, arguments[0]), at(2))
                       : run_convert(s, integers(0), at(2));
    case kernel_kind::random: {
      on_device::random_state const& state = *static_cast<on_device::random_state const*>(base[plan::base::random]);
      return fill_uniform<T, Arch>::run(at(0), s.size, state.key, state.step << 20 | s.random_stream,
                                        state.first_sample * s.numbers_per_sample);
    }
    case kernel_kind::move:
      return run_move(s, at(0), at(2));
    case kernel_kind::scatter_add:
      return run_scatter_add(s, at(0), at(2), room);
    case kernel_kind::concatenate:
      return run_concatenate(s, at(0), at(1), at(2));
    case kernel_kind::pack:
      return copy(at(0), at(1), s.size);
    case kernel_kind::exchange:  // of one process
      return copy(at(0), at(2), s.size);
    case kernel_kind::index_gather:
    case kernel_kind::index_scatter_add:
    case kernel_kind::index_copy:
      return run_indexed<T, Stored>(s, base, arguments, room);
    case kernel_kind::loop:
      return s.loop(base, arguments, room);
    case kernel_kind::part:              // the tensor has the memory of the vector
    case kernel_kind::winograd_kernels:  // drafts have none
      return;
  }
}
template <class T, class Arch, class Stored>
void run_steps(program_view<T> const& p, int first, int count, void* const* base, T* room) {
  for (int x = first; x < first + count; ++x) run_step<T, Arch, Stored>(p, p.steps[x], base, room);
}

template <class Program, class T>
struct stored_in {
  using type = T;
};
template <class Program, class T>
  requires requires { typename Program::stored; }
struct stored_in<Program, T> {
  using type = typename Program::stored;
};

/// Whether the engine runs a program.
template <class Program, class T>
constexpr bool is_known() {
  if constexpr (!(std::is_same_v<T, float> || std::is_same_v<T, double>)) return false;
  else return knows(plan::graph_of<Program>.nodes, plan::plan_of<Program>);
}
template <class Program, class T, class Arch>
inline constexpr bool runs = is_draft_of<Arch>&& is_known<Program, T>();

/// The loops of a program.
template <class Program, class T, class Arch>
struct loops_of {
  static constexpr int steps = plan::plan_of<Program>.groups.group_count;
  static constexpr bool is_loop(int x) {
    return plan::plan_of<Program>.groups.groups[x].kind == plan::kernel_kind::loop;
  }
  static constexpr bool has_loops = [] {
    for (int x = 1; x <= steps; ++x)
      if (is_loop(x)) return true;
    return false;
  }();
  template <int X>
  static void run_loop(void* const* base, plan::address const* arguments, T* room) {
    constexpr int loop = plan::plan_of<Program>.groups.groups[X].first;
    using body = plan::loop_program<Program, loop>;
    constexpr auto bytes = static_cast<std::size_t>(room_of_body<body>) * sizeof(T);
    one_thread const team{};
    detail::loop_kernel<Program, loop, T, Arch>::run(
        on_device::addresses<T>{base, arguments}, base,
        detail::team_with_room<one_thread>{team, reinterpret_cast<std::byte*>(room), bytes});
  }
  template <class Body>
  static constexpr std::int64_t room_of_body = detail::room_of_body<Body, T, Arch>();
  template <class Table, int... I>
  static constexpr void set_loops(Table& r, std::integer_sequence<int, I...>) {
    (
        [&] {
          if constexpr (is_loop(I + 1)) r.steps[I + 1].loop = &run_loop<I + 1>;
        }(),
        ...);
  }
  template <int... I>
  static constexpr std::int64_t room_of_loops(std::integer_sequence<int, I...>) {
    std::int64_t most = 0;
    (
        [&] {
          if constexpr (is_loop(I + 1)) {
            constexpr std::int64_t own =
                room_of_body<plan::loop_program<Program, plan::plan_of<Program>.groups.groups[I + 1].first>>;
            if (own > most) most = own;
          }
        }(),
        ...);
    return most;
  }
};

template <class Program, class T, class Arch>
struct tables;
template <class Program, class T, class Arch>
inline constexpr std::int64_t room_of_program = tables<Program, T, Arch>::find_room();

/// The tables of a program.
template <class Program, class T, class Arch>
struct tables {
  using loops = loops_of<Program, T, Arch>;
  static constexpr table_sizes sizes = sizes_of(plan::plan_of<Program>);
  static constexpr auto found = [] {
    using table_type = table<T, sizes.steps, sizes.instructions, sizes.operands, sizes.outputs>;
    table_type r{};
    table_writer<table_type, T>{plan::graph_of<Program>.nodes, plan::plan_of<Program>, r}.run(
        detail::calls_of<Program>);
    for (int x = 1; x <= sizes.steps; ++x)
      if (r.steps[x].kind == plan::kernel_kind::random)
        r.steps[x].numbers_per_sample =
            detail::numbers_per_sample<Program>(plan::plan_of<Program>.groups.groups[x].first);
    if constexpr (loops::has_loops) loops::set_loops(r, std::make_integer_sequence<int, sizes.steps>{});
    return r;
  }();
  static constexpr program_view<T> view{found.steps, found.instructions, found.operands, found.outputs,
                                        detail::calls_of<Program>.arguments};
  static constexpr std::int64_t find_room() {
    std::int64_t most = 0;
    for (int x = 1; x <= sizes.steps; ++x) {
      std::int64_t const own = room_of(found.steps[x], found.instructions + found.steps[x].first_instruction);
      most = own > most ? own : most;
    }
    if constexpr (loops::has_loops) {
      std::int64_t const inner = loops::room_of_loops(std::make_integer_sequence<int, sizes.steps>{});
      most = inner > most ? inner : most;
    }
    return room_for<T>(most);
  }
};

/// The largest room on the stack, in bytes. A formula outside of a model may need more: its draft allocates.
inline constexpr std::size_t most_on_stack = std::size_t{1} << 16;
/// Whether the room of a model's program is on the stack; but not on a microcontroller, whose stack is small.
constexpr bool is_on_stack(std::size_t bytes) {
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
  return bytes == 0;
#else
  return bytes <= most_on_stack;
#endif
}

/// Runs groups of a program. team: has the memory of a room, if the caller has it.
template <class Program, class T, class Arch, class Team>
void run_groups(int first, int count, void* const* base, Team const& team) {
  using of = tables<Program, T, Arch>;
  using stored = typename stored_in<Program, T>::type;
  if constexpr (requires { team.room_bytes; }) {
    run_steps<T, Arch, stored>(of::view, first, count, base, team.template of_thread<T>(0).at);
  } else if constexpr (static_cast<std::size_t>(room_of_program<Program, T, Arch>) * sizeof(T) <= most_on_stack) {
    (void)team;
    room_on_stack<T, room_of_program<Program, T, Arch>> own;
    run_steps<T, Arch, stored>(of::view, first, count, base, own.elements);
  } else {
    (void)team;
    espalier::detail::block own{static_cast<std::size_t>(room_of_program<Program, T, Arch>) * sizeof(T), 0};
    run_steps<T, Arch, stored>(of::view, first, count, base, own.template at<T>(0));
  }
}

}  // namespace espalier::on_cpu::draft
#include "../../../base/diagnostics_pop.hpp"
