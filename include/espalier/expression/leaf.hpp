// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../storage/ended.hpp"
#include "expression.hpp"

/// The leaves of formulas: numbers, tensors, parameters, buffers and random numbers.
namespace espalier {

namespace tracing {
struct tracer;
}

/// A number in a formula. In a traced body its value is part of the program; in an eager expression it is an input of
/// the program.
template <class T>
struct number {
  using shape_type = shape<>;
  using is_expression = void;
  using element_type = void;
  static constexpr bool eager = false;
  T value;
};

/// A run-time scalar of an update rule (learning rate, ...): the I-th hyperparameter.
template <int I>
struct hyperparameter {
  using shape_type = shape<>;
  using is_expression = void;
  using element_type = void;
  static constexpr bool eager = false;
};

/// The memory of a tensor or view that the caller keeps alive, on any device.
/// since  when the formula was made, by the clock of tensors that end (storage/ended.hpp)
template <class T, class S, class Device = cpu>
struct borrowed {
  using shape_type = S;
  using is_expression = void;
  using element_type = T;
  static constexpr bool eager = true;
  T const* data = nullptr;
  std::uint64_t since = detail::unchecked;
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
/// True for a type that defines how a parameter is initialized: nn::init::initialized_by<...>, or void for none.
template <class Initializer>
inline constexpr bool initializes = std::is_void_v<Initializer> || requires {
  Initializer::value;
};
}  // namespace detail

/// A parameter or buffer whose type has no initializer. A model of it does not compile.
struct no_initializer {};

/// A learned tensor of a module; Initializer fills it from the model's seed. The model numbers the slots and fixes the
/// element type.
/// tracer  that of the program in which the module is being traced; null for a parameter that no traced model owns
/// node    a value of that program that stands for the parameter, such as its gradient or an argument of a function
///         that is differentiated; 0: the parameter itself
template <class S, class Initializer = no_initializer>
struct parameter {
  using shape_type = S;
  using is_expression = void;
  using is_traced = void;
  using is_parameter = void;
  using initializer_type = Initializer;
  using element_type = void;
  static constexpr bool eager = false;
  int slot = 0;
  tracing::tracer* tracer = nullptr;
  int node = 0;
};

/// A tensor of a module that is stored but not learned (running statistics, a fixed mask).
template <class S, class Initializer = no_initializer>
struct buffer {
  using shape_type = S;
  using is_expression = void;
  using is_traced = void;
  using is_buffer = void;
  using initializer_type = Initializer;
  using element_type = void;
  static constexpr bool eager = false;
  int slot = 0;
  tracing::tracer* tracer = nullptr;
};

/// A module's source of random numbers: it has its own stream number under the model's key.
struct random_stream {
  using is_random_stream = void;
  int slot = 0;
  tracing::tracer* tracer = nullptr;
};

namespace tracing {
/// The stream number of the next sample from a random stream: the stream's own number for the first sample of a
/// program, a new number for each later one. Defined in tracing/trace.hpp. (It is a template, so that nvcc does not
/// require a definition if nothing is traced.)
template <class S>
constexpr int next_number(random_stream const& stream);
}  // namespace tracing

/// Random numbers of one step, uniform in [0, 1), the same bits on every device: random_uniform<shape<2, 3>>{stream}.
/// Each random_uniform that a forward makes has its own samples, also from the same stream. A variable that is used
/// twice has the same samples both times:
///   auto const u = random_uniform<shape<2, 3>>{stream};  // u < 0.5 and u >= 0.5 exclude each other
template <class S>
struct random_uniform {
  using shape_type = S;
  using is_expression = void;
  using is_traced = void;
  using element_type = void;
  static constexpr bool eager = false;
  random_stream stream;
  int number;

  constexpr explicit random_uniform(random_stream const& from) : stream{from}, number{tracing::next_number<S>(from)} {}
};

/// 0, 1, 2, ... along the last axis of S; turns labels into one-hot rows.
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

/// How an operand is stored inside a node: lvalue tensors and views by address, rvalue tensors by value, numbers as
/// expressions, everything else unchanged.
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
  using type = borrowed<std::remove_const_t<typename Plain::value_type>, typename Plain::shape_type,
                        typename Plain::device_type>;
};
template <class Plain, class X>
  requires marked_tensor<Plain>
struct kept_as<Plain, X> {
  using type =
      std::conditional_t<std::is_lvalue_reference_v<X>,
                         borrowed<typename Plain::value_type, typename Plain::shape_type, typename Plain::device_type>,
                         owned<Plain>>;
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
/// True if all operands are stored unchanged: such nodes need no call of `keep` for each operand.
template <class... X>
inline constexpr bool kept_as_they_are = (std::is_same_v<kept<X>, bare<X>> && ...);
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
