// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../group_types.hpp"
#include "kernel/columns.hpp"
#include "kernel/epilogue.hpp"
#include "kernel/rows.hpp"
#include "kernel/segments.hpp"
#include "kernel/small_rows.hpp"

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

 private:
  static constexpr auto find_run_type() {
    if constexpr (has_small_groups<Arch> && group.segments <= 1) return find_small<type>(std::type_identity<type>{});
    else return std::type_identity<type>{};
  }
  /// The kernel for small programs: of single numbers, unless they would be summed in another order.
  template <class Whole>
  static constexpr auto find_small(
      std::type_identity<column_kernel<T, Arch, rows, columns, instructions, operands, outputs>>) {
    if constexpr (Whole::single_sums > 0) return std::type_identity<Whole>{};
    else return std::type_identity<column_kernel<T, one_lane<Arch>, rows, columns, instructions, operands, outputs>>{};
  }
  template <class Whole>
  static constexpr auto find_small(
      std::type_identity<long_row_kernel<T, Arch, rows, columns, instructions, operands, outputs>>) {
    using small = small_row_kernel<T, Arch, rows, columns, instructions, operands, outputs>;
    if constexpr ((Whole::facts::sets.reductions & ~Whole::facts::column_sums()) == 0)
      return std::type_identity<long_row_kernel<T, one_lane<Arch>, rows, columns, instructions, operands, outputs>>{};
    else if constexpr (small::replaces_whole) return std::type_identity<small>{};
    else return std::type_identity<Whole>{};
  }
  template <class Whole>
  static constexpr auto find_small(
      std::type_identity<short_row_kernel<T, Arch, rows, columns, instructions, operands, outputs>>) {
    return std::type_identity<Whole>{};
  }

 public:
  /// The same for programs without a run-time batch: kernels of single numbers, where they are to be small.
  using run_type = typename decltype(find_run_type())::type;
  template <class Addresses>
  using run_after = epilogue<T, std::conditional_t<is_small<Arch>, one_lane<Arch>, Arch>, columns, instructions,
                             operands, outputs, Addresses>;
};

}  // namespace espalier::on_cpu::detail
#include "../../base/diagnostics_pop.hpp"
