// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/refuse.hpp"
#include "memory.hpp"
#include "view.hpp"

namespace espalier {

namespace detail {

/// An expression that the tensor T can be computed from: evaluate_into(expression, tensor) is found for it by argument-dependent look-up.
/// Tensors and views are copied by the tensor itself.
template <class E, class T>
concept EvaluableInto = !Stored<E> && requires(E const& expression, T& result) {
  evaluate_into(expression, result);
};

/// Facts for refusals: an expression has the shape and the element type of the tensor that takes it. An expression of no real type of its own is
/// computed in that of the tensor; a tensor of booleans takes any (true where it is not 0), a tensor of integers none.
template <class ExpressionShape, class TensorShape>
struct same_shape_as_tensor {
  ESPALIER_READS("the expression is {}, the tensor {}")
  static constexpr bool agree = std::is_same_v<ExpressionShape, TensorShape>;
};
template <class ExpressionElement, class TensorElement>
struct same_element_as_tensor {
  ESPALIER_READS("the expression is {}, the tensor {}")
  static constexpr bool agree = std::is_same_v<TensorElement, bool> ||
                                (is_real<TensorElement> && (std::is_same_v<ExpressionElement, TensorElement> || !is_real<ExpressionElement>));
};
/// A fact for a refusal: half and bfloat16 are computed with where a graphics processor holds them; this one stores them.
template <class ExpressionElement, class TensorElement>
struct only_stored_here {
  ESPALIER_READS("the expression is {}, the tensor {}")
  static constexpr bool agree = false;
};
/// What a tensor asks of the value of an expression that says its shape and element type; a refusal has been said already.
template <class E, class T, class S>
struct value_fit {
  using shapes = agreed;
  using elements = agreed;
};
template <class E, class T, class S>
  requires(!is_refused<E>) && requires {
    typename E::shape_type;
    typename E::element_type;
  }
struct value_fit<E, T, S> {
  using shapes = same_shape_as_tensor<typename E::shape_type, S>;
  static constexpr bool narrow = is_narrow<typename E::element_type> || is_narrow<T>;
  using elements = std::conditional_t<narrow && !is_graphics<device_of<E>>, only_stored_here<typename E::element_type, T>,
                                      same_element_as_tensor<typename E::element_type, T>>;
};
/// What a tensor asserts of an expression E, each with its sentence. What is on another device is computed there, into a tensor of its own.
template <class E, class Tensor>
using shape_fit = typename value_fit<E, typename Tensor::value_type, typename Tensor::shape_type>::shapes;
template <class E, class Tensor>
using element_fit = typename value_fit<E, typename Tensor::value_type, typename Tensor::shape_type>::elements;
template <class E, class Tensor>
using device_fit = same_device<device_of<E>, typename Tensor::device_type>;
template <class E, class Tensor>
concept Fitting = shape_fit<E, Tensor>::agree && element_fit<E, Tensor>::agree && device_fit<E, Tensor>::agree;
#define ESPALIER_EXPRESSION_SHAPE "the expression has another shape than the tensor"
#define ESPALIER_EXPRESSION_ELEMENT "the expression has another element type; convert with tensor<T, S>(x), on a device tensor<T, S, cuda>(x)"
#define ESPALIER_EXPRESSION_DEVICE \
  "they are on different devices; compute on one, then copy: tensor<T, S, cuda>(x) takes x there, x.to_host() brings it back"

/// A fact for a refusal: the initialiser of a tensor has the nesting and the counts of its shape.
template <class S, class Given>
struct initializer_counts {
  ESPALIER_READS("the shape is {}, the initialiser {}")
  static constexpr bool agree = std::is_same_v<S, Given>;
};

template <std::size_t N>
inline constexpr int count_of = static_cast<int>(N);

/// Copies a nested native array, row after row, and returns where the next one goes.
template <class T, class From>
constexpr T* copy_nested(T* to, From const& from) {
  if constexpr (std::is_array_v<From>) {
    for (auto const& part : from) to = copy_nested(to, part);
    return to;
  } else {
    *to = static_cast<T>(from);
    return to + 1;
  }
}

/// The shape of an initialiser of Count equal parts, each a native array.
template <class Part, int... Counts>
struct nested_shape {
  using type = shape<Counts...>;
};
template <class Part, std::size_t N, int... Counts>
struct nested_shape<Part[N], Counts...> : nested_shape<Part, Counts..., static_cast<int>(N)> {};

/// What an initialiser gave when its parts differ in their counts.
template <class... Parts>
struct unequal_parts {};

template <class S, class... Parts>
struct counts_of_parts_impl;
template <class S, class First, class... Rest>
struct counts_of_parts_impl<S, First, Rest...> {
  static constexpr bool equal = (std::is_same_v<First, Rest> && ...);
  using regular = typename nested_shape<First, 1 + static_cast<int>(sizeof...(Rest))>::type;
  using type = initializer_counts<S, std::conditional_t<equal, regular, unequal_parts<First, Rest...>>>;
};
template <class S, class... Parts>
using counts_of_parts = typename counts_of_parts_impl<S, Parts...>::type;

template <class S, int Count>
using counts_of_list = initializer_counts<S, std::conditional_t<S::rank == 0 && Count == 1, S, shape<Count>>>;

/// Takes any number; used to catch an initialiser with the wrong nesting, since a conversion to it is worse than one to T.
struct any_number {
  template <class N>
    requires std::is_arithmetic_v<N>
  constexpr any_number(N) {}
};

}  // namespace detail

/// Elements of a shape that the compiler knows, aligned, row-major, owned.
///
/// shape    S; rank 0 (shape<>) is a scalar and converts to its element
/// memory   up to 4 KiB inside the object (then it works in constant expressions), above that one allocation at construction
/// start    tensor() is all zeros; `{1, 2, 3}` and `{{1, 2, 3}, {4, 5, 6}}` must have the shape's nesting and counts
/// copies   are deep; copy assignment reuses the storage it finds
/// moves    of a large tensor hand the allocation over: a tensor that was moved from has no elements, and may be assigned to,
///          copied (the copy has none either) and destroyed; move assignment exchanges the two
/// errors   wrong counts do not compile; indices out of range are asserted
template <class T, class S, class Device>
class tensor {
  static_assert(detail::is_element<T>,
                ESPALIER_SENTENCE("tensor<T, S>: T is float, double, half, bfloat16, std::int32_t or bool",
                                  ESPALIER_STATED(detail::is_element<T>, T)));
  static_assert(detail::storage_on<Device>::included,
                ESPALIER_SENTENCE("tensor<T, S, cuda>: include <espalier/cuda.hpp> for tensors on the graphics processor (simulated_cuda: <espalier/simulated_cuda.hpp>)",
                                  ESPALIER_STATED(detail::storage_on<Device>::included, Device)));
  static_assert(detail::memory_of<Device>::exists,
                ESPALIER_SENTENCE("tensor<T, S, cpu_parallel<N>>: threads share the host's memory; write tensor<T, S>",
                                  ESPALIER_STATED(detail::memory_of<Device>::exists, Device)));

 public:
  using value_type = T;
  using shape_type = S;
  using device_type = Device;
  using is_tensor = void;

  static constexpr int rank = S::rank;
  static constexpr std::int64_t size() { return S::size; }
  static constexpr extents shape() { return S::value; }

  constexpr tensor() = default;

  /// Elements of a rank 0 or rank 1 tensor: `{1, 2, 3}`.
  template <class First, class... Rest, class Counts = detail::counts_of_list<S, 1 + static_cast<int>(sizeof...(Rest))>>
    requires(std::is_arithmetic_v<First> && (std::is_arithmetic_v<Rest> && ...))
  constexpr explicit(S::rank != 0 && sizeof...(Rest) == 0) tensor(First first, Rest... rest) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE("tensor{...}: the initialiser must have the nesting and the counts of the shape", Counts));
    static_assert(!std::is_integral_v<T> || (std::is_integral_v<First> && (std::is_integral_v<Rest> && ...)),
                  "tensor{...}: a floating-point number does not fit a tensor of integers");
    if constexpr (Counts::agree) {
      T* to = memory_.begin();
      *to = static_cast<T>(first);
      ((*++to = static_cast<T>(rest)), ...);
    }
  }

  /// Rows of a rank 2 tensor: `{{1, 2, 3}, {4, 5, 6}}`, and so on for ranks 3 to 6.
  template <std::size_t... A, class Counts = detail::counts_of_parts<S, T[A]...>>
    requires(sizeof...(A) > 0 && S::rank == 2)
  constexpr tensor(T const (&... part)[A]) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE("tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
    if constexpr (Counts::agree) take(part...);
  }
  template <std::size_t... A, std::size_t... B, class Counts = detail::counts_of_parts<S, T[A][B]...>>
    requires(sizeof...(A) > 0 && S::rank == 3)
  constexpr tensor(T const (&... part)[A][B]) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE("tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
    if constexpr (Counts::agree) take(part...);
  }
  template <std::size_t... A, std::size_t... B, std::size_t... C, class Counts = detail::counts_of_parts<S, T[A][B][C]...>>
    requires(sizeof...(A) > 0 && S::rank == 4)
  constexpr tensor(T const (&... part)[A][B][C]) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE("tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
    if constexpr (Counts::agree) take(part...);
  }
  template <std::size_t... A, std::size_t... B, std::size_t... C, std::size_t... D,
            class Counts = detail::counts_of_parts<S, T[A][B][C][D]...>>
    requires(sizeof...(A) > 0 && S::rank == 5)
  constexpr tensor(T const (&... part)[A][B][C][D]) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE("tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
    if constexpr (Counts::agree) take(part...);
  }
  template <std::size_t... A, std::size_t... B, std::size_t... C, std::size_t... D, std::size_t... E,
            class Counts = detail::counts_of_parts<S, T[A][B][C][D][E]...>>
    requires(sizeof...(A) > 0 && S::rank == 6)
  constexpr tensor(T const (&... part)[A][B][C][D][E]) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE("tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
    if constexpr (Counts::agree) take(part...);
  }
  /// Rows for a tensor that has another rank: refused.
  template <std::size_t... A, class Counts = detail::counts_of_parts<S, T[A]...>>
    requires(sizeof...(A) > 0 && S::rank != 2)
  constexpr tensor(detail::any_number const (&... part)[A]) {
    (void(part), ...);
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE("tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
  }

  /// Element type conversion: tensor<double, S>(tensor<float, S>). Only in words, since it may round.
  template <class U>
    requires(!std::is_same_v<U, T>)
  constexpr explicit tensor(tensor<U, S> const& other) : memory_(detail::unfilled{}) {
    for (std::int64_t i = 0; i < S::size; ++i) data()[i] = static_cast<T>(other.data()[i]);
  }
  /// A copy of what a view sees, converted to T.
  template <class U>
  constexpr explicit tensor(view<U, S> other) : memory_(detail::unfilled{}) {
    for (std::int64_t i = 0; i < S::size; ++i) data()[i] = static_cast<T>(other.data()[i]);
  }
  /// A copy of what a view sees. The view may look at this very tensor.
  template <class U>
    requires std::is_same_v<std::remove_const_t<U>, T>
  constexpr tensor& operator=(view<U, S> other) {
    memory_.own();
    for (std::int64_t i = 0; i < S::size; ++i) data()[i] = other.data()[i];
    return *this;
  }

  /// A copy of what is on a graphics processor; waits for it. errors: what the device's copy throws
  template <class From>
    requires detail::is_graphics<From>
  explicit tensor(tensor<T, S, From> const& other) : memory_(detail::unfilled{}) {
    other.copy_to(data());
  }
  template <class U, class From>
    requires(detail::is_graphics<From> && std::is_same_v<std::remove_const_t<U>, T>)
  explicit tensor(view<U, S, From> other) : memory_(detail::unfilled{}) {
    other.copy_to(data());
  }
  template <class From>
    requires detail::is_graphics<From>
  tensor& operator=(tensor<T, S, From> const& other) {
    memory_.own();
    other.copy_to(data());
    return *this;
  }

  /// The value of an expression, in one fused loop.
  template <class E>
    requires detail::EvaluableInto<E, tensor>
  constexpr tensor(E const& expression) : memory_(detail::unfilled{}) {
    static_assert(detail::shape_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, tensor>));
    static_assert(detail::element_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, tensor>));
    static_assert(detail::device_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, tensor>));
    if constexpr (detail::Fitting<E, tensor>) evaluate_into(expression, *this);
  }
  template <class E>
    requires detail::EvaluableInto<E, tensor>
  constexpr tensor& operator=(E const& expression) {
    static_assert(detail::shape_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, tensor>));
    static_assert(detail::element_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, tensor>));
    static_assert(detail::device_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, tensor>));
    memory_.own();
    if constexpr (detail::Fitting<E, tensor>) evaluate_into(expression, *this);
    return *this;
  }

  constexpr T* data() { return memory_.begin(); }
  constexpr T const* data() const { return memory_.begin(); }
  constexpr espalier::span<T> span() { return {data(), S::size}; }
  constexpr espalier::span<T const> span() const { return {data(), S::size}; }
  constexpr T* begin() { return data(); }
  constexpr T* end() { return data() + S::size; }
  constexpr T const* begin() const { return data(); }
  constexpr T const* end() const { return data() + S::size; }

  /// The element at a position in row-major order (asserted to be inside).
  template <class I>
    requires std::is_integral_v<I>
  constexpr T& operator[](I flat) { return view<T, S>(data())[flat]; }
  template <class I>
    requires std::is_integral_v<I>
  constexpr T const& operator[](I flat) const { return view<T const, S>(data())[flat]; }
  /// The element at one index per axis (asserted to be inside).
  template <class... I, class Indices = detail::indices<S, static_cast<int>(sizeof...(I))>>
    requires(std::is_integral_v<I>&&...)
  constexpr T& operator()(I... index) {
    static_assert(Indices::agree, ESPALIER_SENTENCE("x(i, j, ...): one index per axis", Indices));
    return data()[detail::position<Indices>(index...)];
  }
  template <class... I, class Indices = detail::indices<S, static_cast<int>(sizeof...(I))>>
    requires(std::is_integral_v<I>&&...)
  constexpr T const& operator()(I... index) const {
    static_assert(Indices::agree, ESPALIER_SENTENCE("x(i, j, ...): one index per axis", Indices));
    return data()[detail::position<Indices>(index...)];
  }
  constexpr void fill(T value) { view<T, S>(data()).fill(value); }

  /// A scalar is its element.
  constexpr operator T() const requires(S::rank == 0) { return *data(); }

 private:
  template <class... Part>
  constexpr void take(Part const&... part) {
    T* to = memory_.begin();
    ((to = detail::copy_nested(to, part)), ...);
  }

  detail::memory<T, S::size> memory_;
};

/// What is no shape has no extents to ask for: a class of its own, so that the mistake is said once.
template <class T, class S, class Device>
  requires(!is_shape<S>)
class tensor<T, S, Device> {
  static_assert(is_shape<S>, ESPALIER_SENTENCE("tensor<T, S>: S is an espalier::shape<...>", ESPALIER_STATED(is_shape<S>, S)));
};

}  // namespace espalier
