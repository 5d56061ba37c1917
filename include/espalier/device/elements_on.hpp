// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../storage/tensor.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier::detail {

/// An input or output of a run: the tag of the device that its elements lie on (cpu for the host), and their pointer.
/// Only that device may dereference the pointer.
template <class T, class Device, std::int64_t Count>
struct elements_on {
  static constexpr std::size_t bytes = static_cast<std::size_t>(Count) * sizeof(T);
  T* data;
};
template <class T, class X>
constexpr auto elements_of(X& x) {
  return elements_on<T, typename std::remove_cvref_t<X>::device_type, std::remove_cvref_t<X>::shape_type::size>{
      x.data()};
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
