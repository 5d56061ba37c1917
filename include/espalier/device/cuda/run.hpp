// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../../plan/steps_at_once.hpp"
#include "../loop_steps.hpp"
#include "epilogue_kernel.hpp"
#include "fused_kernel.hpp"
#include "unfused.hpp"

/// Runs a plan on a graphics processor: launches the kernels of each group, in order, with addresses of the device.
namespace espalier::on_cuda {

namespace detail {

template <class DeviceProgram, int X>
inline constexpr plan::group const& group_at = DeviceProgram::plan.groups.groups[X];
template <class DeviceProgram, int X>
inline constexpr bool has_epilogue = (group_at<DeviceProgram, X>.kind == plan::kernel_kind::contraction) &&
                                     DeviceProgram::plan.ir.groups[X].instructions > 1;

template <class DeviceProgram, class T, int... X>
constexpr std::int64_t most_scratch(std::integer_sequence<int, X...>);
/// The program of the body of loop group X, on the device.
template <class DeviceProgram, int X>
using device_loop =
    device_program<plan::loop_program<typename DeviceProgram::definition, group_at<DeviceProgram, X>.first>,
                   DeviceProgram::policy>;

/// How many steps of group X run at once; 1 also for a group that is no loop.
template <class DeviceProgram, class T, int X>
inline constexpr int steps_at_once = [] {
  if constexpr (group_at<DeviceProgram, X>.kind != plan::kernel_kind::loop) return 1;
  else
    return plan::steps_at_once<typename DeviceProgram::definition, group_at<DeviceProgram, X>.first,
                               DeviceProgram::policy.most_of_steps, 16 / static_cast<int>(sizeof(T))>();
}();
/// The program of so many steps, on the device.
template <class DeviceProgram, class T, int X>
using device_steps =
    device_program<plan::steps_at_once_program<typename DeviceProgram::definition, group_at<DeviceProgram, X>.first,
                                               steps_at_once<DeviceProgram, T, X>>,
                   DeviceProgram::policy>;
template <class Program, class T>
inline constexpr std::int64_t plan_bytes =
    (plan::plan_of<Program>.memory.workspace * static_cast<std::int64_t>(sizeof(T)) + 255) / 256 * 256;

template <class DeviceProgram, class T, int X>
constexpr std::int64_t scratch_of_group() {
  constexpr int kernel = DeviceProgram::plan.ir.groups[X].kernel;
  if constexpr (group_at<DeviceProgram, X>.kind == plan::kernel_kind::loop && steps_at_once < DeviceProgram, T,
                X >> 1) {
    using steps = device_steps<DeviceProgram, T, X>;
    return plan_bytes<typename steps::definition, T> +
           most_scratch<steps, T>(std::make_integer_sequence<int, steps::plan.groups.group_count>{});
  } else if constexpr (group_at<DeviceProgram, X>.kind == plan::kernel_kind::loop)
    return most_scratch<device_loop<DeviceProgram, X>, T>(
        std::make_integer_sequence<int, device_loop<DeviceProgram, X>::plan.groups.group_count>{});
  else if constexpr (group_at<DeviceProgram, X>.kind == plan::kernel_kind::fused)
    return fused_kernel<DeviceProgram, DeviceProgram::device_plan.kernel[X], T>::type::scratch_bytes;
  else if constexpr (!DeviceProgram::device_plan.runs[X]) return 0;
  else return scratch_of_unfused<typename DeviceProgram::definition, T, kernel>();
}
template <class DeviceProgram, class T, int... X>
constexpr std::int64_t most_scratch(std::integer_sequence<int, X...>) {
  std::int64_t most = 0;
  ((most = most > scratch_of_group<DeviceProgram, T, X + 1>() ? most : scratch_of_group<DeviceProgram, T, X + 1>()),
   ...);
  return most;
}
template <class DeviceProgram, class T, class Backend>
void run_program(Backend& backend, void* const* base, void* scratch);

/// Runs a loop group some steps at a time. Their workspace is in the scratch memory.
template <class DeviceProgram, class T, int X, class Backend>
void run_steps_at_once(Backend& backend, void* const* outer, void* scratch) {
  using definition = typename DeviceProgram::definition;
  using steps = device_steps<DeviceProgram, T, X>;
  constexpr auto const& facts = plan::extracted<definition, group_at<DeviceProgram, X>.first>;
  constexpr auto table = on_device::compiled_loop<definition, group_at<DeviceProgram, X>.first, T>::table;
  constexpr int at_once = steps_at_once<DeviceProgram, T, X>, all = facts.steps, captured = facts.captured,
                slices = facts.slices, results = facts.results, stacks = facts.stacks;
  on_device::addresses<T> const outside{outer, on_device::addresses_of_group<definition, X>.at};
  void* base[static_cast<std::size_t>(facts.bases())];
  for (int i = 0; i < plan::base::count; ++i) base[i] = outer[i];
  base[plan::base::workspace] = scratch;
  for (int i = 0; i < captured; ++i) base[plan::base::count + i] = outside[i];
  void** const of_slices = base + plan::base::count + captured;
  void** const of_results = of_slices + slices;
  auto const address_of = [&](int stack, int first) {
    return outside[captured + table.stack[stack].output] + first * table.stack[stack].size;
  };
  for (int first = 0; first < all; first += at_once) {
    for (int k = 0; k < slices; ++k) of_slices[k] = outside[table.slice[k].operand] + first * table.slice[k].size;
    for (int k = 0; k < results; ++k)
      for (int s = stacks - 1; s >= 0; --s)
        if (table.stack[s].result == k) of_results[k] = address_of(s, first);
    run_program<steps, T>(backend, static_cast<void* const*>(base),
                          static_cast<char*>(scratch) + plan_bytes<typename steps::definition, T>);
    for (int s = 0; s < stacks; ++s)
      if (T* const to = address_of(s, first); to != of_results[table.stack[s].result])
        backend.copy(to, of_results[table.stack[s].result],
                     static_cast<std::size_t>(at_once * table.stack[s].size) * sizeof(T));
  }
}

/// scratch: memory between the launches of a group; loops use that of the program around them.
template <class DeviceProgram, class T, int X, class Backend>
void run_group(Backend& backend, void* const* base, [[maybe_unused]] void* scratch) {
  using definition = typename DeviceProgram::definition;
  // Numbers, not references: a compiler that does not optimise would store the plan that they refer to, 4 MB.
  constexpr int body_kernel = DeviceProgram::plan.ir.groups[X].kernel;
  constexpr int operands = DeviceProgram::plan.ir.groups[X].operands;
  constexpr int outputs = DeviceProgram::plan.ir.groups[X].outputs;
  constexpr int kernel = DeviceProgram::device_plan.kernel[X];
  if constexpr (group_at<DeviceProgram, X>.kind == plan::kernel_kind::loop && steps_at_once < DeviceProgram, T,
                X >> 1) {
    run_steps_at_once<DeviceProgram, T, X>(backend, base, scratch);
  } else if constexpr (group_at<DeviceProgram, X>.kind == plan::kernel_kind::loop) {
    on_device::loop_steps<definition, group_at<DeviceProgram, X>.first, T, 16 / static_cast<int>(sizeof(T))>{}.run(
        on_device::addresses<T>{base, on_device::addresses_of_group<definition, X>.at}, base,
        [&](void* const* of_step) { run_program<device_loop<DeviceProgram, X>, T>(backend, of_step, scratch); },
        [&](T const* from, T* to, std::int64_t size) {
          backend.copy(to, from, static_cast<std::size_t>(size) * sizeof(T));
        },
        [&](T* to, std::int64_t size) { backend.fill_zero(to, static_cast<std::size_t>(size) * sizeof(T)); },
        [&](std::int32_t const* from) {
          std::int32_t steps = 0;
          backend.to_host(&steps, from, sizeof(steps));
          return steps;
        });
  } else if constexpr (group_at<DeviceProgram, X>.kind == plan::kernel_kind::fused) {
    group_addresses<DeviceProgram, T, X> const of{base};
    fused_kernel<DeviceProgram, kernel, T>::type::launch(backend, of.at, of.random_streams, scratch);
  } else if constexpr (DeviceProgram::device_plan.runs[X]) {
    constexpr plan::product_epilogue e = DeviceProgram::device_plan.epilogue[X];
    if constexpr (e.fits) {
      group_addresses<DeviceProgram, T, X> const of{base};
      backend.template product<T, unfused_kernel_of<definition, T, body_kernel>>(
          static_cast<T const*>(on_device::at<T>(base, on_device::operand_address<definition, X, 0>)),
          static_cast<T const*>(on_device::at<T>(base, on_device::operand_address<definition, X, 1>)),
          on_device::at<T>(base, on_device::sums_address<definition, X>),
          e.bias >= 0 ? static_cast<T const*>(of.at[e.bias]) : nullptr, e.relu);
    } else {
      run_unfused<definition, T, X>(backend, base, scratch);
    }
    if constexpr (has_epilogue<DeviceProgram, X> && !e.fits) {
      using after = typename epilogue_kernel<DeviceProgram, kernel, T>::type;
      group_addresses<DeviceProgram, T, X> const of{base};
      typename after::table t{};
      for (int i = 0; i < operands; ++i) t.pointer[i] = of.at[i];
      t.pointer[operands] = on_device::at<T>(base, on_device::sums_address<definition, X>);
      for (int i = 0; i < outputs; ++i) t.pointer[operands + 1 + i] = of.at[operands + i];
      for (int k = 0; k < after::random_operands; ++k) t.number[k] = of.random_streams[k];
      backend.template launch<after>(t);
    }
  }
}
template <class DeviceProgram, class T, int First, class Backend, int... X>
void run_some(Backend& backend, void* const* base, void* scratch, std::integer_sequence<int, X...>) {
  (run_group<DeviceProgram, T, First + X>(backend, base, scratch), ...);
}
/// Runs groups in pieces of 64: clang rejects a fold expression over more than 256 operands.
template <class DeviceProgram, class T, int First, int Count, class Backend>
void run_groups(Backend& backend, void* const* base, void* scratch) {
  constexpr int piece = Count < 64 ? Count : 64;
  run_some<DeviceProgram, T, First>(backend, base, scratch, std::make_integer_sequence<int, piece>{});
  if constexpr (Count > piece) run_groups<DeviceProgram, T, First + piece, Count - piece>(backend, base, scratch);
}
template <class Program, class T, class Backend, int... I>
void copy_results(Backend& backend, void* const* base, std::integer_sequence<int, I...>) {
  using on_device::copy_at;
  (backend.copy(on_device::at<T>(base, copy_at<Program, I>.to), on_device::at<T>(base, copy_at<Program, I>.from),
                static_cast<std::size_t>(copy_at<Program, I>.size) * sizeof(T)),
   ...);
  (void)backend, (void)base;
}

template <class DeviceProgram, class T, class Backend>
void run_program(Backend& backend, void* const* base, void* scratch) {
  using definition = typename DeviceProgram::definition;
  constexpr int groups = DeviceProgram::plan.groups.group_count;
  if constexpr (groups > 0) run_groups<DeviceProgram, T, 1, groups>(backend, base, scratch);
  copy_results<definition, T>(backend, base, std::make_integer_sequence<int, DeviceProgram::plan.memory.copy_count>{});
}

}  // namespace detail

/// Bytes of workspace of a program on the device: its plan's, and the scratch memory between launches of a group.
template <class Program, class T, class Backend>
inline constexpr std::size_t workspace_bytes =
    static_cast<std::size_t>(detail::plan_bytes<Program, T> +
                             detail::most_scratch<detail::device_program<Program, detail::policy_of<Backend, T>>, T>(
                                 std::make_integer_sequence<int, plan::plan_of<Program>.groups.group_count>{}));

namespace detail {
/// A program on a backend, which does not compile if a device cannot run it.
template <class Program, class T, class Backend>
struct checked_program {
  static_assert(
      plan::graph_of<Program>.nodes.value_count == 0,
      "constant tensors in a formula are supported only on the host; on a graphics processor pass them as arguments or buffers");
  using type = device_program<Program, policy_of<Backend, T>>;
  static_assert(!type::device_plan.misreads_wide_number,
                "a product, a movement, a loop or a copy would read a wide number as an element of 16 bits");
};
}  // namespace detail

/// Runs a planned program. base: the pointers of plan::base, all on the device, also the random_state.
/// order   launches follow each other on the backend's stream; the call does not wait for them
template <class Program, class T, class Backend>
void run(Backend& backend, void* const* base) {
  detail::run_program<typename detail::checked_program<Program, T, Backend>::type, T>(
      backend, base, static_cast<char*>(base[plan::base::workspace]) + detail::plan_bytes<Program, T>);
}

/// Runs group X of a program alone.
template <class Program, class T, int X, class Backend>
void run_group(Backend& backend, void* const* base) {
  detail::run_group<detail::device_program<Program, detail::policy_of<Backend, T>>, T, X>(
      backend, base, static_cast<char*>(base[plan::base::workspace]) + detail::plan_bytes<Program, T>);
}

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
