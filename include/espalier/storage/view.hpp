// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "layout.hpp"
#include "range.hpp"
#include "value_fit.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if defined(__clang__)
#define ESPALIER_BORROWS [[clang::lifetimebound]]
#else
#define ESPALIER_BORROWS
#endif

namespace espalier {

namespace detail {

/// A fact for a refusal: two operands must have one shape.
template <class A, class B>
struct same_shape {
  static constexpr bool agree = std::is_same_v<A, B>;
};

/// Facts for refusals: what a view is made of stays, its elements may be written where the view writes them.
template <class R>
struct outlives_the_view {
  static constexpr bool agree = std::is_lvalue_reference_v<R> || Borrowing<std::remove_cvref_t<R>>;
};
template <class Given, class Wanted>
struct may_be_written {
  ESPALIER_READS("given {}, wanted {}")
  static constexpr bool agree = std::is_const_v<Wanted> || !std::is_const_v<Given>;
};
#define ESPALIER_VIEW_ASSIGNED \
  "evaluate_into(x, view) copies the elements of a tensor or view, view.rebind(x) makes the view refer to them; view.fill(x) takes a number"
/// Nothing says whether `view = x` copies elements or refers to them.
template <class X>
struct says_what_is_assigned {
  static constexpr bool agree = false;
};
/// What is neither a range nor a tensor: a formula, a number.
struct no_range {
  static constexpr bool agree = false;
};
/// All that a view<T, S> asks of a range.
template <class R, class T, class S>
struct seen_fit {
  using range = std::remove_reference_t<R>;
  using numbers = std::conditional_t<Range<range>, numbers_in_a_row<range>, no_range>;
  using number = std::conditional_t<numbers::agree, number_of<range>, T>;
  using element = element_is<std::remove_const_t<number>, std::remove_const_t<T>>;
  using writing = may_be_written<number, T>;
  using counts = array_counts<S, range>;
  static constexpr bool agree = numbers::agree && element::agree && writing::agree && counts::agree;
};

}  // namespace detail

/// Elements that somebody else owns, seen as a tensor of shape S. T may be const.
/// shape   S, row-major and without gaps
/// owns    nothing: a view must not outlive what it refers to; a copy of a view refers to the same elements
/// start   of a pointer; of a range whose numbers lie in a row (std::vector, std::array, std::span, arrays), without a copy; of a tensor
/// writes  `v = formula` computes the elements where they lie; operands of the formula may overlap them in any way. `v = w` with a view or tensor w does not
///         compile, since it could mean either: evaluate_into(w, v) copies the elements, v.rebind(w) makes v refer to those of w. A view of const elements
///         has no elements to assign, so there `v = w` rebinds
/// errors  another element type or another fixed number of elements does not compile, nor does a range that is a temporary; range_error where a range has
///         another number of elements at run time
/// cost    one pointer
template <class T, class S, class Device = cpu>
class view {
  static_assert(detail::is_element<std::remove_const_t<T>>,
                ESPALIER_SENTENCE("view<T, S>: T is float, double, half, bfloat16, std::int32_t or bool (const or not)",
                                  ESPALIER_STATED(detail::is_element<std::remove_const_t<T>>, T)));
  static_assert(is_shape<S>, ESPALIER_SENTENCE("view<T, S>: S is an espalier::shape<...>", ESPALIER_STATED(is_shape<S>, S)));
  static_assert(detail::storage_on<Device>::included,
                ESPALIER_SENTENCE("view<T, S, cuda>: include <espalier/cuda.hpp> for tensors on the graphics processor (simulated_cuda: <espalier/simulated_cuda.hpp>)",
                                  ESPALIER_STATED(detail::storage_on<Device>::included, Device)));
  /// A view of what cannot be elements has said so: no tensor of them says it again.
  using owner_type = tensor<std::conditional_t<detail::is_element<std::remove_const_t<T>>, std::remove_const_t<T>, float>, S>;

 public:
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  using shape_type = S;
  using device_type = Device;
  using is_view = void;

  static constexpr int rank = S::rank;
  static constexpr std::int64_t size() { return S::size; }
  static constexpr extents shape() { return S::value; }

  /// The S::size elements from a pointer on: only in words, since it does not say how many there are.
  template <class P>
    requires(std::is_convertible_v<P, T*> && !std::is_array_v<std::remove_reference_t<P>>)
  constexpr explicit view(P&& elements) : data_(elements) {}
  /// The elements of a range, which must be S::size: by its type where that says how many there are, else when the program runs.
  template <class R, class Fit = detail::seen_fit<R, T, S>, class Counts = detail::array_counts<S, std::remove_reference_t<R>>>
    requires detail::Range<std::remove_cvref_t<R>>
  constexpr view(R&& range) : data_(nullptr) {
    static_assert(Fit::numbers::agree, ESPALIER_SENTENCE("view(range): " ESPALIER_NUMBERS_IN_A_ROW, typename Fit::numbers));
    static_assert(Fit::element::agree,
                  ESPALIER_SENTENCE("view(range): the range has another element type than the view; tensor<T, S>(range) converts its elements as it copies them",
                                    typename Fit::element));
    static_assert(Fit::writing::agree, ESPALIER_SENTENCE("view(range): the elements of the range are const; write view<T const, S>", typename Fit::writing));
    static_assert(Counts::agree, ESPALIER_SENTENCE("view(array): the array must have as many elements as the shape, axis by axis where it is nested", Counts));
    using Stays = std::conditional_t<Fit::agree, detail::outlives_the_view<R>, agreed>;
    static_assert(Stays::agree,
                  ESPALIER_SENTENCE("view(range): the range is a temporary, which ends before the view; give it a name, or copy it: tensor<T, S>(range)", Stays));
    if constexpr (Fit::agree && Stays::agree) {
      detail::check_count<S>("view(range)", range);
      data_ = detail::first_number(range);
    }
  }
  /// A tensor is its own view.
  constexpr view(owner_type& owner ESPALIER_BORROWS) : data_(owner.data()) {}
  constexpr view(owner_type const& owner ESPALIER_BORROWS) requires std::is_const_v<T> : data_(owner.data()) {}
  /// view<T, S> to view<T const, S>.
  template <class U>
    requires(std::is_same_v<U const, T> && !std::is_same_v<U, T>)
  constexpr view(view<U, S> other) : data_(other.data()) {}
  constexpr view(view const&) = default;

  /// The value of an expression, computed where the elements lie.
  template <class E>
    requires detail::EvaluableInto<E, view>
  constexpr view const& operator=(E const& expression) const {
    static_assert(!std::is_const_v<T>,
                  ESPALIER_SENTENCE("view = expression: the view is of const elements; write view<T, S>", ESPALIER_STATED(!std::is_const_v<T>, T)));
    static_assert(detail::shape_fit<E, view>::agree,
                  ESPALIER_SENTENCE("view = expression: " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, view>));
    static_assert(detail::integers_fit<E, view>::agree,
                  ESPALIER_SENTENCE("view = expression: " ESPALIER_EXPRESSION_INTEGERS, detail::integers_fit<E, view>));
    static_assert(detail::element_fit<E, view>::agree,
                  ESPALIER_SENTENCE("view = expression: " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, view>));
    static_assert(detail::device_fit<E, view>::agree,
                  ESPALIER_SENTENCE("view = expression: " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, view>));
    static_assert(!detail::of_a_body<E>, ESPALIER_SENTENCE("view = formula: " ESPALIER_NO_NUMBERS, ESPALIER_STATED(!detail::of_a_body<E>, shape_of<E>)));
    if constexpr (!std::is_const_v<T> && detail::Fitting<E, view> && !detail::of_a_body<E>) evaluate_into(expression, *this);
    return *this;
  }
  /// Views of const elements refer to others. A view that writes does not say what was meant; nor does a tensor, a range or a number that it is given.
  constexpr view& operator=(view const&) requires std::is_const_v<T> = default;
  view& operator=(view const&) const requires(!std::is_const_v<T>) = delete;  // of a view that is const; others prefer the template
  template <class X>
    requires(!detail::EvaluableInto<X, view> && !std::is_const_v<T>)
  constexpr view& operator=(X const&) {
    using Said = detail::says_what_is_assigned<X>;
    static_assert(Said::agree, ESPALIER_SENTENCE("view = x: " ESPALIER_VIEW_ASSIGNED, Said));
    return *this;
  }
  /// From now on this view refers to the elements of another one, of a tensor or of a range; no element is copied.
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

/// True when every element of a equals that of b (nan equals nothing, -0 equals 0).
template <Stored A, Stored B, class Shapes = detail::same_shape<typename A::shape_type, typename B::shape_type>>
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
#pragma GCC diagnostic pop
