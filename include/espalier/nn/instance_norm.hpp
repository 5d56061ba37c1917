// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "norm_family.hpp"

namespace espalier::nn {

/// Named relation: each channel of an example has several values, so that they have a variance.
template <class S>
struct several_values_per_instance {
  ESPALIER_READS("each instance has one value in {}")
  static constexpr bool agree = S::size > S::value.at[0] * S::value.at[1];
};

namespace detail {
/// Layout of InstanceNorm: statistics run over the axes after the channels, for each example.
template <int Channels>
struct over_instances : of_channels<Channels, 1, 3> {
  template <class S>
  static constexpr unsigned statistics = all_axes(S::rank) & ~3u;
  template <class S>
  static constexpr unsigned shared = 1;
  template <class S>
  static constexpr auto fault() {
    using Fault = decltype(of_channels<Channels, 1, 3>::template fault<S>());
    if constexpr (is_invalid<Fault>) return Fault{};
    else if constexpr (!several_values_per_instance<S>::agree) return invalid<several_values_per_instance<S>>{};
    else return agreed{};
  }
};
}  // namespace detail

/// y = (x - mean) / sqrt(variance + eps) weight + bias, with the mean and biased variance of each channel of each
/// example. With norm{.tracked = true} evaluation uses running statistics. They observe the examples' statistics,
/// averaged over the batch.
/// shape   (N, Channels, L...) -> the same; weight, bias, and where tracked running_mean, running_var (Channels)
/// range   eps >= 0, momentum in [0, 1]; with eps = 0 a channel of equal elements gives NaN
/// errors  another extent of the second axis, and one value per channel of an example, do not compile
/// saves   the normalized x, 1 / sqrt(variance + eps)
/// gradient  closed form of normalize
/// source  Ulyanov, Vedaldi and Lempitsky 2016
template <int Channels, norm_argument Options = norm{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct InstanceNorm {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = detail::in_range(Options) && detail::own_statistics(Options);
  detail::gain<shape<Channels>, Options.affine> weight = nn::detail::numbers_reported<number_report::report()>{};
  detail::offset<shape<Channels>, Options.affine> bias{};
  detail::running_mean<shape<Channels>, Options.tracked> running_mean{};
  detail::running_variance<shape<Channels>, Options.tracked> running_var{};
  ESPALIER_MODULE(InstanceNorm, weight, bias, running_mean, running_var)
  using takes_single_values = void;
  constexpr auto forward(auto x) const {
    return detail::apply_norm<detail::over_instances<Channels>, nn::norm{Options}>(*this, x);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          detail::in_range(Options),
          ESPALIER_SENTENCE("nn::InstanceNorm<Channels, norm>: " ESPALIER_NORM_RANGE, ESPALIER_NORM_NUMBERS(Options)));
      static_assert(detail::own_statistics(Options),
                    ESPALIER_SENTENCE("nn::InstanceNorm<Channels, norm>: " ESPALIER_NORM_SYNC,
                                      ESPALIER_STATED(detail::own_statistics(Options), ESPALIER_NAMED("sync", true))));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
