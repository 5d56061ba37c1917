// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/bits.hpp"
#include "../shape/reduce.hpp"
#include "tensor.hpp"

namespace espalier {

namespace detail {
/// Whether x replaces the best element so far. The first of equal elements stays, and NaN is larger than every number.
template <class T>
constexpr bool is_larger(T x, T best) {
  if constexpr (is_real<T>) {
    using number = computed_in<T>;
    if (math::isnan(static_cast<number>(best))) return false;
    if (math::isnan(static_cast<number>(x))) return true;
  }
  return x > best;
}
}  // namespace detail

/// argmax(x): position in row-major order of the largest element.
/// shape   S -> an index; coordinates(shape, index) converts it to one index per axis
/// ties    the first one; nan counts as the largest
template <Stored X>
constexpr std::int64_t argmax(X const& x) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < X::size(); ++i)
    if (detail::is_larger(x.data()[i], x.data()[best])) best = i;
  return best;
}

/// argmax<Axis>(x): index of the largest element along one axis.
/// shape   S -> S without the axis, of std::int32_t
/// ties    the first one; nan counts as the largest
/// errors  an axis that does not exist does not compile; negative axes count from the end
template <int Axis, Stored X, class Axes = axes_exist<typename X::shape_type, axes<Axis>>>
constexpr auto argmax(X const& x) {
  static_assert(Axes::agree, ESPALIER_SENTENCE("argmax<Axis>(x): the axis does not exist", Axes));
  if constexpr (Axes::agree) {
    using S = typename X::shape_type;
    constexpr int axis = Axis < 0 ? Axis + S::rank : Axis;
    constexpr std::int64_t outer = S::value.product(0, axis), count = S::value.at[axis],
                           inner = S::value.product(axis + 1, S::rank);
    tensor<std::int32_t, shape_from<reducible_axes<S, false, Axis>>> result;
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; ++i) {
        auto const* const first = x.data() + o * count * inner + i;
        std::int64_t best = 0;
        for (std::int64_t k = 1; k < count; ++k)
          if (detail::is_larger(first[k * inner], first[best * inner])) best = k;
        result.data()[o * inner + i] = static_cast<std::int32_t>(best);
      }
    return result;
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
