// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <tuple>

#include "../shape/concatenate.hpp"
#include "moved.hpp"

namespace espalier {

namespace detail {

/// The position at which a section begins.
template <int... Sections>
constexpr int section_begin(std::size_t which) {
  constexpr int extent[] = {Sections...};
  int begin = 0;
  for (std::size_t i = 0; i < which; ++i) begin += extent[i];
  return begin;
}
/// The operand of one part. Every part owns its operand, so expressions and temporary tensors are copied.
template <class X>
constexpr decltype(auto) shared_operand(std::remove_reference_t<X>& x) {
  if constexpr (std::is_lvalue_reference_v<X>) return static_cast<X>(x);
  else return std::remove_cvref_t<X>(x);
}
template <int Axis, int... Sections, class X, std::size_t... I>
constexpr auto sections(X&& x, std::index_sequence<I...>) {
  return std::make_tuple(moved_by<slicing<Axis, section_begin<Sections...>(I), section_begin<Sections...>(I + 1), 1>>(
      shared_operand<X>(x))...);
}
template <int Axis, class X, std::size_t... I>
constexpr auto positions(X&& x, std::index_sequence<I...>) {
  return std::make_tuple(moved_by<selecting<Axis, static_cast<int>(I)>>(shared_operand<X>(x))...);
}
/// True for one section that does not fill the axis: probably a count of parts in place of their extents. split then
/// returns as many `invalid` values as it counts, so that a structured binding still has its names.
template <class X, int Axis, int... Sections>
inline constexpr bool is_one_section = false;
template <class X, int Axis, int Section>
  requires(!Handle<X> && !is_invalid<std::remove_cvref_t<X>>)
inline constexpr bool is_one_section<X, Axis, Section> = !fills_axis<shape_of<X>, along<Axis>, to<Section>>::agree;
template <bool One, class X, int Axis, int... Sections>
struct fault_of_one_section_impl {
  using type = agreed;
};
template <class X, int Axis, int... Sections>
struct fault_of_one_section_impl<true, X, Axis, Sections...> {
  using type = fills_axis<shape_of<X>, along<Axis>, to<Sections...>>;
};
template <bool One, class X, int Axis, int... Sections>
using fault_of_one_section = typename fault_of_one_section_impl<One, X, Axis, Sections...>::type;
template <int... Sections>
inline constexpr std::size_t parts_meant = 1;
template <int Count>
inline constexpr std::size_t parts_meant<Count> = Count > 0 && Count <= 64 ? static_cast<std::size_t>(Count) : 1;
template <class Invalid, std::size_t... I>
constexpr auto invalid_sections(Invalid r, std::index_sequence<I...>) {
  return std::make_tuple((static_cast<void>(I), r)...);
}

template <bool Reports, class X, int Axis, int... Sections>
struct reported_split_fault {
  using type = agreed;
};
template <class X, int Axis>
struct reported_split_fault<true, X, Axis> {
  using type = std::conditional_t<is_eager<X>, axes_exist<shape_of<X>, axes<Axis>>, agreed>;
};
template <class X, int Axis, int First, int... Sections>
struct reported_split_fault<true, X, Axis, First, Sections...> {
  using type = std::conditional_t<is_eager<X>, fills_axis<shape_of<X>, along<Axis>, to<First, Sections...>>, agreed>;
};

}  // namespace detail

namespace detail {
template <class Parts>
inline constexpr bool parts_have_one_type = false;
template <class... Facts, class... Rest>
inline constexpr bool parts_have_one_type<std::tuple<invalid<Facts...>, Rest...>> = true;  // reported elsewhere
}  // namespace detail
/// Reports a range-based for over the parts of a split: the parts differ in type, so no loop can iterate over them.
template <class First, class... Rest>
  requires detail::marked_expression<First>
constexpr auto begin(std::tuple<First, Rest...> const&) {
  static_assert(
      detail::parts_have_one_type<std::tuple<First, Rest...>>,
      "the parts of split are a std::tuple, so a loop cannot iterate over them; write auto [a, b] = split<1>(x), or "
      "std::apply([&](auto... part) { ((h = f(part, h)), ...); }, split<1>(x))");
  return static_cast<invalid<already_reported> const*>(nullptr);
}
template <class First, class... Rest>
  requires detail::marked_expression<First>
constexpr invalid<already_reported> const* end(std::tuple<First, Rest...> const&) { return nullptr; }

/// split<Axis>(x): the slices of x along an axis, without that axis, as a std::tuple: auto [a, b, c] = split<0>(x);
/// split<Axis, Sections...>(x): consecutive parts with these extents, which keep the axis.
/// Every part is an expression whose type contains the type of x. Split a named value (an argument, a parameter, a
/// tensor) rather than a long formula.
/// shape   S -> one S without Axis per position along Axis; or S with each section's extent
/// errors  an axis that does not exist, or sections that do not fill it, do not compile. Inside a module the second
///         form returns one `invalid` per section. The first form returns a single one: the number of parts is
///         undefined
/// saves   nothing
/// gradient  dx = the gradients of the parts, each at the position of its part
template <int Axis, int... Sections, Operand X>
constexpr auto split(X&& x) {
  using Fault = typename detail::reported_split_fault<!Handle<X> && !is_invalid<std::remove_cvref_t<X>>, X, Axis,
                                                      Sections...>::type;
  using parts = std::make_index_sequence<sizeof...(Sections)>;
  if constexpr (sizeof...(Sections) == 0) {
    static_assert(Fault::agree, ESPALIER_SENTENCE("split<axis>(x): x does not have this axis", Fault));
    static_assert(!Handle<X>, "split<axis>(x): the number of parts must be a compile-time constant; name the sections");
    if constexpr (is_invalid<std::remove_cvref_t<X>>) return std::remove_cvref_t<X>{};
    else if constexpr (!axes_exist<shape_of<X>, axes<Axis>>::agree)
      return invalid<axes_exist<shape_of<X>, axes<Axis>>>{};
    else
      return detail::positions<Axis>(
          static_cast<X&&>(x),
          std::make_index_sequence<static_cast<std::size_t>(shape_of<X>::template extent<Axis>())>{});
  } else {
    constexpr bool one = detail::is_one_section<X, Axis, Sections...>;
    static_assert(
        Fault::agree || one,
        ESPALIER_SENTENCE(
            "split<axis, sections...>(x): the sections must be positive and add up to the extent of the axis", Fault));
    using One = detail::fault_of_one_section<one, X, Axis, Sections...>;
    static_assert(One::agree,
                  ESPALIER_SENTENCE(
                      "split<axis, n>(x): one section of n elements is shorter than the axis; for two parts write both "
                      "extents, split<axis, n, m>(x)",
                      One));
    if constexpr (one)
      return detail::invalid_sections(invalid<already_reported>{},
                                      std::make_index_sequence<detail::parts_meant<Sections...>>{});
    else if constexpr (Handle<X>) return detail::sections<Axis, Sections...>(static_cast<X&&>(x), parts{});
    else if constexpr (is_invalid<std::remove_cvref_t<X>>)
      return detail::invalid_sections(std::remove_cvref_t<X>{}, parts{});
    else if constexpr (!fills_axis<shape_of<X>, along<Axis>, to<Sections...>>::agree)
      return detail::invalid_sections(invalid<fills_axis<shape_of<X>, along<Axis>, to<Sections...>>>{}, parts{});
    else return detail::sections<Axis, Sections...>(static_cast<X&&>(x), parts{});
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
