// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../device/in_place.hpp"
#include "range_arguments.hpp"

#include "../base/diagnostics_push.hpp"
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

/// A constraint that errors name: a call passes memory for its scores.
template <class X>
struct has_room_for_scores {
  static constexpr bool agree = false;
};

}  // namespace espalier::detail

#define ESPALIER_SCORES_SHAPE "scores must have the shape of the net's output"
#define ESPALIER_SCORES_ELEMENT "x or scores has another element type than the model"
#define ESPALIER_SCORES_MISSING \
  "scores are missing; they are written into a tensor<T, output_shape> or other memory of yours"
#define ESPALIER_EXPECTED_SCORES \
  "expected a tensor, a view, or contiguous, writable numbers of the model's element type (std::vector, std::array, std::span, arrays), as many as the output has"
#include "../base/diagnostics_pop.hpp"
