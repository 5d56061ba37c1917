// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

/// Elementary functions of packs, without branches. They are within 3 units in the last place of the exact value for
/// every argument, including subnormal arguments and results. For infinities and NaN, they return what the exact
/// function returns. sin, cos and pow (and erf of double) are those of base/math.hpp, lane by lane. On AVX-512, float
/// has its own functions (elementary_tables.hpp); elsewhere there is one polynomial each.

#include "elementary_tables.hpp"
#include "range_reduction.hpp"

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
constexpr bool holds_batches = !std::is_same_v<typename Arch::architecture, compiler_vectors> &&
                               !std::is_same_v<typename Arch::architecture, scalar_registers>;
template <class T, class Arch>
ESPALIER_INLINE pack<T, instruction_set_of_width<Arch::bytes>> as_vector(pack<T, Arch> x) {
  return x.lanes();
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
    // Where e^x is 0, as for hidden scores of attention, 0 is not computed: a result that underflows takes processors
    // up to a hundred cycles.
    using P = pack<T, Arch>;
    auto const vanishes = x < P(constant::least);
    P const y = detail::reduced<T, Arch>{select(vanishes, P(0), smaller(P(constant::most), x))}.exponential();
    return select(vanishes, P(0), y);
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
  return detail::lane_by_lane(x, [](T each) { return math::sin(each); });
}
template <class T, class Arch>
ESPALIER_INLINE pack<T, Arch> cos(pack<T, Arch> x) {
  return detail::lane_by_lane(x, [](T each) { return math::cos(each); });
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
    return detail::lane_by_lane(x, [](T each) { return math::erf(each); });
  }
}

// Packs that hold batches use the same functions on the same register.

template <class T, class Arch>
  requires(detail::holds_batches<Arch>)
ESPALIER_INLINE pack<T, Arch> floor(pack<T, Arch> x) { return floor(detail::as_vector(x)).lanes(); }
template <class T, class Arch>
  requires(detail::holds_batches<Arch>)
ESPALIER_INLINE pack<T, Arch> exp(pack<T, Arch> x) { return exp(detail::as_vector(x)).lanes(); }
template <class T, class Arch>
  requires(detail::holds_batches<Arch>)
ESPALIER_INLINE pack<T, Arch> sigmoid(pack<T, Arch> x) { return sigmoid(detail::as_vector(x)).lanes(); }
template <class T, class Arch>
  requires(detail::holds_batches<Arch>)
ESPALIER_INLINE pack<T, Arch> tanh(pack<T, Arch> x) { return tanh(detail::as_vector(x)).lanes(); }
template <class T, class Arch>
  requires(detail::holds_batches<Arch>)
ESPALIER_INLINE pack<T, Arch> log(pack<T, Arch> x) { return log(detail::as_vector(x)).lanes(); }
template <class T, class Arch>
  requires(detail::holds_batches<Arch>)
ESPALIER_INLINE pack<T, Arch> erf(pack<T, Arch> x) { return erf(detail::as_vector(x)).lanes(); }

}  // namespace espalier::on_cpu

ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"
