// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "layout.hpp"
#include "range.hpp"
#include "value_fit.hpp"

#if defined(__clang__)
#define ESPALIER_BORROWS [[clang::lifetimebound]]
#else
#define ESPALIER_BORROWS
#endif

namespace espalier {

namespace detail {

/// A constraint that errors name: two operands have the same shape.
template <class A, class B>
struct equal_shapes {
  static constexpr bool agree = std::is_same_v<A, B>;
};

/// Constraints that errors name: a view does not outlive its range, and it writes only elements that are not const.
template <class R>
struct outlives_the_view {
  static constexpr bool agree = std::is_lvalue_reference_v<R> || Borrowing<std::remove_cvref_t<R>>;
};
template <class Actual, class Expected>
struct may_be_written {
  ESPALIER_READS("got {}, expected {}")
  static constexpr bool agree = std::is_const_v<Expected> || !std::is_const_v<Actual>;
};
#define ESPALIER_VIEW_ASSIGNED \
  "evaluate_into(x, view) copies the elements of a tensor or view, view.rebind(x) makes the view refer to them; view.fill(number) sets every element"
/// Never holds: `view = x` could copy elements or refer to them.
template <class X>
struct states_what_is_assigned {
  static constexpr bool agree = false;
};
/// Never holds: the argument is neither a range nor a tensor, but a formula or a number.
struct no_range {
  static constexpr bool agree = false;
};
/// All constraints of a view<T, S> on a range.
template <class R, class T, class S>
struct view_fit {
  using range = std::remove_reference_t<R>;
  using numbers = std::conditional_t<Range<range>, numbers_in_a_row<range>, no_range>;
  using number = std::conditional_t<numbers::agree, number_of<range>, T>;
  using element = element_is<std::remove_const_t<number>, std::remove_const_t<T>>;
  using writing = may_be_written<number, T>;
  using counts = array_counts<S, range>;
  static constexpr bool agree = numbers::agree && element::agree && writing::agree && counts::agree;
};

}  // namespace detail

/// A view uses existing elements as a tensor of shape S, without owning them. T may be const.
/// shape   S, row-major and without gaps
/// owns    nothing: a view must not outlive the elements; a copy of a view refers to the same elements
/// start   from a pointer, a tensor or a range of contiguous numbers (std::vector, std::array, std::span, arrays),
///         without a copy
/// writes  `v = formula` computes the elements in place; operands of the formula may overlap them in any way. `v = w`
///         with a view or tensor w does not compile, since it is ambiguous: evaluate_into(w, v) copies the elements,
///         v.rebind(w) makes v refer to those of w. If the elements of v are const, `v = w` rebinds
/// errors  another element type or another fixed number of elements does not compile, nor does a range that is a
///         temporary; range_error for a range with another number of elements at run time
/// cost    one pointer
template <class T, class S, class Device = cpu>
class view {
  static_assert(detail::is_element<std::remove_const_t<T>>,
                ESPALIER_SENTENCE("view<T, S>: T is float, double, half, bfloat16, std::int32_t or bool (const or not)",
                                  ESPALIER_STATED(detail::is_element<std::remove_const_t<T>>, T)));
  static_assert(is_shape<S>,
                ESPALIER_SENTENCE("view<T, S>: S is an espalier::shape<...>", ESPALIER_STATED(is_shape<S>, S)));
  static_assert(
      detail::storage_on<Device>::included,
      ESPALIER_SENTENCE(
          "view<T, S, cuda>: include <espalier/cuda.hpp> for tensors on the graphics processor (simulated_cuda: <espalier/simulated_cuda.hpp>)",
          ESPALIER_STATED(detail::storage_on<Device>::included, Device)));
  static_assert(
      detail::on_one_device<Device>::agree,
      ESPALIER_SENTENCE("view<T, S, cuda_parallel<N>>: a model on several devices takes tensors of the host; write "
                        "view<T, S>",
                        detail::on_one_device<Device>));
  /// The owning tensor. For an invalid T, whose error the view reports, it is one of float and reports no second error.
  using owner_type =
      tensor<std::conditional_t<detail::is_element<std::remove_const_t<T>>, std::remove_const_t<T>, float>, S>;

 public:
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  using shape_type = S;
  using device_type = Device;
  using is_view = void;

  static constexpr int rank = S::rank;
  static constexpr std::int64_t size() { return S::size; }
  static constexpr extents shape() { return S::value; }

  /// The S::size elements from a pointer on. Explicit, since a pointer has no number of elements.
  template <class P>
    requires(std::is_convertible_v<P, T*> && !std::is_array_v<std::remove_reference_t<P>>)
  constexpr explicit view(P&& elements) : data_(elements) {}
  /// The elements of a range, which must be S::size: checked at compile time if its type fixes the number, otherwise at
  /// run time.
  template <class R, class Fit = detail::view_fit<R, T, S>,
            class Counts = detail::array_counts<S, std::remove_reference_t<R>>>
    requires detail::Range<std::remove_cvref_t<R>>
  constexpr view(R&& range) : data_(nullptr) {
    static_assert(Fit::numbers::agree,
                  ESPALIER_SENTENCE("view(range): " ESPALIER_NUMBERS_IN_A_ROW, typename Fit::numbers));
    static_assert(
        Fit::element::agree,
        ESPALIER_SENTENCE(
            "view(range): the range has another element type than the view; tensor<T, S>(range) converts its elements as it copies them",
            typename Fit::element));
    static_assert(Fit::writing::agree,
                  ESPALIER_SENTENCE("view(range): the elements of the range are const; write view<T const, S>",
                                    typename Fit::writing));
    static_assert(
        Counts::agree,
        ESPALIER_SENTENCE(
            "view(array): the array must have as many elements as the shape, and if it is nested, the same extents",
            Counts));
    using Stays = std::conditional_t<Fit::agree, detail::outlives_the_view<R>, agreed>;
    static_assert(
        Stays::agree,
        ESPALIER_SENTENCE(
            "view(range): the range is a temporary, which is destroyed before the view; store it in a variable, or copy it: tensor<T, S>(range)",
            Stays));
    if constexpr (Fit::agree && Stays::agree) {
      detail::check_count<S>("view(range)", range);
      data_ = detail::first_number(range);
    }
  }
  /// A tensor converts to a view of its elements.
  constexpr view(owner_type& owner ESPALIER_BORROWS) : data_(owner.data()) {}
  constexpr view(owner_type const& owner ESPALIER_BORROWS) requires std::is_const_v<T> : data_(owner.data()) {}
  /// view<T, S> to view<T const, S>.
  template <class U>
    requires(std::is_same_v<U const, T> && !std::is_same_v<U, T>)
  constexpr view(view<U, S> other) : data_(other.data()) {}
  constexpr view(view const&) = default;

  /// Computes the value of an expression in place.
  template <class E>
    requires detail::EvaluableInto<E, view>
  constexpr view const& operator=(E const& expression) const {
    static_assert(!std::is_const_v<T>,
                  ESPALIER_SENTENCE("view = expression: the view is of const elements; write view<T, S>",
                                    ESPALIER_STATED(!std::is_const_v<T>, T)));
    static_assert(detail::shape_fit<E, view>::agree,
                  ESPALIER_SENTENCE("view = expression: " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, view>));
    static_assert(detail::integers_fit<E, view>::agree,
                  ESPALIER_SENTENCE("view = expression: " ESPALIER_EXPRESSION_INTEGERS, detail::integers_fit<E, view>));
    static_assert(detail::element_fit<E, view>::agree,
                  ESPALIER_SENTENCE("view = expression: " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, view>));
    static_assert(detail::device_fit<E, view>::agree,
                  ESPALIER_SENTENCE("view = expression: " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, view>));
    static_assert(!detail::of_a_body<E>, ESPALIER_SENTENCE("view = formula: " ESPALIER_NO_NUMBERS,
                                                           ESPALIER_STATED(!detail::of_a_body<E>, shape_of<E>)));
    if constexpr (!std::is_const_v<T> && detail::Fitting<E, view> && !detail::of_a_body<E>)
      evaluate_into(expression, *this);
    return *this;
  }
  /// Assignment to a view of const elements rebinds it. A writable view accepts only formulas: a view, tensor, range or
  /// number is ambiguous.
  constexpr view& operator=(view const&) requires std::is_const_v<T>
  = default;
  // of a const view; other views prefer the template
  view& operator=(view const&) const requires(!std::is_const_v<T>) = delete;
  template <class X>
    requires(!detail::EvaluableInto<X, view> && !std::is_const_v<T>)
  constexpr view& operator=(X const&) {
    using Fault = detail::states_what_is_assigned<X>;
    static_assert(Fault::agree, ESPALIER_SENTENCE("view = x: " ESPALIER_VIEW_ASSIGNED, Fault));
    return *this;
  }
  /// Makes this view refer to the elements of another view, of a tensor or of a range; copies no element.
  constexpr void rebind(view other) { data_ = other.data_; }

  constexpr T* data() const { return data_; }
  constexpr espalier::span<T> span() const { return {data_, S::size}; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + S::size; }

  /// The element at a position in row-major order (asserted to be inside).
  template <class I>
    requires std::is_integral_v<I>
  constexpr T& operator[](I flat) const {
    assert(static_cast<std::int64_t>(flat) >= 0 && static_cast<std::int64_t>(flat) < S::size);
    return data_[flat];
  }
  /// The element at one index per axis (asserted to be inside).
  template <class... I, class Indices = detail::indices<S, static_cast<int>(sizeof...(I))>>
    requires(std::is_integral_v<I>&&...)
  constexpr T& operator()(I... index) const {
    static_assert(Indices::agree, ESPALIER_SENTENCE("x(i, j, ...): one index per axis", Indices));
    return data_[detail::position<Indices>(index...)];
  }
  constexpr void fill(value_type value) const requires(!std::is_const_v<T>) {
    for (T& element : *this) element = value;
  }

 private:
  T* data_;
};

/// True when every element of a equals that of b (NaN equals nothing, -0 equals 0).
template <Stored A, Stored B, class Shapes = detail::equal_shapes<typename A::shape_type, typename B::shape_type>>
constexpr bool operator==(A const& a, B const& b) {
  constexpr bool comparable = std::is_same_v<typename A::value_type, typename B::value_type>;
  static_assert(comparable,
                ESPALIER_SENTENCE("a == b: both must have the same element type",
                                  ESPALIER_STATED(comparable, typename A::value_type, typename B::value_type)));
  static_assert(Shapes::agree, ESPALIER_SENTENCE("a == b: both must have the same shape", Shapes));
  if constexpr (Shapes::agree && comparable)
    for (std::int64_t i = 0; i < A::size(); ++i)
      if (a.data()[i] != b.data()[i]) return false;
  return true;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
