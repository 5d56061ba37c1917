// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/invalid.hpp"
#include "rename.hpp"

/// Shapes of ops that combine operands along an axis, or split one: concatenate, stack, split.
namespace espalier {

/// The axis of a concatenation, as a fact that errors show.
template <int Axis>
struct along {};

/// Named relation of concatenate<Axis>(a, b): the axis exists, and all other extents are equal.
template <class A, class B, class Along>
struct concatenable;
template <class A, class B, int Axis>
struct concatenable<A, B, along<Axis>> {
  static constexpr int axis = Axis < 0 ? Axis + A::rank : Axis;
  static constexpr bool agree = [] {
    if (A::rank != B::rank || axis < 0 || axis >= A::rank) return false;
    for (int i = 0; i < A::rank; ++i)
      if (i != axis && A::value.at[i] != B::value.at[i]) return false;
    return true;
  }();
  static constexpr extents value = [] {
    extents r = A::value;
    if (agree) r.at[axis] += B::value.at[axis];
    return r;
  }();
};

/// Named relation of stack<Axis>(a, b): both have the same shape, and the result has the new axis.
template <class A, class B, class Along>
struct stackable;
template <class A, class B, int Axis>
struct stackable<A, B, along<Axis>> {
  static constexpr bool agree = std::is_same_v<A, B> && unsqueezed_extents<Axis>(A::value).rank >= 0;
};

/// Named relation of split<Axis, Sections...>(x): the axis exists, and the sections add up to its extent.
template <class S, class Along, class Sections>
struct fills_axis;
template <class S, int Axis, int... Sections>
struct fills_axis<S, along<Axis>, to<Sections...>> {
  static constexpr int axis = Axis < 0 ? Axis + S::rank : Axis;
  static constexpr bool agree = [] {
    if (axis < 0 || axis >= S::rank) return false;
    std::int64_t sum = 0;
    for (int n : {Sections...}) {
      if (n < 1) return false;
      sum += n;
    }
    return sum == S::value.at[axis];
  }();
};

namespace detail {
/// Checks the first of several shapes against each of the others; reports the first relation that does not hold.
template <template <class, class, class> class Relation, class Along, class First, class... Rest>
struct first_misfit : first_fault<Relation<First, Rest, Along>...> {};
template <template <class, class, class> class Relation, class Along, class First>
struct first_misfit<Relation, Along, First> : first_fault<Relation<First, First, Along>> {};
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
