// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/check_indices.hpp"
#include "../device/cpu/engine.hpp"
#include "../tracing/interpret.hpp"
#include "eager_inputs.hpp"

/// Runs a program of functions of tensors, at compile time or at run time.
namespace espalier::detail {

/// Runs a program with the interpreter: the path for constant expressions.
template <class Program, class T>
constexpr void interpret(eager_inputs<T> const& in, T* const* results) {
  constexpr auto const& p = plan::graph_of<Program>;
  int roots[plan::base::max_results]{};
  for (int i = 0; i < p.output_count; ++i) roots[i] = p.outputs[i].id;
  tracing::interpreter<T> run{p.nodes, roots, p.output_count};
  run.run(tracing::leaf_values<T>{in.real, in.labels, in.flags, nullptr, nullptr, nullptr, in.numbers});
  for (int i = 0; i < p.output_count; ++i)
    for (std::int64_t k = 0; k < p.nodes[p.outputs[i].id].shape.size(); ++k)
      results[p.outputs[i].index][k] = run.value(p.outputs[i].id)[k];
}

/// Workspace for a call: up to 16 KiB on the stack, more on the heap.
template <class T, std::size_t Elements, bool Small = Elements * sizeof(T) <= 16384>
struct temporary {
  alignas(tensor_alignment) T at[Elements + 1];
  T* data() { return at; }
};
template <class T, std::size_t Elements>
struct temporary<T, Elements, false> {
  block memory{Elements * sizeof(T)};
  T* data() { return memory.at<T>(0); }
};

/// Writes the addresses of a program's arguments and results into its table of bases.
template <class T>
void fill_bases(void** base, eager_inputs<T> const& in, T* const* results, int result_count) {
  for (int i = 0; i < in.arguments; ++i)
    base[plan::base::arguments + i] = in.real[i] != nullptr ? static_cast<void*>(const_cast<T*>(in.real[i]))
                                      : in.labels[i] != nullptr
                                          ? static_cast<void*>(const_cast<std::int32_t*>(in.labels[i]))
                                          : static_cast<void*>(const_cast<bool*>(in.flags[i]));
  for (int i = 0; i < result_count; ++i) base[plan::base::results + i] = results[i];
}

/// Arch is in the name, as in kernels, because kernels are inlined into it. This function is never inlined, because the
/// names of its callers do not contain Arch.
template <class Program, class T, class Arch = on_cpu::default_arch>
[[gnu::noinline]] void run_eagerly(eager_inputs<T> const& in, T* const* results, int result_count) {
  using Run = plan::program_on_cpu<Program>;
  temporary<T, workspace_elements<Run>> workspace;
  void* base[plan::base::count];
  base[plan::base::workspace] = workspace.data();
  base[plan::base::hyperparameters] = const_cast<T*>(in.numbers);
  fill_bases(base, in, results, result_count);
  on_cpu::run<Run, T, Arch>(base);
}

/// Returns at least `bytes` bytes of device memory. The next call may return the same memory: queued work runs in
/// order. It is not released at exit, so that tensors of static storage may compute after main has returned.
template <class Engine>
void* kept_memory(Engine const& engine, std::size_t bytes) {
  static auto& kept = *new typename Engine::memory;
  if (kept.bytes() < bytes) {
    kept = {};
    kept = engine.allocate(bytes + bytes / 2);
  }
  return kept.template at<unsigned char>(0);
}

/// Runs a program on a device with its own memory. Numbers and workspace are in device memory that is kept for the next
/// expression.
template <class Program, class T, class Device>
void run_on_device(eager_inputs<T> const& in, T* const* results, int result_count) {
  using Engine = typename engine_of<Device>::type;
  constexpr std::size_t numbers = aligned_bytes(max_numbers * sizeof(T)),
                        needed = numbers + Engine::template run_bytes<Program, T>;
  Engine const engine;
  void* const room = kept_memory(engine, needed);
  void* base[plan::base::count]{};
  fill_bases(base, in, results, result_count);
  base[plan::base::hyperparameters] = room;
  base[plan::base::workspace] = static_cast<unsigned char*>(room) + numbers;
  engine.to_device(room, in.numbers, static_cast<std::size_t>(in.number_count) * sizeof(T));
  engine.template run<Program, T>(base);
}

/// Whether eager_inputs has room for all inputs of a program.
template <class Program>
constexpr bool inputs_fit() {
  constexpr auto const& p = plan::graph_of<Program>;
  for (int id = 1; id <= p.nodes.size; ++id) {
    graph::node const& n = p.nodes[id];
    if (n.op->family == op_family::argument && position_of(n) >= plan::base::max_arguments) return false;
    if (n.op->family == op_family::label && label_of(n).position >= plan::base::max_arguments) return false;
    if (n.op->family == op_family::hyperparameter && position_of(n) >= max_numbers) return false;
  }
  return true;
}

/// Throws index_error for an index outside its axis. Indices in the memory of a device are copied to the host.
template <class Program, class T, class Device>
constexpr void check_arguments([[maybe_unused]] eager_inputs<T> const& in) {
  auto const address = [&](int position, auto...) { return in.labels[position]; };
  if constexpr (is_graphics<Device>) check_indices_of<Program>(typename engine_of<Device>::type{}, address);
  else check_indices<Program>(address);
}

/// Runs a program of functions of tensors, at compile time or at run time, on the device of the tensors.
template <class Program, class T, class Device = cpu>
constexpr void run_program(eager_inputs<T> const& in, T* const* results, int result_count) {
  static_assert(is_graphics<Device> || !is_narrow<T>,
                ESPALIER_SENTENCE(
                    "this processor computes in float and double; convert half and bfloat16 with tensor<float, S>(x)",
                    ESPALIER_STATED((is_graphics<Device> || !is_narrow<T>), T)));
  static_assert(
      inputs_fit<Program>(),
      "an expression reads at most 24 tensors and 32 numbers (each use counts); store a part of it in a tensor first");
  check_arguments<Program, T, Device>(in);
  if constexpr (is_graphics<Device>) {
    run_on_device<Program, T, Device>(in, results, result_count);
  } else if constexpr (!is_narrow<T>) {
    if (std::is_constant_evaluated()) interpret<Program, T>(in, results);
    else run_eagerly<Program, T>(in, results, result_count);
  }
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
