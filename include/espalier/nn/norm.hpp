// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../expression/call.hpp"
#include "../operation/normalize.hpp"
#include "../operation/reshape.hpp"
#include "module.hpp"

namespace espalier::nn {

/// Which variance a BatchNorm's running statistics observe: divided by N (needle), or by N - 1 (PyTorch).
enum class variance { biased, unbiased };
inline constexpr variance biased = variance::biased, unbiased = variance::unbiased;

/// What shapes the arithmetic of a norm layer.
/// range   epsilon >= 0, momentum in [0, 1]
struct norm {
  double eps = 1e-5;
  double momentum = 0.1;
  nn::variance variance = biased;
};

/// Named relation: the axis that a norm layer's parameters belong to has their extent.
template <int Features, int Got>
struct normalized_features {
  static constexpr bool agree = Features == Got;
};

namespace detail {

template <class M>
constexpr bool in_range(norm const& how) {
  return how.eps >= 0 && how.momentum >= 0 && how.momentum <= 1;
}

/// weight and bias of a norm layer: they start at 1 and 0.
template <int Features>
using gain = parameter<shape<Features>, init::initialized_by<init::ones{}>>;
template <int Features>
using offset = parameter<shape<Features>, init::initialized_by<init::zeros{}>>;

/// A batch that gives each channel one value has no variance to learn from: a leaf that only training minds.
template <class S>
struct untrainable {
  using shape_type = S;
  using is_expression = void;
  using element_type = void;
  static constexpr bool eager = false;
  template <class Tracer, class Scope>
  constexpr int lower_into(Tracer& t, Scope const&) const {
    t.result.one_value_per_channel = true;
    return emit_constant(t.builder(), 0, S::value).id;
  }
};

}  // namespace detail

/// y = (x - mean) / sqrt(variance + eps) weight + bias, with the mean and biased variance of each example over its last axis.
/// shape   (..., Features) -> (..., Features); weight, bias (Features)
/// range   eps >= 0
/// errors  another last axis is refused
/// saves   the normalized x, 1 / sqrt(variance + eps)
/// slope   closed form of normalize
/// source  Ba, Kiros and Hinton 2016
template <int Features, norm How = norm{}>
struct LayerNorm1d {
  static_assert(detail::in_range<LayerNorm1d>(How), "nn::LayerNorm1d<Features, norm>: eps must be at least 0");
  detail::gain<Features> weight{};
  detail::offset<Features> bias{};
  ESPALIER_MODULE(LayerNorm1d, weight, bias)

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (is_refused<X>) return x;
    else if constexpr (shape_of<X>::rank == 0) return refused<axes_exist<shape_of<X>, axes<-1>>>{};
    else if constexpr (!normalized_features<Features, shape_of<X>::template extent<-1>()>::agree)
      return refused<normalized_features<Features, shape_of<X>::template extent<-1>()>, shape_of<X>>{};
    else return normalize<-1>(x, How.eps) * weight + bias;
  }
};

/// y = (x - mean) / sqrt(variance + eps) weight + bias, with the mean and biased variance of each feature over the batch while training, and the
/// running statistics while evaluating. running = (1 - momentum) running + momentum observed; they carry no slope.
/// shape   (N, Features) or (N, Features, L...) -> the same; weight, bias, running_mean, running_var (Features)
/// range   eps >= 0, momentum in [0, 1]
/// errors  another second axis is refused; so is training with one value per channel
/// saves   the normalized x, 1 / sqrt(variance + eps)
/// slope   closed form of normalize
/// source  Ioffe and Szegedy 2015
template <int Features, norm How = norm{}>
struct BatchNorm1d {
  static_assert(detail::in_range<BatchNorm1d>(How), "nn::BatchNorm1d<Features, norm>: eps must be at least 0 and momentum in [0, 1]");
  detail::gain<Features> weight{};
  detail::offset<Features> bias{};
  buffer<shape<Features>, init::initialized_by<init::zeros{}>> running_mean{};
  buffer<shape<Features>, init::initialized_by<init::ones{}>> running_var{};
  ESPALIER_MODULE(BatchNorm1d, weight, bias, running_mean, running_var)

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (is_refused<X>) {
      return x;
    } else if constexpr (shape_of<X>::rank < 2) {
      return refused<axes_exist<shape_of<X>, axes<1>>>{};
    } else if constexpr (!normalized_features<Features, shape_of<X>::template extent<1>()>::agree) {
      return refused<normalized_features<Features, shape_of<X>::template extent<1>()>, shape_of<X>>{};
    } else {
      using S = shape_of<X>;
      constexpr axes_constant<((1u << S::rank) - 1u) & ~2u> batch_axes{};
      auto const evaluation = affine<S>((x - channel<S>(running_mean)) * (1 / sqrt(channel<S>(running_var) + How.eps)));
      if constexpr (S::size == Features) {
        return by_mode(detail::untrainable<S>{}, evaluation);
      } else {
        constexpr double count = static_cast<double>(S::size) / Features;
        constexpr double correction = How.variance == unbiased ? count / (count - 1) : 1;
        auto const mean = reshape<Features>(mean_kept(x, batch_axes));
        auto const observed = reshape<Features>(variance_kept(x, batch_axes));
        auto const y = affine<S>(espalier::detail::normalize_masked<batch_axes>(x, How.eps));
        return by_mode(with_update(with_update(y, running_mean, running_mean * (1 - How.momentum) + mean * How.momentum), running_var,
                                   running_var * (1 - How.momentum) + observed * (How.momentum * correction)),
                       evaluation);
      }
    }
  }

 private:
  /// A vector of features placed along the second axis of S.
  template <class S>
  static constexpr auto channel(auto v) {
    if constexpr (S::rank == 2) return v;
    else if constexpr (S::rank == 3) return reshape<Features, 1>(v);
    else if constexpr (S::rank == 4) return reshape<Features, 1, 1>(v);
    else if constexpr (S::rank == 5) return reshape<Features, 1, 1, 1>(v);
    else return reshape<Features, 1, 1, 1, 1>(v);
  }
  template <class S>
  constexpr auto affine(auto normalized) const {
    return normalized * channel<S>(weight) + channel<S>(bias);
  }
};

}  // namespace espalier::nn
