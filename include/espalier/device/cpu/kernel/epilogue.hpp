// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../group_types.hpp"
#include "loop_kernel_base.hpp"

#include "../../../base/diagnostics_push.hpp"
/// The epilogue of matrix products.
namespace espalier::on_cpu {

/// The ops that follow a matrix product element by element (bias, activation, residual, ...). They are applied to each
/// finished rectangle of its result, while it is in the L1 cache. Instruction 0 is the product. Columns: of the
/// product.
template <class T, class Arch, int Columns, class Instructions, class Operands, class Outputs,
          class Addresses = addresses<T>>
class epilogue : loop_kernel_base<extent_class::row, T, Arch, Instructions, Operands, Outputs> {
  using base = loop_kernel_base<extent_class::row, T, Arch, Instructions, Operands, Outputs>;
  using typename base::facts;
  using base::operands, base::instructions, base::width;
  static constexpr int tail = Columns % width;
  using V = typename base::V;

  static constexpr bool read_by_epilogue(int k) {
    for (int i = 1; i < instructions; ++i)
      for (int x : facts::instruction_at[i].operand)
        if (x == -1 - k) return true;
    return false;
  }
  enum part { following, stored, full_extent_operands, row_operands, single_operands, column_operands };
  /// The instructions after the product, and those that are results; or the operands that they read, by extent class.
  /// The product's own operands are not read.
  static constexpr detail::bits chosen(part which) {
    detail::bits const all_behind = (detail::bit(instructions) - 1) & ~detail::bits{1};
    if (which <= stored) return which == following ? all_behind : facts::sets.results;
    detail::bits r = 0;
    extent_class const extent = which == row_operands      ? extent_class::row
                                : which == single_operands ? extent_class::single
                                : which == column_operands ? extent_class::column
                                                           : extent_class::full;
    for (int k = 0; k < operands; ++k)
      if (facts::is_memory(k, extent) && read_by_epilogue(k)) r |= detail::bit(k);
    return r;
  }
  template <part Which>
  using operands_of = set_members<chosen(Which)>;

 public:
  /// p[i]: the addresses of operands, then of outputs. c: where the product stores its sums; it may be an output.
  ESPALIER_INLINE epilogue(Addresses p, T const* c) : p_{p}, c_{c} {}

  /// Columns [column, column + Count) of a row, from sums in a register.
  template <int Count>
  ESPALIER_INLINE void operator()(V sum, std::int64_t row, std::int64_t column) const {
    typename base::value_packs v;
    v[0] = sum;
    base::put_constants(v, typename base::constants{});
    load<Count>(v, row * Columns + column, row, column, operands_of<full_extent_operands>{},
                operands_of<row_operands>{}, operands_of<single_operands>{}, operands_of<column_operands>{},
                set_members<base::index_operands>{});
    base::compute(v, instructions_in<facts, chosen(following)>{});
    store<Count>(v, row * Columns + column, set_members<chosen(stored)>{});
  }
  /// A rectangle of sums in memory. It starts at a multiple of the register width, and ends at one or at the last
  /// column.
  void operator()(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) const {
    std::int64_t const end = column + columns;
    for (std::int64_t i = row; i < row + rows; ++i) {
      T const* const sums = c_ + i * Columns;
      std::int64_t j = column;
      for (; j + width <= end; j += width) this->template operator()<width>(V::load(sums + j), i, j);
      if constexpr (tail != 0)
        if (j < end) this->template operator()<tail>(V::template load_first<tail>(sums + j), i, j);
    }
  }

 private:
  template <int Count, int... Full, int... Row, int... Single, int... Column, int... Index>
  ESPALIER_INLINE void load(V* v, std::int64_t at, std::int64_t row, std::int64_t column,
                            std::integer_sequence<int, Full...>, std::integer_sequence<int, Row...>,
                            std::integer_sequence<int, Single...>, std::integer_sequence<int, Column...>,
                            std::integer_sequence<int, Index...>) const {
    ((v[instructions + Full] = V::template load_first<Count>(p_[Full] + at)), ...);
    ((v[instructions + Row] = V(p_[Row][row])), ...);
    ((v[instructions + Single] = V(p_[Single][0])), ...);
    ((v[instructions + Column] = V::template load_first<Count>(p_[Column] + column)), ...);
    ((v[instructions + Index] = V::iota(static_cast<T>(column))), ...);
    (void)v, (void)at, (void)row, (void)column;
  }
  template <int Count, int... I>
  ESPALIER_INLINE void store(V const* v, std::int64_t at, std::integer_sequence<int, I...>) const {
    (v[I].template store_first<Count>(p_[operands + base::template output<I>] + at), ...);
    (void)v, (void)at;
  }

  Addresses p_;
  T const* c_;
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
