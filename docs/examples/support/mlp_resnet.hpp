// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier.hpp>

namespace examples {

namespace nn = espalier::nn;

/// x -> ReLU(x + Norm(Linear(Dropout(ReLU(Norm(Linear(x)))))): Features wide outside, Hidden wide inside.
template <int Features, int Hidden, template <int> class Norm>
using ResidualBlock = nn::Sequential<nn::Residual<nn::Sequential<nn::Linear<Features, Hidden>, Norm<Hidden>, nn::ReLU, nn::Dropout<0.1>,
                                                                 nn::Linear<Hidden, Features>, Norm<Features>>>,
                                     nn::ReLU>;

/// Inputs -> Hidden, three residual blocks with half as many units inside, -> Classes.
template <int Inputs, int Hidden, int Classes, template <int> class Norm>
using MLPResNet = nn::Sequential<nn::Flatten, nn::Linear<Inputs, Hidden>, nn::ReLU,  //
                                 ResidualBlock<Hidden, Hidden / 2, Norm>,            //
                                 ResidualBlock<Hidden, Hidden / 2, Norm>,            //
                                 ResidualBlock<Hidden, Hidden / 2, Norm>,            //
                                 nn::Linear<Hidden, Classes>>;

// One line changes the normalisation of a whole net: the programs digits and digits_layernorm are the same source.
#if defined(ESPALIER_DIGITS_LAYERNORM)
template <int Features>
using Norm = nn::LayerNorm1d<Features>;
#else
template <int Features>
using Norm = nn::BatchNorm1d<Features>;
#endif

}  // namespace examples
