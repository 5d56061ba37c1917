// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../expression/traced.hpp"
#include "../storage/value_fit.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// x += y, -=, *= and /= of tensors and views: x = x + y and so on, one fused loop without another tensor.
namespace espalier {

namespace detail {
/// A tensor that has a name, or any view: what the operators write to.
template <class X>
concept Compound = StoredAnywhere<X> && (std::is_lvalue_reference_v<X> || marked_view<bare<X>>);
/// Fact for a refusal: the tensor may be written.
template <class X>
struct is_written {
  static constexpr bool agree = !std::is_const_v<std::remove_reference_t<X>> || marked_view<bare<X>>;
};
/// What x += y asks of x and of x + y.
template <class X, class Value>
struct compound_fit {
  using written = is_written<X>;
  using shapes = std::conditional_t<written::agree && !is_refused<Value>, stays_in_shape<shape_of<X>, shape_of<Value>>, agreed>;
  static constexpr bool agree = written::agree && shapes::agree;
};
}  // namespace detail

/// x += y: x = x + y, where x is a tensor or a view and y a formula, a tensor, a view or a number. y may read x, or overlap it in any way.
/// shape   S, what broadcasts to S -> S
/// errors  as of x = x + y; an x that is const, and a sum of another shape
template <detail::Compound X, class Y>
  requires Operands<X, Y>
constexpr X operator+=(X&& x, Y&& y) {
  using Fit = detail::compound_fit<X, decltype(x + static_cast<Y&&>(y))>;
  static_assert(Fit::written::agree, ESPALIER_SENTENCE("x += y: x is const", typename Fit::written));
  static_assert(Fit::shapes::agree, ESPALIER_SENTENCE("x += y gives x another shape; write auto z = evaluate(x + y)", typename Fit::shapes));
  if constexpr (Fit::agree) x = x + static_cast<Y&&>(y);
  return x;
}
template <detail::Compound X, class Y>
  requires Operands<X, Y>
constexpr X operator-=(X&& x, Y&& y) {
  using Fit = detail::compound_fit<X, decltype(x - static_cast<Y&&>(y))>;
  static_assert(Fit::written::agree, ESPALIER_SENTENCE("x -= y: x is const", typename Fit::written));
  static_assert(Fit::shapes::agree, ESPALIER_SENTENCE("x -= y gives x another shape; write auto z = evaluate(x - y)", typename Fit::shapes));
  if constexpr (Fit::agree) x = x - static_cast<Y&&>(y);
  return x;
}
template <detail::Compound X, class Y>
  requires Operands<X, Y>
constexpr X operator*=(X&& x, Y&& y) {
  using Fit = detail::compound_fit<X, decltype(x * static_cast<Y&&>(y))>;
  static_assert(Fit::written::agree, ESPALIER_SENTENCE("x *= y: x is const", typename Fit::written));
  static_assert(Fit::shapes::agree, ESPALIER_SENTENCE("x *= y gives x another shape; write auto z = evaluate(x * y)", typename Fit::shapes));
  if constexpr (Fit::agree) x = x * static_cast<Y&&>(y);
  return x;
}
template <detail::Compound X, class Y>
  requires Operands<X, Y>
constexpr X operator/=(X&& x, Y&& y) {
  using Fit = detail::compound_fit<X, decltype(x / static_cast<Y&&>(y))>;
  static_assert(Fit::written::agree, ESPALIER_SENTENCE("x /= y: x is const", typename Fit::written));
  static_assert(Fit::shapes::agree, ESPALIER_SENTENCE("x /= y gives x another shape; write auto z = evaluate(x / y)", typename Fit::shapes));
  if constexpr (Fit::agree) x = x / static_cast<Y&&>(y);
  return x;
}

}  // namespace espalier
#pragma GCC diagnostic pop
