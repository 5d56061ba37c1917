// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../expression/traced.hpp"
#include "../storage/value_fit.hpp"

/// The operators +=, -=, *= and /= of tensors and views: x = x + y and so on. Each is one fused loop without a
/// temporary tensor.
namespace espalier {

namespace detail {
/// A named tensor or any view: a left operand of the operators.
template <class X>
concept Compound = TensorOrView<X> &&(std::is_lvalue_reference_v<X> || marked_view<bare<X>>);
/// A constraint that errors name: the left operand is not const.
template <class X>
struct is_written {
  static constexpr bool agree = !std::is_const_v<std::remove_reference_t<X>> || marked_view<bare<X>>;
};
/// The constraints of x += y on x and on x + y.
template <class X, class Value>
struct compound_fit {
  using written = is_written<X>;
  using shapes =
      std::conditional_t<written::agree && !is_invalid<Value>, stays_in_shape<shape_of<X>, shape_of<Value>>, agreed>;
  static constexpr bool agree = written::agree && shapes::agree;
};
}  // namespace detail

/// x += y: x = x + y. x is a tensor or a view; y is a formula, a tensor, a view or a number. y may read x, or overlap
/// it in any way.
/// shape   S, a shape that broadcasts to S -> S
/// errors  as for x = x + y; also a const x, and a sum of another shape
template <detail::Compound X, class Y>
  requires Operands<X, Y>
constexpr X operator+=(X&& x, Y&& y) {
  using Fit = detail::compound_fit<X, decltype(x + static_cast<Y&&>(y))>;
  static_assert(Fit::written::agree, ESPALIER_SENTENCE("x += y: x is const", typename Fit::written));
  static_assert(
      Fit::shapes::agree,
      ESPALIER_SENTENCE("x += y would change the shape of x; write auto z = evaluate(x + y)", typename Fit::shapes));
  if constexpr (Fit::agree) x = x + static_cast<Y&&>(y);
  return x;
}
template <detail::Compound X, class Y>
  requires Operands<X, Y>
constexpr X operator-=(X&& x, Y&& y) {
  using Fit = detail::compound_fit<X, decltype(x - static_cast<Y&&>(y))>;
  static_assert(Fit::written::agree, ESPALIER_SENTENCE("x -= y: x is const", typename Fit::written));
  static_assert(
      Fit::shapes::agree,
      ESPALIER_SENTENCE("x -= y would change the shape of x; write auto z = evaluate(x - y)", typename Fit::shapes));
  if constexpr (Fit::agree) x = x - static_cast<Y&&>(y);
  return x;
}
template <detail::Compound X, class Y>
  requires Operands<X, Y>
constexpr X operator*=(X&& x, Y&& y) {
  using Fit = detail::compound_fit<X, decltype(x * static_cast<Y&&>(y))>;
  static_assert(Fit::written::agree, ESPALIER_SENTENCE("x *= y: x is const", typename Fit::written));
  static_assert(
      Fit::shapes::agree,
      ESPALIER_SENTENCE("x *= y would change the shape of x; write auto z = evaluate(x * y)", typename Fit::shapes));
  if constexpr (Fit::agree) x = x * static_cast<Y&&>(y);
  return x;
}
template <detail::Compound X, class Y>
  requires Operands<X, Y>
constexpr X operator/=(X&& x, Y&& y) {
  using Fit = detail::compound_fit<X, decltype(x / static_cast<Y&&>(y))>;
  static_assert(Fit::written::agree, ESPALIER_SENTENCE("x /= y: x is const", typename Fit::written));
  static_assert(
      Fit::shapes::agree,
      ESPALIER_SENTENCE("x /= y would change the shape of x; write auto z = evaluate(x / y)", typename Fit::shapes));
  if constexpr (Fit::agree) x = x / static_cast<Y&&>(y);
  return x;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
