// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

namespace espalier::on_cpu {

/// What follows a matrix product element by element (bias, activation, residual, ...), applied to each rectangle of its result that is finished,
/// while it is in the first cache level. Step 0 is the product. Columns: of the product.
template <class T, class Arch, int Columns, class Steps, class Leaves, class Outputs>
class epilogue : nest<place::row, T, Arch, Steps, Leaves, Outputs> {
  using base = nest<place::row, T, Arch, Steps, Leaves, Outputs>;
  using typename base::facts;
  using base::leaves, base::steps, base::width;
  static constexpr int tail = Columns % width;
  using V = typename base::V;

  /// Step I, where it follows the product.
  struct following {
    static constexpr auto value = [] {
      detail::selection r{};
      for (int i = 1; i < steps; ++i) r.at[r.count++] = i;
      return r;
    }();
  };
  struct kept {
    static constexpr auto value = [] {
      detail::selection r{};
      for (int i = 0; i < steps; ++i)
        if (facts::output_of(i) >= 0) r.at[r.count++] = i;
      return r;
    }();
  };
  static constexpr bool read_here(int k) {
    for (int i = 1; i < steps; ++i)
      for (int x : facts::step_at[i].operand)
        if (x == -1 - k) return true;
    return false;
  }

 public:
  /// p: the addresses of leaves, then of outputs. c: where the product leaves its sums; it may be an output.
  ESPALIER_INLINE epilogue(void* const* p, T const* c) : p_{p}, c_{c} {}

  /// The lanes [column, column + Count) of a row, from sums in a register.
  template <int Count>
  ESPALIER_INLINE void operator()(V sum, std::int64_t row, std::int64_t column) const {
    lanes<Count>(sum, row, column, typename base::leaf_numbers{}, chosen_steps<following>{}, chosen_steps<kept>{});
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
  template <int K>
  ESPALIER_INLINE T const* leaf_at(std::int64_t row) const {
    T const* const start = static_cast<T const*>(p_[K]);
    return read_here(K) && facts::is_memory(K, place::full) ? start + row * Columns : start;
  }
  template <int K>
  ESPALIER_INLINE T held_leaf(std::int64_t row) const {
    if constexpr (read_here(K) && facts::is_memory(K, place::row)) return static_cast<T const*>(p_[K])[row];
    else if constexpr (read_here(K) && facts::is_memory(K, place::single)) return *static_cast<T const*>(p_[K]);
    else return T(0);
  }
  template <int Count, int... L, int... I, int... Stored>
  ESPALIER_INLINE void lanes(V sum, std::int64_t row, std::int64_t column, std::integer_sequence<int, L...>, std::integer_sequence<int, I...>,
                             std::integer_sequence<int, Stored...>) const {
    T const* const in[] = {leaf_at<L>(row)...};
    T const held[] = {held_leaf<L>(row)...};
    V t[static_cast<std::size_t>(steps)];
    t[0] = sum;
    int const j = static_cast<int>(column);
    ((t[I] = base::template value<Count>(typename facts::template step_type<I>{}, in, held, held, t, j)), ...);
    (t[Stored].template store_first<Count>(static_cast<T*>(p_[leaves + facts::output_of(Stored)]) + row * Columns + column), ...);
  }

  void* const* p_;
  T const* c_;
};

}  // namespace espalier::on_cpu
