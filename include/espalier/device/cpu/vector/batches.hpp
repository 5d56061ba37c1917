// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

/// The register that a pack holds: xsimd's batch of the widest registers, otherwise a register of the compilers'
/// vectors with the same names. The table lists every operation that bypasses xsimd, with the reason. Wrong results
/// were measured on 65,536 inputs, against the same operation of the compilers' vectors.
///
/// | operation | architecture | xsimd | what is wrong or slower | instead |
/// |---|---|---|---|---|
/// | `+ - *` | all, clang | all | a product and a sum in two of its functions are not contracted: normalisation is up to 4 % slower | the register's own |
/// | unaligned load | all, g++ | 8 to 14 | a row in registers goes through the stack: LayerNorm of 1 x 256 takes 6 % longer | the register's own |
/// | unary `-` | avx512 | 8 to 13 | 0 - x loses the sign of 0 | the register's own |
/// | compare, mask, select | all | all | opaque to g++ on x86: it keeps masks that become numbers, and the maximum of softmax takes 52 instructions instead of 36 | the register's own |
/// | | avx, avx512, sse2 | 8, 13 | float `!=` is false for NaN; mask `^` is `\|`; mask `!=` compares masks as floats | |
/// | `fma` | avx512 | 8 | rounds twice | the instruction |
/// | `fma` | without such an instruction in the architecture | all | rounds twice, in either of two ways | `a * b + c`, as written |
/// | `/`, `sqrt` | neon, neon64 | 8 | estimates | the instructions |
/// | `/`, `fma`, `sqrt`, `min`, `max` | all, -ffast-math | all | NaN and infinity are lost | the instructions, tests of bits |
/// | `min`, `max` | x86 | 8 to 14 | if one operand is NaN, the result is the second one up to 13, the first one in 14 | the instruction, which returns the second |
/// | `reduce_add`, `hadd` | all | all | another order of the sum for each architecture and version | by halves |
/// | `reduce_max`, `reduce_min` | all | 8: none | the result for NaN is not documented | by halves |
/// | partial load and store | all | 8, 13: none | | masked instructions, or bytes |
/// | stores past the caches | all | 8, 13: none | | the instructions |
/// | reinterpretation, shuffles, conversions | all | all | other interfaces in 8 and 9; shuffles of constant lanes are slower or missing | the compilers' |
/// | integers (random numbers, bits of floats) | avx | all | two halves of sse | the register's own |
/// | elementary functions | all | all | less exact (5 units in the last place and more), or slower | elementary.hpp |
/// | everything | rvv | 14 | the register is a class, on which the compilers' operators do not work | the compilers' vectors |
/// | registers narrower than the widest | all | all | functions that are not inlined would be compiled for more than their names state | the compilers' vectors |

#include "scalar_registers.hpp"

ESPALIER_PRECISE_BEGIN
namespace espalier::on_cpu {

/// Before a function that is called as a whole. Everything that it calls is compiled into it, including functions that
/// are only `inline` in xsimd.
#if defined(__OPTIMIZE__)
#define ESPALIER_KERNEL [[gnu::noinline, gnu::flatten]]
#define ESPALIER_FLATTENED [[gnu::flatten]]
#else
#define ESPALIER_KERNEL [[gnu::noinline]]
#define ESPALIER_FLATTENED
#endif
/// Before a function that only kernels call. g++'s flatten inlines it once, with all that it calls. always_inline would
/// copy it at each level of the calls: a twentieth of the compile time of a training program. clang's flatten reaches
/// one level.
#if defined(__clang__)
#define ESPALIER_IN_KERNEL ESPALIER_INLINE
#else
#define ESPALIER_IN_KERNEL inline
#endif
/// Before a loop that its kernel has unrolled as far as it gains. clang would unroll it into more registers than there
/// are.
#if defined(__clang__)
#define ESPALIER_AS_LOOP _Pragma("clang loop unroll(disable)")
#else
#define ESPALIER_AS_LOOP
#endif

namespace detail {

/// A register of the compilers' vectors, or one of scalars, with the member names of xsimd's batches.
template <class T, class Arch>
struct vector_batch {
  using register_type = typename registers<T, Arch>::held;
  register_type data;

  static ESPALIER_INLINE vector_batch load_unaligned(T const* from) { return {registers<T, Arch>::load(from)}; }
  ESPALIER_INLINE void store_unaligned(T* to) const { registers<T, Arch>::store(to, data); }
  friend ESPALIER_INLINE vector_batch operator+(vector_batch a, vector_batch b) { return {a.data + b.data}; }
  friend ESPALIER_INLINE vector_batch operator-(vector_batch a, vector_batch b) { return {a.data - b.data}; }
  friend ESPALIER_INLINE vector_batch operator*(vector_batch a, vector_batch b) { return {a.data * b.data}; }
};
template <class T, class Arch>
ESPALIER_INLINE vector_batch<T, Arch> fma_of(vector_batch<T, Arch> a, vector_batch<T, Arch> b,
                                             vector_batch<T, Arch> c) {
  return {fused(a.data, b.data, c.data)};
}
template <class T, class Arch>
ESPALIER_INLINE vector_batch<T, Arch> quotient_of(vector_batch<T, Arch> a, vector_batch<T, Arch> b) {
  return {a.data / b.data};
}
template <class T, class Arch>
ESPALIER_INLINE vector_batch<T, Arch> root_of(vector_batch<T, Arch> x) {
  return {square_root(x.data)};
}
template <class T, class Arch>
ESPALIER_INLINE vector_batch<T, Arch> larger_of(vector_batch<T, Arch> a, vector_batch<T, Arch> b) {
  return {larger(a.data, b.data)};
}
template <class T, class Arch>
ESPALIER_INLINE vector_batch<T, Arch> smaller_of(vector_batch<T, Arch> a, vector_batch<T, Arch> b) {
  return {smaller(a.data, b.data)};
}

#if ESPALIER_BATCHES
template <class T, class Architecture, bool Known = xsimd::types::has_simd_register<T, Architecture>::value>
struct batch_type {
  template <class Arch>
  using of = xsimd::batch<T, Architecture>;
};
template <class T, class Architecture>
struct batch_type<T, Architecture, false> {
  template <class Arch>
  using of = vector_batch<T, Arch>;
};
template <class T, class Arch>
using batch_of = typename batch_type<T, typename Arch::architecture>::template of<Arch>;

/// The register of a batch as the compilers' vector.
template <class T, class A>
ESPALIER_INLINE auto lanes_of(xsimd::batch<T, A> x) {
  return __builtin_bit_cast(typename registers<T, default_arch>::type, x.data);
}

template <class T, class A>
ESPALIER_INLINE xsimd::batch<T, A> fma_of(xsimd::batch<T, A> a, xsimd::batch<T, A> b, xsimd::batch<T, A> c) {
#if ESPALIER_FINITE_MATH || (defined(__SSE2__) && !defined(__FMA__) && !defined(__AVX512F__))
  constexpr bool own = true;
#elif defined(__AVX512F__) && XSIMD_VERSION_MAJOR < 9
  constexpr bool own = sizeof(a) == 64;
#else
  constexpr bool own = false;
#endif
  if constexpr (own) return __builtin_bit_cast(decltype(a.data), fused(lanes_of(a), lanes_of(b), lanes_of(c)));
  else return xsimd::fma(a, b, c);
}
template <class T, class A>
ESPALIER_INLINE xsimd::batch<T, A> quotient_of(xsimd::batch<T, A> a, xsimd::batch<T, A> b) {
#if ESPALIER_FINITE_MATH || (defined(__aarch64__) && XSIMD_VERSION_MAJOR < 9)
  return __builtin_bit_cast(decltype(a.data), lanes_of(a) / lanes_of(b));
#else
  return a / b;
#endif
}
template <class T, class A>
ESPALIER_INLINE xsimd::batch<T, A> root_of(xsimd::batch<T, A> x) {
#if ESPALIER_FINITE_MATH || (defined(__aarch64__) && XSIMD_VERSION_MAJOR < 9)
  return __builtin_bit_cast(decltype(x.data), square_root(lanes_of(x)));
#else
  return xsimd::sqrt(x);
#endif
}
/// a > b ? a : b, and the same with <, for numbers. If an operand is NaN, the result is b or NaN, depending on the
/// instruction.
template <class T, class A>
ESPALIER_INLINE xsimd::batch<T, A> larger_of(xsimd::batch<T, A> a, xsimd::batch<T, A> b) {
#if ESPALIER_FINITE_MATH || defined(__SSE2__)
  return __builtin_bit_cast(decltype(a.data), larger(lanes_of(a), lanes_of(b)));
#else
  return xsimd::max(a, b);
#endif
}
template <class T, class A>
ESPALIER_INLINE xsimd::batch<T, A> smaller_of(xsimd::batch<T, A> a, xsimd::batch<T, A> b) {
#if ESPALIER_FINITE_MATH || defined(__SSE2__)
  return __builtin_bit_cast(decltype(a.data), smaller(lanes_of(a), lanes_of(b)));
#else
  return xsimd::min(a, b);
#endif
}
#else
template <class T, class Arch>
using batch_of = vector_batch<T, Arch>;
#endif

}  // namespace detail
}  // namespace espalier::on_cpu
ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"
