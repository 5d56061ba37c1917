// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "index_map.hpp"
#include "reduce.hpp"

/// The movements of the public ops. of(s) is the map for an operand of extents s; rank -1 means that it does not fit.
namespace espalier {

/// The end of an axis in slice<Axis, Begin, to_end, Step>(x), for steps of either sign.
inline constexpr int to_end = 0x7fffffff;

/// The result for an operand that does not fit.
constexpr movement no_movement() { return movement{index_map{}, extents{-1, {}}}; }

/// Named relation: the movement fits operands of shape S.
template <class S, class Move>
struct movable {
  static constexpr bool agree = Move::of(S::value).shape.rank >= 0;
};

/// Elements Begin, Begin + Step, ... before End along an axis; negative positions count from the end.
template <int Axis, int Begin, int End, int Step>
struct slicing {
  template <class S>
  using relation = movable<S, slicing>;
  static constexpr movement of(extents const& s) {
    int const a = Axis < 0 ? Axis + s.rank : Axis;
    if (a < 0 || a >= s.rank || Step == 0) return no_movement();
    int const n = s.at[a], first = Begin < 0 ? Begin + n : Begin,
              end = End == to_end ? (Step > 0 ? n : -1)
                    : End < 0     ? End + n
                                  : End;
    int const stride = Step < 0 ? -Step : Step, length = Step < 0 ? first - end : end - first;
    if (first < 0 || first >= n || end > n || (end < 0 && End != to_end) || length <= 0) return no_movement();
    movement r{identity_map(s.rank), s};
    r.map.start[a] = first;
    r.map.step[a] = Step;
    r.shape.at[a] = (length + stride - 1) / stride;
    return r;
  }
};

/// The elements at one position of an axis, which is dropped.
template <int Axis, int Position>
struct selecting {
  template <class S>
  using relation = movable<S, selecting>;
  static constexpr movement of(extents const& s) {
    int const a = Axis < 0 ? Axis + s.rank : Axis;
    if (a < 0 || a >= s.rank || Position < 0 || Position >= s.at[a]) return no_movement();
    movement r{identity_map(s.rank), extents{}};
    r.map.rank = 0;
    r.map.start[a] = Position;
    for (int i = 0; i < s.rank; ++i) {
      if (i == a) continue;
      r.map.source[r.map.rank] = i;
      r.map.step[r.map.rank++] = 1;
      r.shape.push(s.at[i]);
    }
    for (int i = r.map.rank; i < max_rank; ++i) r.map.source[i] = r.map.step[i] = 0;
    return r;
  }
};

/// Padding: the numbers of elements added before and after each axis, first to last. They are filled with 0 or with the
/// lowest number.
template <bool Lowest, int... Widths>
struct padded_by {
  template <class S>
  using relation = movable<S, padded_by>;
  static constexpr movement of(extents const& s) {
    constexpr int width[] = {Widths..., 0};
    if (static_cast<int>(sizeof...(Widths)) != 2 * s.rank || ((Widths < 0) || ...)) return no_movement();
    movement r{identity_map(s.rank), s};
    r.map.fills_with_lowest = Lowest;
    for (int a = 0; a < s.rank; ++a) {
      r.map.start[a] = -width[2 * a];
      r.shape.at[a] += width[2 * a] + width[2 * a + 1];
    }
    return r;
  }
};

/// The axes of a movement as a bit mask; -1 if one does not exist or is named twice.
template <int... Axes>
constexpr int moved_axes(int rank) {
  unsigned const mask = axis_mask<Axes...>(rank);
  return mask == 0 && sizeof...(Axes) != 0 ? -1 : static_cast<int>(mask);
}

/// Applies `change` to the identity, axis by axis; `change` returns whether the axis fits.
template <int... Axes, class Change>
constexpr movement along_axes(extents const& s, Change change) {
  int const mask = moved_axes<Axes...>(s.rank);
  if (mask < 0) return no_movement();
  movement r{identity_map(s.rank), s};
  for (int a = 0; a < s.rank; ++a)
    if ((mask >> a & 1) && !change(r, a)) return no_movement();
  return r;
}

/// Reverses the elements along each axis.
template <int... Axes>
struct flipping {
  template <class S>
  using relation = axes_exist<S, axes<Axes...>>;
  static constexpr movement of(extents const& s) {
    return along_axes<Axes...>(s, [](movement& r, int a) {
      r.map.start[a] = r.shape.at[a] - 1;
      r.map.step[a] = -1;
      return true;
    });
  }
};

/// `Dilation` zeros after each element.
template <int Dilation, int... Axes>
struct dilating {
  template <class S>
  using relation = movable<S, dilating>;
  static constexpr movement of(extents const& s) {
    return along_axes<Axes...>(s, [](movement& r, int a) {
      r.map.divisor[a] = Dilation + 1;
      r.shape.at[a] *= Dilation + 1;
      return Dilation >= 0;
    });
  }
};

/// The first of every Dilation + 1 elements.
template <int Dilation, int... Axes>
struct undilating {
  template <class S>
  using relation = movable<S, undilating>;
  static constexpr movement of(extents const& s) {
    return along_axes<Axes...>(s, [](movement& r, int a) {
      if (Dilation < 0 || r.shape.at[a] % (Dilation + 1) != 0) return false;
      r.map.step[a] = Dilation + 1;
      r.shape.at[a] /= Dilation + 1;
      return true;
    });
  }
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
