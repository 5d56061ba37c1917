// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "norm_family.hpp"

namespace espalier::nn {

/// Named relation: the channels of a GroupNorm divide into groups of equal size.
template <int Groups, int Channels>
struct equal_groups {
  ESPALIER_READS("{} groups, {} channels")
  static constexpr bool agree = Groups > 0 && Channels % Groups == 0;
};

namespace detail {
/// Layout of GroupNorm: the channels of a group and all axes after them are one axis of (N, Groups, the rest).
template <int Groups, int Channels>
struct over_groups : of_channels<Channels, 1, 2> {
  template <class S>
  using work = shape<S::value.at[0], Groups, static_cast<int>(S::size / S::value.at[0] / Groups)>;
  template <class S>
  static constexpr unsigned statistics = 4;
};
}  // namespace detail

/// y = (x - mean) / sqrt(variance + eps) weight + bias, with the mean and biased variance of each group of
/// Channels / Groups channels of each example.
/// shape   (N, Channels, L...) -> the same; weight, bias (Channels)
/// range   eps >= 0; with eps = 0 a group of equal elements gives NaN
/// errors  groups that do not divide the channels, and another extent of the second axis, do not compile
/// saves   the normalized x, 1 / sqrt(variance + eps)
/// gradient  closed form of normalize
/// source  Wu and He 2018
template <int Groups, int Channels, norm_argument Options = norm{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct GroupNorm {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit =
      equal_groups<Groups, Channels>::agree && detail::in_range(Options) && detail::own_statistics(Options);
  detail::gain<shape<Channels>, Options.affine> weight = nn::detail::numbers_reported<number_report::report()>{};
  detail::offset<shape<Channels>, Options.affine> bias{};
  ESPALIER_MODULE(GroupNorm, weight, bias)
  using takes_single_values = void;
  constexpr auto forward(auto x) const {
    return detail::apply_norm<detail::over_groups<Groups, Channels>, nn::norm{Options}>(*this, x);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(equal_groups<Groups, Channels>::agree,
                    ESPALIER_SENTENCE("nn::GroupNorm<Groups, Channels>: the groups must divide the channels",
                                      equal_groups<Groups, Channels>));
      static_assert(detail::in_range(Options),
                    ESPALIER_SENTENCE("nn::GroupNorm<Groups, Channels, norm>: " ESPALIER_NORM_RANGE,
                                      ESPALIER_NORM_NUMBERS(Options)));
      static_assert(detail::own_statistics(Options),
                    ESPALIER_SENTENCE("nn::GroupNorm<Groups, Channels, norm>: " ESPALIER_NORM_SYNC,
                                      ESPALIER_STATED(detail::own_statistics(Options), ESPALIER_NAMED("sync", true))));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
