// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "compare.hpp"
#include "composite.hpp"
#include "divide.hpp"
#include "relu.hpp"
#include "reshape.hpp"
#include "sqrt.hpp"
#include "square.hpp"
#include "square_range.hpp"
#include "subtract.hpp"
#include "sum.hpp"
#include "where.hpp"

namespace espalier {

struct square_of_small_ {};
struct range_scale_ {};
struct scaled_root_ {};
struct scaled_in_range_ {};
struct norm_ {};
struct unit_ {};

namespace detail {

/// x times a power of two. -ffast-math must not multiply the square of x instead; a sum is computed as it is written,
/// of packs, too.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr T scaled_by_power(T x, T power) {
#if ESPALIER_FINITE_MATH
  return math::as_written(x * power + T(0));
#else
  return x * power;
#endif
}

}  // namespace detail

/// (x 2^k)^2, which does not underflow. It is limited where it is not used, so that it is a constant expression there.
template <>
struct rule<square_of_small_> : elementwise {
  static constexpr char const* name = "square_of_small";
  static constexpr bool cheap = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    using range = detail::square_range<T>;
    T const scaled =
        detail::scaled_by_power(math::minimum(math::abs(x), T(range::largest / range::small)), T(range::small));
    return scaled * scaled;
  }
};
namespace detail {
/// Of three values that one which belongs to the sum of squares in range: exact ones, of large numbers and of small
/// numbers. Where a type is too narrow for the other two sums (half on a graphics processor), the exact one is used.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr T of_sum_in_range(T exact, T large, T small, T of_exact, T of_large,
                                                                 T of_small) {
  T const low = math::where(math::less(T(0), small), math::where(math::is_finite(small), of_small, of_exact), of_exact);
  return math::where(math::is_finite(exact), math::where(math::less(exact, T(square_range<T>::least)), low, of_exact),
                     math::where(math::less(T(square_range<T>::from), large), of_large, of_exact));
}
}  // namespace detail

/// The power of two by which numbers with these sums of squares are multiplied, so that their squares stay in range; 1
/// in all usual cases.
template <>
struct rule<range_scale_> : elementwise {
  static constexpr char const* name = "range_scale";
  static constexpr int arity = 3;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T exact, T large, T small) {
    using range = detail::square_range<T>;
    return detail::of_sum_in_range(exact, large, small, T(1), T(range::large), T(range::small));
  }
};
/// The root of the sum of squares that is in range.
template <>
struct rule<scaled_root_> : elementwise {
  static constexpr char const* name = "scaled_root";
  static constexpr int arity = 3;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T exact, T large, T small) {
    return math::sqrt(detail::of_sum_in_range(exact, large, small, exact, large, small));
  }
};

/// a b, a factor that sums keep inside: it is there to prevent overflow.
template <>
struct rule<scaled_in_range_> : rule<multiply_> {
  static constexpr char const* name = "scaled_in_range";
  static constexpr auto summed = graph::within_sum::stays;
};

/// The norm of x times `scale`, a power of two, without overflow and underflow. The three sums take one sweep over x.
template <class Root, class Scale>
struct scaled_norm {
  Root root;
  Scale scale;
};
template <class X, class Mask>
constexpr auto scaled_norm_of(X const& x, Mask mask) {
  auto const exact = reduce_kept<sum_>(square(x), mask);
  auto const large = reduce_kept<sum_>(apply<square_of_large_>(x), mask);
  auto const small = reduce_kept<sum_>(apply<square_of_small_>(x), mask);
  auto const root = apply<scaled_root_>(exact, large, small);
  auto const scale = apply<range_scale_>(exact, large, small);
  return scaled_norm<decltype(root), decltype(scale)>{root, scale};
}

namespace detail {
/// The node of a composite on handles, with its closed form.
template <class Op, class... H>
constexpr handle composite_of_handles(unsigned mask, handle value, H... x) {
  node_table& g = *value.nodes;
  return handle{
      &g, g.emit(graph::node{&described<Op>, {value.id, x.id...}, graph::axes_attribute(mask), g[value.id].shape})};
}
}  // namespace detail

template <>
struct rule<norm_> : composite {
  static constexpr char const* name = "norm";
  static constexpr auto expand(auto x, auto mask) {
    auto const n = scaled_norm_of(x, mask);
    return n.root / n.scale;
  }
  template <class Handle>
  static constexpr Handle pullback(Handle dy, Handle y, Handle x, unsigned mask);
};

/// x / max(|x|, eps). The closed form writes the norm and the unit vector as nodes with closed forms: so the second
/// and further derivatives have no division by 0 either.
template <>
struct rule<unit_> : composite {
  static constexpr char const* name = "unit";
  static constexpr int arity = 2;
  static constexpr auto expand(auto x, auto eps, auto mask) {
    auto const n = scaled_norm_of(x, mask);
    auto const least = n.scale * eps;
    return apply<scaled_in_range_>(apply<scaled_in_range_>(x, n.scale),
                                   1 / where(n.root >= least, where(n.root > 0, n.root, 1), least));
  }
  template <class Handle>
  static constexpr Handle pullback(Handle dy, Handle y, Handle x, Handle eps, unsigned mask) {
    Handle const n = detail::composite_of_handles<norm_>(mask, rule<norm_>::expand(x, mask), x);
    Handle const outside = n >= eps;
    Handle const along = where(outside, reduce_kept<sum_>(dy * y, mask), 0);
    return gate((dy - y * along) / where(outside, where(n > 0, n, 1), eps), n);
  }
};

template <class Handle>
constexpr Handle rule<norm_>::pullback(Handle dy, Handle, Handle x, unsigned mask) {
  Handle const none = operation::emit_constant(*x.nodes, 0, extents{});
  return dy * detail::composite_of_handles<unit_>(mask, rule<unit_>::expand(x, none, mask), x, none);
}

namespace detail {
template <bool Keep, int... Axes, class X>
constexpr auto norm_over(X&& x) {
  if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = axes_exist<shape_of<X>, axes<Axes...>>;
    if constexpr (!relation::agree) {
      return invalid<relation>{};
    } else {
      using S = shape_of<X>;
      constexpr unsigned mask = axis_mask<Axes...>(S::rank);
      auto kept = make_node<norm_, mask, shape_from<kept_axes<S, mask>>>(static_cast<X&&>(x));
      if constexpr (Keep) return kept;
      else return reshape_as(shape_from<reducible_axes<S, false, Axes...>>{}, std::move(kept));
    }
  }
}
}  // namespace detail

/// norm<Axes...>(x) = sqrt(sum(x^2)), the Euclidean norm over the named axes; no axes: over all.
/// shape   S -> S without Axes; norm<Axes...>(x, keepdims): with extent 1 there
/// range   no square overflows or underflows: the norm is right wherever the element type holds it
/// errors  an axis that does not exist or is named twice does not compile
/// saves   x, y
/// gradient  dx = dy x / y; 0 where all elements are 0, to any order
/// source  PyTorch's linalg.vector_norm; Blue 1978, for the three sums
template <int... Axes, Expression X>
constexpr auto norm(X&& x) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("norm<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return detail::norm_over<false, Axes...>(static_cast<X&&>(x));
}
template <int... Axes, Expression X>
constexpr auto norm(X&& x, keepdims_t) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("norm<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return detail::norm_over<true, Axes...>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
