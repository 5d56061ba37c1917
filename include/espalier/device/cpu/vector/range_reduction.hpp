// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <type_traits>

#include "../../../base/math.hpp"
#include "pack.hpp"

ESPALIER_PRECISE_BEGIN

/// What the elementary functions of packs share: constants, polynomials, and the reduction of arguments to a small
/// range.
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
  for (int i = 0; i < pack<T, Arch>::size; ++i) bases[i] = math::pow(bases[i], exponents[i]);
  return pack<T, Arch>::load(bases);
}

}  // namespace detail
}  // namespace espalier::on_cpu

ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"
