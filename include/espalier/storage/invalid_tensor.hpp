// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/invalid.hpp"
#include "range.hpp"
#include "value_fit.hpp"

/// Tensors whose second argument is not a shape, so that each mistake is reported once.
namespace espalier {

namespace detail {
/// Placeholders for the shape of a tensor that is deduced from a range or from numbers, which have none.
struct shape_of_a_range {};
struct shape_of_numbers {};
}  // namespace detail

/// A separate class for an S that is not a valid shape. It uses no extents of S and accepts the uses of a tensor, so
/// the error is reported once.
template <class T, class S, class Device>
  requires(!is_sound_shape<S>)
class tensor<T, S, Device> {
  static_assert(sizeof(S) > 0);
  static_assert(
      is_shape<S>,
      ESPALIER_SENTENCE(
          "tensor<T, S>: S is an espalier::shape<...>; the shape is part of the type: tensor<float, shape<8, 4>>",
          ESPALIER_STATED(is_shape<S>, S)));

 public:
  using value_type = T;
  /// An op takes it as a value whose error was reported.
  using shape_type = invalid<already_reported>;
  using is_expression = void;
  static constexpr bool eager = false;
  static constexpr int rank = 0;
  static constexpr std::int64_t size() { return 0; }
  static constexpr extents shape() { return {}; }
  constexpr tensor(auto const&...) {}
  constexpr T* data() const { return nullptr; }
  constexpr T* begin() const { return nullptr; }
  constexpr T* end() const { return nullptr; }
  constexpr espalier::span<T> span() const { return {}; }
  constexpr void fill(auto const&) const {}
  constexpr T& operator[](auto const&) const { return *data(); }
  constexpr T& operator()(auto const&...) const { return *data(); }
  constexpr tensor& operator=(auto const&) { return *this; }
  template <class N>
    requires std::is_arithmetic_v<N>
  constexpr operator N() const { return {}; }
};
template <class T, class S, class Device>
  requires(!is_sound_shape<S>)
inline constexpr bool is_invalid<tensor<T, S, Device>> = true;

/// A range has no shape: `tensor t = numbers;` does not compile, with the sentence above.
template <class R>
  requires(detail::Range<R>)
tensor(R const&)
->tensor<std::remove_const_t<detail::number_of<R const>>, detail::shape_of_a_range>;
/// Numbers have no shape either: `tensor x(8, 4)` and `tensor x{1, 2, 3}`.
template <class First, class... Rest>
  requires(std::is_arithmetic_v<First> && (std::is_arithmetic_v<Rest> && ...))
tensor(First, Rest...)
->tensor<First, detail::shape_of_numbers>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
