// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../group_types.hpp"
#include "../product/contract.hpp"
#include "../product/contract_row.hpp"
#include "../thread/team.hpp"

/// Matrix products of a program: one, or one for each batch.
namespace espalier::on_cpu {

/// A matrix product for each batch. An operand without a batch axis, or with extent 1 there, is reused. Weight: half or
/// bfloat16 for a b that is widened as it is loaded or packed.
template <class T, Shape A, Shape B, Shape Y, std::uint64_t Transposes, class Arch, class Weight = T>
struct product_kernel : independent_parts {
  using weight = Weight;
  static constexpr bool transpose_a = graph::transposes_in(Transposes).a,
                        transpose_b = graph::transposes_in(Transposes).b;
  static constexpr int rows = Y::template extent<-2>(), columns = Y::template extent<-1>();
  static constexpr int inner = transpose_a ? A::template extent<-2>() : A::template extent<-1>();
  using matrices = contract<T, rows, columns, inner, transpose_a, transpose_b, Arch, Weight>;

  static constexpr std::int64_t terms_per_block = 32;

  /// Whether this is one row times a matrix as it is stored. The call is inlined, because nets of one sample consist of
  /// such products.
  static constexpr bool of_row = Y::size == columns && !(transpose_b && columns > 1 && inner > 1);

  /// Terms with a factor of 0 may be left out: a has weights of attention, which are 0 for hidden keys.
  static constexpr bool leaves_out_terms =
      (Transposes & graph::leaves_out_zeros) != 0 && !of_row && inner >= 2 * terms_per_block && requires {
    requires matrices::some_terms;
  };
  /// The epilogue may need some columns only.
  template <class After>
  static constexpr bool leaves_out_columns = requires {
    requires After::hides;
    requires matrices::some_columns;
  };

  static constexpr std::int64_t room_size = detail::room_size_if<!of_row, matrices>;

  static constexpr bool one_matrix = Y::size == std::int64_t{rows} * columns;
  static constexpr std::int64_t count = Y::size / (std::int64_t{rows} * columns);

  /// after: the epilogue of each finished rectangle of y; rows are counted through all matrices. backwards: as for
  /// contract_row.
  template <class After = detail::no_epilogue>
  static ESPALIER_INLINE void run(T const* a, Weight const* b, T* y, After const& after = {},
                                  [[maybe_unused]] bool backwards = false) {
    room_on_stack<T, room_size> own;
    run(own, a, b, y, after, backwards);
  }
  template <class After = detail::no_epilogue>
  static ESPALIER_INLINE void run([[maybe_unused]] room<T> own, T const* a, Weight const* b, T* y,
                                  After const& after = {}, [[maybe_unused]] bool backwards = false) {
    if constexpr (of_row) contract_row<T, inner, columns, Arch, Weight>::run(a, b, y, after, backwards);
    else if constexpr (one_matrix && !leaves_out_terms && !leaves_out_columns<After>)
      matrices::run(own, a, b, y, after);
    else some(own, a, b, y, after, 0, count);
  }

  /// If there is one matrix, it is split into parts; otherwise each part has some of the matrices.
  static constexpr int parts = [] {
    if constexpr (of_row) return 1;
    else if constexpr (!one_matrix) return detail::parts_along(count, Y::size * inner / 32);
    else if constexpr (requires { matrices::parts; }) return static_cast<int>(matrices::parts);
    else return 1;
  }();
  static void part(room<T> own, T const* a, Weight const* b, T* y, T* shared, int which) {
    part(own, a, b, y, detail::no_epilogue{}, shared, which);
  }
  template <class After>
  static void part([[maybe_unused]] room<T> own, T const* a, Weight const* b, T* y, After const& after, T*, int which) {
    if constexpr (!one_matrix)
      some(own, a, b, y, after, detail::part_begin(count, parts, which), detail::part_begin(count, parts, which + 1));
    else if constexpr (parts > 1) matrices::part(own, a, b, y, after, which);
  }

  /// The matrices first ... last - 1.
  template <class After>
  static void some(room<T> own, T const* a, Weight const* b, T* y, After const& after, std::int64_t first,
                   std::int64_t last) {
    static constexpr extents batch = outer(Y::value), batch_a = outer(A::value), batch_b = outer(B::value);
    auto const of_a = [&](std::int64_t i) { return a + offset(batch_a, batch, i) * rows * inner; };
    auto const of_b = [&](std::int64_t i) { return b + offset(batch_b, batch, i) * inner * columns; };
    if constexpr (leaves_out_columns<After>) {
      auto needed = after.needed_columns(first * rows, rows);
      for (std::int64_t i = first; i < last; ++i) {
        if (!After::hides_columns && i > first) needed = after.needed_columns(i * rows, rows);
        matrices::run_columns(own, of_a(i), of_b(i), y + i * rows * columns, needed.begin, needed.end,
                              with_row(after, i * rows),
                              [&](std::int64_t j, std::int64_t n) { after.hidden(i * rows, rows, j, n); });
      }
    } else if constexpr (leaves_out_terms) {
      std::int64_t end = inner;
      for (std::int64_t i = first; i < last; ++i) {
        T const* const left = of_a(i);
        if (!are_zeros(left, end, inner)) end = inner;  // most matrices have the same terms as the one before
        while (end > 0 && are_zeros(left, (end - 1) / terms_per_block * terms_per_block, end))
          end = (end - 1) / terms_per_block * terms_per_block;
        std::int64_t begin = 0;
        while (begin + terms_per_block <= end && are_zeros(left, begin, begin + terms_per_block))
          begin += terms_per_block;
        matrices::run_terms_between(own, left, of_b(i), y + i * rows * columns, begin, end, with_row(after, i * rows));
      }
    } else {
      for (std::int64_t i = first; i < last; ++i) {
        matrices::run(own, of_a(i), of_b(i), y + i * rows * columns);
        after(i * rows, rows, 0, columns);
      }
    }
  }

 private:
  /// The epilogue of a matrix whose first row has the number `row`.
  template <class After>
  static ESPALIER_INLINE auto with_row(After const& after, std::int64_t row) {
    return [&after, row](std::int64_t i, std::int64_t m, std::int64_t j, std::int64_t n) { after(row + i, m, j, n); };
  }
  /// Whether columns [begin, end) of a are 0 in all rows, by their bits. begin is a multiple of the block.
  static bool are_zeros(T const* a, std::int64_t begin, std::int64_t end) {
    using V = pack<T, Arch>;
    using bits = typename V::registers::mask;
    bits some{};
    for (std::int64_t i = 0; i < rows; ++i) {
      T const* const row = a + i * inner;
      std::int64_t k = begin;
      for (; k + V::size <= end; k += V::size) some |= reinterpret_cast<bits>(V::load(row + k).lanes());
      for (; k < end; ++k)
        if (row[k] != 0) return false;
    }
    return reduce_add(to_number(mask<T, Arch>{some != 0})) == 0;
  }

  static constexpr extents outer(extents s) {
    s.rank -= 2;
    return s;
  }
  static constexpr std::int64_t offset(extents const& from, extents const& s, std::int64_t i) {
    std::int64_t at = 0, stride = 1;
    for (int axis = s.rank - 1, f = from.rank - 1; f >= 0; --axis, --f) {
      if (from.at[f] != 1) at += (i % s.at[axis]) * stride;
      i /= s.at[axis];
      stride *= from.at[f];
    }
    return at;
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
