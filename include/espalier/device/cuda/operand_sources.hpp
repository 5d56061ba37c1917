// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../group_types.hpp"
#include "device_program.hpp"
#include "kernel/finish.hpp"

/// How fused groups read their operands on a graphics processor. Random numbers are generated where they are used, and
/// labels are read as integers. Neither is written to memory unless something else reads it there. Wide numbers are
/// read as float by programs of 16 bits.
namespace espalier::on_cuda::detail {

/// The types of a group, with its operands as a graphics processor reads them.
template <class DeviceProgram, int X, class L>
struct sourced_group_types;
template <class DeviceProgram, int X, std::size_t... L>
struct sourced_group_types<DeviceProgram, X, std::index_sequence<L...>>
    : on_device::types_of_group<typename DeviceProgram::definition, X> {
  using operands = on_device::list<on_device::operand<DeviceProgram::kind_of_operand(X, static_cast<int>(L)),
                                                      DeviceProgram::ir_operand_at(X, static_cast<int>(L)).extent,
                                                      DeviceProgram::ir_operand_at(X, static_cast<int>(L)).bits>...>;
  using stored = typename on_device::types_of_group<typename DeviceProgram::definition, X>::outputs;
  using outputs = std::conditional_t<DeviceProgram::device_plan.reporting == X, reported<stored>, stored>;
};
template <class DeviceProgram, int X>
using sourced_group =
    sourced_group_types<DeviceProgram, X, on_device::below<DeviceProgram::plan.ir.groups[X].operands>>;

/// The launch arguments of group X: addresses of its operands and outputs, and stream numbers of its random operands.
template <class DeviceProgram, class T, int X>
struct group_addresses {
  using definition = typename DeviceProgram::definition;
  static constexpr auto const& body = DeviceProgram::plan.ir.groups[X];
  static constexpr std::size_t operands = static_cast<std::size_t>(body.operands),
                               outputs = static_cast<std::size_t>(body.outputs);

  void* at[operands + outputs + 1]{};
  std::uint64_t random_streams[operands + 1]{};

  explicit group_addresses(void* const* base) {
    on_device::fill_addresses<T>(base, at, on_device::addresses_of_group<definition, X>.at,
                                 on_device::below<body.operands + body.outputs>{});
    int random_operands = 0;
    find(base, random_operands, on_device::below<body.operands>{});
  }

 private:
  template <std::size_t... L>
  void find(void* const* base, int& random_operands, std::index_sequence<L...>) {
    (find_one<static_cast<int>(L)>(base, random_operands), ...);
    (void)base, (void)random_operands;
  }
  template <int L>
  void find_one(void* const* base, int& random_operands) {
    constexpr operand_kind kind = DeviceProgram::kind_of_operand(X, L);
    constexpr int node = DeviceProgram::ir_operand_at(X, L).node;
    if constexpr (kind == operand_kind::random) {
      at[L] = base[espalier::plan::base::random];
      random_streams[random_operands++] = stream_of(DeviceProgram::program.nodes.nodes[node]);
    } else if constexpr (kind == operand_kind::integer) {
      at[L] = on_device::at<std::int32_t>(
          base,
          on_device::address_of<definition, DeviceProgram::device_plan.label_of[DeviceProgram::operand_index(X, L)]>);
    } else if constexpr (kind == operand_kind::flag) {
      at[L] = on_device::at<bool>(
          base,
          on_device::address_of<definition, DeviceProgram::device_plan.label_of[DeviceProgram::operand_index(X, L)]>);
    } else if constexpr (kind == operand_kind::wide_number) {
      at[L] = on_device::at<compute_type<T>>(base, on_device::address_of<definition, node>);
    }
    (void)base, (void)random_operands;
  }
};

}  // namespace espalier::on_cuda::detail
#include "../../base/diagnostics_pop.hpp"
