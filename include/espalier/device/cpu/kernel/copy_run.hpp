// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../vector/simd.hpp"

/// Copies, adds and fills contiguous elements.
namespace espalier::on_cpu::detail {

/// From: T, or a type of 16 bits that is widened.
template <class T, class Arch, class From>
ESPALIER_INLINE void copy_run(T* to, From const* from, std::int64_t n) {
  constexpr int size = pack<T, Arch>::size;
  for (; n >= size; n -= size, to += size, from += size) pack<T, Arch>::load(from).store(to);
  for (; n > 0; --n) *to++ = *from++;
}
/// The same for a number of elements that the compiler knows: what is left after whole registers is a part of a
/// register. Single stores would make a load of the whole wait until they are in the cache.
template <class T, class Arch, std::int64_t N, class From>
ESPALIER_INLINE void copy_run(T* to, From const* from) {
  constexpr int size = pack<T, Arch>::size, tail = static_cast<int>(N % size);
  for (std::int64_t i = 0; i + size <= N; i += size) pack<T, Arch>::load(from + i).store(to + i);
  if constexpr (tail != 0)
    pack<T, Arch>::template load_first<tail>(from + (N - tail)).template store_first<tail>(to + (N - tail));
}
template <class T, class Arch>
ESPALIER_INLINE void add_run(T* to, T const* from, std::int64_t n) {
  constexpr int size = pack<T, Arch>::size;
  for (; n >= size; n -= size, to += size, from += size)
    (pack<T, Arch>::load(to) + pack<T, Arch>::load(from)).store(to);
  for (; n > 0; --n) *to++ += *from++;
}
/// Fetches the lines of a run that is read or added to soon, and that no hardware prefetcher can foresee: a row of a
/// table by its index. At most 32 lines: more would evict what was fetched before it is used.
template <class T>
ESPALIER_INLINE void prefetch_run(T const* from, std::int64_t n) {
  std::int64_t const bytes = n * static_cast<std::int64_t>(sizeof(T)), most = bytes < 2048 ? bytes : 2048;
  char const* const at = reinterpret_cast<char const*>(from);
  for (std::int64_t i = 0; i < most; i += 64) __builtin_prefetch(at + i);
}
template <class T, class Arch>
ESPALIER_INLINE void fill_run(T* to, T x, std::int64_t n) {
  constexpr int size = pack<T, Arch>::size;
  for (; n >= size; n -= size, to += size) pack<T, Arch>(x).store(to);
  for (; n > 0; --n) *to++ = x;
}

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
