// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "reduction.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

struct sum_ {};

template <>
struct rule<sum_> : reduction {
  static constexpr char const* name = "sum";
  static constexpr double identity = 0;
  static constexpr bool linear = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T combine(T a, T b) {
    return math::as_written(a + b);
  }
  /// Combines the lanes of a pack.
  template <class V>
  static constexpr auto across(V x) {
    return reduce_add(x);
  }
  static constexpr double constant(double value, std::int64_t count) { return value * static_cast<double>(count); }
  static constexpr handle pullback(handle dy, handle, handle x) {
    return {dy.program, graph::emit_broadcast(*dy.program, dy.id, (*x.program)[x.id].shape)};
  }
};

/// The pullback of a broadcast is a sum. Every op emits broadcasts, so structure.hpp includes this header at its end.
constexpr handle rule<broadcast_>::pullback(program_builder& g, int dy, int id, int) {
  return handle{&g, detail::sum_to<sum_>(g, dy, g[g[id].operand[0]].shape)};
}

/// sum<Axes...>(x): the sum over the named axes; no axes: over all.
/// shape   S -> S without Axes; sum<Axes...>(x, keepdims): with extent 1 there
/// errors  an axis that does not exist or is named twice does not compile
/// saves   nothing
/// gradient  dx = dy, repeated along Axes
template <int... Axes, Operand X>
constexpr auto sum(X&& x) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("sum<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return reduce_over<sum_, false, Axes...>(static_cast<X&&>(x));
}
template <int... Axes, Operand X>
constexpr auto sum(X&& x, keepdims_t) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("sum<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return reduce_over<sum_, true, Axes...>(static_cast<X&&>(x));
}

}  // namespace espalier
#pragma GCC diagnostic pop
