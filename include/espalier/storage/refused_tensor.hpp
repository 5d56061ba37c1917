// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "range.hpp"
#include "value_fit.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Tensors of what is no shape: each is one error.
namespace espalier {

namespace detail {
/// What stands for the shape of a range and of numbers, which have none.
struct shape_of_a_range {};
struct shape_of_numbers {};
}  // namespace detail

/// What is no shape, or one that is refused, has no extents to ask for: a class of its own, so that the mistake is said once.
template <class T, class S, class Device>
  requires(!is_sound_shape<S>)
class tensor<T, S, Device> {
  static_assert(sizeof(S) > 0);
  static_assert(is_shape<S>, ESPALIER_SENTENCE("tensor<T, S>: S is an espalier::shape<...>; the shape is part of the type: tensor<float, shape<8, 4>>", ESPALIER_STATED(is_shape<S>, S)));

 public:
  constexpr tensor(auto const&...) {}
};

/// A range has no shape: `tensor t = numbers;` is refused with the sentence above.
template <class R>
  requires detail::Range<R>
tensor(R const&) -> tensor<std::remove_const_t<detail::number_of<R const>>, detail::shape_of_a_range>;
/// Nor have numbers: `tensor x(8, 4)` and `tensor x{1, 2, 3}`.
template <class First, class... Rest>
  requires(std::is_arithmetic_v<First> && (std::is_arithmetic_v<Rest> && ...))
tensor(First, Rest...) -> tensor<First, detail::shape_of_numbers>;

}  // namespace espalier
#pragma GCC diagnostic pop
