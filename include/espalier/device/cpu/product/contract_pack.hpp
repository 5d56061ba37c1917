// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../../../storage/element.hpp"
#include "../vector/simd.hpp"

/// Copies and transpositions that pack the operands of matrix products. From: T, or a type of 16 bits that is widened.
namespace espalier::on_cpu::detail {

/// Of scalars, 24 sums are in registers, and what they are made of: processors without vectors have up to 32.
template <class Arch>
constexpr int register_count = Arch::bytes == 64    ? 32
                               : adds_scalars<Arch> ? 12
                                                    : 16;

/// to[r, 0 ... columns) = from[r, 0 ... columns): makes a panel contiguous.
template <class T, class Arch, class From>
ESPALIER_KERNEL void copy_rows(T* to, std::int64_t to_stride, From const* from, std::int64_t from_stride,
                               std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t j = 0;
    for (; j + pack<T, Arch>::size <= columns; j += pack<T, Arch>::size) pack<T, Arch>::load(from + j).store(to + j);
    for (; j < columns; ++j) to[j] = from[j];
    to += to_stride;
    from += from_stride;
  }
}

/// Transposes the square matrix of elements in each 128-bit lane. I... number all elements, so that the same body
/// serves every width.
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

/// A register whose 128-bit lanes are loaded at a distance of `stride` elements.
template <class T>
ESPALIER_INLINE typename registers<T, instruction_set_of_width<16>>::type gather_lanes(T const* from, std::int64_t,
                                                                                       instruction_set_of_width<16>) {
  return registers<T, instruction_set_of_width<16>>::load(from);
}
template <class V, int... I>
ESPALIER_INLINE auto concatenate_halves(V low, V high, indices<I...>) {
  return __builtin_shufflevector(low, high, I...);
}
#if defined(__AVX__) || !defined(__SSE2__)
template <class T>
ESPALIER_INLINE auto gather_lanes(T const* from, std::int64_t stride, instruction_set_of_width<32>) {
  constexpr instruction_set_of_width<16> half{};
  return concatenate_halves(gather_lanes(from, stride, half), gather_lanes(from + stride, stride, half),
                            indices_below<32 / int(sizeof(T))>{});
}
#endif
#if defined(__AVX512F__) || !defined(__SSE2__)
template <class T>
ESPALIER_INLINE auto gather_lanes(T const* from, std::int64_t stride, instruction_set_of_width<64>) {
  constexpr instruction_set_of_width<32> half{};
  return concatenate_halves(gather_lanes(from, stride, half), gather_lanes(from + 2 * stride, stride, half),
                            indices_below<64 / int(sizeof(T))>{});
}
#endif

/// The same for numbers of 16 bits: of each lane, 8 bytes are loaded, and all lanes are widened at once.
template <class Arch, class Format, int... Lane>
ESPALIER_INLINE auto gather_widened_lanes(espalier::detail::narrow_float<Format> const* from, std::int64_t stride,
                                          indices<Lane...>) {
  if constexpr (sizeof...(Lane) == 1) {
    return load_widened<Arch, 4>(from);
  } else {
    auto const lane = [](void const* at) {
      unsigned long long x;
      __builtin_memcpy(&x, at, sizeof x);
      return x;
    };
    typename vector_of<unsigned long long, Arch::bytes / 2>::type const all = {lane(from + Lane * stride)...};
    return floats_of<Arch>(Format{}, reinterpret_cast<typename widened_lanes<Arch>::words>(all));
  }
}
template <class Arch, class From>
ESPALIER_INLINE auto load_lanes_apart(From const* from, std::int64_t stride) {
  if constexpr (espalier::detail::is_narrow<From>)
    return gather_widened_lanes<Arch>(from, stride, indices_below<Arch::bytes / 16>{});
  else return gather_lanes(from, stride, instruction_set_of_width<Arch::bytes>{});
}

/// to[k, r] = from[r, k], element by element, for parts that fill no register. One function serves registers of all
/// widths.
template <class T, class Arch = instruction_set_of_width<16>, class From>
ESPALIER_KERNEL void copy_transposed_elements(T* to, std::int64_t to_stride, From const* from, std::int64_t from_stride,
                                              std::int64_t rows, std::int64_t columns) {
  for (std::int64_t k = 0; k < columns; ++k, to += to_stride, ++from)
    for (std::int64_t r = 0; r < rows; ++r) to[r] = from[r * from_stride];
}

/// to[k, r] = from[r, k] for as many rows as a register has elements. Lanes are gathered by loads, which costs less
/// than moving them between registers.
template <class T, class Arch, class From>
ESPALIER_INLINE void transpose_strip(T* to, std::int64_t to_stride, From const* from, std::int64_t from_stride,
                                     std::int64_t columns) {
  using registers = pack<T, Arch>;
  constexpr int some = 16 / int(sizeof(T));
  constexpr indices_below<registers::size> all{};
  std::int64_t k = 0;
  for (; k + some <= columns; k += some) {
    auto a = load_lanes_apart<Arch>(from + k, some * from_stride),
         b = load_lanes_apart<Arch>(from + from_stride + k, some * from_stride);
    T* const at = to + k * to_stride;
    if constexpr (some == 4) {
      auto c = load_lanes_apart<Arch>(from + 2 * from_stride + k, some * from_stride),
           d = load_lanes_apart<Arch>(from + 3 * from_stride + k, some * from_stride);
      transpose_lanes(a, b, c, d, all);
      registers{c}.store(at + 2 * to_stride);
      registers{d}.store(at + 3 * to_stride);
    } else {
      transpose_lanes(a, b, all);
    }
    registers{a}.store(at);
    registers{b}.store(at + to_stride);
  }
  if (k < columns)
    copy_transposed_elements<T>(to + k * to_stride, to_stride, from + k, from_stride, registers::size, columns - k);
}

/// The sum of the 128-bit lanes of x.
ESPALIER_INLINE float4 add_wide_lanes(float4 x) { return x; }
ESPALIER_INLINE double2 add_wide_lanes(double2 x) { return x; }
#if defined(__AVX__) || !defined(__SSE2__)
ESPALIER_INLINE float4 add_wide_lanes(float8 x) {
  return __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
}
ESPALIER_INLINE double2 add_wide_lanes(double4 x) {
  return __builtin_shufflevector(x, x, 0, 1) + __builtin_shufflevector(x, x, 2, 3);
}
#endif
#if defined(__AVX512F__) || !defined(__SSE2__)
ESPALIER_INLINE float4 add_wide_lanes(float16 x) {
  return add_wide_lanes(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) +
                        __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15));
}
ESPALIER_INLINE double2 add_wide_lanes(double8 x) {
  return add_wide_lanes(__builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7));
}
#endif

/// to[i] = the sum of all elements of x[i], for as many i at once as a 128-bit register has elements.
template <class Arch>
ESPALIER_INLINE void store_sums(float* to, pack<float, Arch> const* x) {
  auto a = x[0].lanes(), b = x[1].lanes(), c = x[2].lanes(), d = x[3].lanes();
  transpose_lanes(a, b, c, d, indices_below<registers<float, Arch>::size>{});
  registers<float, instruction_set_of_width<16>>::store(to, add_wide_lanes((a + b) + (c + d)));
}
template <class Arch>
ESPALIER_INLINE void store_sums(double* to, pack<double, Arch> const* x) {
  auto a = x[0].lanes(), b = x[1].lanes();
  transpose_lanes(a, b, indices_below<registers<double, Arch>::size>{});
  registers<double, instruction_set_of_width<16>>::store(to, add_wide_lanes(a + b));
}

/// to[k, r] = from[r, k] for rows x columns of from: wide strips, then strips of one 128-bit lane, then the rest.
/// Strips of widths in between would be loaded in the same lanes, and would only cost compile time.
template <class T, class Arch, class From>
ESPALIER_KERNEL void copy_transposed(T* to, std::int64_t to_stride, From const* from, std::int64_t from_stride,
                                     std::int64_t rows, std::int64_t columns) {
  constexpr int wide = pack<T, Arch>::size;
  std::int64_t r = 0;
  for (; r + wide <= rows; r += wide)
    transpose_strip<T, Arch>(to + r, to_stride, from + r * from_stride, from_stride, columns);
  if constexpr (Arch::bytes > 16) {
    using lane = instruction_set_of_width<16>;
    constexpr int narrow = pack<T, lane>::size;
    for (; r + narrow <= rows; r += narrow)
      transpose_strip<T, lane>(to + r, to_stride, from + r * from_stride, from_stride, columns);
  }
  if (r < rows) copy_transposed_elements<T>(to + r, to_stride, from + r * from_stride, from_stride, rows - r, columns);
}

/// first[r] = from[r, 0 ... Columns) and second[r] = from[r, second_offset ... second_offset + Columns): a cache line
/// of from often holds both.
template <class T, int Columns>
ESPALIER_KERNEL void copy_narrow_rows(T* first, T* second, T const* from, std::int64_t second_offset,
                                      std::int64_t from_stride, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r, from += from_stride) {
    __builtin_memcpy(first + r * Columns, from, Columns * sizeof(T));
    __builtin_memcpy(second + r * Columns, from + second_offset, Columns * sizeof(T));
  }
}

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
