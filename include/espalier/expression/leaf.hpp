// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../storage/ended.hpp"
#include "expression.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

namespace graph {
struct tracer;
}

/// A number in a formula. In a traced body its value is part of the program; in an eager expression it is an input of the program.
template <class T>
struct number {
  using shape_type = shape<>;
  using is_expression = void;
  using element_type = void;
  static constexpr bool eager = false;
  T value;
};

/// A run-time scalar of an update rule (learning rate, ...): the I-th magnitude.
template <int I>
struct magnitude {
  using shape_type = shape<>;
  using is_expression = void;
  using element_type = void;
  static constexpr bool eager = false;
};

/// The memory of a tensor or view that the caller keeps alive, on whatever device it is.
/// since  when the formula was made, by the clock of tensors that end
template <class T, class S, class Device = cpu>
struct borrowed {
  using shape_type = S;
  using is_expression = void;
  using element_type = T;
  static constexpr bool eager = true;
  T const* data = nullptr;
  std::uint64_t since = detail::unasked;
};

/// A tensor that the expression owns, so that `auto e = a * make(b);` never dangles.
template <class Tensor>
struct owned {
  using shape_type = typename Tensor::shape_type;
  using is_expression = void;
  using element_type = typename Tensor::value_type;
  static constexpr bool eager = true;
  Tensor value;
};

namespace detail {
/// Whether a type says how a parameter begins: nn::init::initialized_by<...>, or void for none.
template <class Initializer>
inline constexpr bool initializes = std::is_void_v<Initializer> || requires { Initializer::value; };
}  // namespace detail

/// A learned tensor of a module; Initializer fills it from the model's seed. A model numbers the slots and fixes the element type.
/// tracer  that of the program in which the module is being traced; null for a parameter that no traced model owns
template <class S, class Initializer>
struct parameter {
  using shape_type = S;
  using is_expression = void;
  using is_traced = void;
  using is_parameter = void;
  using initializer_type = Initializer;
  using element_type = void;
  static constexpr bool eager = false;
  int slot = 0;
  graph::tracer* tracer = nullptr;
};

/// A tensor of a module that is kept but not learned (running statistics, a given mask).
template <class S, class Initializer>
struct buffer {
  using shape_type = S;
  using is_expression = void;
  using is_traced = void;
  using is_buffer = void;
  using initializer_type = Initializer;
  using element_type = void;
  static constexpr bool eager = false;
  int slot = 0;
  graph::tracer* tracer = nullptr;
};

/// A module's source of random numbers: a stream number of its own under the model's key.
struct random_stream {
  using is_random_stream = void;
  int slot = 0;
  graph::tracer* tracer = nullptr;
};

namespace graph {
/// The stream number of the next draw from a random stream: its own for the first draw of a program, a further one for each later draw. Defined with
/// the tracer. (A template, so that nvcc does not ask for it where nothing is traced.)
template <class S>
constexpr int next_number(random_stream const& stream);
}  // namespace graph

/// Random numbers of one step: samples uniform in [0, 1), the same bits on every device. draw<shape<2, 3>>{stream}
/// Each draw that a forward makes has samples of its own, also from the same stream; a draw with a name that is used twice has the same ones:
///   auto const u = draw<shape<2, 3>>{stream};  // u < 0.5 and u >= 0.5 exclude each other
template <class S>
struct draw {
  using shape_type = S;
  using is_expression = void;
  using is_traced = void;
  using element_type = void;
  static constexpr bool eager = false;
  random_stream stream;
  int number;

  constexpr explicit draw(random_stream const& from) : stream{from}, number{graph::next_number<S>(from)} {}
};

/// 0, 1, 2, ... along the last axis of S; how labels become one-hot rows.
template <class S>
struct column_index {
  using shape_type = S;
  using is_expression = void;
  using element_type = void;
  static constexpr bool eager = false;
};

namespace detail {
template <class T, class S, class Device>
struct device_of_impl<borrowed<T, S, Device>> {
  using type = Device;
};
template <class Tensor>
struct device_of_impl<owned<Tensor>> {
  using type = typename Tensor::device_type;
};

/// How an operand is kept inside a node: lvalue tensors and views by address, rvalue tensors by value, numbers as expressions, everything else as it is.
template <class Plain, class X>
struct kept_as {
  using type = Plain;
};
template <class Plain, class X>
  requires is_arithmetic<Plain>
struct kept_as<Plain, X> {
  using type = number<Plain>;
};
template <class Plain, class X>
  requires marked_view<Plain>
struct kept_as<Plain, X> {
  using type = borrowed<std::remove_const_t<typename Plain::value_type>, typename Plain::shape_type, typename Plain::device_type>;
};
template <class Plain, class X>
  requires marked_tensor<Plain>
struct kept_as<Plain, X> {
  using type = std::conditional_t<std::is_lvalue_reference_v<X>, borrowed<typename Plain::value_type, typename Plain::shape_type, typename Plain::device_type>, owned<Plain>>;
};
template <class X>
using kept = typename kept_as<bare<X>, X&&>::type;

template <class X>
constexpr kept<X> keep(X&& x) {
  if constexpr (std::is_same_v<kept<X>, owned<bare<X>>> || is_arithmetic<X>) return {static_cast<X&&>(x)};
  else if constexpr (marked_tensor<bare<X>>) return {x.data(), clock_of_ends()};
  else if constexpr (marked_view<bare<X>>) return {x.data()};
  else return static_cast<X&&>(x);
}
/// Nodes of operands that are kept as they are need not ask for each of them.
template <class... X>
inline constexpr bool kept_as_they_are = (std::is_same_v<kept<X>, bare<X>> && ...);
}  // namespace detail

}  // namespace espalier
#pragma GCC diagnostic pop
