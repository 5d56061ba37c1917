// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "norm_family.hpp"

namespace espalier::nn {

/// Named relation: an input has as many axes as the layer expects.
template <int Axes, class S>
struct number_of_axes {
  ESPALIER_READS("expected {} axes, got {}")
  static constexpr bool agree = S::rank == Axes;
};

namespace detail {
/// Layout of BatchNorm: statistics run over every axis except that of the channels. Exactly: inputs have Rank axes, not
/// more.
template <int Channels, int Axis, int Rank, bool Exactly>
struct over_batch : of_channels<Channels, Axis, Rank> {
  static constexpr bool across_examples = true;
  template <class S>
  static constexpr unsigned statistics = all_axes(S::rank) & ~(1u << axis_in(S::rank, Axis));
  template <class S>
  static constexpr unsigned shared = statistics<S>;
  template <class S>
  static constexpr auto fault() {
    if constexpr (Exactly && S::rank != Rank) return invalid<number_of_axes<Rank, S>>{};
    else return of_channels<Channels, Axis, Rank>::template fault<S>();
  }
};
/// True, as nothing_behind_options. What is no axis is reported.
template <class Axis>
constexpr bool axis_in_its_place() {
  static_assert(std::is_integral_v<Axis>,
                "nn::BatchNorm<channels, axis, norm>: the second is the axis, a whole number, and options have names: "
                "write nn::BatchNorm<8, 1, nn::norm{.eps = 1e-3}>");
  return true;
}
template <norm Options>
inline constexpr bool batch_tracks = !Options.untracked;
/// Keras' epsilon is 0.001 where it is not stated.
constexpr keras_layer batch_norm_in_keras(norm const& options) {
  keras_layer r{"batchnorm"};
  if (options.affine) r.add("weight").add("bias");
  return r.add("running_mean").add("running_var").add_number("epsilon", options.eps, 1e-3);
}
}  // namespace detail

/// y = (x - mean) / sqrt(variance + eps) weight + bias. Training uses the mean and biased variance of each channel over
/// all other axes; evaluation uses the running statistics. running = (1 - momentum) running + momentum observed; no
/// gradient flows through them. With norm{.untracked = true} there are no running statistics, and evaluation uses those
/// of its own batch. With norm{.sync = true}, processes that train together use the statistics of all of them
/// (SyncBatchNorm). A layer that a forward calls several times observes each input, in the order of calls.
/// shape   S -> S, whose axis Axis is Channels (1: channels second, -1: channels last); weight, bias, running_mean,
///         running_var (Channels)
/// range   eps >= 0, momentum in [0, 1]; with eps = 0 a channel of equal elements gives NaN
/// errors  another extent of that axis, and training with one value per channel, do not compile
/// saves   the normalized x, 1 / sqrt(variance + eps)
/// gradient  closed form of normalize
/// source  Ioffe and Szegedy 2015
template <int Channels, auto Axis = 1, norm_argument Options = norm{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>() &&
           detail::axis_in_its_place<std::remove_const_t<decltype(Axis)>>())
struct BatchNorm {
  static constexpr bool options_fit =
      espalier::detail::options_fit<Options.are_options, Behind> && std::is_integral_v<decltype(Axis)>;
  static constexpr bool numbers_fit = detail::in_range(Options);
  detail::gain<shape<Channels>, Options.affine> weight = nn::detail::numbers_reported<number_report::report()>{};
  detail::offset<shape<Channels>, Options.affine> bias{};
  detail::running_mean<shape<Channels>, detail::batch_tracks<nn::norm{Options}>> running_mean{};
  detail::running_variance<shape<Channels>, detail::batch_tracks<nn::norm{Options}>> running_var{};
  ESPALIER_MODULE(BatchNorm, weight, bias, running_mean, running_var)
  using takes_single_values = void;
  static constexpr bool has_statistics_of_all = Options.sync;
  static constexpr keras_layer in_keras() requires detail::batch_tracks<nn::norm{Options}> {
    return detail::batch_norm_in_keras(Options);
  }
  constexpr auto forward(auto x) const {
    return detail::apply_norm<detail::over_batch<Channels, Axis, 2, false>, nn::norm{Options}>(*this, x);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(detail::in_range(Options),
                    ESPALIER_SENTENCE("nn::BatchNorm<Channels, Axis, norm>: " ESPALIER_NORM_RANGE,
                                      ESPALIER_NORM_NUMBERS(Options)));
      return true;
    }
  };
};

/// BatchNorm of features, or of sequences of them.
/// shape   (N, Features) or (N, Features, L...) -> the same; weight, bias, running_mean, running_var (Features)
/// range   as of BatchNorm
/// errors  another number of features, and training with one value per feature, do not compile
/// saves   as of BatchNorm
/// gradient  as of BatchNorm
/// source  needle's BatchNorm1d
template <int Features, norm_argument Options = norm{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct BatchNorm1d {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = detail::in_range(Options);
  detail::gain<shape<Features>, Options.affine> weight = nn::detail::numbers_reported<number_report::report()>{};
  detail::offset<shape<Features>, Options.affine> bias{};
  detail::running_mean<shape<Features>, detail::batch_tracks<nn::norm{Options}>> running_mean{};
  detail::running_variance<shape<Features>, detail::batch_tracks<nn::norm{Options}>> running_var{};
  ESPALIER_MODULE(BatchNorm1d, weight, bias, running_mean, running_var)
  using takes_single_values = void;
  static constexpr bool has_statistics_of_all = Options.sync;
  static constexpr keras_layer in_keras() requires detail::batch_tracks<nn::norm{Options}> {
    return detail::batch_norm_in_keras(Options);
  }
  constexpr auto forward(auto x) const {
    return detail::apply_norm<detail::over_batch<Features, 1, 2, false>, nn::norm{Options}>(*this, x);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          detail::in_range(Options),
          ESPALIER_SENTENCE("nn::BatchNorm1d<Features, norm>: " ESPALIER_NORM_RANGE, ESPALIER_NORM_NUMBERS(Options)));
      return true;
    }
  };
};

/// BatchNorm of images with the channels second.
/// shape   (N, Channels, H, W) -> the same; weight, bias, running_mean, running_var (Channels)
/// range   as of BatchNorm
/// errors  another number of axes does not compile; others as of BatchNorm
/// saves   as of BatchNorm
/// gradient  as of BatchNorm
/// source  needle's BatchNorm2d
template <int Channels, norm_argument Options = norm{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct BatchNorm2d {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = detail::in_range(Options);
  detail::gain<shape<Channels>, Options.affine> weight = nn::detail::numbers_reported<number_report::report()>{};
  detail::offset<shape<Channels>, Options.affine> bias{};
  detail::running_mean<shape<Channels>, detail::batch_tracks<nn::norm{Options}>> running_mean{};
  detail::running_variance<shape<Channels>, detail::batch_tracks<nn::norm{Options}>> running_var{};
  ESPALIER_MODULE(BatchNorm2d, weight, bias, running_mean, running_var)
  using takes_single_values = void;
  static constexpr bool has_statistics_of_all = Options.sync;
  constexpr auto forward(auto x) const {
    return detail::apply_norm<detail::over_batch<Channels, 1, 4, true>, nn::norm{Options}>(*this, x);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          detail::in_range(Options),
          ESPALIER_SENTENCE("nn::BatchNorm2d<Channels, norm>: " ESPALIER_NORM_RANGE, ESPALIER_NORM_NUMBERS(Options)));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
