// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "norm_family.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::nn {

/// Named relation: the last axes of an input are those of a norm layer.
template <class Normalized, class S>
struct last_axes {
  ESPALIER_READS("last axes {} wanted, given {}")
  static constexpr bool agree = [] {
    for (int i = 1; i <= Normalized::rank; ++i)
      if (i > S::rank || Normalized::value.at[Normalized::rank - i] != S::value.at[S::rank - i]) return false;
    return true;
  }();
};

namespace detail {
/// The last axes of each example, with a weight for each of their elements.
template <class Normalized, bool Centered>
struct trailing {
  using parameters = Normalized;
  static constexpr bool centered = Centered, across_examples = false;
  template <class S>
  using work = S;
  template <class S>
  using placed = Normalized;
  template <class S>
  static constexpr unsigned statistics = all_axes(S::rank) & ~all_axes(S::rank - Normalized::rank);
  template <class S>
  static constexpr auto fault() {
    if constexpr (S::rank < Normalized::rank) return refused<axes_exist<S, axes<-Normalized::rank>>>{};
    else if constexpr (last_axes<Normalized, S>::agree) return agreed{};
    else if constexpr (Normalized::rank > 1) return refused<last_axes<Normalized, S>>{};
    else return refused<normalized_features<Normalized::value.at[0], S::template extent<-1>()>, S>{};
  }
};
}  // namespace detail

/// y = (x - mean) / sqrt(variance + eps) weight + bias, with the mean and biased variance of each example over the axes of Normalized, its last.
/// shape   (..., Normalized...) -> the same; weight, bias (Normalized...)
/// range   eps >= 0; with eps = 0 an example of equal elements gives NaN
/// errors  other last axes are refused
/// saves   the normalized x, 1 / sqrt(variance + eps)
/// slope   closed form of normalize
/// source  Ba, Kiros and Hinton 2016
template <Shape Normalized, norm How = norm{}>
struct LayerNorm {
  static_assert(detail::in_range(How), ESPALIER_SENTENCE("nn::LayerNorm<shape, norm>: " ESPALIER_NORM_RANGE, ESPALIER_NORM_NUMBERS(How)));
  detail::gain<Normalized, How.affine> weight{};
  detail::offset<Normalized, How.affine> bias{};
  ESPALIER_MODULE(LayerNorm, weight, bias)
  static constexpr axis_order in_pytorch(char const*, extents const& shape) { return own_order(shape); }
  constexpr auto forward(auto x) const { return detail::apply_norm<detail::trailing<Normalized, true>, How>(*this, x); }
};

/// LayerNorm over the last axis alone.
/// shape   (..., Features) -> (..., Features); weight, bias (Features)
/// range   as of LayerNorm
/// errors  another last axis is refused
/// saves   as of LayerNorm
/// slope   as of LayerNorm
/// source  needle's LayerNorm1d
template <int Features, norm How = norm{}>
struct LayerNorm1d {
  static_assert(detail::in_range(How),
                ESPALIER_SENTENCE("nn::LayerNorm1d<Features, norm>: " ESPALIER_NORM_RANGE, ESPALIER_NORM_NUMBERS(How)));
  detail::gain<shape<Features>, How.affine> weight{};
  detail::offset<shape<Features>, How.affine> bias{};
  ESPALIER_MODULE(LayerNorm1d, weight, bias)
  constexpr auto forward(auto x) const { return detail::apply_norm<detail::trailing<shape<Features>, true>, How>(*this, x); }
};

}  // namespace espalier::nn
#pragma GCC diagnostic pop
