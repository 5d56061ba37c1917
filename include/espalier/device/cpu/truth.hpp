// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "simd.hpp"

/// Truth as numbers: what the generic bodies of comparisons and choices call on packs. A mask that becomes a number and is read back costs nothing
/// where both stand in one loop: the compilers undo it.
namespace espalier::on_cpu {

template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> greater(pack<T, Arch> a, pack<T, Arch> b) {
  return to_number(a > b);
}
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> greater_equal(pack<T, Arch> a, pack<T, Arch> b) {
  return to_number(a >= b);
}
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> less(pack<T, Arch> a, pack<T, Arch> b) {
  return to_number(a < b);
}
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> less_equal(pack<T, Arch> a, pack<T, Arch> b) {
  return to_number(a <= b);
}
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> equal(pack<T, Arch> a, pack<T, Arch> b) {
  return to_number(a == b);
}
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> not_equal(pack<T, Arch> a, pack<T, Arch> b) {
  return to_number(a != b);
}
/// a where condition is not 0, else b.
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> select(pack<T, Arch> condition, pack<T, Arch> a, pack<T, Arch> b) {
  return select(condition != pack<T, Arch>(T(0)), a, b);
}

}  // namespace espalier::on_cpu
