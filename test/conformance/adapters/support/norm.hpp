// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "module.hpp"

// What a case says of a norm layer.
namespace conformance {

template <class Case>
inline constexpr int channels = input_shape<Case>::template extent<1>();

/// Affine where the case gives parameters.
template <class Case, nn::variance Variance = nn::biased>
inline constexpr nn::norm options{.eps = attribute_or<Case, "eps", double>(1e-5),
                                  .momentum = attribute_or<Case, "momentum", double>(0.1),
                                  .variance = Variance,
                                  .affine = Case::parameters::size > 0};

namespace detail {
template <int Count, int... Trailing>
struct channels_and_ones : channels_and_ones<Count - 1, Trailing..., 1> {};
template <int... Trailing>
struct channels_and_ones<0, Trailing...> {
  static constexpr auto place(auto const& v) { return esp::reshape<-1, Trailing...>(v); }
};

template <class S, int First, class = std::make_integer_sequence<int, S::rank - First>>
struct axes_from;
template <class S, int First, int... I>
struct axes_from<S, First, std::integer_sequence<int, I...>> {
  using type = esp::shape<S::value.at[First + I]...>;
};
}  // namespace detail

/// One number per channel placed along the second axis of S.
template <class S>
constexpr auto along_channels(auto const& v) {
  return detail::channels_and_ones<S::rank - 2>::place(v);
}
/// The shape of the last Count axes of S.
template <class S, int Count>
using last_axes = typename detail::axes_from<S, S::rank - Count>::type;

}  // namespace conformance
