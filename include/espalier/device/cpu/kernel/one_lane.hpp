// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../base/math.hpp"
#include "../vector/simd.hpp"

/// Packs of one number, for kernels that are compiled for size (ESPALIER_SMALL). A processor without vector registers
/// has four copies of each operation of a pack of four numbers, and there are not enough registers for them.
namespace espalier::on_cpu {

/// An instruction set whose packs hold one number. Arch: the set whose elementary functions they have.
template <class Arch>
struct one_lane {
  using architecture = compiler_vectors;
  static constexpr int bytes = 4;
};
namespace detail {
template <class Arch>
inline constexpr bool has_one_lane = false;
template <class Arch>
inline constexpr bool has_one_lane<one_lane<Arch>> = true;

/// The value of a pack's function for one number: one function for all kernels. Compilers leave out the other lanes.
template <class F, class T, class Arch>
[[gnu::noinline]] T function_of_number(T x) {
  return F::of(pack<T, Arch>(x))[0];
}
template <class F, class T, class Arch>
[[gnu::noinline]] T function_of_numbers(T x, T y) {
  return F::of(pack<T, Arch>(x), pack<T, Arch>(y))[0];
}
#define ESPALIER_OF_NUMBER(name)       \
  struct name##_of_pack {              \
    template <class P>                 \
    static ESPALIER_INLINE P of(P x) { \
      return name(x);                  \
    }                                  \
  };
ESPALIER_OF_NUMBER(exp)
ESPALIER_OF_NUMBER(log)
ESPALIER_OF_NUMBER(tanh)
ESPALIER_OF_NUMBER(sigmoid)
ESPALIER_OF_NUMBER(erf)
ESPALIER_OF_NUMBER(sin)
ESPALIER_OF_NUMBER(cos)
ESPALIER_OF_NUMBER(floor)
#undef ESPALIER_OF_NUMBER
struct pow_of_packs {
  template <class P>
  static ESPALIER_INLINE P of(P base, P exponent) {
    return pow(base, exponent);
  }
};
}  // namespace detail

ESPALIER_PRECISE_BEGIN
template <class T, class Arch>
struct mask<T, one_lane<Arch>> {
  bool value;

  friend ESPALIER_INLINE mask operator&(mask a, mask b) { return {a.value && b.value}; }
  friend ESPALIER_INLINE mask operator|(mask a, mask b) { return {a.value || b.value}; }
  friend ESPALIER_INLINE mask operator^(mask a, mask b) { return {a.value != b.value}; }
  friend ESPALIER_INLINE mask operator!(mask a) { return {!a.value}; }
  friend ESPALIER_INLINE pack<T, one_lane<Arch>> select(mask m, pack<T, one_lane<Arch>> a, pack<T, one_lane<Arch>> b) {
    return m.value ? a : b;
  }
  friend ESPALIER_INLINE pack<T, one_lane<Arch>> to_number(mask m) { return m.value ? T(1) : T(0); }
};

/// One number with the functions of a pack, and with their bits.
template <class T, class Arch>
struct pack<T, one_lane<Arch>> {
  using value_type = T;
  using mask_type = mask<T, one_lane<Arch>>;
  static constexpr int size = 1;
  struct registers {
    static constexpr int bytes = sizeof(T), size = 1;
  };

  T value;

  pack() = default;
  ESPALIER_INLINE pack(float x) : value{static_cast<T>(x)} {}
  ESPALIER_INLINE pack(double x) : value{static_cast<T>(x)} {}
  ESPALIER_INLINE pack(int x) : value{static_cast<T>(x)} {}
  ESPALIER_INLINE pack(long x) : value{static_cast<T>(x)} {}
  ESPALIER_INLINE pack(long long x) : value{static_cast<T>(x)} {}
  ESPALIER_INLINE T operator[](int) const { return value; }

  friend ESPALIER_INLINE pack operator+(pack a, pack b) { return a.value + b.value; }
  friend ESPALIER_INLINE pack operator-(pack a, pack b) { return a.value - b.value; }
  friend ESPALIER_INLINE pack operator*(pack a, pack b) { return a.value * b.value; }
  friend ESPALIER_INLINE pack operator/(pack a, pack b) { return a.value / b.value; }
  friend ESPALIER_INLINE pack operator-(pack a) { return -a.value; }
  friend ESPALIER_INLINE pack operator+(pack a) { return a; }
  ESPALIER_INLINE pack& operator+=(pack b) { return *this = *this + b; }
  ESPALIER_INLINE pack& operator-=(pack b) { return *this = *this - b; }
  ESPALIER_INLINE pack& operator*=(pack b) { return *this = *this * b; }
  ESPALIER_INLINE pack& operator/=(pack b) { return *this = *this / b; }

  friend ESPALIER_INLINE mask_type operator<(pack a, pack b) { return {a.value < b.value}; }
  friend ESPALIER_INLINE mask_type operator<=(pack a, pack b) { return {a.value <= b.value}; }
  friend ESPALIER_INLINE mask_type operator>(pack a, pack b) { return {a.value > b.value}; }
  friend ESPALIER_INLINE mask_type operator>=(pack a, pack b) { return {a.value >= b.value}; }
  friend ESPALIER_INLINE mask_type operator==(pack a, pack b) { return {a.value == b.value}; }
  friend ESPALIER_INLINE mask_type operator!=(pack a, pack b) { return {a.value != b.value}; }

#define ESPALIER_ON_NUMBERS(name) \
  friend ESPALIER_INLINE pack name(pack a, pack b) { return math::name(a.value, b.value); }
  ESPALIER_ON_NUMBERS(less)
  ESPALIER_ON_NUMBERS(less_equal)
  ESPALIER_ON_NUMBERS(greater)
  ESPALIER_ON_NUMBERS(greater_equal)
  ESPALIER_ON_NUMBERS(equal)
  ESPALIER_ON_NUMBERS(not_equal)
  ESPALIER_ON_NUMBERS(maximum)
  ESPALIER_ON_NUMBERS(minimum)
#undef ESPALIER_ON_NUMBERS
  friend ESPALIER_INLINE pack select(pack condition, pack a, pack b) { return condition.value != T(0) ? a : b; }
  friend ESPALIER_INLINE pack is_finite(pack x) { return math::is_finite(x.value); }
  friend ESPALIER_INLINE pack abs(pack x) { return math::abs(x.value); }
  friend ESPALIER_INLINE pack sqrt(pack x) { return sqrt(several(x.value))[0]; }
  friend ESPALIER_INLINE pack fma(pack a, pack b, pack c) {
    return fma(several(a.value), several(b.value), several(c.value))[0];
  }
#define ESPALIER_OF_NUMBER(name)                                                 \
  friend ESPALIER_INLINE pack name(pack x) {                                     \
    return detail::function_of_number<detail::name##_of_pack, T, Arch>(x.value); \
  }
  ESPALIER_OF_NUMBER(exp)
  ESPALIER_OF_NUMBER(log)
  ESPALIER_OF_NUMBER(tanh)
  ESPALIER_OF_NUMBER(sigmoid)
  ESPALIER_OF_NUMBER(erf)
  ESPALIER_OF_NUMBER(sin)
  ESPALIER_OF_NUMBER(cos)
  ESPALIER_OF_NUMBER(floor)
#undef ESPALIER_OF_NUMBER
  friend ESPALIER_INLINE pack pow(pack base, pack exponent) {
    return detail::function_of_numbers<detail::pow_of_packs, T, Arch>(base.value, exponent.value);
  }

  static ESPALIER_INLINE pack load(T const* from) { return *from; }
  template <class Format>
  static ESPALIER_INLINE pack load(espalier::detail::narrow_float<Format> const* from) {
    return static_cast<T>(static_cast<float>(*from));
  }
  ESPALIER_INLINE void store(T* to) const { *to = value; }
  ESPALIER_INLINE void stream(T* to) const { *to = value; }
  template <int N, class From>
  static ESPALIER_INLINE pack load_first(From const* from) {
    static_assert(N >= 0 && N <= size);
    if constexpr (N == 0) return T(0);
    else return load(from);
  }
  template <int N>
  ESPALIER_INLINE void store_first(T* to) const {
    static_assert(N >= 0 && N <= size);
    if constexpr (N > 0) *to = value;
  }
  friend ESPALIER_INLINE T reduce_add(pack x) { return x.value; }
  friend ESPALIER_INLINE T reduce_max(pack x) { return x.value; }
  friend ESPALIER_INLINE T reduce_min(pack x) { return x.value; }
  static ESPALIER_INLINE pack iota(T start) { return start; }

 private:
  using several = pack<T, Arch>;
};
ESPALIER_PRECISE_END

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
