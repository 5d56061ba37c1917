// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/invalid.hpp"
#include "../shape/shape.hpp"
#include "device.hpp"
#include "element.hpp"

namespace espalier {

template <class T, class S, class Device = cpu>
class tensor;

/// A tensor or a view on any device: elements in row-major memory, with a static shape.
template <class X>
concept TensorOrView = detail::marked_tensor<std::remove_cvref_t<X>> || detail::marked_view<std::remove_cvref_t<X>>;

/// A tensor or a view whose elements the host can read.
template <class X>
concept Stored = TensorOrView<X> && !detail::is_graphics<device_of<X>>;

namespace detail {

/// An expression whose value can be written to the tensor or view T: argument-dependent lookup finds
/// evaluate_into(expression, tensor). Tensors and views are excluded, since a tensor copies them itself.
template <class E, class T>
concept EvaluableInto = !Stored<E> && requires(E const& expression, T& result) {
  evaluate_into(expression, result);
};

/// Constraints that errors name: an expression has the shape and the element type of the tensor that it is assigned to.
/// An expression without a real type of its own is computed in that of the tensor. A tensor of booleans accepts every
/// type (true where it is not 0), a tensor of integers none.
template <class ExpressionShape, class TensorShape>
struct same_shape_as_tensor {
  ESPALIER_READS("the expression is {}, the tensor is {}")
  static constexpr bool agree = std::is_same_v<ExpressionShape, TensorShape>;
};
template <class ExpressionElement, class TensorElement>
struct same_element_as_tensor {
  ESPALIER_READS("the expression is {}, the tensor is {}")
  static constexpr bool agree =
      std::is_same_v<TensorElement, bool> ||
      (is_real<TensorElement> && (std::is_same_v<ExpressionElement, TensorElement> || !is_real<ExpressionElement>));
};
/// A constraint that errors name: formulas are computed in real numbers, which a tensor of integers does not accept.
template <class TensorElement>
struct accepts_real_numbers {
  static constexpr bool agree = !std::is_same_v<TensorElement, std::int32_t>;
};
/// A constraint that errors name: only a graphics processor computes expressions of half and bfloat16; the host stores
/// them.
template <class ExpressionElement, class TensorElement>
struct only_stored_on_host {
  ESPALIER_READS("the expression is {}, the tensor is {}")
  static constexpr bool agree = false;
};
/// The constraints of a tensor on an expression that has a shape and an element type. They hold for an invalid
/// expression, whose error has been reported already.
template <class E, class T, class S>
struct value_fit {
  using shapes = agreed;
  using integers = agreed;
  using elements = agreed;
};
template <class E, class T, class S>
  requires(!is_invalid<E>)
&&requires {
  typename E::shape_type;
  typename E::element_type;
}
struct value_fit<E, T, S> {
  using shapes = same_shape_as_tensor<typename E::shape_type, S>;
  using integers = accepts_real_numbers<T>;
  static constexpr bool narrow = is_narrow<typename E::element_type> || is_narrow<T>;
  using real =
      std::conditional_t<narrow && !is_graphics<device_of<E>>, only_stored_on_host<typename E::element_type, T>,
                         same_element_as_tensor<typename E::element_type, T>>;
  using elements = std::conditional_t<integers::agree, real, agreed>;
};
/// The constraints that a tensor asserts of an expression E, each with its own message. An expression on another device
/// is computed there, into a tensor of that device.
template <class E, class Tensor>
using shape_fit = typename value_fit<E, typename Tensor::value_type, typename Tensor::shape_type>::shapes;
template <class E, class Tensor>
using integers_fit = typename value_fit<E, typename Tensor::value_type, typename Tensor::shape_type>::integers;
template <class E, class Tensor>
using element_fit = typename value_fit<E, typename Tensor::value_type, typename Tensor::shape_type>::elements;
template <class E, class Tensor>
using device_fit = same_device<device_of<E>, typename Tensor::device_type>;
template <class E, class Tensor>
concept Fitting = shape_fit<E, Tensor>::agree && integers_fit<E, Tensor>::agree && element_fit<E, Tensor>::agree &&
    device_fit<E, Tensor>::agree;
/// A formula of parameters, or of the values of a body that is being traced.
template <class E>
inline constexpr bool of_a_body = requires {
  typename E::is_traced;
};
#define ESPALIER_NO_NUMBERS \
  "the formula has no values; create a model of the layer, esp::model<Layer> m, and call m(x); inside `forward` declare values with `auto`, and start from zeros<S>(x)"
#define ESPALIER_EXPRESSION_SHAPE "the expression has another shape than the tensor"
#define ESPALIER_EXPRESSION_INTEGERS \
  "formulas are computed in float or double, which a tensor of integers does not accept; tensor<std::int32_t, S>(evaluate(formula)) truncates"
#define ESPALIER_EXPRESSION_ELEMENT \
  "the expression has another element type; convert with tensor<T, S>(x), on a device tensor<T, S, cuda>(x)"
#define ESPALIER_EXPRESSION_DEVICE \
  "they are on different devices; compute on one device, then copy: tensor<T, S, cuda>(x) copies x to the device, x.to_host() copies it back"

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
