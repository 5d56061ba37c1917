// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/options_argument.hpp"
#include "../expression/mode.hpp"
#include "../operation/concatenate.hpp"
#include "../operation/over_processes.hpp"
#include "../operation/reshape.hpp"
#include "../operation/rms_normalize.hpp"
#include "../operation/slice.hpp"
#include "../operation/zeros.hpp"
#include "module.hpp"

/// One formula for all norm layers. A layer is a list of members and a layout. The layout defines, for an input of
/// shape S,
///   fault<S>()        the violation of an input that does not fit, or `agreed`
///   work<S>           the shape in which statistics are computed: S, except that GroupNorm splits the channel axis
///   statistics<S>     the axes of `work` that each mean and variance runs over
///   parameters        the shape of weight and bias; placed<S>: the same, aligned with the axes of S
///   centered          whether the mean is subtracted
///   shared<S>         for layers with running statistics: the axes over which the examples' statistics are averaged
///   across_examples   whether a statistic mixes examples, so that training is impossible with one value per channel
/// Nothing else differs between the layers; kernels and gradients are those of normalize and rms_normalize.
namespace espalier::nn {

/// Which variance running statistics observe: divided by N (needle), or by N - 1 (PyTorch).
enum class variance { biased, unbiased };
inline constexpr variance biased = variance::biased, unbiased = variance::unbiased;

/// Options of a norm layer; the defaults are the usual values. Without affine a layer has neither weight nor bias.
/// BatchNorm has running statistics unless it is untracked, InstanceNorm only if it is tracked. Evaluation uses them
/// instead of the statistics of its own input.
/// sync    only BatchNorm: processes that train together use the statistics of all their samples (SyncBatchNorm)
/// range   eps >= 0, momentum in [0, 1]
struct norm {
  double eps = 1e-5;
  double momentum = 0.1;
  nn::variance variance = biased;
  bool affine = true;
  bool tracked = false;
  bool untracked = false;
  bool sync = false;
};
/// The template parameter of layers with these options.
struct norm_argument : norm {
  ESPALIER_OPTIONS_ARGUMENT(norm) {
    static_assert(espalier::detail::is_options<X>,
                  "options have names: write nn::BatchNorm1d<features, nn::norm{.eps = 1e-3, .momentum = 0.1}>");
  }
};

/// Named relation: the axis of the input that belongs to weight and bias has their extent.
template <int Features, int Got>
struct normalized_features {
  ESPALIER_READS("expected {} features, got {}")
  static constexpr bool agree = Features == Got;
};

namespace detail {

constexpr bool in_range(norm const& options) {
  return options.eps >= 0 && options.momentum >= 0 && options.momentum <= 1;
}
/// Whether a layer whose statistics are not over the batch can do what its options say.
constexpr bool own_statistics(norm const& options) { return !options.sync; }
#define ESPALIER_NORM_SYNC "norm{.sync = true} is for BatchNorm; the statistics of this layer are those of each sample"
#define ESPALIER_NORM_RANGE "eps must be at least 0 and momentum in [0, 1]"
#define ESPALIER_NORM_NUMBERS(options)                                           \
  ESPALIER_STATED(detail::in_range(options), ESPALIER_NAMED("eps", options.eps), \
                  ESPALIER_NAMED("momentum", options.momentum))

/// The members of a norm layer: weight and running variance start at 1, bias and running mean at 0.
template <class S, bool Exists = true>
using gain = std::conditional_t<Exists, parameter<S, init::initialized_by<init::ones{}>>, absent>;
template <class S, bool Exists = true>
using offset = std::conditional_t<Exists, parameter<S, init::initialized_by<init::zeros{}>>, absent>;
template <class S, bool Exists = true>
using running_mean = std::conditional_t<Exists, buffer<S, init::initialized_by<init::zeros{}>>, absent>;
template <class S, bool Exists = true>
using running_variance = std::conditional_t<Exists, buffer<S, init::initialized_by<init::ones{}>>, absent>;

/// The training expression of a norm layer with one value per channel, which has no variance. Tracing it reports a
/// fault, so only training fails.
template <class S>
struct untrainable {
  using shape_type = S;
  using is_expression = void;
  using element_type = void;
  static constexpr bool eager = false;
  template <class Tracer>
  constexpr int trace_into(Tracer& t) const {
    t.nodes().report(graph::fault::one_value_per_channel);
    return operation::emit_constant(t.nodes(), 0, S::value).id;
  }
};

/// The mask of the first `rank` axes.
constexpr unsigned all_axes(int rank) { return (1u << rank) - 1u; }
constexpr int axis_in(int rank, int axis) { return axis < 0 ? axis + rank : axis; }

/// The shape (Channels, 1, ...), with an axis of extent 1 for each axis of S after that of the channels.
template <class S, int Channels, int Axis>
struct channels_first {
  static constexpr extents value = [] {
    extents s{1, {Channels}};
    while (s.rank < S::rank - axis_in(S::rank, Axis)) s.push(1);
    return s;
  }();
};

/// Base of the layouts with a weight for each channel along an axis: inputs have at least Rank axes.
template <int Channels, int Axis, int Rank>
struct of_channels {
  using parameters = shape<Channels>;
  static constexpr bool centered = true, across_examples = false;
  template <class S>
  using work = S;
  template <class S>
  using placed = shape_from<channels_first<S, Channels, Axis>>;
  template <class S>
  static constexpr auto fault() {
    if constexpr (S::rank < Rank) return invalid<axes_exist<S, axes<Rank - 1>>>{};
    else if constexpr (Axis >= S::rank || Axis < -S::rank) return invalid<axes_exist<S, axes<Axis>>>{};
    else if constexpr (!normalized_features<Channels, S::template extent<Axis>()>::agree)
      return invalid<normalized_features<Channels, S::template extent<Axis>()>, S>{};
    else return agreed{};
  }
};

/// A member reshaped to align with its axes of S.
template <class Layout, class S>
constexpr auto placed(auto const& member) {
  using P = typename Layout::template placed<S>;
  if constexpr (std::is_same_v<P, shape_of<decltype(member)>>) return member;
  else return espalier::detail::reshape_as(P{}, member);
}
template <class Layout, class S>
constexpr auto scaled(auto const& layer, auto const& y) {
  if constexpr (!exists<decltype(layer.weight)>) return y;
  else if constexpr (!requires { layer.bias; }) return y * placed<Layout, S>(layer.weight);
  else return y * placed<Layout, S>(layer.weight) + placed<Layout, S>(layer.bias);
}
/// The same for y / deviation with a deviation from running statistics: weight / deviation is one factor per channel.
template <class Layout, class S>
constexpr auto scaled(auto const& layer, auto const& y, auto const& inverse_deviation) {
  if constexpr (!exists<decltype(layer.weight)>) return y * inverse_deviation;
  else if constexpr (!requires { layer.bias; }) return y * (placed<Layout, S>(layer.weight) * inverse_deviation);
  else return y * (placed<Layout, S>(layer.weight) * inverse_deviation) + placed<Layout, S>(layer.bias);
}

/// (x - mean) / sqrt(variance + eps), or x / sqrt(mean(x^2) + eps), with the input's own statistics.
/// Op: normalize_tracked_ for layers with running statistics
template <class Layout, class S, class Op = normalize_>
constexpr auto standardized(auto const& x, double eps) {
  constexpr unsigned over = Layout::template statistics<S>;
  using Work = typename Layout::template work<S>;
  if constexpr (!Layout::centered) return espalier::detail::rms_normalize_masked<over>(x, eps);
  else if constexpr (std::is_same_v<Work, S>) return espalier::detail::normalize_masked<over, Op>(x, eps);
  else
    return espalier::detail::reshape_as(
        S{}, espalier::detail::normalize_masked<over, Op>(espalier::detail::reshape_as(Work{}, x), eps));
}

/// Reduces a statistic to one number per channel: where each example has its own, their mean.
template <class Layout, class S>
constexpr auto per_channel(auto const& statistic) {
  using C = typename Layout::parameters;
  if constexpr (shape_of<decltype(statistic)>::size == C::size) return espalier::detail::reshape_as(C{}, statistic);
  else return espalier::detail::reshape_as(C{}, mean_kept(statistic, axes_constant<Layout::template shared<S>>{}));
}

/// The number of elements that each statistic runs over.
template <class Layout, class S>
inline constexpr double counted = reduced_count(traced<typename Layout::template work<S>>{},
                                                Layout::template statistics<S>);

/// A tensor of one number in the program of x.
template <class X>
constexpr auto number_in(X const& x, double value) {
  using Y = espalier::detail::traced_result<shape<1>, X>;
  if (x.tracer == nullptr) return Y{};
  return espalier::detail::as_value<Y>(*x.tracer, espalier::detail::filled<shape<1>, void>{value});
}

/// The training formula with the statistics of all processes, one exchange forward and one backward. Statistics over N
/// elements of all are unbiased by N / (N - 1), and N is known when the program runs.
template <class Layout, norm Options, class X>
constexpr auto norm_of_all(auto const& layer, X const& x) {
  using S = shape_of<X>;
  constexpr axes_constant<Layout::template statistics<S>> over{};
  constexpr int channels = static_cast<int>(Layout::parameters::size);
  constexpr auto count = static_cast<std::int64_t>(counted<Layout, S>);
  constexpr bool tracked = requires { layer.running_mean.slot; };
  auto const own_mean = per_channel<Layout, S>(mean_observed(x, over));
  auto const own_variance = per_channel<Layout, S>(variance_kept(x, over));
  auto const all = [&] {
    if constexpr (tracked && Options.variance == unbiased)
      return moments_over_processes<channels, count>(
          concatenate<0>(own_mean, own_variance, number_in(x, static_cast<double>(count))));
    else return moments_over_processes<channels, count>(concatenate<0>(own_mean, own_variance));
  }();
  auto const mean = slice<0, 0, channels>(all), variance = slice<0, channels, 2 * channels>(all);
  // The numbers of each channel come first, so that one kernel reads x, and nothing of its size is stored between.
  auto const inverse_deviation = 1 / sqrt(placed<Layout, S>(variance) + Options.eps);
  auto const y = scaled<Layout, S>(layer, x - placed<Layout, S>(mean), inverse_deviation);
  if constexpr (!tracked) {
    return y;
  } else {
    auto const observed = [&] {
      if constexpr (Options.variance == unbiased) {
        auto const n = slice<0, 2 * channels, 2 * channels + 1>(all);
        return variance * (n / (n - 1));
      } else {
        return variance;
      }
    }();
    return with_update(
        with_update(y, layer.running_mean, layer.running_mean * (1 - Options.momentum) + mean * Options.momentum),
        layer.running_var, layer.running_var * (1 - Options.momentum) + observed * Options.momentum);
  }
}
/// own() with the statistics of this process, or the formula with those of all, if the layer asks for them and the
/// program is that of one of several processes.
template <class Layout, norm Options, class X, class Own>
constexpr auto own_or_of_all([[maybe_unused]] auto const& layer, [[maybe_unused]] X const& x, Own const& own) {
  if constexpr (!Options.sync || !Layout::across_examples || !Traced<X>) {
    return own();
  } else {
    using Y = espalier::detail::traced_result<shape_of<X>, X>;
    if (x.tracer == nullptr) return Y{};
    return tracing::combines_processes(*x.tracer)
               ? espalier::detail::as_value<Y>(*x.tracer, norm_of_all<Layout, Options>(layer, x))
               : espalier::detail::as_value<Y>(*x.tracer, own());
  }
}

/// The formula with running statistics: training updates them, evaluation uses them.
template <class Layout, norm Options, class X>
constexpr auto tracked_norm(auto const& layer, X const& x) {
  using S = shape_of<X>;
  auto const evaluation = [&] {
    return scaled<Layout, S>(layer, x - placed<Layout, S>(layer.running_mean),
                             1 / sqrt(placed<Layout, S>(layer.running_var) + Options.eps));
  };
  if constexpr (constexpr double count = counted<Layout, S>; count == 1) {
    return by_mode(
        x, [] { return untrainable<S>{}; }, evaluation);
  } else {
    return by_mode(
        x,
        [&] {
          return own_or_of_all<Layout, Options>(layer, x, [&] {
            constexpr axes_constant<Layout::template statistics<S>> over{};
            constexpr double correction = Options.variance == unbiased ? count / (count - 1) : 1;
            auto const mean = per_channel<Layout, S>(mean_observed(x, over));
            auto const observed = per_channel<Layout, S>(variance_kept(x, over));
            return with_update(
                with_update(scaled<Layout, S>(layer, standardized<Layout, S, normalize_tracked_>(x, Options.eps)),
                            layer.running_mean, layer.running_mean * (1 - Options.momentum) + mean * Options.momentum),
                layer.running_var,
                layer.running_var * (1 - Options.momentum) + observed * (Options.momentum * correction));
          });
        },
        evaluation);
  }
}

/// The formula of every norm layer.
template <class Layout, norm Options, class X>
constexpr auto apply_norm(auto const& layer, X const& x) {
  if constexpr (is_invalid<X>) {
    return x;
  } else {
    using S = shape_of<X>;
    using Fault = decltype(Layout::template fault<S>());
    if constexpr (is_invalid<Fault>) return Fault{};
    else if constexpr (requires { layer.running_mean.slot; }) return tracked_norm<Layout, Options>(layer, x);
    else if constexpr (Layout::across_examples && counted<Layout, S> == 1)
      return by_mode(
          x, [] { return untrainable<S>{}; },
          [&] { return scaled<Layout, S>(layer, standardized<Layout, S>(x, Options.eps)); });
    else if constexpr (Options.sync && Layout::across_examples) {
      auto const own = [&] { return scaled<Layout, S>(layer, standardized<Layout, S>(x, Options.eps)); };
      return by_mode(
          x, [&] { return own_or_of_all<Layout, Options>(layer, x, own); }, own);
    } else return scaled<Layout, S>(layer, standardized<Layout, S>(x, Options.eps));
  }
}

}  // namespace detail
}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
