// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/refuse.hpp"
#include "../shape/shape.hpp"
#include "device.hpp"
#include "element.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

template <class T, class S, class Device = cpu>
class tensor;

/// A tensor or a view of any device: elements in row-major memory, with a shape known to the compiler.
template <class X>
concept StoredAnywhere = detail::marked_tensor<std::remove_cvref_t<X>> || detail::marked_view<std::remove_cvref_t<X>>;

/// A tensor or a view whose elements this processor reaches.
template <class X>
concept Stored = StoredAnywhere<X> && !detail::is_graphics<device_of<X>>;

namespace detail {

/// An expression that the tensor or view T can take the value of: evaluate_into(expression, tensor) is found for it by argument-dependent look-up.
/// Tensors and views are copied by the tensor itself.
template <class E, class T>
concept EvaluableInto = !Stored<E> && requires(E const& expression, T& result) {
  evaluate_into(expression, result);
};

/// Facts for refusals: an expression has the shape and the element type of the tensor that takes it. An expression of no real type of its own is
/// computed in that of the tensor; a tensor of booleans takes any (true where it is not 0), a tensor of integers none.
template <class ExpressionShape, class TensorShape>
struct same_shape_as_tensor {
  ESPALIER_READS("the expression is {}, the tensor {}")
  static constexpr bool agree = std::is_same_v<ExpressionShape, TensorShape>;
};
template <class ExpressionElement, class TensorElement>
struct same_element_as_tensor {
  ESPALIER_READS("the expression is {}, the tensor {}")
  static constexpr bool agree = std::is_same_v<TensorElement, bool> ||
                                (is_real<TensorElement> && (std::is_same_v<ExpressionElement, TensorElement> || !is_real<ExpressionElement>));
};
/// A fact for a refusal: formulas are computed in real numbers, and a tensor of integers takes none.
template <class TensorElement>
struct takes_real_numbers {
  static constexpr bool agree = !std::is_same_v<TensorElement, std::int32_t>;
};
/// A fact for a refusal: half and bfloat16 are computed with where a graphics processor holds them; this one stores them.
template <class ExpressionElement, class TensorElement>
struct only_stored_here {
  ESPALIER_READS("the expression is {}, the tensor {}")
  static constexpr bool agree = false;
};
/// What a tensor asks of the value of an expression that says its shape and element type; a refusal has been said already.
template <class E, class T, class S>
struct value_fit {
  using shapes = agreed;
  using integers = agreed;
  using elements = agreed;
};
template <class E, class T, class S>
  requires(!is_refused<E>) && requires {
    typename E::shape_type;
    typename E::element_type;
  }
struct value_fit<E, T, S> {
  using shapes = same_shape_as_tensor<typename E::shape_type, S>;
  using integers = takes_real_numbers<T>;
  static constexpr bool narrow = is_narrow<typename E::element_type> || is_narrow<T>;
  using real = std::conditional_t<narrow && !is_graphics<device_of<E>>, only_stored_here<typename E::element_type, T>,
                                  same_element_as_tensor<typename E::element_type, T>>;
  using elements = std::conditional_t<integers::agree, real, agreed>;
};
/// What a tensor asserts of an expression E, each with its sentence. What is on another device is computed there, into a tensor of its own.
template <class E, class Tensor>
using shape_fit = typename value_fit<E, typename Tensor::value_type, typename Tensor::shape_type>::shapes;
template <class E, class Tensor>
using integers_fit = typename value_fit<E, typename Tensor::value_type, typename Tensor::shape_type>::integers;
template <class E, class Tensor>
using element_fit = typename value_fit<E, typename Tensor::value_type, typename Tensor::shape_type>::elements;
template <class E, class Tensor>
using device_fit = same_device<device_of<E>, typename Tensor::device_type>;
template <class E, class Tensor>
concept Fitting = shape_fit<E, Tensor>::agree && integers_fit<E, Tensor>::agree && element_fit<E, Tensor>::agree && device_fit<E, Tensor>::agree;
/// A formula of parameters, or of the values of a body that is being traced.
template <class E>
inline constexpr bool of_a_body = requires { typename E::is_traced; };
#define ESPALIER_NO_NUMBERS \
  "the formula has no numbers; a layer has them in a model, esp::model<Layer> m, and is called as m(x); inside `forward` write `auto` for a value, zeros<S>(x) to begin with"
#define ESPALIER_EXPRESSION_SHAPE "the expression has another shape than the tensor"
#define ESPALIER_EXPRESSION_INTEGERS \
  "formulas are computed in float or double and a tensor of integers takes none; tensor<std::int32_t, S>(evaluate(formula)) drops the fractions"
#define ESPALIER_EXPRESSION_ELEMENT "the expression has another element type; convert with tensor<T, S>(x), on a device tensor<T, S, cuda>(x)"
#define ESPALIER_EXPRESSION_DEVICE \
  "they are on different devices; compute on one, then copy: tensor<T, S, cuda>(x) takes x there, x.to_host() brings it back"

}  // namespace detail

}  // namespace espalier
#pragma GCC diagnostic pop
