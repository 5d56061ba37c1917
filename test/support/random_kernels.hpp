// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <espalier/device/cpu/run.hpp>
#include <espalier/tracing/interpret.hpp>

#include "numbers.hpp"
#include "random_program.hpp"
#if defined(ESPALIER_TEST_CUDA_KERNELS)
#include "kernel_backend.hpp"
#endif

/// Kernels of programs that the compiler draws, against the interpreter.
namespace test {

template <std::uint64_t Seed>
struct random_kernels_program {
  static constexpr graph::program build() {
    graph::program p{};
    random_program const d{p, Seed};
    return p;
  }
  static constexpr std::int64_t offsets[] = {0};
  static constexpr espalier::plan::storage_layout layout() { return {offsets, offsets}; }
};

template <std::uint64_t Seed, class T>
void check_random_kernels() {
  using Program = random_kernels_program<Seed>;
  namespace base = espalier::plan::base;
  constexpr auto const& p = espalier::plan::graph_of<Program>;
  auto const scratch = std::make_unique<graph::program>();
  random_program const d{*scratch, Seed};
  std::vector<std::vector<T>> memory(base::count);
  dice roll{Seed + 1};
  // Vectors may read up to a register beyond the end of nothing: sizes are exact, so that sanitizers see it.
  auto const fill = [&](int at, int id) {
    for (std::int64_t i = 0; i < p.nodes[id].shape.size(); ++i)
      memory[static_cast<std::size_t>(at)].push_back(static_cast<T>(roll.number()));
  };
  auto const room = [&](int at, std::int64_t size) {
    memory[static_cast<std::size_t>(at)].assign(static_cast<std::size_t>(size), T(__builtin_nan("")));
  };
  esp::tensor<T, esp::shape<espalier::plan::plan_of<Program>.memory.workspace + 16>> workspace;
  workspace.fill(T(__builtin_nan("")));
  for (int i = 0; i < d.arguments().count; ++i) fill(base::arguments + i, d.arguments().at[i]);
  for (int id : d.parameters()) fill(base::parameters, id);
  for (int id : d.buffers()) fill(base::buffers, id);
  std::vector<int> roots;
  for (int i = 0; i < p.output_count; ++i) {
    roots.push_back(p.outputs[i].id);
    if (p.outputs[i].where == graph::destination::result)
      room(base::results + p.outputs[i].index, p.nodes[p.outputs[i].id].shape.size());
    if (p.outputs[i].where == graph::destination::gradient)
      room(base::gradients, p.nodes[p.outputs[i].id].shape.size());
  }
  auto const before = memory;
  T const* in[base::max_arguments]{};
  for (int i = 0; i < d.arguments().count; ++i) in[i] = before[static_cast<std::size_t>(base::arguments + i)].data();
  T const* const parameters[] = {before[base::parameters].data()};
  T const* const buffers[] = {before[base::buffers].data()};
  espalier::tracing::interpreter<T> meaning{p.nodes, roots.data(), p.output_count};
  meaning.run(espalier::tracing::leaf_values<T>{in, nullptr, nullptr, parameters, buffers, nullptr, nullptr});

  void* at[base::count]{};
  for (int i = 0; i < base::count; ++i) at[i] = memory[static_cast<std::size_t>(i)].data();
  at[base::workspace] = workspace.data();
#if defined(ESPALIER_TEST_CUDA_KERNELS)
  run_on_kernel_backend<Program, T>(at, ESPALIER_TEST_CUDA_KERNELS - 1);
#else
  espalier::on_cpu::run<Program, T>(at);
#endif

  for (int i = 0; i < p.output_count; ++i) {
    graph::output const& o = p.outputs[i];
    int const where = o.where == graph::destination::gradient    ? base::gradients
                      : o.where == graph::destination::parameter ? base::parameters
                      : o.where == graph::destination::buffer    ? base::buffers
                                                                 : base::results + o.index;
    double largest = 1;
    for (std::int64_t k = 0; k < p.nodes[o.id].shape.size(); ++k) {
      double const size = std::fabs(static_cast<double>(meaning.value(o.id)[k]));
      if (size < 1e30 && size > largest) largest = size;
    }
    for (std::int64_t k = 0; k < p.nodes[o.id].shape.size(); ++k) {
      double const got = static_cast<double>(memory[static_cast<std::size_t>(where)][static_cast<std::size_t>(k)]),
                   expected = static_cast<double>(meaning.value(o.id)[k]);
      bool const same = std::isnan(expected) ? std::isnan(got)
                                             : std::fabs(got - expected) <= (sizeof(T) == 4 ? 1e-4 : 1e-10) * largest;
      BOOST_CHECK_MESSAGE(same, "seed " << Seed << ", output " << i << " (node " << o.id << ", "
                                        << p.nodes[o.id].op->name << "), element " << k << " is " << got
                                        << ", expected " << expected);
      if (!same) break;
    }
  }
}

template <class T, std::uint64_t First, std::uint64_t... I>
void check_random_kernels(std::integer_sequence<std::uint64_t, I...>) {
  (check_random_kernels<First + I, T>(), ...);
}

}  // namespace test
