// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "batches.hpp"
#include "widen.hpp"

// g++ contracts a * b + c across operators to the fused instruction. clang does so with this pragma, which works for
// the operators of the register itself.
#if defined(__clang__) && !defined(ESPALIER_SEPARATE_ROUNDING)
#define ESPALIER_CONTRACT _Pragma("clang fp contract(fast)")
#else
#define ESPALIER_CONTRACT
#endif
#if ESPALIER_BATCHES && !defined(__clang__)
#define ESPALIER_OPERAND(x) x.value
#define ESPALIER_LOAD(x, from) x.value.data = *reinterpret_cast<typename registers::unaligned const*>(from)
#else
#define ESPALIER_OPERAND(x) x.value.data
#define ESPALIER_LOAD(x, from) x.value = batch::load_unaligned(from)
#endif

ESPALIER_PRECISE_BEGIN
/// Packs: registers of numbers that behave like a number, so that the bodies of ops run on them unchanged.
namespace espalier::on_cpu {

template <class T, class Arch = default_arch>
struct pack;

namespace detail {
template <class T, class Arch>
pack<T, Arch> power(pack<T, Arch> base, pack<T, Arch> exponent);
}

/// The result of comparing packs, lane by lane. Between kernels, truth values are numbers: to_number(mask).
template <class T, class Arch = default_arch>
struct mask {
  using registers = detail::registers<T, Arch>;
  typename registers::mask value;

  friend ESPALIER_INLINE mask operator&(mask a, mask b) { return {a.value & b.value}; }
  friend ESPALIER_INLINE mask operator|(mask a, mask b) { return {a.value | b.value}; }
  friend ESPALIER_INLINE mask operator^(mask a, mask b) { return {a.value ^ b.value}; }
  friend ESPALIER_INLINE mask operator!(mask a) { return {~a.value}; }

  /// a where the comparison is true, else b.
  friend ESPALIER_INLINE pack<T, Arch> select(mask m, pack<T, Arch> a, pack<T, Arch> b) {
#if ESPALIER_FINITE_MATH
    // Selects bits: compilers assume that a selection of numbers yields neither NaN nor infinity.
    using bits = typename registers::mask;
    return reinterpret_cast<typename registers::type>(m.value ? reinterpret_cast<bits>(a.lanes())
                                                              : reinterpret_cast<bits>(b.lanes()));
#else
    return m.value ? a.lanes() : b.lanes();
#endif
  }
  friend ESPALIER_INLINE pack<T, Arch> to_number(mask m) {
    return m.value ? registers::fill(T(1)) : typename registers::type{};
  }
};

/// A register full of numbers. Generic bodies written for a scalar (dy * (1 - y * y)) work on packs unchanged: scalars
/// and literals convert.
template <class T, class Arch>
struct pack {
  using value_type = T;
  using registers = detail::registers<T, Arch>;
  using register_type = typename registers::type;
  using batch = detail::batch_of<T, Arch>;
  using mask_type = mask<T, Arch>;
  static constexpr int size = registers::size;
  static constexpr bool is_vector = !std::is_same_v<typename Arch::architecture, scalar_registers>;

  batch value;

  // Functions that every line of a kernel uses have no constructor or other function in between. Each of these would be
  // inlined there, and compilers would spend their time on that.

  pack() = default;
  ESPALIER_INLINE pack(batch x) : value{x} {}
  ESPALIER_INLINE pack(register_type x) { value.data = x; }
  ESPALIER_INLINE pack(float x) { value.data = registers::fill(static_cast<T>(x)); }
  ESPALIER_INLINE pack(double x) { value.data = registers::fill(static_cast<T>(x)); }
  ESPALIER_INLINE pack(int x) { value.data = registers::fill(static_cast<T>(x)); }
  ESPALIER_INLINE pack(long x) { value.data = registers::fill(static_cast<T>(x)); }
  ESPALIER_INLINE pack(long long x) { value.data = registers::fill(static_cast<T>(x)); }

  /// The register as the compilers' vector, for operations that bypass xsimd (batches.hpp).
  ESPALIER_INLINE register_type lanes() const { return register_type(value.data); }
  ESPALIER_INLINE T operator[](int lane) const { return lanes()[lane]; }

  friend ESPALIER_INLINE pack operator+(pack a, pack b) {
    ESPALIER_CONTRACT pack r;
    ESPALIER_OPERAND(r) = ESPALIER_OPERAND(a) + ESPALIER_OPERAND(b);
    detail::keep_order(r.value.data);
    return r;
  }
  friend ESPALIER_INLINE pack operator-(pack a, pack b) {
    ESPALIER_CONTRACT pack r;
    ESPALIER_OPERAND(r) = ESPALIER_OPERAND(a) - ESPALIER_OPERAND(b);
    detail::keep_order(r.value.data);
    return r;
  }
  friend ESPALIER_INLINE pack operator*(pack a, pack b) {
    ESPALIER_CONTRACT pack r;
    ESPALIER_OPERAND(r) = ESPALIER_OPERAND(a) * ESPALIER_OPERAND(b);
    return r;
  }
  friend ESPALIER_INLINE pack operator/(pack a, pack b) {
    pack r;
    r.value = detail::quotient_of(a.value, b.value);
    return r;
  }
  friend ESPALIER_INLINE pack operator-(pack a) {
    pack r;
    r.value.data = -a.lanes();
    return r;
  }
  friend ESPALIER_INLINE pack operator+(pack a) { return a; }
  ESPALIER_INLINE pack& operator+=(pack b) { return *this = *this + b; }
  ESPALIER_INLINE pack& operator-=(pack b) { return *this = *this - b; }
  ESPALIER_INLINE pack& operator*=(pack b) { return *this = *this * b; }
  ESPALIER_INLINE pack& operator/=(pack b) { return *this = *this / b; }

  friend ESPALIER_INLINE mask_type operator<(pack a, pack b) { return {a.lanes() < b.lanes()}; }
  friend ESPALIER_INLINE mask_type operator<=(pack a, pack b) { return {a.lanes() <= b.lanes()}; }
  friend ESPALIER_INLINE mask_type operator>(pack a, pack b) { return {a.lanes() > b.lanes()}; }
  friend ESPALIER_INLINE mask_type operator>=(pack a, pack b) { return {a.lanes() >= b.lanes()}; }
  friend ESPALIER_INLINE mask_type operator==(pack a, pack b) { return {a.lanes() == b.lanes()}; }
  friend ESPALIER_INLINE mask_type operator!=(pack a, pack b) { return {a.lanes() != b.lanes()}; }

  // Comparisons in generic bodies: they return 1 or 0. A mask that becomes a number and is compared again costs nothing
  // within one loop: compilers remove both steps.
  friend ESPALIER_INLINE pack less(pack a, pack b) { return to_number(a < b); }
  friend ESPALIER_INLINE pack less_equal(pack a, pack b) { return to_number(a <= b); }
  friend ESPALIER_INLINE pack greater(pack a, pack b) { return to_number(a > b); }
  friend ESPALIER_INLINE pack greater_equal(pack a, pack b) { return to_number(a >= b); }
  friend ESPALIER_INLINE pack equal(pack a, pack b) { return to_number(a == b); }
  friend ESPALIER_INLINE pack not_equal(pack a, pack b) { return to_number(a != b); }
  /// a where the condition is not 0, else b.
  friend ESPALIER_INLINE pack select(pack condition, pack a, pack b) { return select(condition != pack(T(0)), a, b); }

  /// NaN if either operand is NaN.
  friend ESPALIER_INLINE pack maximum(pack a, pack b) {
    return select(mask_type{detail::nan_lanes(b.lanes())}, b, larger(b, a));
  }
  friend ESPALIER_INLINE pack minimum(pack a, pack b) {
    return select(mask_type{detail::nan_lanes(b.lanes())}, b, smaller(b, a));
  }
  /// The instructions for maximum and minimum. If an operand is NaN, the result is b or NaN. The functions maximum and
  /// minimum test b themselves, so either result is right for them.
  friend ESPALIER_INLINE pack larger(pack a, pack b) { return detail::larger_of(a.value, b.value); }
  friend ESPALIER_INLINE pack smaller(pack a, pack b) { return detail::smaller_of(a.value, b.value); }
  /// 1 where x is neither NaN nor infinite, else 0.
  friend ESPALIER_INLINE pack is_finite(pack x) { return to_number(mask_type{detail::finite_lanes(x.lanes())}); }

  /// a * b + c, rounded once if the target has the instruction, unless ESPALIER_SEPARATE_ROUNDING is defined.
  friend ESPALIER_INLINE pack fma(pack a, pack b, pack c) {
    pack r;
    r.value = detail::fma_of(a.value, b.value, c.value);
    return r;
  }
  friend ESPALIER_INLINE pack sqrt(pack x) { return detail::root_of(x.value); }

  friend ESPALIER_INLINE pack pow(pack base, pack exponent) { return detail::power(base, exponent); }

  static ESPALIER_INLINE pack load(T const* from) {
    pack r;
    ESPALIER_LOAD(r, from);
    return r;
  }
  /// The same from numbers of 16 bits.
  template <class Format>
  static ESPALIER_INLINE pack load(espalier::detail::narrow_float<Format> const* from) {
    return detail::load_widened<Arch, size>(from);
  }
  ESPALIER_INLINE void store(T* to) const { value.store_unaligned(to); }
  /// Stores past the caches: for results that exceed them and are not read soon. to is aligned to the size of the pack.
  /// Call stream_fence() before other threads read the results.
  ESPALIER_INLINE void stream(T* to) const { detail::store_past_caches(to, typename registers::held(value.data)); }
  /// The first N lanes from memory, 0 in the others. Memory beyond them is not read.
  template <int N>
  static ESPALIER_INLINE pack load_first(T const* from) {
    static_assert(N >= 0 && N <= size);
    if constexpr (N == size) {
      pack r;
      ESPALIER_LOAD(r, from);
      return r;
    } else if constexpr (N == 0) {
      return register_type{};
    } else {
      pack r;
      r.value.data = detail::load_lanes<N>(from, typename registers::held{});
      return r;
    }
  }
  /// load_first of what several instructions use. With 32 registers g++ 12 would read it from memory for each of them,
  /// and these loads would cost more than the multiplications: a training step of two nets of 64-64 on 100 samples took
  /// 1.13 times as long, a kernel gradient of 32 groups 1.25 times.
  template <int N>
  static ESPALIER_INLINE pack load_once(T const* from) {
    pack x = load_first<N>(from);
#if defined(__AVX512F__) && !defined(__clang__)
    if constexpr (is_vector) asm("" : "+v"(x.value.data));
#endif
    return x;
  }
  template <int N, class Format>
  static ESPALIER_INLINE pack load_first(espalier::detail::narrow_float<Format> const* from) {
    static_assert(N >= 0 && N <= size);
    return detail::load_widened<Arch, N>(from);
  }
  /// The conversion already leaves the numbers in a register.
  template <int N, class Format>
  static ESPALIER_INLINE pack load_once(espalier::detail::narrow_float<Format> const* from) {
    return load_first<N>(from);
  }
  template <int N>
  ESPALIER_INLINE void store_first(T* to) const {
    static_assert(N >= 0 && N <= size);
    if constexpr (N == size) {
      value.store_unaligned(to);
    } else if constexpr (N > 0) {
      detail::store_lanes<N>(to, typename registers::held(value.data));
    }
  }

  friend ESPALIER_INLINE T reduce_add(pack x) { return detail::reduce_lanes<detail::add_lanes>(x.lanes()); }
  /// NaN if any lane is NaN.
  friend ESPALIER_INLINE T reduce_max(pack x) { return detail::reduce_lanes<detail::larger_lane>(x.lanes()); }
  friend ESPALIER_INLINE T reduce_min(pack x) { return detail::reduce_lanes<detail::smaller_lane>(x.lanes()); }

  /// start, start + 1, start + 2, ...
  static ESPALIER_INLINE pack iota(T start) { return detail::ramp(register_type{}) + registers::fill(start); }
  template <int N>
  static ESPALIER_INLINE mask_type first_lanes() {
    return iota(T(0)) < pack(N);
  }
};

/// Orders streamed stores before later ones. Call it once, at the end of a kernel that streams.
ESPALIER_INLINE void stream_fence() {
#if defined(__SSE2__)
  __builtin_ia32_sfence();
#endif
}

/// Prefetches the cache line of an address that is read soon. Any address is valid: nothing is read.
ESPALIER_INLINE void prefetch(void const* address) { __builtin_prefetch(address); }
/// Prefetches a cache line that will be written: a store that misses the L2 cache would wait for it. Addresses beyond
/// the end of memory have no effect.
ESPALIER_INLINE void prefetch_to_write(void* address) { __builtin_prefetch(address, 1); }

}  // namespace espalier::on_cpu
ESPALIER_PRECISE_END

#undef ESPALIER_CONTRACT
#undef ESPALIER_OPERAND
#undef ESPALIER_LOAD

#include "../../../base/diagnostics_pop.hpp"
