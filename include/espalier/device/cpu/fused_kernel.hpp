// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../group_types.hpp"
#include "kernel/columns.hpp"
#include "kernel/epilogue.hpp"
#include "kernel/rows.hpp"
#include "kernel/segments.hpp"

#include "../../base/diagnostics_push.hpp"
namespace espalier::on_cpu::detail {

/// The kernel of fused group X of a program, or the epilogue of its product.
template <class Program, int X, class T, class Arch>
struct fused_kernel : types_of_group<Program, X> {
  using types = types_of_group<Program, X>;
  using typename types::operands, typename types::outputs, typename types::instructions;
  static constexpr auto const& group = types::group;
  static constexpr int rows = group.rows, columns = group.columns;

  using whole_type = std::conditional_t<group.order == plan::loop_order::columns,
                                        column_kernel<T, Arch, rows, columns, instructions, operands, outputs>,
                                        row_kernel<T, Arch, rows, columns, instructions, operands, outputs>>;
  using type =
      std::conditional_t<(group.segments > 1),
                         segmented_row_kernel<T, Arch, rows, columns, group.segments, instructions, operands, outputs>,
                         whole_type>;
  template <class Addresses>
  using after = epilogue<T, Arch, columns, instructions, operands, outputs, Addresses>;
};

}  // namespace espalier::on_cpu::detail
#include "../../base/diagnostics_pop.hpp"
