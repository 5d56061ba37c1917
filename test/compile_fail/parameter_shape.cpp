// SPDX-License-Identifier: BSL-1.0
// expect: a parameter or buffer of a module has an invalid shape: every extent must be at least 1, with at most 6 axes and 2\^31 - 1 elements
// expect: member_shape<espalier::nn::Embedding<0, 4
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::Sequential<nn::Embedding<0, 4>, nn::Linear<4, 2>>> net;
#else
esp::model<nn::Sequential<nn::Embedding<1, 4>, nn::Linear<4, 2>>> net;
#endif
