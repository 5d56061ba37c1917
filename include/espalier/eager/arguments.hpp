// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "constant_argument.hpp"

#include "../base/diagnostics_push.hpp"
/// Facts of the arguments of a function of tensors.
namespace espalier::detail {

template <class X>
using eager_leaf =
    borrowed<std::remove_const_t<typename X::value_type>, typename X::shape_type, typename X::device_type>;

/// The device of a function's arguments; cpu if there are none.
template <class... X>
using device_of_all = device_or_cpu<typename common_device<device_of<X>...>::type>;

/// The element type shared by the real tensors among the arguments; float if there are none.
template <class... X>
struct shared_element;
template <>
struct shared_element<> {
  using type = float;
};
template <class First, class... Rest>
struct shared_element<First, Rest...>
    : std::conditional_t<real_element<element_of<First>>, std::type_identity<element_of<First>>,
                         shared_element<Rest...>> {};

/// A bit mask of the arguments that gradients are computed for.
template <class... X>
constexpr unsigned all_differentiated() {
  unsigned bits = 0;
  int i = 0;
  ((bits |= argument_type<X>::differentiated ? 1u << i : 0u, ++i), ...);
  return bits;
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
