// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/constant_math.hpp"
#include "view.hpp"

namespace espalier {

/// Whether a number is within atol + rtol |reference| of a reference. NaN is close to no number; an infinity is close
/// only to itself.
constexpr bool is_close(double value, double reference, double rtol = 1e-5, double atol = 1e-8) {
  constexpr double half = __DBL_MAX__ / 2;
  if (!math::constant::is_finite(value) || !math::constant::is_finite(reference))
    return !math::isnan(value) && math::constant::bits(value) == math::constant::bits(reference);
  if (value == reference) return true;
  bool const huge = value > half || value < -half || reference > half || reference < -half;
  // The difference of two doubles may overflow; the difference of their halves does not.
  double const scale = huge ? 0.5 : 1.0, v = value * scale, r = reference * scale;
  double const difference = v < r ? r - v : v - r, allowed = atol * scale + rtol * (r < 0 ? -r : r);
  return difference <= allowed;
}

/// all_close(a, b): every element of a is within atol + rtol |b| of the element of b (NumPy's allclose).
/// shape   S, S -> bool; element types may differ: they are compared in double
/// ranges  NaN is close to no number, infinities are close when equal; differences beyond the largest double do not
///         overflow
/// errors  different shapes do not compile
template <Stored A, Stored B, class Shapes = detail::equal_shapes<typename A::shape_type, typename B::shape_type>>
constexpr bool all_close(A const& a, B const& b, double rtol = 1e-5, double atol = 1e-8) {
  static_assert(Shapes::agree, ESPALIER_SENTENCE("all_close(a, b): both must have the same shape", Shapes));
  if constexpr (Shapes::agree)
    for (std::int64_t i = 0; i < A::size(); ++i)
      if (!is_close(static_cast<double>(a.data()[i]), static_cast<double>(b.data()[i]), rtol, atol)) return false;
  return true;
}

namespace detail {
/// A constraint that errors name: all_close compares elements, which a formula does not have.
template <class A, class B>
struct has_elements {
  ESPALIER_READS("got {} and {}")
  static constexpr bool agree = is_invalid<A> || is_invalid<B>;
};
}  // namespace detail
/// Does not compile: a formula.
template <class A, class B, class... Limits>
  requires(!TensorOrView<A> || !TensorOrView<B>)
constexpr bool all_close(A const&, B const&, Limits const&...) {
  using Elements = detail::has_elements<A, B>;
  static_assert(
      Elements::agree,
      ESPALIER_SENTENCE("all_close(a, b): a and b are tensors or views; outside of functions write evaluate(formula)",
                        Elements));
  return false;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
