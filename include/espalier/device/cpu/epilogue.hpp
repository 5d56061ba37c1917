// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../group_types.hpp"
#include "nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cpu {

/// What follows a matrix product element by element (bias, activation, residual, ...), applied to each rectangle of its result that is finished,
/// while it is in the first cache level. Step 0 is the product. Columns: of the product.
template <class T, class Arch, int Columns, class Steps, class Leaves, class Outputs, class Addresses = addresses<T>>
class epilogue : nest<place::row, T, Arch, Steps, Leaves, Outputs> {
  using base = nest<place::row, T, Arch, Steps, Leaves, Outputs>;
  using typename base::facts;
  using base::leaves, base::steps, base::width;
  static constexpr int tail = Columns % width;
  using V = typename base::V;

  static constexpr bool read_here(int k) {
    for (int i = 1; i < steps; ++i)
      for (int x : facts::step_at[i].operand)
        if (x == -1 - k) return true;
    return false;
  }
  enum part { following, stored, full_leaves, row_leaves, single_leaves, column_leaves };
  /// Steps behind the product, and those that are results; the leaves that they read, by their place: the product's own are not touched.
  static constexpr detail::bits chosen(part what) {
    detail::bits const all_behind = (detail::bit(steps) - 1) & ~detail::bits{1};
    if (what <= stored) return what == following ? all_behind : facts::sets.results;
    detail::bits r = 0;
    place const where = what == row_leaves ? place::row : what == single_leaves ? place::single : what == column_leaves ? place::column : place::full;
    for (int k = 0; k < leaves; ++k)
      if (facts::is_memory(k, where) && read_here(k)) r |= detail::bit(k);
    return r;
  }
  template <part What>
  using leaves_of = chosen_steps<chosen(What)>;

 public:
  /// p: the addresses of leaves, then of outputs; p[i] is one of them. c: where the product leaves its sums; it may be an output.
  ESPALIER_INLINE epilogue(Addresses p, T const* c) : p_{p}, c_{c} {}

  /// The lanes [column, column + Count) of a row, from sums in a register.
  template <int Count>
  ESPALIER_INLINE void operator()(V sum, std::int64_t row, std::int64_t column) const {
    typename base::operand_packs v;
    v[0] = sum;
    base::put_constants(v, chosen_steps<base::constant_leaves>{});
    load<Count>(v, row * Columns + column, row, column, leaves_of<full_leaves>{}, leaves_of<row_leaves>{}, leaves_of<single_leaves>{}, leaves_of<column_leaves>{},
                chosen_steps<base::index_leaves>{});
    base::compute(v, typename base::template steps_of<chosen(following)>{});
    store<Count>(v, row * Columns + column, chosen_steps<chosen(stored)>{});
  }
  /// A rectangle of sums in memory. It starts at a multiple of the register width and ends at one, or at the last column.
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
  ESPALIER_INLINE void load(V* v, std::int64_t at, std::int64_t row, std::int64_t column, std::integer_sequence<int, Full...>, std::integer_sequence<int, Row...>,
                            std::integer_sequence<int, Single...>, std::integer_sequence<int, Column...>, std::integer_sequence<int, Index...>) const {
    ((v[steps + Full] = V::template load_first<Count>(p_[Full] + at)), ...);
    ((v[steps + Row] = V(p_[Row][row])), ...);
    ((v[steps + Single] = V(p_[Single][0])), ...);
    ((v[steps + Column] = V::template load_first<Count>(p_[Column] + column)), ...);
    ((v[steps + Index] = V::iota(static_cast<T>(column))), ...);
    (void)v, (void)at, (void)row, (void)column;
  }
  template <int Count, int... I>
  ESPALIER_INLINE void store(V const* v, std::int64_t at, std::integer_sequence<int, I...>) const {
    (v[I].template store_first<Count>(p_[leaves + base::template output<I>] + at), ...);
    (void)v, (void)at;
  }

  Addresses p_;
  T const* c_;
};

}  // namespace espalier::on_cpu
#pragma GCC diagnostic pop
