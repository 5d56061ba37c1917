// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cassert>
#include "memory.hpp"
#include "invalid_tensor.hpp"
#include "view.hpp"

namespace espalier {

namespace detail {

/// A constraint that errors name: the initialiser of a tensor has the nesting and the counts of its shape.
template <class S, class Actual>
struct initializer_counts {
  ESPALIER_READS("the shape is {}, the initialiser {}")
  static constexpr bool agree = std::is_same_v<S, Actual>;
};

template <std::size_t N>
inline constexpr int count_of = static_cast<int>(N);

/// A constraint that errors name: an iterator refers to a tensor that lives on.
template <class Tensor>
struct outlives_the_iterator {
  static constexpr bool agree = false;
};
/// The iterators of a temporary tensor: one error for begin() and end().
template <class Tensor>
struct iterator_of_temporary {
  using Lives = outlives_the_iterator<Tensor>;
  static_assert(
      Lives::agree,
      ESPALIER_SENTENCE(
          "x.begin(): the tensor is a temporary, which is destroyed before its iterators; store it in a variable: auto const x = f(...)",
          Lives));
  static constexpr typename Tensor::value_type* at = nullptr;
};

/// Copies a nested native array row by row; returns the address for the next element.
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

/// Printed instead of the shape of an initialiser if its parts differ in their counts.
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

/// A constraint that errors name: a range has the element type of the tensor.
template <class R, class T>
using range_element =
    element_is<std::conditional_t<numbers_in_a_row<R const>::agree, std::remove_const_t<number_of<R const>>, T>, T>;
/// A range of numbers of another type than the tensor.
template <class R, class T>
concept converted_range = numbers_in_a_row<R const>::agree && !range_element<R, T>::agree;
/// A constraint that errors name: a pointer has no number of elements.
template <class P>
struct states_its_count {
  static constexpr bool agree = false;
};

/// Converts from any number, to catch an initialiser with the wrong nesting: overload resolution prefers a conversion
/// to T.
struct any_number {
  template <class N>
    requires std::is_arithmetic_v<N>
  constexpr any_number(N) {}
};

}  // namespace detail

/// A tensor whose shape is part of its type. It owns its elements, which are aligned and row-major.
///
/// shape    S; rank 0 (shape<>) is a scalar and converts to its element
/// memory   up to 4 KiB inside the object, which then works in constant expressions; above that one allocation at
///          construction
/// start    tensor() is all zeros; `tensor<float, S> t = numbers;` copies a std::vector, std::array, std::span or
///          array. Lists such as `{1, 2, 3}` and `{{1, 2, 3}, {4, 5, 6}}` must have the nesting and the counts of the
///          shape
/// copies   are deep; copy assignment reuses the existing storage
/// moves    of a large tensor transfer the allocation; move assignment exchanges the two. A moved-from tensor has no
///          elements; you may assign to it, copy it (the copy has none either) and destroy it; other uses are asserted
/// errors   wrong counts do not compile; indices out of range are asserted
template <class T, class S, class Device>
class tensor {
  static_assert(detail::is_element<T>,
                ESPALIER_SENTENCE("tensor<T, S>: T is float, double, half, bfloat16, std::int32_t or bool",
                                  ESPALIER_STATED(detail::is_element<T>, T)));
  static_assert(
      detail::storage_on<Device>::included,
      ESPALIER_SENTENCE(
          "tensor<T, S, cuda>: include <espalier/cuda.hpp> for tensors on the graphics processor (simulated_cuda: <espalier/simulated_cuda.hpp>)",
          ESPALIER_STATED(detail::storage_on<Device>::included, Device)));
  static_assert(detail::memory_of<Device>::exists,
                ESPALIER_SENTENCE("tensor<T, S, cpu_parallel<N>>: threads share the host's memory; write tensor<T, S>",
                                  ESPALIER_STATED(detail::memory_of<Device>::exists, Device)));
  static_assert(detail::on_one_device<Device>::agree,
                ESPALIER_SENTENCE("tensor<T, S, cuda_parallel<N>>: a model on several devices takes tensors of the "
                                  "host; write tensor<T, S>",
                                  detail::on_one_device<Device>));

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
  constexpr explicit(S::rank != 0 && sizeof...(Rest) == 0) tensor(First first, Rest... rest)
      : memory_(detail::unfilled{}) {
    static_assert(
        Counts::agree,
        ESPALIER_SENTENCE("tensor{...}: the initialiser must have the nesting and the counts of the shape", Counts));
    static_assert(!std::is_integral_v<T> || (std::is_integral_v<First> && (std::is_integral_v<Rest> && ...)),
                  "tensor{...}: a floating-point number does not fit a tensor of integers");
    if constexpr (Counts::agree) {
      [[maybe_unused]] std::int64_t position = 0;
      detail::check_place<T>("tensor{...}", first, 0);
      (detail::check_place<T>("tensor{...}", rest, ++position), ...);
      T* to = memory_.begin();
      *to = static_cast<T>(first);
      ((*++to = static_cast<T>(rest)), ...);
    }
  }

  /// Rows of a rank 2 tensor: `{{1, 2, 3}, {4, 5, 6}}`, and so on for ranks 3 to 6.
  template <std::size_t... A, class Counts = detail::counts_of_parts<S, T[A]...>>
    requires(sizeof...(A) > 0 && S::rank == 2)
  constexpr tensor(T const (&&... part)[A]) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE(
                      "tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
    if constexpr (Counts::agree) copy_parts(part...);
  }
  template <std::size_t... A, std::size_t... B, class Counts = detail::counts_of_parts<S, T[A][B]...>>
    requires(sizeof...(A) > 0 && S::rank == 3)
  constexpr tensor(T const (&&... part)[A][B]) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE(
                      "tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
    if constexpr (Counts::agree) copy_parts(part...);
  }
  template <std::size_t... A, std::size_t... B, std::size_t... C,
            class Counts = detail::counts_of_parts<S, T[A][B][C]...>>
    requires(sizeof...(A) > 0 && S::rank == 4)
  constexpr tensor(T const (&&... part)[A][B][C]) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE(
                      "tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
    if constexpr (Counts::agree) copy_parts(part...);
  }
  template <std::size_t... A, std::size_t... B, std::size_t... C, std::size_t... D,
            class Counts = detail::counts_of_parts<S, T[A][B][C][D]...>>
    requires(sizeof...(A) > 0 && S::rank == 5)
  constexpr tensor(T const (&&... part)[A][B][C][D]) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE(
                      "tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
    if constexpr (Counts::agree) copy_parts(part...);
  }
  template <std::size_t... A, std::size_t... B, std::size_t... C, std::size_t... D, std::size_t... E,
            class Counts = detail::counts_of_parts<S, T[A][B][C][D][E]...>>
    requires(sizeof...(A) > 0 && S::rank == 6)
  constexpr tensor(T const (&&... part)[A][B][C][D][E]) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE(
                      "tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
    if constexpr (Counts::agree) copy_parts(part...);
  }
  /// Rows from named arrays: `tensor{first, second}`.
  template <class... Rows, class Counts = detail::counts_of_parts<S, Rows...>>
    requires(sizeof...(Rows) > 1 && (std::is_array_v<Rows> && ...))
  constexpr tensor(Rows const&... rows) : memory_(detail::unfilled{}) {
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE(
                      "tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
    using Converts = typename detail::first_fault<
        detail::number_converts<std::remove_const_t<std::remove_all_extents_t<Rows>>, T>...>::type;
    static_assert(
        Converts::agree,
        ESPALIER_SENTENCE("tensor{first, second, ...}: a floating-point number does not fit a tensor of integers",
                          Converts));
    if constexpr (Counts::agree && Converts::agree) {
      (detail::check_places<T>("tensor{first, second, ...}", detail::first_number(rows),
                               detail::count_of_numbers(rows)),
       ...);
      copy_parts(rows...);
    }
  }
  /// Does not compile: rows for a tensor of another rank.
  template <std::size_t... A, class Counts = detail::counts_of_parts<S, T[A]...>>
    requires(sizeof...(A) > 0 && S::rank != 2)
  constexpr tensor(detail::any_number const (&... part)[A]) {
    (void(part), ...);
    static_assert(Counts::agree,
                  ESPALIER_SENTENCE(
                      "tensor{{...}, ...}: the initialiser must have the nesting and the counts of the shape", Counts));
  }

  /// Element type conversion: tensor<double, S>(tensor<float, S>). Explicit, since it may round. Integers are made by
  /// truncation.
  /// errors  range_error for a number beyond std::int32_t, and for NaN
  template <class U>
    requires(!std::is_same_v<U, T>)
  constexpr explicit tensor(tensor<U, S> const& other) : memory_(detail::unfilled{}) {
    detail::check_places<T>("tensor(tensor)", other.data(), S::size);
    for (std::int64_t i = 0; i < S::size; ++i) data()[i] = static_cast<T>(other.data()[i]);
  }
  /// Does not compile: a tensor of another shape, or of another element type without an explicit conversion.
  template <class U, class Other>
    requires(!std::is_same_v<tensor<U, Other>, tensor>)
  constexpr tensor(tensor<U, Other> const&) {
    using Shapes = detail::shape_is<Other, S>;
    using Elements = std::conditional_t<Shapes::agree, detail::element_is<U, T>, agreed>;
    static_assert(
        Shapes::agree,
        ESPALIER_SENTENCE(
            "tensor = tensor: they have different shapes; reshape<...>(x), transpose(x) and slice<...>(x) return other shapes",
            Shapes));
    static_assert(Elements::agree,
                  ESPALIER_SENTENCE("tensor = tensor: the element types differ; tensor<T, S>(x) converts", Elements));
  }
  /// A copy of the elements of a view, converted to T. errors: as of a tensor
  template <class U>
  constexpr explicit tensor(view<U, S> other) : memory_(detail::unfilled{}) {
    detail::check_places<T>("tensor(view)", other.data(), S::size);
    for (std::int64_t i = 0; i < S::size; ++i) data()[i] = static_cast<T>(other.data()[i]);
  }
  /// Copies the elements of a view, which may refer to this tensor.
  template <class U>
    requires std::is_same_v<std::remove_const_t<U>, T>
  constexpr tensor& operator=(view<U, S> other) {
    memory_.own();
    for (std::int64_t i = 0; i < S::size; ++i) data()[i] = other.data()[i];
    return *this;
  }

  /// A copy of the numbers of a range (std::vector, std::array, std::span, arrays, nested arrays) in row-major order.
  /// It must have S::size of them. Conversion from another element type is explicit: `tensor<float, S> t(doubles)`.
  /// errors  another fixed number of elements does not compile; range_error for another number of elements at run time,
  ///         and for integers beyond std::int32_t
  template <class R, class Counts = detail::array_counts<S, R>>
    requires detail::Range<R>
  constexpr tensor(R const& range) : memory_(detail::unfilled{}) {
    using Numbers = detail::numbers_in_a_row<R>;
    using Element = detail::range_element<R, T>;
    static_assert(Numbers::agree, ESPALIER_SENTENCE("tensor(range): " ESPALIER_NUMBERS_IN_A_ROW, Numbers));
    static_assert(
        Counts::agree,
        ESPALIER_SENTENCE(
            "tensor(array): the array must have as many elements as the shape, and if it is nested, the same extents",
            Counts));
    static_assert(
        Element::agree,
        ESPALIER_SENTENCE("tensor = range: the range has another element type; convert with tensor<T, S> t(range)",
                          Element));
    if constexpr (Numbers::agree && Counts::agree && Element::agree) copy_range("tensor(range)", range);
  }
  template <class R, class Counts = detail::array_counts<S, R>>
    requires(detail::Range<R>&& detail::converted_range<R, T>)
  constexpr explicit tensor(R const& range) : memory_(detail::unfilled{}) {
    using Numbers = detail::numbers_in_a_row<R>;
    using Converts = detail::number_converts<std::remove_const_t<detail::number_of<R const>>, T>;
    static_assert(Numbers::agree, ESPALIER_SENTENCE("tensor(range): " ESPALIER_NUMBERS_IN_A_ROW, Numbers));
    static_assert(
        Counts::agree,
        ESPALIER_SENTENCE(
            "tensor(array): the array must have as many elements as the shape, and if it is nested, the same extents",
            Counts));
    static_assert(
        Converts::agree,
        ESPALIER_SENTENCE("tensor(range): a floating-point number does not fit a tensor of integers", Converts));
    if constexpr (Counts::agree && Converts::agree) copy_range("tensor(range)", range);
  }
  template <class R, class Counts = detail::array_counts<S, R>>
    requires detail::Range<R>
  constexpr tensor& operator=(R const& range) {
    using Numbers = detail::numbers_in_a_row<R>;
    using Element = detail::range_element<R, T>;
    static_assert(Numbers::agree, ESPALIER_SENTENCE("tensor(range): " ESPALIER_NUMBERS_IN_A_ROW, Numbers));
    static_assert(
        Counts::agree,
        ESPALIER_SENTENCE(
            "tensor(array): the array must have as many elements as the shape, and if it is nested, the same extents",
            Counts));
    static_assert(
        Element::agree,
        ESPALIER_SENTENCE(
            "tensor = range: the range has another element type; convert with tensor = tensor<T, S>(range)", Element));
    if constexpr (Numbers::agree && Counts::agree && Element::agree) copy_range("tensor = range", range);
    return *this;
  }
  /// Does not compile: a pointer has no number of elements.
  template <class P>
    requires(std::is_pointer_v<P>)
  constexpr explicit tensor(P const&) {
    static_assert(
        detail::states_its_count<P>::agree,
        ESPALIER_SENTENCE(
            "tensor(pointer): a pointer has no number of elements; tensor<T, S>(view<T const, S>(pointer)) copies S::size of them",
            detail::states_its_count<P>));
  }

  /// Does not compile: two iterators, or a pointer and a count. std::span makes a range of either.
  template <class First, class Last>
    requires(!std::is_array_v<First> && !std::is_arithmetic_v<First> && requires(First const& at) { *at; })
  constexpr tensor(First const&, Last const&) {
    static_assert(
        detail::states_its_count<First>::agree,
        ESPALIER_SENTENCE(
            "tensor(first, last): pass a range; std::span makes one of two iterators, or of a pointer and a count: tensor<T, S>(std::span(first, last))",
            detail::states_its_count<First>));
  }

  /// A copy of elements on a graphics processor; waits for it. errors: those of the device's copy
  template <class From>
    requires detail::is_graphics<From>
  explicit tensor(tensor<T, S, From> const& other) : memory_(detail::unfilled{}) { other.copy_to(data()); }
  template <class U, class From>
    requires(detail::is_graphics<From>&& std::is_same_v<std::remove_const_t<U>, T>)
  explicit tensor(view<U, S, From> other) : memory_(detail::unfilled{}) { other.copy_to(data()); }
  template <class From>
    requires(detail::is_graphics<From>)
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
    static_assert(
        detail::integers_fit<E, tensor>::agree,
        ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_INTEGERS, detail::integers_fit<E, tensor>));
    static_assert(
        detail::element_fit<E, tensor>::agree,
        ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, tensor>));
    static_assert(detail::device_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, tensor>));
    static_assert(!detail::of_a_body<E>, ESPALIER_SENTENCE("tensor = formula: " ESPALIER_NO_NUMBERS,
                                                           ESPALIER_STATED(!detail::of_a_body<E>, shape_of<E>)));
    if constexpr (detail::of_a_body<E>) fill(T{});
    else if constexpr (detail::Fitting<E, tensor>) evaluate_into(expression, *this);
  }
  template <class E>
    requires detail::EvaluableInto<E, tensor>
  constexpr tensor& operator=(E const& expression) {
    static_assert(!detail::of_a_body<E>, ESPALIER_SENTENCE("tensor = formula: " ESPALIER_NO_NUMBERS,
                                                           ESPALIER_STATED(!detail::of_a_body<E>, shape_of<E>)));
    static_assert(detail::shape_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, tensor>));
    static_assert(
        detail::integers_fit<E, tensor>::agree,
        ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_INTEGERS, detail::integers_fit<E, tensor>));
    static_assert(
        detail::element_fit<E, tensor>::agree,
        ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, tensor>));
    static_assert(detail::device_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, tensor>));
    memory_.own();
    if constexpr (detail::Fitting<E, tensor> && !detail::of_a_body<E>) evaluate_into(expression, *this);
    return *this;
  }

  /// Does not compile: a number, which may be meant for each element.
  template <class N>
    requires(std::is_arithmetic_v<N>&& S::rank != 0)
  constexpr tensor& operator=(N) {
    constexpr bool of_one = S::rank == 0 && sizeof(N) != 0;
    static_assert(of_one,
                  ESPALIER_SENTENCE("tensor = number: x.fill(number) sets every element", ESPALIER_STATED(of_one, S)));
    return *this;
  }

  constexpr T* data() ESPALIER_BORROWS { return const_cast<T*>(std::as_const(*this).data()); }
  constexpr T const* data() const ESPALIER_BORROWS {
    assert(memory_.has_elements() &&
           "this tensor was moved from; it has no elements until another one is assigned to it");
    return memory_.begin();
  }
  /// The span of a temporary keeps it: `auto s = f(x).span();` is right.
  constexpr espalier::span<T> span() & { return {data(), S::size}; }
  constexpr espalier::span<T const> span() const& { return {data(), S::size}; }
  constexpr detail::kept_with<tensor, espalier::span<T>> span() && {
    return {static_cast<tensor&&>(*this), [](tensor& kept) { return kept.span(); }};
  }
  constexpr T* begin() & { return data(); }
  constexpr T* end() & { return data() + S::size; }
  constexpr T const* begin() const& { return data(); }
  constexpr T const* end() const& { return data() + S::size; }
  /// Do not compile: iterators of a temporary.
  template <class Ended = detail::iterator_of_temporary<tensor>>
  constexpr T* begin() && {
    return Ended::at;
  }
  template <class Ended = detail::iterator_of_temporary<tensor>>
  constexpr T* end() && {
    return Ended::at;
  }

  /// The element at a position in row-major order (asserted to be inside).
  template <class I>
    requires std::is_integral_v<I>
  constexpr T& operator[](I flat) & { return view<T, S>(data())[flat]; }
  template <class I>
    requires std::is_integral_v<I>
  constexpr T const& operator[](I flat) const& { return view<T const, S>(data())[flat]; }
  template <class I>
    requires std::is_integral_v<I>
  constexpr T operator[](I flat) && { return view<T const, S>(data())[flat]; }
  /// The element at one index per axis (asserted to be inside).
  template <class... I, class Indices = detail::indices<S, static_cast<int>(sizeof...(I))>>
    requires(std::is_integral_v<I>&&...)
  constexpr T& operator()(I... index) & {
    static_assert(Indices::agree, ESPALIER_SENTENCE("x(i, j, ...): one index per axis", Indices));
    return data()[detail::position<Indices>(index...)];
  }
  template <class... I, class Indices = detail::indices<S, static_cast<int>(sizeof...(I))>>
    requires(std::is_integral_v<I>&&...)
  constexpr T const& operator()(I... index) const& {
    static_assert(Indices::agree, ESPALIER_SENTENCE("x(i, j, ...): one index per axis", Indices));
    return data()[detail::position<Indices>(index...)];
  }
  template <class... I, class Indices = detail::indices<S, static_cast<int>(sizeof...(I))>>
    requires(std::is_integral_v<I>&&...)
  constexpr T operator()(I... index) && { return std::as_const(*this)(index...); }
  constexpr void fill(T value) { view<T, S>(data()).fill(value); }

  /// A scalar converts to its element.
  constexpr operator T() const requires(S::rank == 0) { return *data(); }

 private:
  template <class... Part>
  constexpr void copy_parts(Part const&... part) {
    T* to = memory_.begin();
    ((to = detail::copy_nested(to, part)), ...);
  }

  /// The range may refer to elements of this tensor.
  template <class R>
  constexpr void copy_range(char const* where, R const& range) {
    detail::check_count<S>(where, range);
    detail::check_places<T>(where, detail::first_number(range), detail::count_of_numbers(range));
    memory_.own();
    detail::copy_numbers(memory_.begin(), range);
  }

  detail::memory<T, S::size> memory_;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
