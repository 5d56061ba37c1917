// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/device/cpu/run.hpp>
#include <espalier/device/cuda/run.hpp>
#if defined(ESPALIER_TEST_DEVICE)
#include <espalier/cuda.hpp>

#include "device_or_skip.hpp"
#else
#include <espalier/simulated_cuda.hpp>
#define ESPALIER_TEST_DEVICE espalier::simulated_cuda
namespace test {
struct device_or_skip {};
}
#endif

/// Included before a whole program (-include), this runs everything that the program would run on the processor on a graphics processor, whatever the
/// program: models, trainers, eager expressions, reference cases. What a run reads is copied there, what it writes is copied back.
namespace test {

namespace base = espalier::plan::base;

/// The bytes of each base that a program reads or writes, and whether it writes there.
struct base_ranges {
  std::int64_t bytes[base::count];
  bool written[base::count];

  constexpr void add(espalier::plan::location const& at, std::int64_t size, std::int64_t element, bool writes) {
    if (at.where < 0) return;
    std::int64_t const end = (at.offset + size) * element;
    if (end > bytes[at.where]) bytes[at.where] = end;
    written[at.where] = written[at.where] || writes;
  }
};
template <class Source, class T>
inline constexpr base_ranges ranges_of = [] {
  constexpr auto const& nodes = espalier::plan::program_of<Source>.nodes;
  constexpr auto const& plan = espalier::plan::plan_of<Source>;
  base_ranges r{};
  for (int i = 0; i < plan.codes.leaf_count; ++i) {
    int const node = plan.codes.leaves[i].node;
    if (node == 0) continue;
    bool const label = plan.groups.family_of[node] == espalier::graph::family::label;
    r.add(plan.places.of[node], nodes[node].shape.size(), !label ? static_cast<std::int64_t>(sizeof(T)) : nodes[node].attribute & 1u ? 1 : 4, false);
  }
  for (int i = 0; i < plan.codes.output_count; ++i) {
    int const node = plan.codes.outputs[i];
    r.add(plan.places.of[node], nodes[node].shape.size(), sizeof(T), true);
  }
  for (int x = 1; x <= plan.groups.group_count; ++x)
    if (plan.groups.groups[x].what == espalier::plan::kind::draw) r.bytes[base::key] = sizeof(espalier::fused::random_state);
  for (int i = 0; i < plan.places.copy_count; ++i) {
    r.add(plan.places.copies[i].from, plan.places.copies[i].size, sizeof(T), false);
    r.add(plan.places.copies[i].to, plan.places.copies[i].size, sizeof(T), true);
  }
  return r;
}();

using device = ESPALIER_TEST_DEVICE;

inline espalier::on_cuda::machine_of<device>& machine_or_skip() {
  [[maybe_unused]] static device_or_skip const asked;
  return espalier::on_cuda::default_machine<device>();
}

template <class Source, class T>
void run_there(void* const* here) {
  auto& machine = machine_or_skip();
  using block = espalier::on_cuda::device_block<espalier::on_cuda::machine_of<device>>;
  constexpr auto const& ranges = ranges_of<Source, T>;
  block memory[base::count];
  void* there[base::count]{};
  for (int i = 0; i < base::count; ++i) {
    std::size_t const bytes = i == base::workspace ? espalier::on_cuda::workspace_bytes<Source, T, espalier::on_cuda::machine_of<device>> : static_cast<std::size_t>(ranges.bytes[i]);
    if (bytes == 0) continue;
    memory[i] = block{machine, bytes};
    there[i] = memory[i].template at<void>(0);
    if (i != base::workspace) machine.to_device(there[i], here[i], bytes);
  }
  espalier::on_cuda::run<Source, T>(machine, there);
  for (int i = 0; i < base::count; ++i)
    if (i != base::workspace && ranges.written[i]) machine.to_host(here[i], there[i], static_cast<std::size_t>(ranges.bytes[i]));
}

}  // namespace test

namespace espalier::on_cpu {

template <>
struct runner<default_arch> {
  template <class Source, class T, class Team>
  static void run(void* const* base, Team const&) {
    test::run_there<Source, T>(base);
  }
};

}  // namespace espalier::on_cpu
