// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "bits.hpp"

/// The elementary functions for constant expressions, in double: plain arithmetic, few steps, within 2 ulp of the exact
/// value (test/base/math.cpp measures it). base/math.hpp chooses between these and the platform's functions.
///
/// The method is the classical one: reduce the argument exactly to a small interval, sum a series there, restore the
/// scale. Reference: J.-M. Muller, Elementary Functions: Algorithms and Implementation.
ESPALIER_PRECISE_BEGIN
namespace espalier::math::constant {

inline constexpr double infinite = math::infinity<double>;
inline constexpr double not_a_number = math::not_a_number<double>;
using bits_type = unsigned long long;

/// An unevaluated sum: high is the rounded value, low the rounding error.
struct two {
  double high, low;
};

ESPALIER_HOST_DEVICE constexpr bits_type bits(double x) { return detail::bits_of(x); }
ESPALIER_HOST_DEVICE constexpr double from_bits(bits_type x) { return __builtin_bit_cast(double, x); }
ESPALIER_HOST_DEVICE constexpr bool is_nan(double x) {
  return (bits(x) & ~(bits_type{1} << 63)) > bits_type{0x7ff} << 52;
}
ESPALIER_HOST_DEVICE constexpr bool is_negative(double x) { return (bits(x) >> 63) != 0; }
ESPALIER_HOST_DEVICE constexpr double abs(double x) { return from_bits(bits(x) & ~(bits_type{1} << 63)); }
ESPALIER_HOST_DEVICE constexpr double with_sign_of(double sign, double x) {
  return is_negative(sign) ? -abs(x) : abs(x);
}
ESPALIER_HOST_DEVICE constexpr bool is_finite(double x) { return (bits(x) >> 52 & 0x7ff) != 0x7ff; }
/// The nearest float. Beyond its range a conversion is no constant expression, so the result is chosen by comparison.
ESPALIER_HOST_DEVICE constexpr float to_float(double x) {
  if (abs(x) <= static_cast<double>(__FLT_MAX__) || is_nan(x)) return static_cast<float>(x);
  float const size = abs(x) < 0x1.ffffffp127 ? __FLT_MAX__ : math::infinity<float>;
  return x < 0 ? -size : size;
}
template <class T>
ESPALIER_HOST_DEVICE constexpr T to(double x) {
  if constexpr (sizeof(T) == sizeof(float)) return to_float(x);
  else return x;
}
ESPALIER_HOST_DEVICE constexpr long long nearest(double x) { return static_cast<long long>(x < 0 ? x - 0.5 : x + 0.5); }

/// 2^k, for a k such that 2^k is a normal number.
ESPALIER_HOST_DEVICE constexpr double power_of_two(long long k) {
  return from_bits(static_cast<bits_type>(k + 1023) << 52);
}

/// x 2^k for x between 2^-40 and 2^40: rounded once, also if the result is subnormal or overflows.
ESPALIER_HOST_DEVICE constexpr double scale(double x, long long k) {
  if (k > 1100) return infinite;
  if (k < -1150) return 0;
  // The first product is exact; an overflow of the second would end the constant evaluation.
  long long const first = k < -950 ? -900 : k / 2;
  double const y = x * power_of_two(first);
  if (k > 0 && y > __DBL_MAX__ * power_of_two(first - k)) return infinite;
  return y * power_of_two(k - first);
}

/// a + b exactly.
ESPALIER_HOST_DEVICE constexpr two exact_sum(double a, double b) {
  double const sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// a b exactly (Dekker), for factors far from the ends of the range.
ESPALIER_HOST_DEVICE constexpr two exact_product(double a, double b) {
  double const p = a * b;
#if !defined(__CUDA_ARCH__) && !defined(ESPALIER_SEPARATE_ROUNDING)
  // At run time the compiler may fuse multiplications and additions, which breaks the splitting below. One fused
  // operation is exact.
  if (!__builtin_is_constant_evaluated()) return {p, __builtin_fma(a, b, -p)};
#endif
  double const sa = 134217729.0 * a, sb = 134217729.0 * b;
  double const ah = sa - (sa - a), al = a - ah, bh = sb - (sb - b), bl = b - bh;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

ESPALIER_HOST_DEVICE constexpr two product(two a, two b) {
  two const p = exact_product(a.high, b.high);
  return {p.high, p.low + (a.high * b.low + a.low * b.high)};
}

inline constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;

/// e^(x + low), for a low that is small compared with x.
ESPALIER_HOST_DEVICE constexpr double exp(double x, double low = 0) {
  if (is_nan(x)) return x;
  if (x > 710) return infinite;
  if (x < -746) return 0;
  // Squares of tiny numbers underflow, which nvcc treats as an error in a constant expression.
  if (abs(x) < 1e-20) return 1 + (x + low);
  long long const k = nearest(x * 0x1.71547652b82fep+0);
  auto const n = static_cast<double>(k);
  double const high = x - n * ln2_high, r = high - n * ln2_low;
  double const rest = ((high - r) - n * ln2_low) + low;
  // |r| <= 0.347: the first omitted term is below 1e-17.
  double const series =
      r * r *
      (1.0 / 2 +
       r * (1.0 / 6 +
            r * (1.0 / 24 +
                 r * (1.0 / 120 +
                      r * (1.0 / 720 +
                           r * (1.0 / 5040 + r * (1.0 / 40320 + r * (1.0 / 362880 +
                                                                     r * (1.0 / 3628800 +
                                                                          r * (1.0 / 39916800 +
                                                                               r * (1.0 / 479001600 +
                                                                                    r * (1.0 / 6227020800.0))))))))))));
  return scale(1 + (r + (series + rest * (1 + r + series))), k);
}

/// x = m 2^e with m between the roots of 1/2 and 2.
struct parts {
  double m;
  long long e;
};
ESPALIER_HOST_DEVICE constexpr parts decompose(double x) {
  bool const subnormal = x < 0x1p-1022;
  bits_type const b = bits(subnormal ? x * 0x1p54 : x);
  long long const e = static_cast<long long>(b >> 52) - 1023 - (subnormal ? 54 : 0);
  double const m = from_bits((b & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
  return m > 1.4142135623730951 ? parts{m / 2, e + 1} : parts{m, e};
}

ESPALIER_HOST_DEVICE constexpr double log(double x) {
  if (is_nan(x) || x == infinite) return x;
  if (x == 0) return -infinite;
  if (x < 0) return not_a_number;
  parts const p = decompose(x);
  auto const e = static_cast<double>(p.e);
  double const f = p.m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  // log(1 + f) = 2 artanh(s), written so that f itself stays exact.
  double const series =
      z *
      (2.0 / 3 +
       z * (2.0 / 5 +
            z * (2.0 / 7 +
                 z * (2.0 / 9 + z * (2.0 / 11 +
                                     z * (2.0 / 13 +
                                          z * (2.0 / 15 +
                                               z * (2.0 / 17 + z * (2.0 / 19 + z * (2.0 / 21 + z * (2.0 / 23)))))))))));
  return e * ln2_high - ((half - (s * (half + series) + e * ln2_low)) - f);
}

ESPALIER_HOST_DEVICE constexpr double sqrt(double x) {
  if (is_nan(x) || x == infinite || x == 0) return x;
  if (x < 0) return not_a_number;
  parts const p = decompose(x);
  bool const odd = (p.e & 1) != 0;
  double const m = odd ? p.m * 2 : p.m;
  double y = 0.5 + 0.5 * m;
  // Heron's steps leave one rounding error; the exact residual removes it.
  for (int step = 0; step < 5; ++step) y = 0.5 * (y + m / y);
  two const square = exact_product(y, y);
  y += ((m - square.high) - square.low) / (2 * y);
  return scale(y, (p.e - (odd ? 1 : 0)) / 2);
}

ESPALIER_HOST_DEVICE constexpr double tanh(double x) {
  if (is_nan(x)) return x;
  double const a = abs(x);
  if (a > 22) return with_sign_of(x, 1.0);
  if (a < 1e-9) return x;
  if (a > 0.75) return with_sign_of(x, 1 - 2 / (exp(2 * a) + 1));
  // Lambert's continued fraction, as x minus a correction so that small arguments stay exact.
  double const z = x * x;
  double const g = z / (3 + z / (5 + z / (7 + z / (9 + z / (11 + z / (13 + z / (15 + z / (17 + z / 19))))))));
  return x - x * (g / (1 + g));
}

ESPALIER_HOST_DEVICE constexpr double sigmoid(double x) {
  if (is_nan(x)) return x;
  if (abs(x) < 1e-18) return 0.5;
  if (abs(x) < 1) return 0.5 + 0.5 * tanh(0.5 * x);
  double const e = exp(-abs(x)), q = e / (1 + e);
  return x > 0 ? 1 - q : e - e * q;
}

/// log(x) for a normal mantissa and its exponent, accurate to about 75 bits.
ESPALIER_HOST_DEVICE constexpr two long_log(parts p) {
  double const f = p.m - 1;
  two const d = exact_sum(2.0, f);
  double const q = f / d.high;
  two const qd = exact_product(q, d.high);
  two const s{q, (((f - qd.high) - qd.low) - q * d.low) / d.high};
  two const z = product(s, s);
  two const third = product(z, {1.0 / 3, 0x1.5555555555555p-56});
  double const y = z.high;
  double const series =
      y * y *
      (1.0 / 5 +
       y * (1.0 / 7 +
            y * (1.0 / 9 +
                 y * (1.0 / 11 +
                      y * (1.0 / 13 +
                           y * (1.0 / 15 + y * (1.0 / 17 + y * (1.0 / 19 + y * (1.0 / 21 + y * (1.0 / 23))))))))));
  two const w = exact_sum(third.high, third.low + series);
  two const sw = product(s, w);
  auto const e = static_cast<double>(p.e);
  two const first = exact_sum(e * ln2_high, 2 * s.high);
  two const second = exact_sum(first.high, 2 * sw.high);
  double const low = e * ln2_low;
  two const third_sum = exact_sum(second.high, low);
  // e * ln2_low rounds at 2^-53 * 2^-32 of the result, which is small enough.
  return exact_sum(third_sum.high, third_sum.low + (second.low + (first.low + 2 * (s.low + sw.low))));
}

/// m^n for an integer n in 1..64, from correct roundings of exact products: powers that a double can represent are
/// exact.
ESPALIER_HOST_DEVICE constexpr two whole_power(double m, long long n) {
  two result{1, 0}, square{m, 0};
  for (; n > 0; n >>= 1) {
    if ((n & 1) != 0) {
      result = product(result, square);
      result = exact_sum(result.high, result.low);
    }
    square = product(square, square);
    square = exact_sum(square.high, square.low);
  }
  return result;
}

/// x^y for x > 0 and finite, y finite and not 0.
ESPALIER_HOST_DEVICE constexpr double positive_power(double x, double y) {
  parts const p = decompose(x);
  if (abs(y) <= 64 && static_cast<double>(static_cast<long long>(y)) == y) {
    auto const n = static_cast<long long>(y);
    two const w = whole_power(p.m, n < 0 ? -n : n);
    if (n > 0) return scale(w.high, p.e * n);
    double const q = 1 / w.high;
    two const back = exact_product(q, w.high);
    return scale(q + q * (((1 - back.high) - back.low) - q * w.low), p.e * n);
  }
  two const l = long_log(p);
  if (abs(y) < 1e-25) return 1;
  if (abs(y) > 1e19) return (l.high > 0) == (y > 0) ? infinite : 0.0;
  double const approximate = y * l.high;
  if (approximate > 710) return infinite;
  if (approximate < -746) return 0;
  two const t = exact_product(y, l.high);
  return exp(t.high, t.low + y * l.low);
}

ESPALIER_HOST_DEVICE constexpr bool is_whole(double y) {
  return abs(y) >= 0x1p53 || static_cast<double>(static_cast<long long>(y)) == y;
}
ESPALIER_HOST_DEVICE constexpr bool is_odd(double y) {
  return abs(y) < 0x1p53 && is_whole(y) && (static_cast<long long>(y) & 1) != 0;
}

/// The special cases are those of C (Annex F).
ESPALIER_HOST_DEVICE constexpr double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (is_nan(x) || is_nan(y)) return not_a_number;
  double const a = abs(x);
  if (abs(y) == infinite) return a == 1 ? 1 : ((a > 1) == (y > 0)) ? infinite : 0.0;
  bool const odd = is_odd(y);
  if (a == 0 || a == infinite) {
    double const size = ((a == 0) == (y < 0)) ? infinite : 0.0;
    return odd ? with_sign_of(x, size) : size;
  }
  if (x < 0 && !is_whole(y)) return not_a_number;
  double const size = a == 1 ? 1.0 : positive_power(a, y);
  return x < 0 && odd ? -size : size;
}

/// erf from its Taylor series at the nearest multiple of 1/2, where value and derivative are tabulated.
ESPALIER_HOST_DEVICE constexpr double erf(double x) {
  if (is_nan(x)) return x;
  double const a = abs(x);
  if (a > 5.95) return with_sign_of(x, 1.0);
  constexpr double values[]{0,
                            0.5204998778130465,
                            0.8427007929497149,
                            0.9661051464753108,
                            0.9953222650189527,
                            0.999593047982555,
                            0.9999779095030014,
                            0.9999992569016276,
                            0.9999999845827421,
                            0.9999999998033839,
                            0.9999999999984626,
                            0.9999999999999927,
                            1.0};
  constexpr double derivatives[]{1.1283791670955126,     0.8787825789354448,     0.4151074974205947,
                                 0.11893028922362937,    0.020666985354092053,   0.0021782842303527095,
                                 0.00013925305194674786, 5.399426777384783e-06,  1.2698234671866558e-07,
                                 1.81130589590869e-09,   1.5670866531017336e-11, 8.223316045262922e-14,
                                 2.617301239249265e-16};
  // Up to 0.5 the series at 0 is used, because the relative error of the result counts.
  int const k = a < 0.5 ? 0 : static_cast<int>(2 * a + 0.5);
  double const c = 0.5 * k, h = a - c;
  if (a < 1e-9) return x + x * 0.1283791670955126;
  // With f = erf': f(c + h) = f(c) exp(-2ch - h^2) = f(c) sum of b_n h^n, with (n+1) b_(n+1) = -2c b_n - 2 b_(n-1).
  double tail = 0, before = h, term = -2 * c * h * h;
  for (int n = 1; n < 30 && abs(term) + abs(before) > 1e-30 * a; ++n) {
    tail += term / (n + 1);
    double const next = (-2 * c * h * term - 2 * h * h * before) / (n + 1);
    before = term;
    term = next;
  }
  // At 0 the derivative is 1 + 0.128...: h is added last, unscaled, which leaves one rounding error in the result.
  return with_sign_of(
      x, k == 0 ? h + (h * 0.1283791670955126 + derivatives[0] * tail) : values[k] + derivatives[k] * (h + tail));
}

/// Not constexpr on purpose: the argument is too large for this reduction, and a compile-time error is better than a
/// wrong digit.
inline void the_argument_of_a_constant_sine_or_cosine_must_be_below_one_million() {}

/// sin(x + turn pi/2), or cosine with turn = 1.
ESPALIER_HOST_DEVICE constexpr double sine(double x, int turn) {
  if (is_nan(x) || abs(x) == infinite) return not_a_number;
#if !defined(__CUDA_ARCH__)
  if (abs(x) > 1e6) the_argument_of_a_constant_sine_or_cosine_must_be_below_one_million();
#endif
  long long const k = nearest(x * 0.6366197723675814);
  auto const n = static_cast<double>(k);
  // pi/2 in three pieces; the products with the first two are exact.
  two const first = exact_sum(x - n * 0x1.921fb544p+0, -n * 0x1.0b4611a6p-34);
  two const r = exact_sum(first.high, first.low - n * 0x1.3198a2e037073p-69);
  double const h = r.high, z = h * h;
  double result = 0;
  if (((k + turn) & 1) == 0) {
    double const series =
        z * (-1.0 / 6 +
             z * (1.0 / 120 +
                  z * (-1.0 / 5040 +
                       z * (1.0 / 362880 +
                            z * (-1.0 / 39916800 + z * (1.0 / 6227020800.0 + z * (-1.0 / 1307674368000.0 +
                                                                                  z * (1.0 / 355687428096000.0))))))));
    result = h + (h * series + r.low * (1 - 0.5 * z));
  } else {
    double const series =
        z * z *
        (1.0 / 24 +
         z * (-1.0 / 720 +
              z * (1.0 / 40320 +
                   z * (-1.0 / 3628800 +
                        z * (1.0 / 479001600 + z * (-1.0 / 87178291200.0 + z * (1.0 / 20922789888000.0 +
                                                                                z * (-1.0 / 6402373705728000.0))))))));
    double const half = 0.5 * z, w = 1 - half;
    result = w + (((1 - w) - half) + (series - h * r.low));
  }
  return ((k + turn) & 2) != 0 ? -result : result;
}

ESPALIER_HOST_DEVICE constexpr double sin(double x) { return abs(x) < 1e-9 ? x : sine(x, 0); }
ESPALIER_HOST_DEVICE constexpr double cos(double x) { return abs(x) < 1e-9 ? 1.0 : sine(x, 1); }

ESPALIER_HOST_DEVICE constexpr double floor(double x) {
  if (is_nan(x) || abs(x) >= 0x1p52 || x == 0) return x;
  auto const whole = static_cast<double>(static_cast<long long>(x));
  return whole > x ? whole - 1 : whole;
}

}  // namespace espalier::math::constant
ESPALIER_PRECISE_END
#include "diagnostics_pop.hpp"
