// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "structure.hpp"

namespace espalier {

namespace detail {
/// A constant of a graph; all its elements are equal.
template <class S, class T>
struct filled {
  using shape_type = S;
  using is_expression = void;
  using element_type = T;
  static constexpr bool eager = false;
  double value = 0;
  template <class Tracer>
  constexpr int trace_into(Tracer& t) const {
    return operation::emit_constant(t.nodes(), value, S::value).id;
  }
};
}  // namespace detail

/// zeros<S>(x): zeros in the program of x, whose value is not read. They are the initial state of a loop in a body:
///   auto h = zeros<shape<N, H>>(x);
/// shape   any -> S
/// saves   nothing; costs nothing where an op reads it
/// gradient  none: not differentiable
template <Shape S, Expression X>
constexpr auto zeros([[maybe_unused]] X const& x) {
  if constexpr (is_invalid<X>) {
    return X{};
  } else if constexpr (!Traced<X>) {
    return detail::filled<S, element_of<X>>{};
  } else {
    using Y = detail::traced_result<S, X>;
    tracing::tracer* const t = detail::tracer_of(x);
    if (t == nullptr) return Y{};
    return detail::as_value<Y>(*t, detail::filled<S, void>{});
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
