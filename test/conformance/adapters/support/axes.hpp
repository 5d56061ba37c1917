// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "function.hpp"

// Attributes that are lists of axes or extents, as template arguments.
namespace conformance {

namespace detail {
template <template <bool, int...> class Function, bool Keep, class Axes>
struct reduction;
template <template <bool, int...> class Function, bool Keep>
struct reduction<Function, Keep, nothing> {
  using type = Function<Keep>;
};
template <template <bool, int...> class Function, bool Keep, int... Axes>
struct reduction<Function, Keep, integers<Axes...>> {
  using type = Function<Keep, Axes...>;
};
template <template <bool, int...> class Function, bool Keep, int Axis>
struct reduction<Function, Keep, constant_value<Axis>> {
  using type = Function<Keep, Axis>;
};

template <class List>
struct as_shape;
template <int... Extents>
struct as_shape<integers<Extents...>> {
  using type = esp::shape<Extents...>;
};
}  // namespace detail

/// A reduction of no axis: of one more axis, of extent 1.
template <class Function>
struct over_unit_axis {
  constexpr auto operator()(auto const& x) const { return with_unit_axis(x, esp::shape_of<decltype(x)>{}); }

 private:
  template <int... Extents>
  static constexpr auto with_unit_axis(auto const& x, esp::shape<Extents...>) {
    return Function{}(esp::reshape<Extents..., 1>(x));
  }
};

/// Function<Keep, Axes...> from the attributes keepdims and axes (a list, one axis, or null for all); `none`: of no
/// axis at all.
template <class Case, template <bool, int...> class Function>
using reduction_of =
    std::conditional_t<attribute_or<Case, "none", bool>(false), over_unit_axis<Function<false, -1>>,
                       typename detail::reduction<Function, attribute_or<Case, "keepdims", bool>(false),
                                                  attribute_of<Case, "axes">>::type>;

/// The attribute `shape` as a shape.
template <class Case, text Name = "shape">
using shape_attribute = typename detail::as_shape<attribute_of<Case, Name>>::type;

template <class Shape>
inline constexpr int rank_of = Shape::rank;

/// The only input's shape.
template <class Case>
using input_shape = shape_of<typename Case::inputs, "x">;

}  // namespace conformance
