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
}  // namespace test
#endif

/// Included before a whole program (-include), this runs everything that the program would run on the processor on a
/// graphics processor, whatever the program: models, trainers, eager expressions, reference cases. What a run reads is
/// copied there, what it writes is copied back.
namespace test {

namespace base = espalier::plan::base;

/// The bytes of each base that a program reads or writes, and whether it writes there.
struct base_ranges {
  std::int64_t bytes[base::count];
  bool written[base::count];

  constexpr void add(espalier::plan::address const& at, std::int64_t size, std::int64_t element, bool writes) {
    if (at.base < 0) return;
    std::int64_t const end = (at.offset + size) * element;
    if (end > bytes[at.base]) bytes[at.base] = end;
    written[at.base] = written[at.base] || writes;
  }
};
template <class Program, class T>
inline constexpr base_ranges ranges_of = [] {
  constexpr auto const& nodes = espalier::plan::graph_of<Program>.nodes;
  constexpr auto const& plan = espalier::plan::plan_of<Program>;
  base_ranges r{};
  for (int i = 0; i < plan.ir.operand_count; ++i) {
    int const node = plan.ir.operands[i].node;
    if (node == 0) continue;
    bool const label = plan.groups.family_of[node] == espalier::graph::op_family::label;
    r.add(plan.memory.address_of[node], nodes[node].shape.size(),
          !label                          ? static_cast<std::int64_t>(sizeof(T))
          : label_of(nodes[node]).is_flag ? 1
                                          : 4,
          false);
  }
  for (int i = 0; i < plan.ir.output_count; ++i) {
    int const node = plan.ir.outputs[i];
    r.add(plan.memory.address_of[node], nodes[node].shape.size(), sizeof(T), true);
  }
  for (int x = 1; x <= plan.groups.group_count; ++x)
    if (plan.groups.groups[x].kind == espalier::plan::kernel_kind::random)
      r.bytes[base::random] = sizeof(espalier::on_device::random_state);
  for (int i = 0; i < plan.memory.copy_count; ++i) {
    r.add(plan.memory.copies[i].from, plan.memory.copies[i].size, sizeof(T), false);
    r.add(plan.memory.copies[i].to, plan.memory.copies[i].size, sizeof(T), true);
  }
  return r;
}();

using device = ESPALIER_TEST_DEVICE;

inline espalier::on_cuda::backend_of<device>& backend_or_skip() {
  [[maybe_unused]] static device_or_skip const asked;
  return espalier::on_cuda::default_backend<device>();
}

template <class Program, class T>
void run_on_device(void* const* host_base) {
  auto& backend = backend_or_skip();
  using block = espalier::on_cuda::device_block<espalier::on_cuda::backend_of<device>>;
  constexpr auto const& ranges = ranges_of<Program, T>;
  block memory[base::count];
  void* device_base[base::count]{};
  for (int i = 0; i < base::count; ++i) {
    std::size_t const bytes =
        i == base::workspace ? espalier::on_cuda::workspace_bytes<Program, T, espalier::on_cuda::backend_of<device>>
                             : static_cast<std::size_t>(ranges.bytes[i]);
    if (bytes == 0) continue;
    memory[i] = block{backend, bytes};
    device_base[i] = memory[i].template at<void>(0);
    if (i != base::workspace) backend.to_device(device_base[i], host_base[i], bytes);
  }
  espalier::on_cuda::run<Program, T>(backend, device_base);
  for (int i = 0; i < base::count; ++i)
    if (i != base::workspace && ranges.written[i])
      backend.to_host(host_base[i], device_base[i], static_cast<std::size_t>(ranges.bytes[i]));
}

/// Streams pack their states into one vector. They run on the processor alone, and no device has kernels for that. Nor
/// does a device run the steps of their loops: it has those of whole programs.
template <class Program>
inline constexpr bool is_for_the_processor = [] {
  auto const& groups = espalier::plan::plan_of<Program>.groups;
  if (espalier::plan::base_count < Program >> espalier::plan::base::count) return true;
  for (int x = 1; x <= groups.group_count; ++x)
    if (groups.groups[x].kind == espalier::plan::kernel_kind::pack ||
        groups.groups[x].kind == espalier::plan::kernel_kind::part)
      return true;
  return false;
}();

}  // namespace test

namespace espalier::on_cpu {

template <>
struct runner<default_arch> {
  template <class Program, class T, class Team>
  static void run(void* const* base, Team const& team) {
    constexpr int groups = plan::plan_of<Program>.groups.group_count;
    if constexpr (test::is_for_the_processor<Program>) {
      detail::run_groups<Program, T, default_arch, 1, groups>(base, team);
      detail::copy_results<Program, T>(base,
                                       std::make_integer_sequence<int, plan::plan_of<Program>.memory.copy_count>{});
    } else {
      test::run_on_device<Program, T>(base);
    }
  }
};

}  // namespace espalier::on_cpu
