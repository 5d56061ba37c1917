// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Vector types of the compiler. What they do themselves (+ < ?: conversion, shuffling) is written with them on every target; what they lack comes from
/// instructions_x86.hpp or instructions_xsimd.hpp.

#include "../../base/everywhere.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cpu {

/// An instruction set: the bytes of a register and which extensions the translation unit was built for. It is part of every kernel's type, so that
/// translation units built with different flags keep their own kernels when they are linked together.
template <int Bytes, unsigned Extensions>
struct instructions {
  static constexpr int bytes = Bytes;
};

namespace detail {

constexpr unsigned extensions = 0u
#if defined(__SSE4_1__)
                                | 1u
#endif
#if defined(__AVX__)
                                | 2u
#endif
#if defined(__AVX2__)
                                | 4u
#endif
#if defined(__FMA__)
                                | 8u
#endif
#if defined(__AVX512F__)
                                | 16u
#endif
#if defined(__AVX512DQ__)
                                | 32u
#endif
#if defined(__AVX512BW__)
                                | 64u
#endif
#if defined(__AVX512VL__)
                                | 128u
#endif
#if defined(__AVX512VBMI__)
                                | 256u
#endif
#if defined(__AVX512IFMA__)
                                | 512u
#endif
#if defined(__BMI2__)
                                | 1024u
#endif
#if defined(__AVXVNNI__)
                                | 2048u
#endif
#if defined(__SSSE3__)
                                | 4096u
#endif
#if defined(ESPALIER_XSIMD)
                                | 8192u
#endif
    ;

#if defined(__AVX512F__)
constexpr int widest_register = 64;
#elif defined(__AVX__)
constexpr int widest_register = 32;
#else
constexpr int widest_register = 16;
#endif

template <int Bytes>
using instructions_of_width = instructions<Bytes, extensions>;

}  // namespace detail

using default_arch = detail::instructions_of_width<detail::widest_register>;

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

/// Lane types of the same width: T itself and the unsigned integer that holds its bits.
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

/// g++ 12 drops the attribute where only the number of bytes depends on a parameter, so the lane has to as well.
template <class Lane, int Bytes>
struct vector_of {
  typedef Lane type __attribute__((vector_size(Bytes)));
};

template <class T, class Arch>
struct registers {
  static constexpr int bytes = Arch::bytes;
  static constexpr int size = bytes / int(sizeof(T));
  typedef T type __attribute__((vector_size(bytes)));
  typedef T unaligned __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
  typedef typename lane<T>::bits bits __attribute__((vector_size(bytes)));
  using mask = decltype(type{} < type{});

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
#pragma GCC diagnostic pop
