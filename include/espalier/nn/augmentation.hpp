// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "module.hpp"
#include "../shape/window.hpp"

/// What modules that change images at random share.
namespace espalier::nn {

/// Named relation: the probability of a flip is in [0, 1].
template <real P>
struct flip_probability {
  static constexpr bool agree = P.value >= 0 && P.value <= 1;
};
/// Named relation: a padding is not negative.
template <int Padding>
struct crop_padding {
  static constexpr bool agree = Padding >= 0;
};

namespace detail {

template <class S>
struct number_of_each_image_impl;
template <int N, int... Image>
struct number_of_each_image_impl<shape<N, Image...>> {
  using type = shape<N, (Image * 0 + 1)...>;
};
/// (N, 1, 1, 1) for a batch of N images.
template <class S>
using number_of_each_image = typename number_of_each_image_impl<S>::type;

}  // namespace detail
}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
