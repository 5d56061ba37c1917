// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: RandomCrop<4
// expect-early: images<(espalier::)?shape<2, 64> ?>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Shape = esp::shape<2, 64>;
#else
using Shape = esp::shape<2, 1, 8, 8>;
#endif

auto f(esp::model<nn::RandomCrop<4>> const& model, esp::tensor<float, Shape> const& x) { return model(x); }
