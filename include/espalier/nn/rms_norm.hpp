// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "layer_norm.hpp"

namespace espalier::nn {

/// LayerNorm without mean and bias: y = x / sqrt(mean(x^2) + eps) weight, with the mean over the last axes of each
/// example, Normalized.
/// shape   (..., Normalized...) -> the same; weight (Normalized...)
/// range   eps >= 0; with eps = 0 an example of zeros gives NaN
/// errors  other last axes do not compile
/// saves   the normalized x, 1 / sqrt(mean(x^2) + eps)
/// gradient  closed form of rms_normalize
/// source  Zhang and Sennrich 2019
template <Shape Normalized, norm_argument Options = norm{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct RMSNorm {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = detail::in_range(Options) && detail::own_statistics(Options);
  detail::gain<Normalized, Options.affine> weight = nn::detail::numbers_reported<number_report::report()>{};
  ESPALIER_MODULE(RMSNorm, weight)
  using takes_single_values = void;
  static constexpr axis_order in_pytorch(char const*, extents const& shape) { return own_order(shape); }
  constexpr auto forward(auto x) const {
    return detail::apply_norm<detail::trailing<Normalized, false>, nn::norm{Options}>(*this, x);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(detail::in_range(Options), ESPALIER_SENTENCE("nn::RMSNorm<shape, norm>: " ESPALIER_NORM_RANGE,
                                                                 ESPALIER_NORM_NUMBERS(Options)));
      static_assert(detail::own_statistics(Options),
                    ESPALIER_SENTENCE("nn::RMSNorm<shape, norm>: " ESPALIER_NORM_SYNC,
                                      ESPALIER_STATED(detail::own_statistics(Options), ESPALIER_NAMED("sync", true))));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
