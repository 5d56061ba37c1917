// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <exception>
#include <type_traits>

#include "../base/error_text.hpp"
#include "../base/raise.hpp"
#include "../base/sentence.hpp"
#include "../shape/shape.hpp"
#include "device.hpp"
#include "element.hpp"

/// Ranges of the user as elements of tensors and views: std::vector, std::array, std::span, arrays, and all types with
/// contiguous numbers. They are recognised by their members, without a header of the standard library.
namespace espalier {

/// range_error: numbers do not fit a tensor or view. A range has another number of elements than the shape, or a number
/// has no place in std::int32_t: an integer or a real number beyond it, or NaN. Thrown before anything is written.
class range_error : public std::exception {
 public:
  range_error(char const* where, std::int64_t expected, std::int64_t actual) noexcept {
    text_ << where << ": expected " << expected << (expected == 1 ? " element, got " : " elements, got ") << actual;
  }
  struct integer {
    std::int64_t actual, position;
  };
  range_error(char const* where, integer wrong) noexcept {
    text_ << where << ": expected integers that fit std::int32_t, got " << wrong.actual << " at position "
          << wrong.position;
  }
  struct real_number {
    double actual;
    std::int64_t position;
  };
  range_error(char const* where, real_number wrong) noexcept {
    text_ << where << ": expected numbers that fit std::int32_t, got ";
    if (wrong.actual != wrong.actual) text_ << "nan";
    else if (wrong.actual > -9e18 && wrong.actual < 9e18) text_ << static_cast<std::int64_t>(wrong.actual);
    else text_ << (wrong.actual < 0 ? "one below -9e18" : "one above 9e18");
    text_ << " at position " << wrong.position;
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

namespace detail {

/// The number types of the user's arrays; characters are text.
template <class T>
inline constexpr bool is_number_in_a_row = is_arithmetic<T> || is_narrow<std::remove_const_t<T>>;
template <>
inline constexpr bool is_number_in_a_row<char> = false;
template <>
inline constexpr bool is_number_in_a_row<char const> = false;

template <class R>
concept with_data = requires(R& r) {
  r.size();
  *r.data();
};
template <class R>
concept with_pointers = requires(R& r) {
  r.size();
  requires(std::is_pointer_v<decltype(r.begin())>);
};
/// Types with elements by their members, such as std::vector and std::list. Tensors and views are handled elsewhere.
template <class R>
concept with_elements = requires(R& r) {
  r.begin();
  r.end();
}
|| with_data<R>;

/// A container, a span or an array; its elements need not be numbers or contiguous. Text is not a range: functions that
/// accept both read an array of characters as a name or a path.
template <class X>
concept Range = !std::is_convertible_v<X const&, char const*> &&
                (std::is_array_v<X> || (!marked_tensor<X> && !marked_view<X> &&
                                        !requires { typename X::is_expression; } && with_elements<X>));

/// The address of the first of the contiguous elements.
template <class R>
constexpr auto* first_element(R& r) {
  if constexpr (std::is_array_v<R>) return &r[0];
  else if constexpr (with_data<R>) return r.data();
  else return r.begin();
}

/// The number of elements that the type fixes, or -1. std::array<T, N> contains its elements and nothing else; the
/// extent of std::span is a member.
template <class R>
struct fixed_count_of : std::integral_constant<std::int64_t, -1> {};
template <class T, std::size_t Count>
struct fixed_count_of<T[Count]> : std::integral_constant<std::int64_t, static_cast<std::int64_t>(Count)> {};
template <template <class, std::size_t> class Array, class T, std::size_t Count>
struct fixed_count_of<Array<T, Count>>
    : std::integral_constant<std::int64_t,
                             (sizeof(Array<T, Count>) == Count * sizeof(T)) ? static_cast<std::int64_t>(Count) : -1> {};
template <class R>
  requires requires { R::extent; }
struct fixed_count_of<R> : std::integral_constant<std::int64_t, static_cast<std::int64_t>(R::extent)> {};
template <template <class, std::size_t> class Span, class T, std::size_t Count>
  requires requires { Span<T, Count>::extent; }
struct fixed_count_of<Span<T, Count>>
    : std::integral_constant<std::int64_t, static_cast<std::int64_t>(Span<T, Count>::extent)> {};
template <class R>
inline constexpr std::int64_t fixed_count = fixed_count_of<std::remove_const_t<R>>::value;

/// A range that does not own its elements, so it may be a temporary: std::span and similar types have an element_type,
/// containers do not. The span of a temporary, which it keeps, has both.
template <class R>
concept Borrowing = requires {
  typename R::element_type;
}
&&!requires { typename R::keeps_elements; };

/// Describes contiguous numbers: their type (const if they are not writable, void if there are none) and the depth of
/// nested arrays. `count` is the number of numbers in one part of the range. A part that borrows its elements stores
/// them elsewhere.
template <class Part>
struct part_of_row {
  using number = void;
  static constexpr int depth = 0;
  static constexpr std::int64_t count = 0;
};
template <class R>
using part_of = std::remove_pointer_t<decltype(first_element(std::declval<R&>()))>;
template <class Part>
  requires is_number_in_a_row<Part>
struct part_of_row<Part> {
  using number = Part;
  static constexpr int depth = 0;
  static constexpr std::int64_t count = 1;
};
template <class Part>
  requires(!is_number_in_a_row<Part> && fixed_count<Part> > 0 && !Borrowing<Part>)
struct part_of_row<Part> {
  using inner = part_of_row<part_of<Part>>;
  static constexpr bool inside = sizeof(Part) == static_cast<std::size_t>(fixed_count<Part>) * sizeof(part_of<Part>);
  using number = std::conditional_t<inside, typename inner::number, void>;
  static constexpr int depth = 1 + inner::depth;
  static constexpr std::int64_t count = fixed_count<Part> * inner::count;
};
template <class R>
struct row : part_of_row<void> {};
template <class R>
  requires(std::is_array_v<R> || with_data<R> || with_pointers<R>)
struct row<R> : part_of_row<part_of<R>> {};
template <class R>
using number_of = typename row<R>::number;

/// The number of numbers in a range.
template <class R>
constexpr std::int64_t count_of_numbers([[maybe_unused]] R const& r) {
  if constexpr (std::is_array_v<R>) return fixed_count<R> * row<R>::count;
  else return static_cast<std::int64_t>(r.size()) * row<R>::count;
}
/// The address of the first number.
template <class R>
constexpr auto* first_number(R& r) {
  auto* const first = first_element(r);
  if constexpr (row<R>::depth == 0) return first;
  else return first_number(*first);
}

template <class S, class Part, int Axis>
constexpr bool inner_counts_agree() {
  if constexpr (is_number_in_a_row<Part>) return true;
  else return fixed_count<Part> == S::value.at[Axis] && inner_counts_agree<S, part_of<Part>, Axis + 1>();
}
/// Whether the extents that a type fixes agree with a shape. A flat range has to match its size; nested arrays have to
/// match each extent, except that the outermost may be dynamic.
template <class S, class R>
constexpr bool counts_agree() {
  using numbers = row<std::remove_reference_t<R>>;
  if constexpr (std::is_void_v<typename numbers::number>) {
    return true;
  } else {
    constexpr std::int64_t outer = fixed_count<std::remove_reference_t<R>>;
    if constexpr (numbers::depth == 0) return outer < 0 || outer == S::size;
    else
      return S::rank == 1 + numbers::depth && (outer < 0 || outer == S::value.at[0]) &&
             inner_counts_agree<S, part_of<std::remove_reference_t<R>>, 1>();
  }
}

/// A constraint that errors name: a range contains contiguous numbers.
template <class R>
struct numbers_in_a_row {
  static constexpr bool agree = !std::is_void_v<number_of<R const>>;
};
#define ESPALIER_NUMBERS_IN_A_ROW \
  "the elements must be contiguous numbers, as in std::vector<float>, std::array, std::span and arrays; copy other ranges (std::vector<bool>, std::list, a vector of vectors) into a std::vector first"
/// A constraint that errors name: an array has as many elements as the shape. It always holds for a pointer, which has
/// no number of elements.
template <class S, class Elements>
struct array_counts {
  ESPALIER_READS("the shape is {}, the array is {}")
  static constexpr bool agree = counts_agree<S, Elements>();
};
template <class S, class T>
struct array_counts<S, T*> {
  static constexpr bool agree = true;
};
/// A constraint that errors name: numbers convert, except real numbers to integers.
template <class Actual, class Expected>
struct number_converts {
  ESPALIER_READS("got {}, expected {}")
  static constexpr bool agree =
      !(std::is_integral_v<Expected> && (std::is_floating_point_v<Actual> || is_narrow<std::remove_const_t<Actual>>));
};

/// Throws range_error unless a range has S::size numbers. A range whose type fixes the number costs nothing.
template <class S, class R>
constexpr void check_count(char const* where, R const& r) {
  if constexpr (fixed_count<R> < 0) {
    std::int64_t const actual = count_of_numbers(r);
    if (actual != S::size) raise(range_error{where, S::size, actual});
  }
}

/// Copies and converts contiguous numbers; returns the address for the next one.
template <class T, class R>
constexpr T* copy_numbers(T* to, R const& r) {
  auto const* from = first_element(r);
  std::int64_t const count = count_of_numbers(r) / row<R const>::count;
  for (std::int64_t i = 0; i < count; ++i)
    if constexpr (row<R const>::depth == 0) *to++ = static_cast<T>(from[i]);
    else to = copy_numbers(to, from[i]);
  return to;
}
/// Whether a number, truncated if it is real, is an element of type T. Only std::int32_t does not accept all numbers.
template <class T, class From>
constexpr bool has_place(From x) {
  if constexpr (!std::is_same_v<T, std::int32_t> || std::is_same_v<From, bool>) return true;
  else if constexpr (!std::is_integral_v<From>)
    return static_cast<double>(x) > -2147483649.0 && static_cast<double>(x) < 2147483648.0;
  else if constexpr (std::is_signed_v<From>)
    return sizeof(From) < sizeof(T) || static_cast<From>(static_cast<T>(x)) == x;
  else return sizeof(From) < sizeof(T) || x <= static_cast<From>(0x7fffffff);
}
/// Throws range_error unless a number is an element of type T.
template <class T, class From>
constexpr void check_place(char const* where, From x, std::int64_t position) {
  if (has_place<T>(x)) return;
  if constexpr (std::is_integral_v<From> && (std::is_signed_v<From> || sizeof(From) < sizeof(std::int64_t)))
    raise(range_error{where, range_error::integer{static_cast<std::int64_t>(x), position}});
  else raise(range_error{where, range_error::real_number{static_cast<double>(x), position}});
}
/// Throws range_error for the first of `count` numbers that is no element of type T, before anything is written. The
/// common case has no branch for each number.
template <class T, class From>
constexpr void check_places([[maybe_unused]] char const* where, [[maybe_unused]] From const* from,
                            [[maybe_unused]] std::int64_t count) {
  if constexpr (std::is_same_v<T, std::int32_t> && !std::is_same_v<From, T>) {
    bool all = true;
    for (std::int64_t i = 0; i < count; ++i) all &= has_place<T>(from[i]);
    for (std::int64_t i = 0; !all && i < count; ++i) check_place<T>(where, from[i], i);
  }
}

}  // namespace detail
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
