// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include "simd.hpp"

namespace espalier::on_cpu::detail {

template <class Arch>
constexpr int register_count = Arch::bytes == 64 ? 32 : 16;

/// to[r, 0 ... columns) = from[r, 0 ... columns): a panel made contiguous.
template <class T, class Arch>
[[gnu::noinline]] void copy_rows(T* to, std::int64_t to_stride, T const* from, std::int64_t from_stride, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t j = 0;
    for (; j + pack<T, Arch>::size <= columns; j += pack<T, Arch>::size) pack<T, Arch>::load(from + j).store(to + j);
    for (; j < columns; ++j) to[j] = from[j];
    to += to_stride;
    from += from_stride;
  }
}

/// Within each 128-bit lane, the square matrix of lanes transposed. I... number all elements, so that the same body serves every width.
template <class V, int... I>
ESPALIER_INLINE void transpose_lanes(V& a, V& b, V& c, V& d, indices<I...>) {
  constexpr int width = sizeof...(I);
  V const ab = __builtin_shufflevector(a, b, (I / 4 * 4 + I % 4 / 2 + I % 2 * width)...);
  V const ab_high = __builtin_shufflevector(a, b, (I / 4 * 4 + 2 + I % 4 / 2 + I % 2 * width)...);
  V const cd = __builtin_shufflevector(c, d, (I / 4 * 4 + I % 4 / 2 + I % 2 * width)...);
  V const cd_high = __builtin_shufflevector(c, d, (I / 4 * 4 + 2 + I % 4 / 2 + I % 2 * width)...);
  a = __builtin_shufflevector(ab, cd, (I / 4 * 4 + I % 2 + I % 4 / 2 * width)...);
  b = __builtin_shufflevector(ab, cd, (I / 4 * 4 + 2 + I % 2 + I % 4 / 2 * width)...);
  c = __builtin_shufflevector(ab_high, cd_high, (I / 4 * 4 + I % 2 + I % 4 / 2 * width)...);
  d = __builtin_shufflevector(ab_high, cd_high, (I / 4 * 4 + 2 + I % 2 + I % 4 / 2 * width)...);
}
template <class V, int... I>
ESPALIER_INLINE void transpose_lanes(V& a, V& b, indices<I...>) {
  constexpr int width = sizeof...(I);
  V const low = __builtin_shufflevector(a, b, (I / 2 * 2 + I % 2 * width)...);
  b = __builtin_shufflevector(a, b, (I / 2 * 2 + 1 + I % 2 * width)...);
  a = low;
}

/// The 128-bit lanes of x, one per row of to.
template <class V, int... Lane>
ESPALIER_INLINE void scatter_lanes(float* to, std::int64_t stride, V x, indices<Lane...>) {
  using lane = registers<float, instructions_of_width<16>>;
  (lane::store(to + Lane * stride, __builtin_shufflevector(x, x, Lane * 4, Lane * 4 + 1, Lane * 4 + 2, Lane * 4 + 3)), ...);
}
template <class V, int... Lane>
ESPALIER_INLINE void scatter_lanes(double* to, std::int64_t stride, V x, indices<Lane...>) {
  using lane = registers<double, instructions_of_width<16>>;
  (lane::store(to + Lane * stride, __builtin_shufflevector(x, x, Lane * 2, Lane * 2 + 1)), ...);
}

template <class T, class Arch>
ESPALIER_INLINE void transpose_tile(T* to, std::int64_t to_stride, T const* from, std::int64_t from_stride) {
  using registers = pack<T, Arch>;
  constexpr int rows = 16 / int(sizeof(T));
  constexpr indices_below<registers::size> all{};
  constexpr indices_below<registers::size / rows> lanes{};
  auto a = registers::load(from).value, b = registers::load(from + from_stride).value;
  if constexpr (rows == 4) {
    auto c = registers::load(from + 2 * from_stride).value, d = registers::load(from + 3 * from_stride).value;
    transpose_lanes(a, b, c, d, all);
    scatter_lanes(to + 2 * to_stride, rows * to_stride, c, lanes);
    scatter_lanes(to + 3 * to_stride, rows * to_stride, d, lanes);
  } else {
    transpose_lanes(a, b, all);
  }
  scatter_lanes(to, rows * to_stride, a, lanes);
  scatter_lanes(to + to_stride, rows * to_stride, b, lanes);
}

/// The 128-bit lanes of x added up.
ESPALIER_INLINE float4 add_wide_lanes(float4 x) { return x; }
ESPALIER_INLINE double2 add_wide_lanes(double2 x) { return x; }
#if defined(__AVX__)
ESPALIER_INLINE float4 add_wide_lanes(float8 x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7); }
ESPALIER_INLINE double2 add_wide_lanes(double4 x) { return __builtin_shufflevector(x, x, 0, 1) + __builtin_shufflevector(x, x, 2, 3); }
#endif
#if defined(__AVX512F__)
ESPALIER_INLINE float4 add_wide_lanes(float16 x) {
  return add_wide_lanes(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15));
}
ESPALIER_INLINE double2 add_wide_lanes(double8 x) {
  return add_wide_lanes(__builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7));
}
#endif

/// to[i] = the sum of all lanes of x[i], for a 128-bit register full of them at once.
template <class Arch>
ESPALIER_INLINE void store_sums(float* to, typename registers<float, Arch>::type const* x) {
  auto a = x[0], b = x[1], c = x[2], d = x[3];
  transpose_lanes(a, b, c, d, indices_below<registers<float, Arch>::size>{});
  registers<float, instructions_of_width<16>>::store(to, add_wide_lanes((a + b) + (c + d)));
}
template <class Arch>
ESPALIER_INLINE void store_sums(double* to, typename registers<double, Arch>::type const* x) {
  auto a = x[0], b = x[1];
  transpose_lanes(a, b, indices_below<registers<double, Arch>::size>{});
  registers<double, instructions_of_width<16>>::store(to, add_wide_lanes(a + b));
}

/// to[k, r] = from[r, k] for rows x columns of from.
template <class T, class Arch>
[[gnu::noinline]] void copy_transposed(T* to, std::int64_t to_stride, T const* from, std::int64_t from_stride, std::int64_t rows, std::int64_t columns) {
  using narrow = instructions_of_width<16>;
  constexpr int wide = pack<T, Arch>::size, lanes = pack<T, narrow>::size;
  std::int64_t r = 0;
  for (; r + lanes <= rows; r += lanes) {
    T const* const row = from + r * from_stride;
    std::int64_t k = 0;
    for (; k + wide <= columns; k += wide) transpose_tile<T, Arch>(to + k * to_stride + r, to_stride, row + k, from_stride);
    if constexpr (wide > lanes) {
      for (; k + lanes <= columns; k += lanes) transpose_tile<T, narrow>(to + k * to_stride + r, to_stride, row + k, from_stride);
    }
    for (; k < columns; ++k) {
      for (int i = 0; i < lanes; ++i) to[k * to_stride + r + i] = row[i * from_stride + k];
    }
  }
  for (; r < rows; ++r) {
    for (std::int64_t k = 0; k < columns; ++k) to[k * to_stride + r] = from[r * from_stride + k];
  }
}

}  // namespace espalier::on_cpu::detail
