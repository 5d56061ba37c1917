// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

/// Vector types of the compilers. Packs hold them without xsimd. With xsimd, they replace its batches where that is
/// correct or faster (batches.hpp lists where). Operations that the types have (+ < ?: conversion, shuffling) are
/// written with them on every target. The others come from instructions_x86.hpp or instructions_portable.hpp.

#include "architecture.hpp"

namespace espalier::on_cpu {

namespace detail {

/// 0 ... N - 1 as template arguments, without <utility>.
template <int... I>
struct indices {};
#if defined(__clang__)
template <class, int... I>
using indices_of = indices<I...>;
template <int N>
using indices_below = __make_integer_seq<indices_of, int, N>;
#else
template <int N>
using indices_below = indices<__integer_pack(N)...>;
#endif

/// Types of a lane: T itself, and the unsigned integer of the same width that holds its bits.
template <class T>
struct lane;
template <>
struct lane<float> {
  using bits = unsigned;
};
template <>
struct lane<double> {
  using bits = unsigned long long;
};

/// A vector of Bytes bytes. Lane is a parameter as well: g++ 12 drops the attribute if only the number of bytes depends
/// on a parameter.
template <class Lane, int Bytes>
struct vector_of {
  typedef Lane type __attribute__((vector_size(Bytes)));
};

/// type: the compilers' vector, on which lanes are compared, shuffled and reinterpreted. held: what packs hold.
template <class T, class Arch>
struct registers {
  static constexpr int bytes = Arch::bytes;
  static constexpr int size = bytes / int(sizeof(T));
  typedef T type __attribute__((vector_size(bytes)));
  typedef T unaligned __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
  typedef typename lane<T>::bits bits __attribute__((vector_size(bytes)));
  using mask = decltype(type{} < type{});
  using held = type;

  static ESPALIER_INLINE type fill(T x) { return x - type{}; }
  static ESPALIER_INLINE type load(T const* from) { return *reinterpret_cast<unaligned const*>(from); }
  static ESPALIER_INLINE void store(T* to, type x) { *reinterpret_cast<unaligned*>(to) = x; }
};

typedef float float4 __attribute__((vector_size(16)));
typedef float float8 __attribute__((vector_size(32)));
typedef float float16 __attribute__((vector_size(64)));
typedef double double2 __attribute__((vector_size(16)));
typedef double double4 __attribute__((vector_size(32)));
typedef double double8 __attribute__((vector_size(64)));

}  // namespace detail
}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
