// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../vector/simd.hpp"

#include "../../../base/diagnostics_push.hpp"
/// Copies, adds and fills contiguous elements.
namespace espalier::on_cpu::detail {

template <class T, class Arch>
ESPALIER_INLINE void copy_run(T* to, T const* from, std::int64_t n) {
  constexpr int size = pack<T, Arch>::size;
  for (; n >= size; n -= size, to += size, from += size) pack<T, Arch>::load(from).store(to);
  for (; n > 0; --n) *to++ = *from++;
}
template <class T, class Arch>
ESPALIER_INLINE void add_run(T* to, T const* from, std::int64_t n) {
  constexpr int size = pack<T, Arch>::size;
  for (; n >= size; n -= size, to += size, from += size)
    (pack<T, Arch>::load(to) + pack<T, Arch>::load(from)).store(to);
  for (; n > 0; --n) *to++ += *from++;
}
template <class T, class Arch>
ESPALIER_INLINE void fill_run(T* to, T x, std::int64_t n) {
  constexpr int size = pack<T, Arch>::size;
  for (; n >= size; n -= size, to += size) pack<T, Arch>(x).store(to);
  for (; n > 0; --n) *to++ = x;
}

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
