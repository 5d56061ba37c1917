// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/relu.hpp"
#include "batch_norm.hpp"
#include "conv.hpp"

namespace espalier::nn {

/// ConvBN<In, Out, Kernel, Options>: relu(norm(conv(x))), the building block of residual networks for images.
/// shape   as of Conv
/// errors  as of Conv; training with one value per channel does not compile
/// saves   what its parts save
/// gradient  that of its parts in turn
/// source  needle's ConvBN
template <int In, int Out, rows_columns Kernel, conv_argument Options = conv{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct ConvBN {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  Conv<In, Out, Kernel, Options> conv{};
  BatchNorm<Out, Options.layout == nchw ? 1 : -1> norm{};
  ESPALIER_MODULE(ConvBN, conv, norm)
  using takes_single_values = void;
  constexpr auto forward(auto x) const { return relu(norm(conv(x))); }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
