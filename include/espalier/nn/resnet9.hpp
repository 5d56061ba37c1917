// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "activation.hpp"
#include "conv_bn.hpp"
#include "flatten.hpp"
#include "linear.hpp"
#include "residual.hpp"
#include "sequential.hpp"

namespace espalier::nn {

namespace detail {
template <int Stride>
inline constexpr conv strided{.stride = Stride};
template <int Channels>
using residual_convolutions =
    Residual<Sequential<ConvBN<Channels, Channels, 3, strided<1>>, ConvBN<Channels, Channels, 3, strided<1>>>>;
}  // namespace detail

/// A residual net for images of 32 by 32 pixels: four ConvBN that halve or quarter the image, two residual pairs of
/// ConvBN, two Linear.
/// shape   (N, 3, 32, 32) -> (N, Classes)
/// errors  images with other than three channels do not compile, nor do extents that leave the first Linear other than
///         128 features
/// saves   what its parts save
/// gradient  that of its parts in turn
/// source  needle's ResNet9, after David Page's
template <int Classes = 10>
using ResNet9 = Sequential<ConvBN<3, 16, 7, detail::strided<4>>, ConvBN<16, 32, 3, detail::strided<2>>,
                           detail::residual_convolutions<32>, ConvBN<32, 64, 3, detail::strided<2>>,
                           ConvBN<64, 128, 3, detail::strided<2>>, detail::residual_convolutions<128>, Flatten,
                           Linear<128, 128>, ReLU, Linear<128, Classes>>;

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
