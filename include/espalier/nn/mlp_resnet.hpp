// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "activation.hpp"
#include "dropout.hpp"
#include "flatten.hpp"
#include "linear.hpp"
#include "norm.hpp"
#include "repeat.hpp"
#include "residual.hpp"
#include "sequential.hpp"

namespace espalier::nn {

/// The norm layers of a model: use_batch_norm, use_layer_norm, or your own type with such a member template.
struct use_batch_norm {
  template <int Features>
  using norm = BatchNorm1d<Features>;
};
struct use_layer_norm {
  template <int Features>
  using norm = LayerNorm1d<Features>;
};

/// relu(fn(x) + x), where fn has two layers: Linear, norm, ReLU, Dropout, Linear, norm.
/// shape   (N, Dim) -> (N, Dim)
/// errors  another last axis, and with batch norm training with one sample, do not compile
/// saves   what its parts save
/// gradient  that of its parts in turn
/// source  needle's ResidualBlock
template <int Dim, int Hidden, class Norm = use_batch_norm, real Drop = 0.1>
using ResidualBlock =
    Sequential<Residual<Sequential<Linear<Dim, Hidden>, typename Norm::template norm<Hidden>, ReLU, Dropout<Drop>,
                                   Linear<Hidden, Dim>, typename Norm::template norm<Dim>>>,
               ReLU>;

/// Linear, ReLU, `Blocks` residual blocks of half the width inside, and Linear to the classes.
/// shape   (N, In) -> (N, Classes); for images, place Flatten in front
/// errors  as of its blocks
/// saves   what its parts save
/// gradient  that of its parts in turn
/// source  needle's MLPResNet
template <int In, int Hidden, int Blocks, int Classes, class Norm = use_batch_norm, real Drop = 0.1>
using MLPResNet = Sequential<Linear<In, Hidden>, ReLU, Repeat<Blocks, ResidualBlock<Hidden, Hidden / 2, Norm, Drop>>,
                             Linear<Hidden, Classes>>;

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
