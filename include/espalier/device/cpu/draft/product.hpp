// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../tracing/interpret.hpp"
#include "steps.hpp"

/// Products of a draft: of matrices, and of the windows of images. Each sum is in double.
namespace espalier::on_cpu::draft {

/// to[j] += x b[j]. B: T, or 16 bits, which are widened first.
template <class T, class B>
ESPALIER_DRAFT_LOOP void add_row(double* to, double x, B const* b, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) to[j] += x * static_cast<double>(static_cast<T>(b[j]));
}
/// The sum of a[k] b[k].
template <class T, class B>
ESPALIER_DRAFT_LOOP double dot(T const* a, B const* b, std::int64_t n) {
  double sum = 0;
  for (std::int64_t k = 0; k < n; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(static_cast<T>(b[k]));
  return sum;
}
template <class T>
ESPALIER_DRAFT_LOOP void copy_strided(T const* from, std::int64_t by, T* to, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) to[k] = from[k * by];
}
template <class T>
ESPALIER_DRAFT_LOOP void narrow(double const* from, T* to, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) to[j] = static_cast<T>(from[j]);
}

template <class T>
struct product_extents {
  std::int64_t rows, columns, inner;

  explicit constexpr product_extents(step<T> const& s)
      : rows{s.y.at[s.y.rank - 2]},
        columns{s.y.at[s.y.rank - 1]},
        inner{s.transpose_a ? s.a.at[s.a.rank - 2] : s.a.at[s.a.rank - 1]} {}
  /// The elements of a room: a row of a, and the sums of a row of y.
  constexpr std::int64_t room_size() const {
    constexpr std::int64_t wide = sizeof(double) / sizeof(T);
    return columns * wide + inner;
  }
};

/// y = a b; both may be transposed. An operand with fewer axes in front, or axes of extent 1, repeats there.
template <class T, class B>
ESPALIER_DRAFT_LOOP void run_product(step<T> const& s, T const* a, B const* b, T* y, T* room) {
  product_extents<T> const e{s};
  double* const sums = reinterpret_cast<double*>(room);
  T* const row = room + e.columns * static_cast<std::int64_t>(sizeof(double) / sizeof(T));
  extents batch = s.y, batch_a = s.a, batch_b = s.b;
  batch.rank -= 2;
  batch_a.rank -= 2;
  batch_b.rank -= 2;
  for (std::int64_t m = 0; m < batch.size(); ++m) {
    std::int64_t const first = tracing::detail::source_offset(batch_a, batch, m) * e.rows * e.inner;
    B const* const of_b = b + tracing::detail::source_offset(batch_b, batch, m) * e.inner * e.columns;
    for (std::int64_t i = 0; i < e.rows; ++i) {
      std::int64_t const begin = first + (s.transpose_a ? i : i * e.inner), by = s.transpose_a ? e.rows : 1;
      if (s.windowed)
        for (std::int64_t k = 0; k < e.inner; ++k) {
          std::int64_t const at = moved_offset(s.map, s.image, s.c, begin + k * by);
          row[k] = at >= 0 ? a[at] : T(0);
        }
      else copy_strided(a + begin, by, row, e.inner);
      T* const to = y + (m * e.rows + i) * e.columns;
      if (s.transpose_b) {
        for (std::int64_t j = 0; j < e.columns; ++j) to[j] = static_cast<T>(dot(row, of_b + j * e.inner, e.inner));
        continue;
      }
      for (std::int64_t j = 0; j < e.columns; ++j) sums[j] = 0;
      for (std::int64_t k = 0; k < e.inner; ++k)
        if (!s.leaves_out_zeros || row[k] != 0)
          add_row<T>(sums, static_cast<double>(row[k]), of_b + k * e.columns, e.columns);
      narrow(sums, to, e.columns);
    }
  }
}

}  // namespace espalier::on_cpu::draft
#include "../../../base/diagnostics_pop.hpp"
