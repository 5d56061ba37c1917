// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "constant_argument.hpp"

/// Facts of the arguments of a function of tensors.
namespace espalier::detail {

/// A model as an argument of a function, const or not.
template <class Model>
struct model_leaf {
  using model_type = Model;
  using shape_type = typename Model::net_type;
  using element_type = activation_of<Model>;
};
template <class Model>
struct device_of_impl<model_leaf<Model>> {
  using type = typename Model::engine_type::memory_device;
};
template <class Model>
struct body_argument<model_leaf<Model>> {
  using type = traced_net<typename Model::net_type>;
};

template <class X>
struct eager_leaf_of {};
template <class X>
  requires(marked_tensor<X> || marked_view<X>)
struct eager_leaf_of<X> {
  using type = borrowed<std::remove_const_t<typename X::value_type>, typename X::shape_type, typename X::device_type>;
};
template <ModelArgument Model>
struct eager_leaf_of<Model> {
  using type = model_leaf<Model>;
};
template <class X>
using eager_leaf = typename eager_leaf_of<X>::type;

/// The leaf of an argument as it was passed: a tensor, a view, a model, or one of them in constant(x).
template <class X>
using leaf_of_argument = eager_leaf<typename argument_type<std::remove_reference_t<X>>::type>;

/// The device of a function's arguments; cpu if there are none.
template <class... X>
using device_of_all = device_or_cpu<typename common_device<device_of<X>...>::type>;

/// The element type shared by the real tensors and models among the arguments; float if there are none.
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
