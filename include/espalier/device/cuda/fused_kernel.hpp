// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "kernel/fused_group.hpp"
#include "operand_sources.hpp"

#include "../../base/diagnostics_push.hpp"
namespace espalier::on_cuda::detail {

/// The kernels of fused group X of a program.
template <class DeviceProgram, int X, class T>
struct fused_kernel {
  static constexpr auto const& group = DeviceProgram::plan.groups.groups[X];
  using types = sourced_group<DeviceProgram, X>;
  static constexpr extent_class inner =
      group.order == plan::loop_order::columns ? extent_class::column : extent_class::row;
  using type = fused_group<inner, T, group.rows, group.columns, group.segments, typename types::instructions,
                           typename types::operands, typename types::outputs>;
};

}  // namespace espalier::on_cuda::detail
#include "../../base/diagnostics_pop.hpp"
