// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/in_place.hpp"
#include "model_fit.hpp"
#include "range_arguments.hpp"

namespace espalier::detail {

/// The relations of a call (x, scores) that writes the output of a net, for the planned shapes and element types of
/// input and output.
template <class X, class Y, class Batch, class Output, class T, class Input>
struct scores_fit {
  using input_shape = shape_is<shape_of<X>, Batch>;
  using scores_shape = behind<shape_is<shape_of<Y>, Output>, input_shape>;
  using input_element = element_is<element_of<X>, Input>;
  using scores_element = element_is<element_of<Y>, T>;
  using written = can_be_written<Y>;
  static constexpr bool elements = input_element::agree && scores_element::agree;
  static constexpr bool agree = input_shape::agree && scores_shape::agree && elements && written::agree;
};
/// The same for ranges.
template <class X, class Y, class Batch, class Output, class T, class Input>
struct scores_range_fit {
  using input = argument_fit<X const, Input const, Batch>;
  using scores = written_fit<Y, T, Output>;
  static constexpr bool agree = input::agree && scores::agree;
};

/// Constraints that errors name: input or result number Position of a call, counted from 0, is as planned.
template <int Position, class Actual, class Expected>
struct input_shape_is {
  ESPALIER_READS("input {}: got {}, expected {}")
  static constexpr bool agree = std::is_same_v<Actual, Expected>;
};
template <int Position, class Actual, class Expected>
struct result_shape_is {
  ESPALIER_READS("result {}: got {}, expected {}")
  static constexpr bool agree = std::is_same_v<Actual, Expected>;
};
template <int Position, class Actual, class Expected>
struct result_element_is {
  ESPALIER_READS("result {}: got {}, expected {}")
  static constexpr bool agree = std::is_same_v<Actual, Expected>;
};
/// The same for a relation of that input or result.
template <int Position, class Relation>
struct input_at {
  ESPALIER_READS("input {}: {}")
  static constexpr bool agree = Relation::agree;
};
template <int Position, class Relation>
struct result_at {
  ESPALIER_READS("result {}: {}")
  static constexpr bool agree = Relation::agree;
};
/// A constraint that errors name: a call passes each input, then memory for each result.
template <int Inputs, int Results, int Got>
struct tensors_of_a_call {
  ESPALIER_READS("expected {} inputs and {} results, got {} tensors")
  static constexpr bool agree = Inputs + Results == Got;
};

/// The relations of argument P of a call of a net of several inputs or results: a tensor, a view or a range.
template <class Call, int P, class X, bool Stored = TensorOrView<X>>
struct tensor_fit {
  using S = typename Call::template shape_at<P>;
  using E = typename Call::template element_at<P>;
  using range = std::conditional_t<Call::template is_input<P>,
                                   input_at<P, argument_fit<std::remove_reference_t<X> const, E const, S>>,
                                   result_at<P - Call::inputs, written_fit<X, E, S>>>;
  using shape = agreed;
  using element = agreed;
  using written = agreed;
};
template <class Call, int P, class X>
struct tensor_fit<Call, P, X, true> {
  using S = typename Call::template shape_at<P>;
  using E = typename Call::template element_at<P>;
  using Actual = shape_of<std::remove_cvref_t<X>>;
  using Element = element_of<std::remove_cvref_t<X>>;
  static constexpr bool is_input = Call::template is_input<P>;
  static constexpr int position = is_input ? P : P - Call::inputs;
  using range = agreed;
  using shape = std::conditional_t<is_input, input_shape_is<position, Actual, S>, result_shape_is<position, Actual, S>>;
  using element =
      std::conditional_t<is_input, input_element_is<position, Element, E>, result_element_is<position, Element, E>>;
  using written = std::conditional_t<is_input, agreed, result_at<position, can_be_written<X>>>;
};
/// The relations of such a call, as passed: inputs, then results.
template <class Call, class Positions, class... X>
struct call_fit_of {
  using count = tensors_of_a_call<Call::inputs, Call::results, static_cast<int>(sizeof...(X))>;
  using range = agreed;
  using shape = agreed;
  using element = agreed;
  using written = agreed;
  static constexpr bool agree = false;
};
template <class Call, int... P, class... X>
  requires(Call::inputs + Call::results == static_cast<int>(sizeof...(X)))
struct call_fit_of<Call, std::integer_sequence<int, P...>, X...> {
  using count = agreed;
  using range = typename first_fault<typename tensor_fit<Call, P, X>::range...>::type;
  using shape = behind<typename first_fault<typename tensor_fit<Call, P, X>::shape...>::type, range>;
  using element = behind<typename first_fault<typename tensor_fit<Call, P, X>::element...>::type, range, shape>;
  using written =
      behind<typename first_fault<typename tensor_fit<Call, P, X>::written...>::type, range, shape, element>;
  static constexpr bool agree = range::agree && shape::agree && element::agree && written::agree;
};
template <class Call, class... X>
using call_fit = call_fit_of<Call, std::make_integer_sequence<int, static_cast<int>(sizeof...(X))>, X...>;

/// Whether a device reaches the tensors of a call; ranges are on the host.
template <class X, bool Stored = TensorOrView<X>>
struct device_of_passed {
  using type = cpu;
};
template <class X>
struct device_of_passed<X, true> {
  using type = typename std::remove_cvref_t<X>::device_type;
};
template <class Device, class... X>
using reached_by_call = reachable<Device, typename device_of_passed<X>::type...>;

/// A constraint that errors name: a call passes memory for its scores.
template <class X>
struct has_room_for_scores {
  static constexpr bool agree = false;
};

}  // namespace espalier::detail

#define ESPALIER_SCORES_SHAPE "scores must have the shape of the net's output"
#define ESPALIER_SCORES_ELEMENT "x or scores has another element type than the model"
#define ESPALIER_CALL_COUNT "expected a tensor for each input, then one for each result"
#define ESPALIER_CALL_RANGE                                                                                          \
  "an input or a result is no tensor, no view and no contiguous range of the model's element type that has as many " \
  "numbers as its shape"
#define ESPALIER_CALL_SHAPE "an input or a result has another shape than the one that this net was planned for"
#define ESPALIER_CALL_ELEMENT "an input or a result has another element type than the net"
#define ESPALIER_SCORES_MISSING \
  "scores are missing; they are written into a tensor<T, output_shape> or other memory of yours"
#define ESPALIER_EXPECTED_SCORES \
  "expected a tensor, a view, or contiguous, writable numbers of the model's element type (std::vector, std::array, std::span, arrays), as many as the output has"
#include "../base/diagnostics_pop.hpp"
