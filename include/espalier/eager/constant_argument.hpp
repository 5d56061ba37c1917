// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../derivative/derivative.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier {

/// An argument that is held constant: grad<0>(f)(a, constant(b)). X is a reference for a named tensor; temporaries and
/// views are stored by value.
template <class X>
struct constant_argument {
  X value;
};
/// constant(x): passes x as an argument without a gradient.
template <class X>
  requires(detail::marked_tensor<detail::bare<X>> || detail::marked_view<detail::bare<X>>)
constexpr auto constant(X&& x) {
  constexpr bool refers = std::is_lvalue_reference_v<X> && detail::marked_tensor<detail::bare<X>>;
  return constant_argument<std::conditional_t<refers, detail::bare<X> const&, detail::bare<X>>>{static_cast<X&&>(x)};
}

namespace detail {

template <class X>
constexpr X const& argument_value(X const& x) {
  return x;
}
template <class X>
constexpr bare<X> const& argument_value(constant_argument<X> const& x) {
  return x.value;
}
template <class X>
struct argument_type {
  using type = X;
  static constexpr bool differentiated = real_element<element_of<X>>;
};
template <class X>
struct argument_type<constant_argument<X>> {
  using type = bare<X>;
  static constexpr bool differentiated = false;
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
