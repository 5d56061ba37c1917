// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../device/cpu/engine.hpp"
#include "../expression/expression.hpp"
#include "slots.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier::detail {

/// Constraints that errors of a model name. For example: the device's header is included, T is a real element type, the
/// device computes with T.
template <class Device>
struct model_on {
  static constexpr bool included = storage_on<Device>::included || is_arithmetic<Device>;
};
template <class Device>
struct is_a_device {
  static constexpr bool agree = !is_arithmetic<Device>;
};
template <class X>
struct is_tensor_or_view {
  static constexpr bool agree = TensorOrView<X>;
};
template <class... Argument>
struct one_input {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = sizeof...(Argument) == 1;
};
template <class T>
struct real_number {
  static constexpr bool agree = is_real<T>;
};
template <class T, class Device>
struct only_stored_on {
  ESPALIER_READS("{} on {}")
  static constexpr bool agree = !is_narrow<T> || is_graphics<Device>;
};
template <class Model>
struct copied_implicitly {
  static constexpr bool agree = false;
};
template <class Argument>
struct begins_with_a_seed {
  ESPALIER_READS("{} is not a seed")
  static constexpr bool agree = false;
};

}  // namespace espalier::detail

#define ESPALIER_FEWER_BYTES(root) "the bytes are fewer than " root "::bytes"
#define ESPALIER_INPUT_ELEMENT "x has another element type than the model"
#include "../base/diagnostics_pop.hpp"
