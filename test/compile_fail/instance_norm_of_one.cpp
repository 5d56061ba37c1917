// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: InstanceNorm<8
// expect-early: several_values_per_instance<(espalier::)?shape<2, 8, 1, 1> ?>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using input = esp::shape<2, 8, 1, 1>;
#else
using input = esp::shape<2, 8, 1, 2>;
#endif

auto f(esp::model<nn::InstanceNorm<8>> const& model, esp::tensor<float, input> const& x) { return model(x); }
