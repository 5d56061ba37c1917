// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Elementary functions of packs, without branches. They are within 3 units in the last place of the exact value for
/// every argument, including subnormal arguments and results. For infinities and NaN, they return what the exact
/// function returns. sin, cos and pow (and erf of double) call the C library lane by lane. On AVX-512, float has its
/// own functions (elementary_tables.hpp); elsewhere there is one polynomial each. Included by simd.hpp.

#include <type_traits>

#include "simd.hpp"

ESPALIER_PRECISE_BEGIN
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

namespace espalier::on_cpu {
namespace detail {

template <class T>
struct elementary_constants;

template <>
struct elementary_constants<float> {
  static constexpr float round_to_whole = 12582912.0f;  // 1.5 2^23: adding it leaves the whole number in the low bits
  static constexpr int fraction_bits = 23;
  static constexpr unsigned fraction = 0x7fffffu;
  static constexpr unsigned sign = 0x80000000u;
  static constexpr unsigned one = 0x3f800000u;
  static constexpr unsigned root_half = 0x3f3504f3u;
  static constexpr unsigned whole = 0x4b000000u;       // 2^23
  static constexpr float whole_and_bias = 8388735.0f;  // 2^23 + 127
  static constexpr float smallest_normal = 0x1p-126f;
  static constexpr float to_normal = 0x1p23f;
  static constexpr float wholes = 0x1p23f;  // from here on every number is whole
  static constexpr float infinity = math::infinity<float>;
  static constexpr float not_a_number = math::not_a_number<float>;
  static constexpr float log2_e = 1.44269504f;
  // Both parts of ln 2 are positive, so that their products with infinity add up to infinity, not NaN.
  static constexpr float ln2_high = 0.693115234375f, ln2_low = 3.1946184945e-5f;
  static constexpr float most = 89.0f, least = -104.0f, saturated_sigmoid = 18.0f, saturated_tanh = 10.0f,
                         saturated_erf = 3.93f;
  // Minimax, highest power first.
  // (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2; (log(1 + f) - f + f^2 / 2) / f^3 on -0.293 <= f <= 0.5
  static constexpr float exponential[] = {1.3951098236e-3f, 8.3692393158e-3f, 4.1666196679e-2f, 1.6666515917e-1f, 0.5f};
  // erf(x) / x by x^2 on |x| <= 0.9, and log(1 - erf(x)) from there on
  static constexpr float error[] = {-0.000609036159435f, 0.00501196326944f, -0.026778909344f,
                                    0.112821408282f,     -0.376125232783f,  1.1283791538f};
  static constexpr float error_logarithm[] = {-1.66469462436e-5f, 0.000373124881305f, -0.00382108730728f,
                                              0.0240499249294f,   -0.106391771801f,   -0.635272036571f,
                                              -1.12846535344f,    -6.16507993069e-5f};
  static constexpr float logarithm[] = {-5.7501773202e-2f, 1.1847818836e-1f, -1.3477780103e-1f, 1.4362640742e-1f,
                                        -1.6605287498e-1f, 1.9992848330e-1f, -2.5001195586e-1f, 3.3333445336e-1f};
};

template <>
struct elementary_constants<double> {
  static constexpr double round_to_whole = 6755399441055744.0;
  static constexpr int fraction_bits = 52;
  static constexpr unsigned long long fraction = 0xfffffffffffffull;
  static constexpr unsigned long long sign = 0x8000000000000000ull;
  static constexpr unsigned long long one = 0x3ff0000000000000ull;
  static constexpr unsigned long long root_half = 0x3fe6a09e667f3bcdull;
  static constexpr unsigned long long whole = 0x4330000000000000ull;
  static constexpr double whole_and_bias = 4503599627371519.0;  // 2^52 + 1023
  static constexpr double smallest_normal = 0x1p-1022;
  static constexpr double to_normal = 0x1p52;
  static constexpr double wholes = 0x1p52;
  static constexpr double infinity = math::infinity<double>;
  static constexpr double not_a_number = math::not_a_number<double>;
  static constexpr double log2_e = 1.4426950408889634;
  static constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  static constexpr double most = 710.0, least = -746.0, saturated_sigmoid = 38.0, saturated_tanh = 20.0;
  static constexpr double exponential[] = {
      2.5110619680316562e-8, 2.763339672749588e-7,  2.7557240817623697e-6, 2.4801485350581322e-5, 1.9841269887940468e-4,
      1.3888888949575778e-3, 8.3333333333217635e-3, 4.1666666666516219e-2, 1.6666666666666675e-1, 0.50000000000000107};
  // (log(1 + f) / s - 2) / s^2 by s^2, where s = f / (2 + f)
  static constexpr double logarithm[] = {0.15393691907674551, 0.15247864452305973, 0.18186405071330868,
                                         0.22222139641281042, 0.28571429339834984, 0.39999999996815073,
                                         0.66666666666670538};
};

template <class P, class T, unsigned long N>
ESPALIER_INLINE P polynomial(P x, T const (&highest_first)[N]) {
  P y = highest_first[0];
#if defined(__clang__)
#pragma clang loop unroll(full)
#else
#pragma GCC unroll 16
#endif
  for (unsigned long i = 1; i < N; ++i) y = fma(y, x, P(highest_first[i]));
  return y;
}

/// The bits of a pack as integer lanes, and back.
template <class T, class Arch>
ESPALIER_INLINE auto bits_of(pack<T, Arch> x) {
  return reinterpret_cast<typename registers<T, Arch>::bits>(x.lanes());
}
template <class T, class Arch, class Bits>
ESPALIER_INLINE pack<T, Arch> from_bits(Bits x) {
  return reinterpret_cast<typename registers<T, Arch>::type>(x);
}

/// x = n ln 2 + r with |r| <= ln 2 / 2. shifted is n + round_to_whole: its low bits are the integer n.
template <class T, class Arch>
struct reduced {
  pack<T, Arch> shifted, r, curve;  // curve: (e^r - 1 - r) / r^2

  ESPALIER_INLINE explicit reduced(pack<T, Arch> x) {
    using constant = elementary_constants<T>;
    shifted = fma(x, pack<T, Arch>(constant::log2_e), pack<T, Arch>(constant::round_to_whole));
    pack<T, Arch> const n = whole();
    r = fma(n, pack<T, Arch>(-constant::ln2_low), fma(n, pack<T, Arch>(-constant::ln2_high), x));
    curve = polynomial(r, constant::exponential);
  }
  ESPALIER_INLINE pack<T, Arch> whole() const {
    return ESPALIER_AS_WRITTEN(shifted.lanes()) - pack<T, Arch>(elementary_constants<T>::round_to_whole).lanes();
  }
  /// e^r - 1
  ESPALIER_INLINE pack<T, Arch> minus_one() const { return fma(r * r, curve, r); }
  /// 2^n for n within the normal exponents.
  ESPALIER_INLINE pack<T, Arch> power() const {
    using constant = elementary_constants<T>;
    return from_bits<T, Arch>((bits_of(shifted) << constant::fraction_bits) + constant::one);
  }
  /// e^x. Without a scaling instruction, 2^n is applied as two factors: 2^n itself may not be a normal number, also
  /// where the result is normal, infinite or subnormal.
  ESPALIER_INLINE pack<T, Arch> exponential() const {
    using constant = elementary_constants<T>;
    pack<T, Arch> const one = 1;
    pack<T, Arch> const y = fma(fma(curve, r, one), r, one);
#if defined(__AVX512F__)
    if constexpr (Arch::bytes == 64) return scale(y.lanes(), whole().lanes());
#endif
    auto const n = bits_of(shifted) << constant::fraction_bits;
    auto const half = (bits_of(shifted) << (constant::fraction_bits - 1)) & ~constant::fraction;
    return y * from_bits<T, Arch>(half + constant::one) * from_bits<T, Arch>(n - half + constant::one);
  }
};

template <class T, class Arch, class F>
ESPALIER_INLINE pack<T, Arch> lane_by_lane(pack<T, Arch> x, F f) {
  T lanes[pack<T, Arch>::size];
  x.store(lanes);
  for (T& each : lanes) each = f(each);
  return pack<T, Arch>::load(lanes);
}

template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> with_sign_of(pack<T, Arch> magnitude, pack<T, Arch> sign) {
  using constant = elementary_constants<T>;
  return from_bits<T, Arch>((bits_of(magnitude) & ~constant::sign) | (bits_of(sign) & constant::sign));
}

template <class T, class Arch>
pack<T, Arch> power(pack<T, Arch> base, pack<T, Arch> exponent) {
  T bases[pack<T, Arch>::size], exponents[pack<T, Arch>::size];
  base.store(bases);
  exponent.store(exponents);
  for (int i = 0; i < pack<T, Arch>::size; ++i) {
    if constexpr (sizeof(T) == 4) {
      bases[i] = __builtin_powf(bases[i], exponents[i]);
    } else {
      bases[i] = __builtin_pow(bases[i], exponents[i]);
    }
  }
  return pack<T, Arch>::load(bases);
}

}  // namespace detail
}  // namespace espalier::on_cpu

ESPALIER_PRECISE_END
#include "elementary_tables.hpp"
ESPALIER_PRECISE_BEGIN

namespace espalier::on_cpu {
namespace detail {

/// Whether T on Arch uses the functions of elementary_tables.hpp.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
template <class T, class Arch>
constexpr bool by_table = sizeof(T) == 4 && Arch::bytes == 64;
#else
template <class T, class Arch>
constexpr bool by_table = false;
#endif
template <bool Exact, class P>
P exp_by_table(P);
template <class P>
P log_by_table(P);
template <class P>
P tanh_by_table(P);
template <class P>
P erf_by_table(P);
template <class P>
P quotient(P, P);

/// Whether packs of Arch hold xsimd's batches. The functions below work on the same register as the compilers' vector
/// (batches.hpp).
template <class Arch>
constexpr bool holds_batches = !std::is_same_v<typename Arch::architecture, compiler_vectors>;
template <class T, class Arch>
ESPALIER_INLINE pack<T, instruction_set_of_width<Arch::bytes>> as_vector(pack<T, Arch> x) {
  return x.lanes();
}

/// Bounds x: least <= x <= most. NaN passes.
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> bounded(T least, pack<T, Arch> x, T most) {
  return larger(pack<T, Arch>(least), smaller(pack<T, Arch>(most), x));
}

}  // namespace detail

template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> abs(pack<T, Arch> x) {
  return detail::from_bits<T, Arch>(detail::bits_of(x) & ~detail::elementary_constants<T>::sign);
}

template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> floor(pack<T, Arch> x) {
  using constant = detail::elementary_constants<T>;
  pack<T, Arch> const shift = detail::with_sign_of(pack<T, Arch>(constant::wholes), x);
  pack<T, Arch> const nearest = ESPALIER_AS_WRITTEN(x.lanes() + shift.lanes()) - shift.lanes();
  pack<T, Arch> const below = detail::with_sign_of(nearest - to_number(nearest > x), x);
  return select(abs(x) < pack<T, Arch>(constant::wholes), below, x);
}

template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> exp(pack<T, Arch> x) {
  if constexpr (detail::by_table<T, Arch>) {
    return detail::exp_by_table<false>(x);
  } else {
    using constant = detail::elementary_constants<T>;
    return detail::reduced<T, Arch>{detail::bounded(constant::least, x, constant::most)}.exponential();
  }
}

/// e^x / (1 + e^x), which is correct for subnormal results, too. x is bounded: for large x the result is 1 long before
/// e^x is infinite.
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> sigmoid(pack<T, Arch> x) {
  using P = pack<T, Arch>;
  P const at_most = smaller(P(detail::elementary_constants<T>::saturated_sigmoid), x);
  if constexpr (detail::by_table<T, Arch>) {
    P const e = detail::exp_by_table<true>(at_most);
    return detail::quotient(e, 1 + e);
  } else {
    P const e = exp(at_most);
    return e / (1 + e);
  }
}

/// t / (t + 2) with t = e^(2|x|) - 1, which keeps every digit near 0.
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> tanh(pack<T, Arch> x) {
  using P = pack<T, Arch>;
  if constexpr (detail::by_table<T, Arch>) {
    return detail::tanh_by_table(x);
  } else {
    P const magnitude = smaller(P(detail::elementary_constants<T>::saturated_tanh), abs(x));
    detail::reduced<T, Arch> const e{magnitude + magnitude};
    P const power = e.power();
    P const t = fma(power, e.minus_one(), power - 1);
    return detail::with_sign_of(t / (t + 2), x);
  }
}

/// x = 2^k (1 + f), f small: log x = k ln 2 + log(1 + f).
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> log(pack<T, Arch> x) {
  if constexpr (detail::by_table<T, Arch>) return detail::log_by_table(x);
  using P = pack<T, Arch>;
  using constant = detail::elementary_constants<T>;
  P k, f;
#if defined(__AVX512F__)
  constexpr bool special = Arch::bytes != 64;  // arguments that the instructions do not handle
  if constexpr (!special) {
    auto const m = detail::significand(x.lanes());
    k = detail::exponent(x.lanes()) - detail::exponent(m);
    f = m - P(1).lanes();
  }
#else
  constexpr bool special = true;
#endif
  if constexpr (special) {
    mask<T, Arch> const subnormal = x < P(constant::smallest_normal);
    auto const bits =
        detail::bits_of(select(subnormal, x * P(constant::to_normal), x)) + (constant::one - constant::root_half);
    k = detail::from_bits<T, Arch>((bits >> constant::fraction_bits) | constant::whole) -
        select(subnormal, P(constant::whole_and_bias + T(constant::fraction_bits)), P(constant::whole_and_bias));
    f = detail::from_bits<T, Arch>((bits & constant::fraction) + constant::root_half) - 1;
  }
  P const half_square = f * f * P(0.5);
  P y;
  if constexpr (sizeof(T) == 4) {
    P const tail = fma(k, P(constant::ln2_low), f * (f * f) * detail::polynomial(f, constant::logarithm));
    y = fma(k, P(constant::ln2_high), f + (tail - half_square));
  } else {
    P const s = f / (2 + f);
    P const z = s * s;
    P const correction =
        fma(s, fma(z, detail::polynomial(z, constant::logarithm), half_square), k * P(constant::ln2_low));
    y = fma(k, P(constant::ln2_high), f - (half_square - correction));
  }
  if constexpr (!special) return y;
#if ESPALIER_FINITE_MATH
  using truth = mask<T, Arch>;
  y = select(truth{detail::finite_lanes(x.lanes())}, y, x);
  y = select(x > P(0), y, select(x == P(0), P(-constant::infinity), P(constant::not_a_number)));
  return select(truth{detail::nan_lanes(x.lanes())}, x, y);
#else
  y = select(x < P(constant::infinity), y, x);
  return select(x > P(0), y, select(x == P(0), P(-constant::infinity), x + P(constant::not_a_number)));
#endif
}

template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> sin(pack<T, Arch> x) {
  return detail::lane_by_lane(
      x, [](T each) { return sizeof(T) == 4 ? T(__builtin_sinf(float(each))) : T(__builtin_sin(double(each))); });
}
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> cos(pack<T, Arch> x) {
  return detail::lane_by_lane(
      x, [](T each) { return sizeof(T) == 4 ? T(__builtin_cosf(float(each))) : T(__builtin_cos(double(each))); });
}
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> erf(pack<T, Arch> x) {
  using P = pack<T, Arch>;
  using constant = detail::elementary_constants<T>;
  if constexpr (detail::by_table<T, Arch>) {
    return detail::erf_by_table(x);
  } else if constexpr (sizeof(T) == 4) {
    P const magnitude = smaller(P(constant::saturated_erf), abs(x));
    detail::reduced<T, Arch> const e{detail::polynomial(magnitude, constant::error_logarithm)};
    P const power = e.power();
    P const far = (1 - power) - power * e.minus_one();
    P const near = magnitude * detail::polynomial(magnitude * magnitude, constant::error);
    return detail::with_sign_of(select(magnitude < P(T(0.9)), near, far), x);
  } else {
    return detail::lane_by_lane(x, [](T each) { return T(__builtin_erf(double(each))); });
  }
}

// Packs that hold batches use the same functions on the same register.

template <class T, class Arch>
  requires detail::holds_batches<Arch> ESPALIER_INLINE pack<T, Arch> floor(pack<T, Arch> x) {
    return floor(detail::as_vector(x)).lanes();
  }
template <class T, class Arch>
  requires detail::holds_batches<Arch> ESPALIER_INLINE pack<T, Arch> exp(pack<T, Arch> x) {
    return exp(detail::as_vector(x)).lanes();
  }
template <class T, class Arch>
  requires detail::holds_batches<Arch> ESPALIER_INLINE pack<T, Arch> sigmoid(pack<T, Arch> x) {
    return sigmoid(detail::as_vector(x)).lanes();
  }
template <class T, class Arch>
  requires detail::holds_batches<Arch> ESPALIER_INLINE pack<T, Arch> tanh(pack<T, Arch> x) {
    return tanh(detail::as_vector(x)).lanes();
  }
template <class T, class Arch>
  requires detail::holds_batches<Arch> ESPALIER_INLINE pack<T, Arch> log(pack<T, Arch> x) {
    return log(detail::as_vector(x)).lanes();
  }
template <class T, class Arch>
  requires detail::holds_batches<Arch> ESPALIER_INLINE pack<T, Arch> erf(pack<T, Arch> x) {
    return erf(detail::as_vector(x)).lanes();
  }

}  // namespace espalier::on_cpu

ESPALIER_PRECISE_END
#pragma GCC diagnostic pop
