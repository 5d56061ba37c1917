// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../base/bare.hpp"
#include "../base/host_device.hpp"
#include "../base/sentence.hpp"

/// Shapes, as types and as values.
namespace espalier {

/// The largest rank a shape may have.
inline constexpr int max_rank = 6;

/// A shape as a value, for code that runs in the constant evaluator. Extents beyond the rank are zero. It has no
/// default member initialisers on purpose: the compiler then zero-initialises `extents e{}` without storing each
/// element.
struct extents {
  int rank;
  int at[max_rank];

  constexpr int operator[](int axis) const { return at[axis]; }
  /// One expression, like the comparison below: clang counts statements, and this function is called for every node.
  constexpr std::int64_t size() const {
    return std::int64_t{rank > 0 ? at[0] : 1} * (rank > 1 ? at[1] : 1) * (rank > 2 ? at[2] : 1) *
           (rank > 3 ? at[3] : 1) * (rank > 4 ? at[4] : 1) * (rank > 5 ? at[5] : 1);
  }
  /// Number of elements of the axes first..last-1.
  constexpr std::int64_t product(int first, int last) const {
    std::int64_t n = 1;
    for (int i = first; i < last; ++i) n *= at[i];
    return n;
  }
  constexpr void push(int extent) { at[rank++] = extent; }
  friend constexpr bool operator==(extents const& a, extents const& b) {
    return a.rank == b.rank && a.at[0] == b.at[0] && a.at[1] == b.at[1] && a.at[2] == b.at[2] && a.at[3] == b.at[3] &&
           a.at[4] == b.at[4] && a.at[5] == b.at[5];
  }
};

namespace detail {
/// The product of extents; a product that no std::int64_t holds is the largest one. 0 if an extent is.
template <int... Extents>
constexpr std::int64_t count_of_elements() {
  std::int64_t count = 1;
  bool const sound = ((Extents > 0) && ...);
  for (std::int64_t extent : {std::int64_t{1}, std::int64_t{Extents}...})
    count = sound && count > INT64_MAX / extent ? INT64_MAX : count * extent;
  return count;
}
}  // namespace detail

/// A shape as a type: the extents of a tensor, row-major, rank 0 (a scalar) to 6. Every extent is at least 1.
template <int... Extents>
struct shape {
  static constexpr int rank = static_cast<int>(sizeof...(Extents));
  static constexpr std::int64_t size = detail::count_of_elements<Extents...>();
  static constexpr extents value{static_cast<int>(sizeof...(Extents)), {Extents...}};

  /// The extent of an axis; negative axes count from the end.
  template <int Axis>
  static constexpr int extent() {
    constexpr bool exists = Axis >= -rank && Axis < rank;
    static_assert(
        exists, ESPALIER_SENTENCE("shape<...>::extent<Axis>(): the axis does not exist",
                                  ESPALIER_STATED(exists, ESPALIER_NAMED("axis", Axis), ESPALIER_NAMED("rank", rank))));
    if constexpr (exists) return value.at[Axis < 0 ? Axis + rank : Axis];
    else return 1;
  }

  // The assertions follow the members: clang does not find members that follow a failed assertion.
  static_assert(!(sizeof...(Extents) > max_rank),
                ESPALIER_SENTENCE("shape<...>: a tensor has at most 6 axes",
                                  ESPALIER_STATED((!(sizeof...(Extents) > max_rank)),
                                                  ESPALIER_NAMED("extents", Extents...))));
  static_assert(((Extents > 0) && ...),
                ESPALIER_SENTENCE("shape<...>: every extent must be at least 1",
                                  ESPALIER_STATED((((Extents > 0) && ...)), ESPALIER_NAMED("extents", Extents...))));
  static_assert(!(size > 0x7fffffff),
                ESPALIER_SENTENCE("shape<...>: a tensor has at most 2^31 - 1 elements",
                                  ESPALIER_STATED((!(size > 0x7fffffff)), ESPALIER_NAMED("elements", size))));
};

template <int... A, int... B>
constexpr bool operator==(shape<A...>, shape<B...>) {
  return std::is_same_v<shape<A...>, shape<B...>>;
}

/// The shape of one batch of samples: batch<32, 8, 8> is 32 samples of shape (8, 8).
template <int Count, int... Sample>
using batch = shape<Count, Sample...>;

template <class T>
inline constexpr bool is_shape = false;
template <int... Extents>
inline constexpr bool is_shape<shape<Extents...>> = true;
/// True for a valid shape.
template <class T>
inline constexpr bool is_sound_shape = false;
template <int... Extents>
inline constexpr bool is_sound_shape<shape<Extents...>> =
    ((Extents > 0) && ...) && sizeof...(Extents) <= max_rank&& detail::count_of_elements<Extents...>() <= 0x7fffffff;
template <class T>
concept Shape = is_shape<T>;
/// True for the shape of a batch of up to N samples (shape/up_to.hpp), which is no Shape.
template <class T>
inline constexpr bool is_bounded_batch = false;

namespace detail {
template <class Rule, std::size_t... I>
shape<Rule::value.at[I]...> shape_of_rule(std::index_sequence<I...>);
}  // namespace detail

/// The type of a shape that a rule computed as a value: Rule::value is a constexpr extents.
template <class Rule>
using shape_from =
    decltype(detail::shape_of_rule<Rule>(std::make_index_sequence<static_cast<std::size_t>(Rule::value.rank)>{}));

/// The shape of an expression, tensor or view.
template <class X>
using shape_of = typename detail::bare<X>::shape_type;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
