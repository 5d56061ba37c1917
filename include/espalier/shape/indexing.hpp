// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "concatenate.hpp"

/// Shapes of ops whose positions along an axis are integers known at run time: gather, take_along_axis, index_select,
/// scatter_add. `value` is the shape of the result.
namespace espalier {

namespace detail {
constexpr bool has_axis(int axis, int rank) { return axis >= 0 && axis < rank; }
/// Whether the extents of `part` are at most those of `whole`, except along an axis (-1: no exception).
constexpr bool fits_inside(extents const& part, extents const& whole, int axis) {
  if (part.rank != whole.rank) return false;
  for (int i = 0; i < part.rank; ++i)
    if (i != axis && part.at[i] > whole.at[i]) return false;
  return true;
}
}  // namespace detail

/// Named relation of gather<Axis>(x, index): the axis exists, the index has as many axes as x, and none of its other
/// extents is larger.
template <class X, class Index, class Along>
struct gatherable;
template <class X, class Index, int Axis>
struct gatherable<X, Index, along<Axis>> {
  static constexpr int axis = Axis < 0 ? Axis + X::rank : Axis;
  static constexpr bool agree = detail::has_axis(axis, X::rank) && detail::fits_inside(Index::value, X::value, axis);
  static constexpr extents value = Index::value;
};

/// Named relation of scatter_add<Axis>(x, index, source): gather<Axis>(x, index) fits, and no extent of the index is
/// larger than that of the source.
template <class X, class Index, class Source, class Along>
struct scatterable;
template <class X, class Index, class Source, int Axis>
struct scatterable<X, Index, Source, along<Axis>> {
  static constexpr int axis = gatherable<X, Index, along<Axis>>::axis;
  static constexpr bool agree =
      gatherable<X, Index, along<Axis>>::agree && detail::fits_inside(Index::value, Source::value, -1);
};

/// Named relation of take_along_axis<Axis>(x, index): the axis exists, the index has as many axes as x, and their other
/// extents are equal or 1.
template <class X, class Index, class Along>
struct takeable;
template <class X, class Index, int Axis>
struct takeable<X, Index, along<Axis>> {
  static constexpr int axis = Axis < 0 ? Axis + X::rank : Axis;
  static constexpr bool agree = [] {
    if (!detail::has_axis(axis, X::rank) || Index::rank != X::rank) return false;
    for (int i = 0; i < X::rank; ++i)
      if (i != axis && X::value.at[i] != Index::value.at[i] && X::value.at[i] != 1 && Index::value.at[i] != 1)
        return false;
    return true;
  }();
  static constexpr extents value = [] {
    extents r = Index::value;
    if (agree)
      for (int i = 0; i < X::rank; ++i)
        if (i != axis && X::value.at[i] > r.at[i]) r.at[i] = X::value.at[i];
    return r;
  }();
  static constexpr extents extents_of_x = [] {
    extents r = value;
    if (agree) r.at[axis] = X::value.at[axis];
    return r;
  }();
};

/// Named relation of index_select<Axis>(x, index): the axis exists, and the result, which has the axes of the index in
/// its place, has at most six.
template <class X, class Index, class Along>
struct selectable;
template <class X, class Index, int Axis>
struct selectable<X, Index, along<Axis>> {
  static constexpr int axis = Axis < 0 ? Axis + X::rank : Axis;
  static constexpr bool agree = detail::has_axis(axis, X::rank) && X::rank - 1 + Index::rank <= max_rank;
  static constexpr extents value = [] {
    extents r{};
    if (!agree) return r;
    for (int i = 0; i < axis; ++i) r.push(X::value.at[i]);
    for (int i = 0; i < Index::rank; ++i) r.push(Index::value.at[i]);
    for (int i = axis + 1; i < X::rank; ++i) r.push(X::value.at[i]);
    return r;
  }();
};

/// Named relation of index_copy<Axis>(x, index, source): the axis exists, the index has one axis, and the source has
/// the shape of x, except that its extent along the axis is that of the index.
template <class X, class Index, class Source, class Along>
struct copyable;
template <class X, class Index, class Source, int Axis>
struct copyable<X, Index, Source, along<Axis>> {
  static constexpr int axis = Axis < 0 ? Axis + X::rank : Axis;
  static constexpr bool agree =
      detail::has_axis(axis, X::rank) && Index::rank == 1 && Source::rank == X::rank &&
      Index::value.at[0] == Source::value.at[detail::has_axis(axis, Source::rank) ? axis : 0] &&
      detail::fits_inside(Source::value, X::value, axis) && detail::fits_inside(X::value, Source::value, axis);
  static constexpr extents value = X::value;
};

namespace detail {
/// An index of index_select with its elements along the axis of x and extents of 1 elsewhere, and the result with one
/// axis in place of the index's.
template <class Relation, class X, class Index>
struct index_along_axis {
  static constexpr extents value = [] {
    extents r{X::rank, {}};
    for (int i = 0; i < X::rank; ++i) r.at[i] = i == Relation::axis ? static_cast<int>(Index::size) : 1;
    return r;
  }();
};
template <class Relation, class X, class Index>
struct selected_along_axis {
  static constexpr extents value = [] {
    extents r = X::value;
    r.at[Relation::axis] = static_cast<int>(Index::size);
    return r;
  }();
};
/// The part of x that the indices of take_along_axis reach, after broadcasting.
template <class Relation>
struct reached_by {
  static constexpr extents value = Relation::extents_of_x;
};
/// The shape Other with the extent of X along an axis: the part of x that the indices of a gather reach.
template <class X, class Other, int Axis>
struct with_axis_of {
  static constexpr extents value = [] {
    extents r = Other::value;
    r.at[Axis] = X::value.at[Axis];
    return r;
  }();
};
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
