// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Linear<128, 10
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<32, 64>, (espalier::)?shape<128, 10> ?>
// expect-early: shape<32, 64>
// expect-early: shape<128, 10>
// expect-early: layer<3, 7>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Linear<64, 64>, nn::ReLU, nn::Linear<64, 64>, nn::Linear<128, 10>, nn::ReLU,
                           nn::Linear<10, 10>, nn::ReLU>;
#else
using Net = nn::Sequential<nn::Linear<64, 64>, nn::ReLU, nn::Linear<64, 64>, nn::Linear<64, 10>, nn::ReLU,
                           nn::Linear<10, 10>, nn::ReLU>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<32, 64>> const& x) { return model(x); }
