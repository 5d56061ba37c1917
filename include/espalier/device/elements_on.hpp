// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../storage/tensor.hpp"

namespace espalier::detail {

/// An input or output of a run: the tag of the device that its elements lie on (cpu for the host), and their pointer.
/// Only that device may dereference the pointer.
template <class T, class Device, std::int64_t Count>
struct elements_on {
  static constexpr std::size_t bytes = static_cast<std::size_t>(Count) * sizeof(T);
  T* data;
};
/// Elements on a graphics processor may have a copy on the host (view::host_copy). Neither is written until everything
/// that is queued with them is done, so runs read them in place, and the host reads its copy.
template <class T, class Device, std::int64_t Count>
  requires is_graphics<Device>
struct elements_on<T, Device, Count> {
  static constexpr std::size_t bytes = static_cast<std::size_t>(Count) * sizeof(T);
  T* data;
  std::remove_const_t<T> const* host_copy = nullptr;
};
/// The address that a run reads elements at, if they stay where they are.
template <class T, class Device, std::int64_t Count>
constexpr void const* stable_address([[maybe_unused]] elements_on<T, Device, Count> x) {
  if constexpr (is_graphics<Device>) return x.host_copy != nullptr ? x.data : nullptr;
  else return nullptr;
}

template <class T, class X>
constexpr auto elements_of(X& x) {
  return elements_on<T, typename std::remove_cvref_t<X>::device_type, std::remove_cvref_t<X>::shape_type::size>{
      x.data()};
}
/// The same for a caller that may read elements in place: with the copy that the host has.
template <class T, class X>
constexpr auto elements_in_place(X& x) {
  auto elements = elements_of<T>(x);
  if constexpr (requires { x.host_copy(); }) elements.host_copy = x.host_copy();
  return elements;
}
template <class T>
constexpr elements_on<T, cpu, 1> one_element(T& x) {
  return {&x};
}

/// Host elements in the type that is computed with: x itself, or, for types of 16 bits, floats written to `room`.
template <std::int64_t Count, class T>
computed_in<T> const* widened(T const* x, [[maybe_unused]] void* room) {
  if constexpr (is_narrow<T>) {
    computed_in<T>* const wide = static_cast<computed_in<T>*>(room);
    for (std::int64_t i = 0; i < Count; ++i) wide[i] = x[i];
    return wide;
  } else {
    return x;
  }
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
