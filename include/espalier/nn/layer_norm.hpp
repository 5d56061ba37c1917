// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "norm_family.hpp"

namespace espalier::nn {

/// Named relation: the last axes of an input are those of a norm layer.
template <class Normalized, class S>
struct last_axes {
  ESPALIER_READS("expected last axes {}, got {}")
  static constexpr bool agree = [] {
    for (int i = 1; i <= Normalized::rank; ++i)
      if (i > S::rank || Normalized::value.at[Normalized::rank - i] != S::value.at[S::rank - i]) return false;
    return true;
  }();
};

namespace detail {
/// Layout of LayerNorm and RMSNorm: statistics run over the last axes of each example; each of their elements has a
/// weight.
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
    if constexpr (S::rank < Normalized::rank) return invalid<axes_exist<S, axes<-Normalized::rank>>>{};
    else if constexpr (last_axes<Normalized, S>::agree) return agreed{};
    else if constexpr (Normalized::rank > 1) return invalid<last_axes<Normalized, S>>{};
    else return invalid<normalized_features<Normalized::value.at[0], S::template extent<-1>()>, S>{};
  }
};
}  // namespace detail

/// y = (x - mean) / sqrt(variance + eps) weight + bias, with the mean and biased variance of each example over its last
/// axes, Normalized.
/// shape   (..., Normalized...) -> the same; weight, bias (Normalized...)
/// range   eps >= 0; with eps = 0 an example of equal elements gives NaN
/// errors  other last axes do not compile
/// saves   the normalized x, 1 / sqrt(variance + eps)
/// gradient  closed form of normalize
/// source  Ba, Kiros and Hinton 2016
template <Shape Normalized, norm_argument Options = norm{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct LayerNorm {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = detail::in_range(Options) && detail::own_statistics(Options);
  detail::gain<Normalized, Options.affine> weight = nn::detail::numbers_reported<number_report::report()>{};
  detail::offset<Normalized, Options.affine> bias{};
  ESPALIER_MODULE(LayerNorm, weight, bias)
  using takes_single_values = void;
  static constexpr axis_order in_pytorch(char const*, extents const& shape) { return own_order(shape); }
  constexpr auto forward(auto x) const {
    return detail::apply_norm<detail::trailing<Normalized, true>, nn::norm{Options}>(*this, x);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(detail::in_range(Options), ESPALIER_SENTENCE("nn::LayerNorm<shape, norm>: " ESPALIER_NORM_RANGE,
                                                                 ESPALIER_NORM_NUMBERS(Options)));
      static_assert(detail::own_statistics(Options),
                    ESPALIER_SENTENCE("nn::LayerNorm<shape, norm>: " ESPALIER_NORM_SYNC,
                                      ESPALIER_STATED(detail::own_statistics(Options), ESPALIER_NAMED("sync", true))));
      return true;
    }
  };
};

/// LayerNorm over only the last axis.
/// shape   (..., Features) -> (..., Features); weight, bias (Features)
/// range   as of LayerNorm
/// errors  another last axis does not compile
/// saves   as of LayerNorm
/// gradient  as of LayerNorm
/// source  needle's LayerNorm1d
template <int Features, norm_argument Options = norm{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct LayerNorm1d {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = detail::in_range(Options) && detail::own_statistics(Options);
  detail::gain<shape<Features>, Options.affine> weight = nn::detail::numbers_reported<number_report::report()>{};
  detail::offset<shape<Features>, Options.affine> bias{};
  ESPALIER_MODULE(LayerNorm1d, weight, bias)
  using takes_single_values = void;
  constexpr auto forward(auto x) const {
    return detail::apply_norm<detail::trailing<shape<Features>, true>, nn::norm{Options}>(*this, x);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          detail::in_range(Options),
          ESPALIER_SENTENCE("nn::LayerNorm1d<Features, norm>: " ESPALIER_NORM_RANGE, ESPALIER_NORM_NUMBERS(Options)));
      static_assert(detail::own_statistics(Options),
                    ESPALIER_SENTENCE("nn::LayerNorm1d<Features, norm>: " ESPALIER_NORM_SYNC,
                                      ESPALIER_STATED(detail::own_statistics(Options), ESPALIER_NAMED("sync", true))));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
