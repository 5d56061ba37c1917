// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

/// Registers for processors without vector registers. g++ splits the operations of its vectors there, but keeps a
/// vector that a loop carries in memory: each multiply-add loads and stores its sum. A class of scalars stays in the
/// processor's registers. Each lane is computed as in a vector, so the results have the same bits.

#include "fused_lane.hpp"
#include "registers.hpp"

ESPALIER_PRECISE_BEGIN
namespace espalier::on_cpu::detail {

/// N scalars, which convert to the compilers' vector and back: operations that are not defined here are the vector's,
/// and compilers remove the conversions. No function has a loop, which g++ would not unroll with -Os.
template <class T, int N>
struct scalars {
  using vector = typename vector_of<T, N* static_cast<int>(sizeof(T))>::type;
  T lane[static_cast<unsigned long>(N)];

  scalars() = default;
  ESPALIER_INLINE scalars(vector x) : scalars(x, indices_below<N>{}) {}
  ESPALIER_INLINE operator vector() const { return to_vector(indices_below<N>{}); }

  friend ESPALIER_INLINE scalars operator+(scalars const& a, scalars const& b) { return sum(a, b, indices_below<N>{}); }
  friend ESPALIER_INLINE scalars operator-(scalars const& a, scalars const& b) {
    return difference(a, b, indices_below<N>{});
  }
  friend ESPALIER_INLINE scalars operator*(scalars const& a, scalars const& b) {
    return product(a, b, indices_below<N>{});
  }
  friend ESPALIER_INLINE scalars operator/(scalars const& a, scalars const& b) {
    return quotient(a, b, indices_below<N>{});
  }

 private:
  template <int... I>
  ESPALIER_INLINE scalars(vector x, indices<I...>) : lane{x[I]...} {}
  template <int... I>
  ESPALIER_INLINE vector to_vector(indices<I...>) const {
    return vector{lane[I]...};
  }
  template <int... I>
  static ESPALIER_INLINE scalars sum(scalars const& a, scalars const& b, indices<I...>) {
    scalars r;
    ((r.lane[I] = a.lane[I] + b.lane[I]), ...);
    return r;
  }
  template <int... I>
  static ESPALIER_INLINE scalars difference(scalars const& a, scalars const& b, indices<I...>) {
    scalars r;
    ((r.lane[I] = a.lane[I] - b.lane[I]), ...);
    return r;
  }
  template <int... I>
  static ESPALIER_INLINE scalars product(scalars const& a, scalars const& b, indices<I...>) {
    scalars r;
    ((r.lane[I] = a.lane[I] * b.lane[I]), ...);
    return r;
  }
  template <int... I>
  static ESPALIER_INLINE scalars quotient(scalars const& a, scalars const& b, indices<I...>) {
    scalars r;
    ((r.lane[I] = a.lane[I] / b.lane[I]), ...);
    return r;
  }
};

template <class T, int N, int... I>
ESPALIER_INLINE scalars<T, N> fused_scalars(scalars<T, N> const& a, scalars<T, N> const& b, scalars<T, N> const& c,
                                            indices<I...>) {
  scalars<T, N> r;
  ((r.lane[I] = fused_lane(a.lane[I], b.lane[I], c.lane[I])), ...);
  return r;
}
template <class T, int N>
ESPALIER_INLINE scalars<T, N> fused(scalars<T, N> const& a, scalars<T, N> const& b, scalars<T, N> const& c) {
  return fused_scalars(a, b, c, indices_below<N>{});
}
template <class T, int N>
ESPALIER_INLINE scalars<T, N> square_root(scalars<T, N> const& x) {
  return square_root(typename scalars<T, N>::vector(x));
}
template <class T, int N>
ESPALIER_INLINE scalars<T, N> larger(scalars<T, N> const& a, scalars<T, N> const& b) {
  using vector = typename scalars<T, N>::vector;
  return larger(vector(a), vector(b));
}
template <class T, int N>
ESPALIER_INLINE scalars<T, N> smaller(scalars<T, N> const& a, scalars<T, N> const& b) {
  using vector = typename scalars<T, N>::vector;
  return smaller(vector(a), vector(b));
}
template <class T, int N, int... I>
ESPALIER_INLINE void keep_scalars(scalars<T, N>& x, indices<I...>) {
  ((x.lane[I] = ESPALIER_AS_WRITTEN(x.lane[I])), ...);
}
template <class T, int N>
ESPALIER_INLINE void keep_order(scalars<T, N>& x) {
  keep_scalars(x, indices_below<N>{});
}

template <class T, int N, int... I>
ESPALIER_INLINE scalars<T, N> load_scalars(T const* from, scalars<T, N> x, indices<I...>) {
  ((x.lane[I] = from[I]), ...);
  return x;
}
template <class T, int N, int... I>
ESPALIER_INLINE void store_scalars(T* to, scalars<T, N> const& x, indices<I...>) {
  ((to[I] = x.lane[I]), ...);
}
template <int Count, class T, int N>
ESPALIER_INLINE scalars<T, N> load_lanes(T const* from, scalars<T, N>) {
  return load_scalars(from, scalars<T, N>{}, indices_below<Count>{});
}
template <int Count, class T, int N>
ESPALIER_INLINE void store_lanes(T* to, scalars<T, N> const& x) {
  store_scalars(to, x, indices_below<Count>{});
}
template <class T, int N>
ESPALIER_INLINE void store_past_caches(T* to, scalars<T, N> const& x) {
  store_scalars(to, x, indices_below<N>{});
}

/// Adds x times the next four numbers to four sums, and moves `from` behind them. On ARM one instruction loads the
/// four: a product of one row takes five instructions for them instead of eight.
#if defined(__arm__) && defined(__ARM_FEATURE_FMA) && !defined(ESPALIER_SEPARATE_ROUNDING)
inline constexpr bool loads_four_scalars = true;
ESPALIER_INLINE void add_four(scalars<float, 4>& sum, float const*& from, float x) {
  auto const& four = *reinterpret_cast<float const(*)[4]>(from);
  asm("vldmia %4!, {s28-s31}\n\t"
      "vfma.f32 %0, s28, %5\n\tvfma.f32 %1, s29, %5\n\tvfma.f32 %2, s30, %5\n\tvfma.f32 %3, s31, %5"
      : "+t"(sum.lane[0]), "+t"(sum.lane[1]), "+t"(sum.lane[2]), "+t"(sum.lane[3]), "+r"(from)
      : "t"(x), "m"(four)
      : "s28", "s29", "s30", "s31");
}
#else
inline constexpr bool loads_four_scalars = false;
#endif

template <class T, int Bytes, unsigned Extensions>
struct registers<T, instruction_set<scalar_registers, Bytes, Extensions>>
    : registers<T, instruction_set<compiler_vectors, Bytes, Extensions>> {
  static constexpr int size = Bytes / static_cast<int>(sizeof(T));
  using held = scalars<T, size>;

  static ESPALIER_INLINE held load(T const* from) { return load_lanes<size>(from, held{}); }
  static ESPALIER_INLINE void store(T* to, held x) { store_lanes<size>(to, x); }
};

}  // namespace espalier::on_cpu::detail
ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"
