// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "kernel/elementwise.hpp"
#include "operand_sources.hpp"

namespace espalier::on_cuda::detail {

/// The instructions behind a product, as a group of their own. The first one copies the product, the last operand.
template <class Instructions, class Operands>
struct after_product;
template <class First, class... Instruction, class... Operand>
struct after_product<on_device::list<First, Instruction...>, on_device::list<Operand...>> {
  static constexpr int sums = -1 - static_cast<int>(sizeof...(Operand));
  using instructions = on_device::list<
      on_device::instruction<on_device::copy_op, extent_class::full, sums, plan::no_operand, plan::no_operand>,
      Instruction...>;
  using operands = on_device::list<Operand..., on_device::operand<operand_kind::memory, extent_class::full, 0>>;
};
/// The kernel that follows the product of group X, where the product itself does not do its instructions.
template <class DeviceProgram, int X, class T>
struct epilogue_kernel {
  static constexpr auto const& group = DeviceProgram::plan.groups.groups[X];
  using types = sourced_group<DeviceProgram, X>;
  using after = after_product<typename types::instructions, typename types::operands>;
  static constexpr extents result = DeviceProgram::program.nodes.nodes[group.first].shape;
  static constexpr int columns = result.at[result.rank - 1], rows = static_cast<int>(result.size() / columns);
  using type = elementwise_kernel<T, rows, columns, 1, typename after::instructions, typename after::operands,
                                  typename types::outputs>;
};

}  // namespace espalier::on_cuda::detail
#include "../../base/diagnostics_pop.hpp"
