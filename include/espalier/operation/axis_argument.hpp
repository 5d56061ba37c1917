// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <tuple>

#include "../expression/expression.hpp"

/// Readable errors for calls that pass an axis as an argument, as in PyTorch. In espalier axes and extents are template
/// arguments, because a shape is a type. Each function here has more parameters than the op of the same name, or no
/// template argument. A correct call of the op therefore does not consider it.
namespace espalier {

namespace detail {
template <class... X>
inline constexpr bool axis_is_known = (is_invalid<X> || ...);
}  // namespace detail

template <Operand X>
constexpr invalid<already_reported> softmax(X const&, int) {
  static_assert(detail::axis_is_known<X>, "softmax(x, axis): the axis is a template argument; write softmax<1>(x)");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> log_softmax(X const&, int) {
  static_assert(detail::axis_is_known<X>,
                "log_softmax(x, axis): the axis is a template argument; write log_softmax<1>(x)");
  return {};
}
template <int First, int Second, int... More, Operand X>
constexpr invalid<already_reported> softmax(X const&) {
  static_assert(detail::axis_is_known<X>, "softmax<axes...>(x): it has one axis; reshape the others to one");
  return {};
}
template <int First, int Second, int... More, Operand X>
constexpr invalid<already_reported> log_softmax(X const&) {
  static_assert(detail::axis_is_known<X>, "log_softmax<axes...>(x): it has one axis; reshape the others to one");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> logsumexp(X const&, int) {
  static_assert(detail::axis_is_known<X>,
                "logsumexp(x, axis): axes are template arguments; write logsumexp<1>(x), or logsumexp<1>(x, keepdims)");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> norm(X const&, int) {
  static_assert(detail::axis_is_known<X>,
                "norm(x, axis): axes are template arguments; write norm<1>(x), or norm<1>(x, keepdims)");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> unit(X const&, int) {
  static_assert(detail::axis_is_known<X>,
                "unit(x, number): axes are template arguments; write unit<1>(x); eps is a double, as in unit(x, 0.0)");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> sum(X const&, int) {
  static_assert(detail::axis_is_known<X>,
                "sum(x, axis): axes are template arguments; write sum<1>(x), or sum<1>(x, keepdims)");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> mean(X const&, int) {
  static_assert(detail::axis_is_known<X>,
                "mean(x, axis): axes are template arguments; write mean<1>(x), or mean<1>(x, keepdims)");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> max(X const&, int) {
  static_assert(detail::axis_is_known<X>,
                "max(x, number): axes are template arguments; write max<1>(x); maximum(x, 1) compares with a number");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> min(X const&, int) {
  static_assert(detail::axis_is_known<X>,
                "min(x, number): axes are template arguments; write min<1>(x); minimum(x, 1) compares with a number");
  return {};
}
template <Operand A, Operand B>
constexpr invalid<already_reported> max(A const&, B const&) {
  static_assert(detail::axis_is_known<A, B>, "max(a, b): write maximum(a, b), the larger element of both");
  return {};
}
template <Operand A, Operand B>
constexpr invalid<already_reported> min(A const&, B const&) {
  static_assert(detail::axis_is_known<A, B>, "min(a, b): write minimum(a, b), the smaller element of both");
  return {};
}
/// An index is no value of a formula.
template <Expression X>
  requires(!(detail::marked_tensor<X> || detail::marked_view<X>))
constexpr invalid<already_reported> argmax(X const&) {
  static_assert(
      detail::axis_is_known<X>,
      "argmax(x) of a formula: it takes tensors; write argmax(evaluate(x)) outside of functions, and pass the result");
  return {};
}
template <int Axis, Expression X>
  requires(!(detail::marked_tensor<X> || detail::marked_view<X>))
constexpr invalid<already_reported> argmax(X const&) {
  static_assert(
      detail::axis_is_known<X>,
      "argmax<axis>(x) of a formula: it takes tensors; write argmax<1>(evaluate(x)) outside of functions, and pass "
      "the result");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> squeeze(X const&, int) {
  static_assert(detail::axis_is_known<X>, "squeeze(x, axis): the axis is a template argument; write squeeze<1>(x)");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> unsqueeze(X const&, int) {
  static_assert(detail::axis_is_known<X>, "unsqueeze(x, axis): the axis is a template argument; write unsqueeze<1>(x)");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> flip(X const&, int) {
  static_assert(detail::axis_is_known<X>, "flip(x, axis): the axis is a template argument; write flip<1>(x)");
  return {};
}
template <Operand X>
constexpr std::tuple<invalid<already_reported>, invalid<already_reported>> split(X const&, int) {  // two parts
  static_assert(
      detail::axis_is_known<X>,
      "split(x, n): axis and extents are template arguments; write auto [a, b] = split<0, 2, 2>(x), or split<1>(x) for single positions");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> transpose(X const&, int, int) {
  static_assert(detail::axis_is_known<X>, "transpose(x, i, j): axes are template arguments; write transpose<0, 1>(x)");
  return {};
}
template <Operand X, Number... Axes>
constexpr invalid<already_reported> permute(X const&, int, Axes...) {
  static_assert(detail::axis_is_known<X>, "permute(x, axes...): axes are template arguments; write permute<1, 0>(x)");
  return {};
}
template <Operand X, Number... Extents>
constexpr invalid<already_reported> reshape(X const&, int, Extents...) {
  static_assert(detail::axis_is_known<X>,
                "reshape(x, extents...): extents are template arguments; write reshape<4, 2, 4>(x)");
  return {};
}
template <Operand X>
constexpr invalid<already_reported> one_hot(X const&, int) {
  static_assert(detail::axis_is_known<X>,
                "one_hot(labels, n): the number of classes is a template argument; write one_hot<10>(labels)");
  return {};
}
template <Operand X, int... Extents>
constexpr invalid<already_reported> reshape(X const&, shape<Extents...>) {
  static_assert(detail::axis_is_known<X>,
                "reshape(x, shape): extents are template arguments; write reshape<4, 2, 4>(x)");
  return {};
}
template <Operand X, int... Extents>
constexpr invalid<already_reported> broadcast_to(X const&, shape<Extents...>) {
  static_assert(detail::axis_is_known<X>,
                "broadcast_to(x, shape): extents are template arguments; write broadcast_to<4, 2>(x)");
  return {};
}
template <Operand X, Number... Extents>
constexpr invalid<already_reported> broadcast_to(X const&, int, Extents...) {
  static_assert(detail::axis_is_known<X>,
                "broadcast_to(x, extents...): extents are template arguments; write broadcast_to<4, 2>(x)");
  return {};
}
template <Operand A, class... X>
constexpr invalid<already_reported> concatenate(A const&, X const&...) {
  static_assert(detail::axis_is_known<A, X...>,
                "concatenate(a, b): the axis is a template argument; write concatenate<0>(a, b)");
  return {};
}
template <Operand A, class... X>
constexpr invalid<already_reported> stack(A const&, X const&...) {
  static_assert(detail::axis_is_known<A, X...>, "stack(a, b): the axis is a template argument; write stack<0>(a, b)");
  return {};
}
template <Operand X, class Low>
constexpr invalid<already_reported> clamp(X const&, Low const&) {
  static_assert(
      detail::axis_is_known<X>,
      "clamp(x, low): a second limit is missing; write clamp(x, low, high), maximum(x, low) or minimum(x, high)");
  return {};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
