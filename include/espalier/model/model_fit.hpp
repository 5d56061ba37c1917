// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/cpu/engine.hpp"
#include "../expression/expression.hpp"
#include "slots.hpp"

namespace espalier::detail {

/// Constraints that errors of a model name. For example: the device's header is included, T is a real element type, the
/// device computes with T.
template <class Device>
struct model_on {
  static constexpr bool included = storage_on<Device>::included || is_arithmetic<Device>;
};
/// A constraint that errors name: a model that trains with other processes knows them.
template <class Model>
struct begins_alone {
  static constexpr bool agree = true;
};
template <template <class, class, class> class Model, class Net, class Device, class T>
  requires is_distributed<Device>
struct begins_alone<Model<Net, Device, T>> {
  static constexpr bool agree = false;
};
/// A constraint that errors name: the clock of the host measures the exchange with other processes.
template <class Device>
struct exchange_is_timed {
  ESPALIER_READS("got {}")
  static constexpr bool agree = !is_graphics<Device>;
};
#define ESPALIER_BEGINS_ALONE \
  "pass the processes that train together: esp::mpi processes; model<Net, distributed<>> m{seed, processes}"

/// Whether models of a device construct their engines without arguments. Others use what the other model uses.
template <class Device>
inline constexpr bool has_engine_of_its_own = !is_graphics<Device> && !is_distributed<Device>;
template <class Engine>
decltype(auto) source_of_engine(Engine const& engine) {
  if constexpr (requires { engine.all(); }) return (engine.all());
  else return (engine);
}
template <class Device>
struct is_a_device {
  static constexpr bool agree = !is_arithmetic<Device>;
};
template <class X>
struct is_tensor_or_view {
  static constexpr bool agree = TensorOrView<X>;
};
/// A constraint that errors name: input number Position of several, counted from 0, has the element type that the net
/// reads.
template <int Position, class Actual, class Expected>
struct input_element_is {
  ESPALIER_READS("input {}: got {}, expected {}")
  static constexpr bool agree = std::is_same_v<Actual, Expected>;
};
template <int Position, class X>
struct input_is_stored {
  ESPALIER_READS("input {} is {}")
  static constexpr bool agree = TensorOrView<X>;
};
/// The first input whose element type is not the one that the net reads, or `agreed`.
template <class Positions, class Net, class T, class... X>
struct first_other_element;
template <int... I, class Net, class T, class... X>
struct first_other_element<std::integer_sequence<int, I...>, Net, T, X...>
    : first_fault<input_element_is<I, element_of<X>, stored_input<Net, T, I>>...> {};
template <class Net, class T, class X>
struct first_other_element<std::integer_sequence<int, 0>, Net, T, X>
    : std::type_identity<element_is<element_of<X>, stored_input<Net, T>>> {};
template <class Net, class T, class... X>
using elements_of_inputs =
    typename first_other_element<std::make_integer_sequence<int, static_cast<int>(sizeof...(X))>, Net, T, X...>::type;
/// The first input that is no tensor or view, or `agreed`.
template <class Positions, class... X>
struct first_without_memory;
template <int... I, class... X>
struct first_without_memory<std::integer_sequence<int, I...>, X...> : first_fault<input_is_stored<I, X>...> {};
template <class X>
struct first_without_memory<std::integer_sequence<int, 0>, X> : std::type_identity<is_tensor_or_view<X>> {};
template <class... X>
using inputs_in_memory =
    typename first_without_memory<std::make_integer_sequence<int, static_cast<int>(sizeof...(X))>, X...>::type;
template <class... X>
concept has_input_without_memory = sizeof...(X) > 0 && !(is_invalid<X> || ...) && !(TensorOrView<X> && ...) &&
                                   (sizeof...(X) > 1 || (Expression<X> || ...) || (Range<X> || ...));
/// The elements of an input of a run, const.
template <class X>
constexpr auto input_elements(X const& x) {
  return elements_of<std::remove_cv_t<std::remove_pointer_t<decltype(x.data())>> const>(x);
}
template <class T>
struct real_number {
  static constexpr bool agree = is_real<T>;
};
/// A constraint that errors name: models with parameters of 16 bits are trained where activations have 16 bits, too.
template <class T, class Device>
struct trains_parameters_of {
  ESPALIER_READS("{} on {}")
  static constexpr bool agree = std::is_same_v<T, activation<T, Device>>;
};
template <class Model>
struct trained_as {
  using type = agreed;
};
template <class Model>
  requires requires { typename Model::device_type; }
struct trained_as<Model> {
  using type = trains_parameters_of<typename Model::value_type, typename Model::device_type>;
};
/// The same for a model; one that exists only in the compiler has no device.
template <class Model>
using can_be_trained = typename trained_as<std::remove_const_t<Model>>::type;
/// A constraint that errors name: the model is on one device.
template <class Model>
struct where_model_is {
  using type = agreed;
};
template <class Model>
  requires requires { typename Model::device_type; }
struct where_model_is<Model> {
  using type = on_one_device<typename Model::device_type>;
};
template <class Model>
using model_on_one_device = typename where_model_is<std::remove_const_t<Model>>::type;
/// A constraint that errors name: models of this device take such an argument after the seed.
template <class Device, class Argument>
struct takes_after_seed {
  ESPALIER_READS("a model on {} got {}")
  static constexpr bool agree = false;
};
/// A constraint that errors name: a model trains with other processes.
template <class Device>
struct trains_with_others {
  ESPALIER_READS("the model is on {}")
  static constexpr bool agree = is_distributed<Device>;
};
template <class Argument>
struct begins_with_a_seed {
  ESPALIER_READS("{} is not a seed")
  static constexpr bool agree = false;
};

}  // namespace espalier::detail

#define ESPALIER_DEVICES_OF_INPUTS \
  "the inputs are on two devices; pass all of them on the host, or all on the model's device"
#define ESPALIER_MODEL_IS_EVALUATED \
  "the processor evaluates models of half and bfloat16 but does not train them; train a model<Net> and copy(model, other)"
#define ESPALIER_INPUTS_ELEMENT "an input has another element type than the net reads"
#define ESPALIER_TAKES_AFTER_SEED \
  "x must be bytes (esp::bytes<N> x), the processes of a model<Net, distributed<>>, or the backend of a graphics processor; not const"
#define ESPALIER_TRAINS_WITH_OTHERS "is for a model<Net, distributed<>>, which trains together with other processes"
#define ESPALIER_INPUT_ELEMENT "x has another element type than the model"
#include "../base/diagnostics_pop.hpp"
