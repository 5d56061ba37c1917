// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../group_types.hpp"
#include "loop_kernel_base.hpp"

/// The epilogue of matrix products.
namespace espalier::on_cpu {

/// The columns [begin, end) of a matrix.
struct column_range {
  std::int64_t begin, end;
};

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

  /// Whether no result depends on the product where the value of an instruction or operand, `condition`, is 0.
  static constexpr bool hides_results(int condition) {
    detail::bits of_product = 1;
    for (int i = 1; i < instructions; ++i) {
      detail::instruction_facts const& f = facts::instruction_at[i];
      bool const hides = f.selects && f.operand[0] == condition;
      for (int k = hides ? 2 : 0; k < 3; ++k)
        if (f.operand[k] >= 0 && detail::has(of_product, f.operand[k])) of_product |= detail::bit(i);
    }
    return (of_product & facts::sets.results) == 0;
  }
  /// The instructions that a value is computed from, itself included.
  static constexpr detail::bits needed_for(int value) {
    detail::bits r = value >= 0 ? detail::bit(value) : 0;
    for (int i = value; i >= 0; --i)
      if (detail::has(r, i))
        for (int o : facts::instruction_at[i].operand)
          if (o >= 0) r |= detail::bit(o);
    return r;
  }
  static constexpr int find_condition() {
    for (int i = 1; i < instructions; ++i) {
      int const c = facts::instruction_at[i].operand[0];
      if (facts::instruction_at[i].selects && !detail::has(needed_for(c), 0) && hides_results(c)) return c;
    }
    return detail::absent;
  }
  /// The value without which no result needs the product, or `absent`.
  static constexpr int condition = find_condition();
  static constexpr detail::bits of_condition = condition == detail::absent ? 0 : needed_for(condition);
  static constexpr detail::bits operands_of_condition() {
    detail::bits r = condition < 0 && condition != detail::absent ? detail::bit(-1 - condition) : 0;
    for (int i = 0; i < instructions; ++i)
      if (detail::has(of_condition, i)) r |= facts::operands_of(i);
    return r;
  }
  template <part Which>
  using condition_operands = set_members<chosen(Which) & operands_of_condition()>;

 public:
  /// p[i]: the addresses of operands, then of outputs. c: where the product stores its sums; it may be an output.
  ESPALIER_INLINE epilogue(Addresses p, T const* c) : p_{p}, c_{c} {}

  /// Columns [column, column + Count) of a row, from sums in a register.
  template <int Count>
  ESPALIER_INLINE void operator()(V sum, std::int64_t row, std::int64_t column) const {
    apply<Count>(p_, sum, row, column);
  }

 private:
  template <int Count, class Pointers>
  ESPALIER_INLINE void apply(Pointers const& p, V sum, std::int64_t row, std::int64_t column) const {
    typename base::value_packs v;
    v[0] = sum;
    base::put_constants(v, typename base::constants{});
    load<Count>(p, v, row * Columns + column, row, column, operands_of<full_extent_operands>{},
                operands_of<row_operands>{}, operands_of<single_operands>{}, operands_of<column_operands>{},
                set_members<base::index_operands>{});
    base::compute(v, instructions_in<facts, chosen(following)>{});
    store<Count>(p, v, row * Columns + column, set_members<chosen(stored)>{});
  }

 public:
  /// A rectangle of sums in memory. It starts at a multiple of the register width, and ends at one or at the last
  /// column.
  void operator()(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) const {
    rectangle<false, tail>(row, rows, column, columns);
  }
  /// The same for the columns of a group: it starts at a multiple of the register width from the group's first column,
  /// and ends at one or at the group's last column. Each: columns of the group.
  template <int Each>
  void columns_of_group(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) const {
    rectangle<false, Each % width>(row, rows, column, columns);
  }
  /// The same where no result needs the product.
  void hidden(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) const {
    rectangle<true, tail>(row, rows, column, columns);
  }

  /// Whether results need the product only where a condition is true, as scores of attention do under its mask.
  static constexpr bool hides = condition != detail::absent;
  /// Whether that is the same in all rows.
  static constexpr bool hides_columns =
      (operands_of_condition() & (facts::memory_at(extent_class::full) | facts::memory_at(extent_class::row))) == 0;
  /// The columns that at least one of the rows needs: from the first such block of columns to the last.
  column_range needed_columns(std::int64_t row, std::int64_t rows) const {
    constexpr std::int64_t each = width < 32 ? 32 : width;
    column_range r{0, Columns};
    if constexpr (hides_columns) rows = 1;
    while (r.end > 0 && !needs_some(row, rows, (r.end - 1) / each * each, r.end)) r.end = (r.end - 1) / each * each;
    while (r.begin + each <= r.end && !needs_some(row, rows, r.begin, r.begin + each)) r.begin += each;
    // Products compute the columns of a register at once.
    if (r.end - r.begin < each && r.begin > 0) r.begin -= each;
    return r;
  }

 private:
  template <bool Hidden, int Tail>
  ESPALIER_INLINE void rectangle(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) const {
    std::int64_t const end = column + columns;
    T* p[static_cast<std::size_t>(operands + facts::outputs)];  // else they are computed again after each store
    for (int k = 0; k < operands + facts::outputs; ++k) p[k] = p_[k];
    for (std::int64_t i = row; i < row + rows; ++i) {
      T const* const sums = c_ + i * Columns;
      std::int64_t j = column;
      for (; j + width <= end; j += width) apply<width>(p, Hidden ? V(0) : V::load(sums + j), i, j);
      if constexpr (Tail != 0)
        if (j < end) apply<Tail>(p, Hidden ? V(0) : V::template load_first<Tail>(sums + j), i, j);
    }
  }
  bool needs_some(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t end) const {
    for (std::int64_t i = row; i < row + rows; ++i) {
      V some{0};
      std::int64_t j = column;
      for (; j + width <= end; j += width) some = some + needed<width>(i, j);
      if constexpr (tail != 0)
        if (j < end) some = some + needed<tail>(i, j);
      if (reduce_add(some) != 0) return true;
    }
    return false;
  }
  /// 1 where the condition is true in columns [column, column + Count) of a row, else 0.
  template <int Count>
  ESPALIER_INLINE V needed(std::int64_t row, std::int64_t column) const {
    typename base::value_packs v;
    base::put_constants(v, typename base::constants{});
    load<Count>(p_, v, row * Columns + column, row, column, condition_operands<full_extent_operands>{},
                condition_operands<row_operands>{}, condition_operands<single_operands>{},
                condition_operands<column_operands>{}, set_members<base::index_operands>{});
    base::compute(v, instructions_in<facts, of_condition>{});
    return base::template of_lanes<Count>(not_equal(v[condition >= 0 ? condition : instructions - 1 - condition], V(0)),
                                          0);
  }
  template <int Count, class Pointers, int... Full, int... Row, int... Single, int... Column, int... Index>
  ESPALIER_INLINE static void load(Pointers const& p, V* v, std::int64_t at, std::int64_t row, std::int64_t column,
                                   std::integer_sequence<int, Full...>, std::integer_sequence<int, Row...>,
                                   std::integer_sequence<int, Single...>, std::integer_sequence<int, Column...>,
                                   std::integer_sequence<int, Index...>) {
    ((v[instructions + Full] = V::template load_first<Count>(p[Full] + at)), ...);
    ((v[instructions + Row] = V(p[Row][row])), ...);
    ((v[instructions + Single] = V(p[Single][0])), ...);
    ((v[instructions + Column] = V::template load_first<Count>(p[Column] + column)), ...);
    ((v[instructions + Index] = V::iota(static_cast<T>(column))), ...);
    (void)p, (void)v, (void)at, (void)row, (void)column;
  }
  template <int Count, class Pointers, int... I>
  ESPALIER_INLINE static void store(Pointers const& p, V const* v, std::int64_t at, std::integer_sequence<int, I...>) {
    (v[I].template store_first<Count>(p[operands + base::template output<I>] + at), ...);
    (void)p, (void)v, (void)at;
  }

  Addresses p_;
  T const* c_;
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
